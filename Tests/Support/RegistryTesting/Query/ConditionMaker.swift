package import Base

/// Makes objects and conditions that meet: the same for the same number.
package struct ConditionMaker {
    private var generator: SeededGenerator
    /// Keys that conditions of any class may name.
    package static let keys = [
        "number", "word", "flag", "tags", "when", "who", "place", "deep", "deep.k", "deep.m.z", "any", "none",
        "objectId", "createdAt", "updatedAt",
    ]
    /// Keys that conditions of devices may name.
    package static let deviceKeys =
        keys + [
            "channels", "channels", "deviceType", "deviceProfile", "deviceToken", "installationId", "valid", "number",
            "word", "flag",
        ]

    /// The ids that pointers lead to.
    package var people: [String] = []

    /// Begins with a number.
    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private static let words = [
        "a", "A", "ab", "Ab", "b", "ba", "", "ü", "é", "新闻", "'", "\"", "\\", "%", "_", "a\nb", "1",
    ]
    private static let numbers: [JSONValue] = [0, 1, 2, -1, 1.5, 2.25, 1_000_000_000_000, -0.5, 1e18]

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func word() -> JSONValue { .string(pick(Self.words)) }
    private mutating func number() -> JSONValue { pick(Self.numbers) }

    private mutating func date() -> JSONValue {
        let day = Int.random(in: 1...5, using: &generator)
        return ["__type": "Date", "iso": .string("2020-01-0\(day)T00:00:00.000Z")]
    }

    private mutating func point() -> JSONValue {
        [
            "__type": "GeoPoint", "latitude": .integer(Int64.random(in: -3...3, using: &generator)),
            "longitude": .integer(Int64.random(in: -3...3, using: &generator)),
        ]
    }

    private mutating func pointer() -> JSONValue {
        ["__type": "Pointer", "className": .string(pick(["_User", "Team"])), "objectId": .string(pick(people))]
    }

    private mutating func scalar() -> JSONValue {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: number()
        case 1: .bool(generator.happens(0.5))
        case 2: date()
        case 3: pointer()
        case 4: .null
        default: word()
        }
    }

    private mutating func list(_ most: Int = 3, _ element: (inout Self) -> JSONValue) -> JSONValue {
        .array((0..<Int.random(in: 0...most, using: &generator)).map { _ in element(&self) })
    }

    /// The fields of an object of any class.
    package mutating func fields() -> JSONObject {
        var fields: JSONObject = [:]
        func set(_ key: String, _ value: JSONValue, _ maker: inout Self) {
            if maker.generator.happens(0.8) { fields[key] = value }
        }
        set("number", generator.happens(0.8) ? number() : word(), &self)
        set("word", generator.happens(0.8) ? word() : scalar(), &self)
        set("flag", generator.happens(0.9) ? .bool(generator.happens(0.5)) : scalar(), &self)
        set("tags", generator.happens(0.8) ? list { $0.word() } : list { $0.scalar() }, &self)
        set("when", date(), &self)
        set("who", generator.happens(0.9) ? pointer() : list { $0.pointer() }, &self)
        set("place", point(), &self)
        set("deep", ["k": number(), "m": ["z": word()]], &self)
        set("any", generator.happens(0.5) ? scalar() : list { $0.scalar() }, &self)
        return fields
    }

    /// The other fields of a device.
    package mutating func device(_ index: Int) -> JSONObject {
        var fields = fields()
        fields["deviceType"] = .string(pick(["ios", "ios", "android"]))
        fields["deviceToken"] = .string("token\(index)")
        if generator.happens(0.5) { fields["installationId"] = .string(generator.happens(0.1) ? "" : "id\(index)") }
        if generator.happens(0.7) { fields["deviceProfile"] = .string(pick(["driver", "passenger", ""])) }
        fields["channels"] = list { maker in .string(maker.pick(["x", "y", "z", "", "新闻"])) }
        if generator.happens(0.3) { fields["valid"] = .bool(generator.happens(0.5)) }
        return fields
    }

    /// A condition; `keys` are those that stand before an operator.
    package mutating func condition(_ keys: [String], depth: Int = 0) -> JSONValue {
        var members: JSONObject = [:]
        for _ in 0..<pick([1, 1, 1, 2, 3]) {
            let key = pick(keys)
            if depth < 2, generator.happens(0.2) {
                let list = JSONValue.array((0..<pick([1, 2, 3])).map { _ in condition(keys, depth: depth + 1) })
                members[pick(["$or", "$or", "$and"])] = list
            } else {
                members[key] = test(key, keys)
            }
        }
        if depth == 0, generator.happens(0.1) { return [.object(members), condition(keys, depth: 1)] }
        return .object(members)
    }

    private mutating func value(_ key: String) -> JSONValue {
        switch key {
        case "createdAt", "updatedAt": return date()
        case _ where generator.happens(0.05): return scalar()
        case "number", "deep.k": return number()
        case "flag", "valid": return .bool(generator.happens(0.5))
        case "when": return date()
        case "who": return pointer()
        case "place": return point()
        case "tags" where generator.happens(0.2): return list { $0.word() }
        case "deep": return ["k": number(), "m": ["z": word()]]
        case "channels": return .string(pick(["x", "y", "z", "", "新闻", "none"]))
        case "deviceType": return .string(pick(["ios", "android", "web"]))
        case "deviceProfile": return .string(pick(["driver", "passenger", "", "none"]))
        case "deviceToken": return .string("token\(Int.random(in: 0..<20, using: &generator))")
        case "installationId": return .string(pick(["id1", "id2", "", "id3"]))
        case "objectId": return .string(pick(people))
        case "any": return scalar()
        default: return word()
        }
    }

    private mutating func test(_ key: String, _ keys: [String]) -> JSONValue {
        let isTime = key == "createdAt" || key == "updatedAt"
        var operators: JSONObject = [:]
        for _ in 0..<pick([1, 1, 2]) {
            switch Int.random(in: 0..<(isTime ? 8 : 16), using: &generator) {
            case 0, 1: return value(key)
            case 2: operators["$ne"] = value(key)
            case 3, 4: operators[pick(["$gt", "$gte", "$lt", "$lte"])] = ordered(key)
            case 5: operators["$in"] = list { $0.value(key) }
            case 6: operators["$nin"] = list { $0.value(key) }
            case 7: operators["$exists"] = .bool(generator.happens(0.5))
            case 8: operators["$all"] = list(2) { $0.value(key) }
            case 9: operators["$size"] = .integer(Int64.random(in: 0...3, using: &generator))
            case 10:
                operators["$regex"] = .string(pick(["^a", "b", "^A", "新", "1", "^tok"]))
                if generator.happens(0.3) { operators["$options"] = "i" }
            case 11: operators.merge(near()) { $1 }
            case 12:
                operators["$within"] = [
                    "$box": [
                        ["__type": "GeoPoint", "latitude": -2, "longitude": -2],
                        ["__type": "GeoPoint", "latitude": 1, "longitude": 2],
                    ]
                ]
            case 13, 14: operators[pick(["$inQuery", "$notInQuery"])] = query()
            default:
                operators[pick(["$select", "$dontSelect"])] = [
                    "query": ["className": .string(pick(["_User", "Team"])), "where": inner()],
                    "key": .string(pick(["word", "number", "tags", "any", "deep.k"])),
                ]
            }
        }
        return .object(operators)
    }

    private mutating func ordered(_ key: String) -> JSONValue {
        let value = value(key)
        if value.double != nil || value.string != nil || value["__type"] == "Date" { return value }
        return number()
    }

    private mutating func near() -> JSONObject {
        var near: JSONObject = ["$nearSphere": point()]
        // Between the distances of whole degrees: the two ways to reckon them need not agree in the last digit.
        if generator.happens(0.7) {
            let (name, radius) = pick([
                ("$maxDistance", 1), ("$maxDistanceInRadians", 1), ("$maxDistanceInMiles", 3958.8),
                ("$maxDistanceInKilometers", 6371.0),
            ])
            near[name] = .number(pick([0.01, 0.0312, 0.0621]) * radius)
        }
        if generator.happens(0.2) { near["$minDistance"] = .number(pick([0.009, 0.0281])) }
        return near
    }

    private static let innerKeys = ["number", "word", "flag", "tags", "when", "place", "deep.k", "any"]

    private mutating func inner() -> JSONValue {
        condition(Self.innerKeys, depth: 2)
    }

    private mutating func query() -> JSONValue {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: inner()
        case 1: ["where": inner()]
        default: ["className": .string(pick(["_User", "Team"])), "where": inner()]
        }
    }
}
