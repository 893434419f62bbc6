package import Base
package import Push

extension DeliveryOrder.Timing {
    init(_ reader: OrderReader) throws(DeliveryOrderError) {
        switch (reader.members["localTime"], reader.members["rollout"], reader.members["variants"]) {
        case (nil, nil, nil): self = .together
        case (.some, nil, nil): self = .localTime(try LocalSchedule(try reader.object("localTime")))
        case (nil, .some, nil): self = .stages(try Rollout(try reader.object("rollout")))
        case (nil, nil, .some): self = .variants(try VariantTest(try reader.object("variants")))
        case (_, _, _): throw reader.error("rollout", "'localTime' and 'variants' exclude each other")
        }
    }
}

extension LocalSchedule {
    var json: JSONValue {
        ["at": .string(at.text), "otherwise": .string(otherwise), "window": .integer(window.wholeSeconds)]
    }

    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["at", "otherwise", "window"])
        guard let at = LocalTime(try reader.string("at")) else { throw reader.error("at", "is not a local time") }
        let zone = try reader.string("otherwise")
        guard ZoneClock(zone) != nil else { throw reader.error("otherwise", "is not a known time zone") }
        self.init(at: at, otherwise: zone, window: try reader.seconds("window"))
    }
}

extension Rollout {
    var json: JSONValue {
        var limits: JSONObject = [:]
        limits["refused"] = stopWhen.refused.map { .string($0.text) }
        limits["deadTokens"] = stopWhen.deadTokens.map { .string($0.text) }
        limits["inDoubt"] = stopWhen.inDoubt.map { .string($0.text) }
        limits["openedBelow"] = stopWhen.opened.map { .string($0.below.text) }
        return [
            "stages": .array(stages.map { .string($0.text) }), "bake": .integer(bake.wholeSeconds),
            "stopWhen": .object(limits), "minimum": .integer(Int64(minimum)), "window": .integer(window.wholeSeconds),
        ]
    }

    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["stages", "bake", "stopWhen", "minimum", "window"])
        let stages = try reader.strings("stages").compactMap { Share($0) }
        guard stages.count == reader.members["stages"]?.array?.count, stages.last == .whole,
            zip(stages, stages.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw reader.error("stages", "are not rising shares that end with 100%") }
        let bake = try reader.seconds("bake")
        let window = try reader.seconds("window")
        let limits = try reader.object("stopWhen")
        try limits.allow(["refused", "deadTokens", "inDoubt", "openedBelow"])
        func share(_ name: String) throws(DeliveryOrderError) -> Share? {
            guard let text = try limits.optionalString(name) else { return nil }
            guard let share = Share(text) else { throw limits.error(name, "is not a share") }
            return share
        }
        self.init(
            stages: stages, bake: bake,
            stopWhen: Limits(
                refused: try share("refused"), deadTokens: try share("deadTokens"), inDoubt: try share("inDoubt"),
                opened: try share("openedBelow").map { Floor(below: $0) }),
            minimum: try reader.optionalCount("minimum") ?? 300, window: window)
    }
}

// MARK: - Routes

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

// MARK: - Variants

/// The test of variants in a recorded request.
extension VariantTest {
    /// The test with the payloads of each variant; `languages` are the names of those after the first.
    func json(_ payloads: [[JSONValue]], _ languages: [String]) -> JSONValue {
        let arms = zip(arms, payloads).map { arm, payloads -> JSONValue in
            var json: JSONValue = ["name": .string(arm.name), "share": .string(arm.share.text), "payload": payloads[0]]
            if !languages.isEmpty {
                json["languages"] = .object(JSONObject(zip(languages, payloads.dropFirst()).map { ($0, $1) }))
            }
            return json
        }
        var json: JSONValue = [
            "arms": .array(arms), "decideBy": .integer(decideBy.wholeSeconds), "otherwise": .string(otherwise.text),
            "window": .integer(window.wholeSeconds),
        ]
        json["winner"] = winner.map { .string($0) }
        return json
    }

    init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["arms", "decideBy", "otherwise", "window", "winner"])
        var arms: [Arm] = []
        for arm in try reader.objects("arms") {
            try arm.allow(["name", "share", "payload", "languages"])
            guard let share = Share(try arm.string("share")), share.parts > 0 else {
                throw arm.error("share", "is not a share")
            }
            arms.append(Arm(name: try arm.string("name"), share: share))
        }
        let names = arms.map(\.name)
        guard names.count > 1, names == Set(names).sorted() else {
            throw reader.error("arms", "are not at least two, sorted by name")
        }
        let decideBy = try reader.seconds("decideBy")
        let window = try reader.seconds("window")
        self.init(
            arms: arms, decideBy: decideBy, otherwise: Otherwise(try reader.string("otherwise")),
            winner: try reader.optionalString("winner"), window: window)
        guard restShare.parts > 0 else { throw reader.error("arms", "leave nobody") }
        if case .arm(let name) = otherwise, index(of: name) == nil { throw reader.error("otherwise", "is no variant") }
        if let winner, index(of: winner) == nil { throw reader.error("winner", "is no variant") }
    }

    func payloads(_ reader: OrderReader, _ languages: [String]) throws(DeliveryOrderError) -> [[JSONValue]] {
        var payloads: [[JSONValue]] = []
        for arm in try reader.objects("arms") {
            var own = [try arm.payload("payload")]
            if !languages.isEmpty {
                let inner = try arm.object("languages")
                try inner.allow(Set(languages))
                for name in languages { own.append(try inner.payload(name)) }
            } else if arm.members["languages"] != nil {
                throw arm.error("languages", "are not those of the message")
            }
            payloads.append(own)
        }
        return payloads
    }
}

// MARK: - Restraint

/// The rules of a policy in a recorded request, without the labels that exempt others.
extension Holdout {
    /// The share and the word.
    package var json: JSONValue { ["share": .string(share.text), "salt": .string(salt)] }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        guard json.object?.count == 2, let share = json["share"]?.string.flatMap({ Share($0) }),
            let salt = json["salt"]?.string
        else { return nil }
        self.init(share: share, salt: salt)
    }
}

extension FrequencyRule {
    /// The number, and the time in seconds.
    package var json: JSONValue { ["most": .integer(Int64(most)), "per": .integer(per.wholeSeconds)] }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        guard json.object?.count == 2, let most = json["most"]?.integer, FrequencyRule.countable.contains(Int(most)),
            let per = json["per"]?.integer, per > 0
        else { return nil }
        self.init(most: Int(most), per: .seconds(per))
    }

    /// Reads a list of rules; nil for anything else.
    package static func list(_ json: JSONValue) -> [FrequencyRule]? {
        guard let elements = json.array else { return nil }
        let rules = elements.compactMap { FrequencyRule($0) }
        return rules.count == elements.count ? rules : nil
    }
}
