/// Any JSON value, compared and hashed by what it means: the order of an object's keys does not count.
package enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// A mapping.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Whether both are the same value; a whole number is the same whichever case holds it.
    package static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
            Int64(exactly: number) == whole
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { hasher.combine(whole) } else { hasher.combine(value) }
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue {
    /// The members, when this is an object.
    package var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements, when this is an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text, when this is a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, when this is one.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, when it is whole.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The number, whole or not.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// Whether this is `null`.
    package var isNull: Bool { self == .null }

    /// The member under `key`, when this is an object that has it; setting `nil` removes it.
    ///
    /// Setting a member of anything but an object makes it an object.
    package subscript(key: String) -> JSONValue? {
        get { object?[key] }
        set {
            var members = object ?? [:]
            members[key] = newValue
            self = .object(members)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(nilLiteral: ()) { self = .null }

    /// The first of equal keys counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0, value: $1) }))
    }
}
