/// Any JSON value, compared and hashed by meaning: the order of an object's keys does not count.
package enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// True if both mean the same value; a whole number is equal whichever case holds it.
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
    /// The members of an object; nil otherwise.
    package var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements of an array; nil otherwise.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text of a string; nil otherwise.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a Boolean; nil otherwise.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a whole number; nil otherwise.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value of any number; nil otherwise.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// True for `null`.
    package var isNull: Bool { self == .null }

    /// The member `key` of an object; setting `nil` removes it.
    ///
    /// Setting a member of a value that is not an object turns it into an object.
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

    /// Creates an object from a literal; the first of equal keys wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0, value: $1) }))
    }
}
