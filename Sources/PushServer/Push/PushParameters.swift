internal import DeviceRegistry
internal import Base
internal import Push

/// The members of a push's body that both kinds of push share.
///
/// Source: docs/background/leancloud/push.md#push-by-query, docs/background/leancloud/push.md#push-by-device.
struct PushParameters {
    /// The end of the year 9999, in milliseconds.
    private static let latest: Int64 = 253_402_300_799_999

    private let members: JSONObject
    private let now: Instant
    private let productionHeader: String?

    init(_ members: JSONObject, _ request: APIRequest) {
        self.init(members, at: request.now, productionHeader: request.productionHeader)
    }

    init(_ members: JSONObject, at now: Instant, productionHeader: String? = nil) {
        // SDKs send null for members their caller left out.
        self.members = members.filter { !$0.value.isNull }
        self.now = now
        self.productionHeader = productionHeader
    }

    /// The order for a push to the devices that match a condition.
    ///
    /// - Throws: ``APIError`` with code 1, 112, 152 or 300.
    func queryOrder() throws(APIError) -> PushOrder {
        return try order(.query(try condition()), fireAt: try pushTime())
    }

    /// The order for a push to devices by their ids.
    ///
    /// - Throws: ``APIError`` with code 1.
    func devicesOrder() throws(APIError) -> PushOrder {
        guard let platform = members["device_type"]?.string?.lowercased(), ["ios", "android"].contains(platform) else {
            throw APIError(400, 1, "device_type is ios or android.")
        }
        let ids = (members["device_ids"]?.array ?? []).compactMap(\.string)
            .filter { !$0.isEmpty && !$0.utf8.contains(0) }
        guard !ids.isEmpty, ids.count == members["device_ids"]?.array?.count, ids.count <= 500 else {
            throw APIError(400, 1, "device_ids is a list of 1 to 500 texts.")
        }
        for name in ["channel", "device_profile", "vendor"] {
            if let value = members[name], value.string == nil { throw APIError(400, 1, "\(name) is a text.") }
        }
        let vendor = members["vendor"]?.string
        let known = platform == "ios" ? ids.map(AppleToken.normalized) : ids
        return try order(.devices(platform: platform, ids: known, vendor: vendor), fireAt: nil)
    }

    private func order(_ audience: PushOrder.Audience, fireAt: Instant?) throws(APIError) -> PushOrder {
        guard let data = members["data"], data.object != nil else { throw APIError(400, 1, "data is an object.") }
        if let control = members["flow_control"], control.double == nil {
            throw APIError(400, 1, "flow_control is a number.")
        }
        for name in ["topic", "apns_team_id"] {
            if let value = members[name], value.string == nil { throw APIError(400, 1, "\(name) is a text.") }
        }
        let profile = if case .devices = audience { text("device_profile") } else { String?.none }
        let apple = PushOrder.AppleOptions(
            topic: text("topic"), teamID: text("apns_team_id"), profile: profile, perSecond: flowControl)
        return PushOrder(
            notificationID: try identifier("notification_id"), requestID: try identifier("req_id"),
            audience: audience, data: data, environment: try environment(),
            incrementsBadge: PushData(data).incrementsBadge, fireAt: fireAt,
            expiresAt: try expiration(from: fireAt ?? now), apple: apple)
    }

    /// The text of a member; nil when it is absent or empty.
    private func text(_ name: String) -> String? {
        members[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The devices per second; less than 1,000 counts as 1,000. Source:
    /// docs/background/leancloud/push.md#push-by-query.
    private var flowControl: Int? {
        members["flow_control"]?.double.map { Int(min(max($0, 1000), 1_000_000)) }
    }

    private func identifier(_ name: String) throws(APIError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, (1...16).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
            })
        else { throw APIError(400, 1, "\(name) has 1 to 16 letters and digits.") }
        return text
    }

    private func environment() throws(APIError) -> String {
        guard let value = members["prod"] else {
            return productionHeader.map { $0 == "1" ? "prod" : "dev" } ?? "prod"
        }
        guard let text = value.string, text == "dev" || text == "prod" else {
            throw APIError(400, 1, "prod is dev or prod.")
        }
        return text
    }

