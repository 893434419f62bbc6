package import Base
internal import Push

/// A person's description of the device they look for.
package enum DeviceSearch: Hashable, Sendable {
    /// A device token, an installation id, an `objectId`, a part of one of them, or a user's `objectId`.
    case text(String)
    /// A condition, from a field and its value.
    case condition(JSONValue)

    /// The pointers of a device that name its user.
    static let userFields = ["owner", "user"]

    /// Reads what was typed: `name = value`, where the value may be JSON, or any part of a token or an id.
    package init(_ typed: String) {
        let text = typed.trimmed
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            String($0).trimmed
        }
        if sides.count == 2, !sides[1].isEmpty, !sides[1].hasPrefix("="), (try? FieldPath(sides[0])) != nil {
            self = .condition(Self.condition(sides[0], sides[1]))
        } else {
            self = .text(text)
        }
    }

    /// The condition that a field has a value as written, or the number or flag that it is in JSON.
    private static func condition(_ name: String, _ text: String) -> JSONValue {
        guard let value = try? JSONValue(parsing: text, limits: .anyMemory) else { return [name: .string(text)] }
        switch value {
        case .string: return [name: value]
        // Two conditions, because an index finds each.
        case .integer, .number, .bool: return ["$or": [[name: value], [name: .string(text)]]]
        case .null, .array, .object: return [name: .string(text)]
        }
    }

    /// The condition that a device's user has an `objectId`.
    static func isOf(user objectID: String) -> JSONValue {
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(objectID)]
        return ["$or": .array(userFields.map { .object([$0: pointer]) })]
    }

    /// The pattern of `LIKE`, with `!` as its escape, for a part of a token: `…` stands for what a page left out.
    static func pattern(_ part: String) -> String {
        var pattern = "%"
        for character in part.lowercased() {
            switch character {
            case "%", "_", "!": pattern += "!\(character)"
            case "…": pattern += "%"
            default: pattern.append(character)
            }
        }
        return pattern + "%"
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
