internal import Base
internal import Push

extension DeliveryOrder.Route {
    var json: JSONValue {
        var json: JSONValue = ["profile": .string(profile)]
        if vendor == .apns {
            json["topic"] = .string(topic)
            json["apnsTopic"] = .string(apnsTopic)
        } else {
            json["vendor"] = .string(vendor.rawValue)
        }
        if installations != profile { json["deviceProfile"] = .string(installations) }
        if settings != [:] { json["settings"] = settings }
        if isDefault { json["default"] = true }
        return json
    }

    init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["profile", "vendor", "deviceProfile", "topic", "apnsTopic", "default", "settings"])
        let vendor: PushVendor = reader.members["vendor"] == nil ? .apns : try reader.choice("vendor")
        self.init(
            profile: try reader.string("profile"), vendor: vendor,
            installations: try reader.optionalString("deviceProfile"),
            topic: vendor == .apns ? try reader.string("topic") : "",
            apnsTopic: vendor == .apns ? try reader.string("apnsTopic") : "",
            isDefault: try reader.mark("default", true),
            settings: reader.members["settings"] == nil ? [:] : try reader.payload("settings"))
    }
}

extension DeliveryOrder.Messages {
    var json: JSONValue {
        var json: JSONValue = ["message": own]
        if !languages.isEmpty { json["languages"] = .array(languages) }
        if !variants.isEmpty { json["variants"] = .array(variants.map { .array($0) }) }
        return json
    }

    init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["message", "languages", "variants"])
        self.init(own: try reader.payload("message"))
        languages = reader.members["languages"]?.array ?? []
        variants = (reader.members["variants"]?.array ?? []).map { $0.array ?? [] }
    }
}
