package import Base
internal import DeviceRegistry
package import Push

extension DeliveryAudience {
    /// Reads the audience of a request as the encoder gives it: its condition and its routes.
    ///
    /// - Throws: `RemoteError` with `refused` naming the faulty member.
    init(counted: JSONValue) throws(RemoteError) {
        guard let condition = counted["where"], condition.object != nil else {
            throw RemoteError(.refused, "the counted audience has no 'where'")
        }
        guard let members = counted["routes"]?.array, !members.isEmpty else {
            throw RemoteError(.refused, "the counted audience has no 'routes'")
        }
        var routes: [DeliveryRoute] = []
        for member in members {
            let vendor = member["vendor"]?.string.map { PushVendor(rawValue: $0) } ?? .apns
            guard let profile = member["profile"]?.string, let vendor,
                let topic = member["topic"]?.string ?? (vendor == .apns ? nil : "")
            else {
                throw RemoteError(.refused, "a route of the counted audience has no 'profile' or 'topic'")
            }
            routes.append(
                DeliveryRoute(
                    profile: profile, vendor: vendor, installations: member["deviceProfile"]?.string, topic: topic,
                    isDefault: member["default"]?.bool ?? false))
        }
        let frequency = counted["frequency"].map { FrequencyRule.list($0) } ?? []
        let holdout = counted["holdout"].map { Holdout($0) }
        guard let frequency, holdout != .some(nil) else {
            throw RemoteError(.refused, "the counted audience has a 'holdout' or 'frequency' that cannot be read")
        }
        self.init(
            selection: .condition(condition), routes: routes, words: counted["words"].flatMap(AudienceWords.init),
            holdout: holdout ?? nil, frequency: frequency)
    }
}

extension AudienceWords {
    fileprivate var json: JSONValue {
        [
            "field": .string(languageField ?? ""), "languages": .array(lookup.names.map { .string($0) }),
            "limit": .integer(Int64(limit)),
            "forms": .array(
                forms.map { form in
                    var json: JSONValue = [
                        "bytes": .integer(Int64(form.bytes)),
                        "values": .array(form.values.map { [.string($0.field), .string($0.default)] }),
                    ]
                    if form.payloadValues < form.values.count {
                        json["payloadValues"] = .integer(Int64(form.payloadValues))
                    }
                    return json
                }),
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let limit = json["limit"]?.integer, let forms = json["forms"]?.array,
            let languages = json["languages"]?.array?.compactMap(\.string), !forms.isEmpty,
            forms.count.isMultiple(of: languages.count + 1)
        else { return nil }
        let field = json["field"]?.string ?? ""
        self.init(
            languageField: field.isEmpty ? nil : field, languages: languages,
            forms: forms.map { form in
                let values = (form["values"]?.array ?? []).compactMap { pair -> PersonalValue? in
                    guard let texts = pair.array?.compactMap(\.string), texts.count == 2 else { return nil }
                    return PersonalValue(field: texts[0], default: texts[1])
                }
                return Form(
                    bytes: Int(form["bytes"]?.integer ?? 0), values: values,
                    payloadValues: form["payloadValues"]?.natural)
            }, limit: Int(limit), arms: forms.count / (languages.count + 1))
    }
}

extension APNsEncoder {
    /// The condition with the routes: devices of other profiles and topics are not reached; and with what decides on
    /// each device's words.
    package func audience(of request: PushRequest) -> JSONValue? {
        guard let condition = request.body["where"], let routes = request.body["routes"] else { return nil }
        var audience: JSONValue = ["where": condition, "routes": routes]
        if request.body["languages"] != nil || request.body["personal"] != nil,
            let words = (try? DeliveryOrder(request.body))?.words
        {
            audience["words"] = words.json
        }
        audience["holdout"] = request.body["holdout"]
        audience["frequency"] = request.body["frequency"]
        return audience
    }

    /// Both conditions, with the routes that both audiences share.
    ///
    /// A device is reached by its profile's route, one without a profile by the default route. An installation's topic
    /// fits one route only, so profiles with different topics share no device that names its topic.
    package func sharedAudience(_ first: JSONValue, _ second: JSONValue) -> JSONValue? {
        guard let one = first["where"], let other = second["where"] else { return nil }
        let (served, servedToo) = (Self.topics(first), Self.topics(second))
        let routes = served.filter { servedToo[$0.key] == $0.value }.sorted { $0.key < $1.key }.map(\.value)
        if routes.isEmpty { return nil }
        var shared: JSONValue = [
            "where": one == other ? one : ["$and": [one, other]],
            "routes": .array(routes),
        ]
        // Held out by one of them is enough; the rest is a little more than what both reach.
        shared["holdout"] = first["holdout"] ?? second["holdout"]
        shared["frequency"] = first["frequency"] ?? second["frequency"]
        return shared
    }

    /// The routes that serve each vendor's profiles; the empty name stands for devices that name none.
    private static func topics(_ audience: JSONValue) -> [String: JSONValue] {
        var topics: [String: JSONValue] = [:]
        for route in audience["routes"]?.array ?? [] {
            guard let profile = route["deviceProfile"]?.string ?? route["profile"]?.string else { continue }
            let vendor = route["vendor"]?.string
            for name in [profile] + (route["default"]?.bool ?? false ? [""] : []) {
                var shared: JSONValue = ["profile": .string(name)]
                shared["topic"] = route["topic"]
                shared["vendor"] = vendor.map { .string($0) }
                topics[vendor.map { "\($0)/\(name)" } ?? name] = shared
            }
        }
        return topics
    }
}
