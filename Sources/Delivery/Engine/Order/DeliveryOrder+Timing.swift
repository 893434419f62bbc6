internal import Base
internal import Push

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
        guard let window = reader.members["window"]?.integer, window >= 0 else {
            throw reader.error("window", "is not a number of seconds")
        }
        self.init(at: at, otherwise: zone, window: .seconds(window))
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
        guard let bake = reader.members["bake"]?.integer, bake >= 0 else {
            throw reader.error("bake", "is not a number of seconds")
        }
        guard let window = reader.members["window"]?.integer, window >= 0 else {
            throw reader.error("window", "is not a number of seconds")
        }
        let limits = try reader.object("stopWhen")
        try limits.allow(["refused", "deadTokens", "inDoubt", "openedBelow"])
        func share(_ name: String) throws(DeliveryOrderError) -> Share? {
            guard let text = try limits.optionalString(name) else { return nil }
            guard let share = Share(text) else { throw limits.error(name, "is not a share") }
            return share
        }
        self.init(
            stages: stages, bake: .seconds(bake),
            stopWhen: Limits(
                refused: try share("refused"), deadTokens: try share("deadTokens"), inDoubt: try share("inDoubt"),
                opened: try share("openedBelow").map { Floor(below: $0) }),
            minimum: try reader.optionalCount("minimum") ?? 300, window: .seconds(window))
    }
}