    /// The time to send at; `nil` for immediately, also when it is less than a minute ahead.
    private func pushTime() throws(APIError) -> Instant? {
        guard let value = members["push_time"] else { return nil }
        guard let time = instant(value) else {
            throw APIError(400, 152, "push_time is a time such as 2019-04-01T06:19:29.000Z.")
        }
        return time < now.advanced(bySeconds: 60) ? nil : time
    }

    private func expiration(from start: Instant) throws(APIError) -> Instant? {
        switch (members["expiration_time"], members["expiration_interval"]) {
        case (nil, nil): return nil
        case (let time?, nil):
            guard let expiresAt = instant(time) else {
                throw APIError(
                    400, 1,
                    "expiration_time is a time such as 2019-04-01T06:19:29.000Z, or milliseconds since 1970; what the Java SDK writes since version 7 names no time zone: use setExpirationTimeInterval there."
                )
            }
            return expiresAt
        case (nil, let interval?):
            guard let seconds = interval.double ?? interval.string.flatMap(Double.init), seconds > 0, seconds < 1e9
            else {
                throw APIError(400, 1, "expiration_interval is a number of seconds.")
            }
            return start.advanced(bySeconds: seconds)
        case (_?, _?): throw APIError(400, 1, "expiration_time and expiration_interval exclude each other.")
        }
    }

    /// Parses a time; without a zone it is UTC, as the C# SDK sends it, and a number is milliseconds, as the Java SDK
    /// sent it before version 7.
    private func instant(_ value: JSONValue) -> Instant? {
        // A smaller number would be one of seconds.
        if let number = value.integer, (100_000_000_000...Self.latest).contains(number) {
            return Instant(milliseconds: number)
        }
        return (value.string ?? value["iso"]?.string).flatMap { Instant(iso: $0) ?? Instant(iso: $0 + "Z") }
    }

    /// The condition of a CQL query.
    private func cloudQuery(_ value: JSONValue) throws(APIError) -> JSONValue {
        guard members["where"] == nil else { throw APIError(400, 300, "cql and where exclude each other.") }
        guard let text = value.string else { throw APIError(400, 300, "cql is a text.") }
        do throws(RegistryError) {
            return try CQLQuery(text, values: [], at: now).audience()
        } catch {
            throw APIError(error)
        }
    }

    /// The condition from `where` or `cql`, with `channels` added as one more.
    private func condition() throws(APIError) -> JSONValue {
        var condition = members["where"] ?? [:]
        if let cql = members["cql"] {
            condition = try cloudQuery(cql)
        } else if let text = condition.string {
            // The C# SDK sends the condition as a string.
            guard let parsed = try? JSONValue(parsing: text, limits: ServerLimits.json) else {
                throw APIError(400, 107, "'where' is not JSON.")
            }
            condition = parsed
        }
        guard condition.object != nil || condition.array != nil else {
            throw APIError(400, 1, "where is an object or a list of objects.")
        }
        try condition.refuseNUL("where")
        guard let channels = try channels() else { return condition }
        if condition.object != nil, condition["channels"] == nil {
            condition["channels"] = channels
            return condition
        }
        return ["$and": [condition, ["channels": channels]]]
    }

    private func channels() throws(APIError) -> JSONValue? {
        guard let value = members["channels"] else { return nil }
        let list = value.array ?? [value]
        let names = list.compactMap(\.string)
        guard names.count == list.count else { throw APIError(400, 112, "channels are texts.") }
        for name in names {
            do throws(RegistryError) {
                try ChannelName.check(name)
            } catch {
                throw APIError(error)
            }
        }
        // An empty list must not mean every device.
        guard !names.isEmpty else {
            throw APIError(400, 112, "channels is empty: name a channel, or leave channels out to reach every device.")
        }
        return names.count == 1 ? list[0] : ["$in": .array(list)]
    }
}
