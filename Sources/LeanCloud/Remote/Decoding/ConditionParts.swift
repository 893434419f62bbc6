internal import Base
internal import Push

/// A condition split into the parts that must all hold, to compare conditions for equivalence.
struct ConditionParts {
    /// A field or operator with its constraint.
    struct Part: Hashable {
        /// The field, or `$or`.
        let key: String
        /// The constraint on it.
        let value: JSONValue

        /// The names in `"a"` or in `{"$in": ["a", "b"]}`; nil for any other constraint.
        var names: [String]? {
            if let name = value.string { return [name] }
            guard let members = value.object, members.count == 1, let list = members["$in"]?.array else { return nil }
            let names = list.compactMap(\.string)
            return names.count == list.count && !names.isEmpty ? names : nil
        }

        /// The part in normal form: lists of names sorted, times in UTC with milliseconds.
        fileprivate var normalized: JSONValue {
            guard ["channels", "deviceType"].contains(key), let names else { return [key: Self.timed(value)] }
            let sorted = Set(names).sorted()
            return [key: sorted.count == 1 ? .string(sorted[0]) : ["$in": .array(sorted.map { .string($0) })]]
        }

        private static func timed(_ value: JSONValue) -> JSONValue {
            switch value {
            case .null, .bool, .integer, .number, .string: return value
            case .array(let elements): return .array(elements.map(timed))
            case .object(let members):
                if members["__type"] == "Date", let instant = members["iso"]?.string.flatMap({ Instant($0) }) {
                    return ["__type": "Date", "iso": .string(instant.isoText)]
                }
                return .object(members.mapValues(timed))
            }
        }
    }

    /// The parts, without `valid`, which every push requires anyway.
    private(set) var parts: [Part] = []

    /// Splits a condition, including `$and` at any depth.
    init(_ condition: JSONObject) {
        for (key, value) in condition.sorted(by: { $0.key < $1.key }) {
            if key == "$and", let list = value.array, !list.isEmpty, list.allSatisfy({ $0.object != nil }) {
                for inner in list { parts += ConditionParts(inner.object ?? [:]).parts }
            } else if key != "valid" || value != true {
                parts.append(Part(key: key, value: value))
            }
        }
    }

    /// The platforms that the parts allow.
    var platforms: Set<Platform> {
        var possible = Set(Platform.allCases)
        for part in parts where part.key == "deviceType" {
            if let names = part.names { possible.formIntersection(names.compactMap { Platform(rawValue: $0) }) }
        }
        return possible
    }

    /// The distinct parts in normal form and order.
    var normalized: JSONValue {
        .array(Set(parts.map(\.normalized)).sorted { $0.canonicalText < $1.canonicalText })
    }

    /// The condition rebuilt from its parts, with `$and` only where two parts constrain the same field.
    var condition: JSONValue? {
        var objects: [JSONObject] = []
        for part in parts {
            if let index = objects.firstIndex(where: { $0[part.key] == nil }) {
                objects[index][part.key] = part.value
            } else {
                objects.append([part.key: part.value])
            }
        }
        if objects.count > 1 { return ["$and": .array(objects.map { .object($0) })] }
        return objects.first.map { .object($0) }
    }

    /// Removes the only part about a field and returns its names; nil, without a change, when there is no such part.
    mutating func takeNames(of key: String, where accepts: ([String]) -> Bool = { _ in true }) -> [String]? {
        let found = parts.indices.filter { parts[$0].key == key }
        guard found.count == 1, let names = parts[found[0]].names, accepts(names) else { return nil }
        parts.remove(at: found[0])
        return names
    }
}
