/// Any JSON value, compared and hashed by meaning: the order of an object's keys does not count.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// True if both mean the same value; a whole number is equal whichever case holds it.
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
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

    /// Equal numbers have equal hashes, however they are written.
    public func hash(into hasher: inout Hasher) {
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
    public var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements of an array; nil otherwise.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text of a string; nil otherwise.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a Boolean; nil otherwise.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a whole number; nil otherwise.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value of any number; nil otherwise.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// True for `null`.
    public var isNull: Bool { self == .null }

    /// The member `key` of an object; setting `nil` removes it.
    ///
    /// Setting a member of a value that is not an object turns it into an object.
    public subscript(key: String) -> JSONValue? {
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
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates an object from a literal; the first of equal keys wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0, value: $1) }))
    }
}

// MARK: - Reading

extension JSONValue {
    /// Parses one JSON text according to RFC 8259; the first member of a name wins.
    ///
    /// - Throws: ``JSONSyntaxError`` when the bytes are not UTF-8, not one JSON value, or exceed `limits`.
    public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        let result = bytes.withContiguousStorageIfAvailable { unsafe Self.reading($0, limits) }
        self = unsafe try (result ?? Array(bytes).withUnsafeBufferPointer { unsafe Self.reading($0, limits) }).get()
    }

    /// Parses one JSON text.
    ///
    /// - Throws: ``JSONSyntaxError`` when it is not one JSON value, or exceeds `limits`.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    private static func reading(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
    ) -> Result<JSONValue, JSONSyntaxError> {
        Result { () throws(JSONSyntaxError) in unsafe try JSONReader.read(bytes, limits) }
    }
}

// MARK: - Writing

extension JSONValue {
    /// The canonical text: keys sorted by their UTF-8 bytes, no spaces, only the escapes that JSON requires.
    ///
    /// Equal values give equal bytes, so they can be hashed, compared and counted before they are sent.
    public var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }

    /// ``canonicalBytes`` as a string.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

    /// Appends ``canonicalBytes``.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value):
            // Whole numbers are written the same way whichever case holds them.
            if let whole = Int64(exactly: value) {
                bytes.append(contentsOf: String(whole).utf8)
            } else {
                bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
            }
        case .string(let text): Self.writeString(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in Self.sorted(members).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.writeString(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The members, sorted by the UTF-8 bytes of their keys.
    static func sorted(_ members: JSONObject) -> [(key: String, value: JSONValue)] {
        members.count < 2
            ? members.map { ($0.key, $0.value) }
            : members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    static func writeString(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most texts need no escape: whole runs between escapes are copied.
            var start = 0
            for index in utf8.indices {
                let byte = unsafe utf8[index]
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
                unsafe bytes.append(contentsOf: utf8[start..<index])
                writeEscape(UInt16(byte), to: &bytes)
                start = index + 1
            }
            unsafe bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the escape of a character, or of a half of a surrogate pair.
    static func writeEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
        switch unit {
        case 0x22: bytes.append(contentsOf: "\\\"".utf8)
        case 0x5C: bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default: bytes.append(contentsOf: "\\u\(unit.hexadecimal(digits: 4))".utf8)
        }
    }
}

// MARK: - Counting

extension JSONValue {
    /// The length of ``canonicalBytes``, computed without writing them.
    public var canonicalByteCount: Int {
        switch self {
        case .null: 4
        case .bool(let value): value ? 4 : 5
        case .integer(let value): value.decimalDigits + (value < 0 ? 1 : 0)
        case .number: canonicalBytes.count
        case .string(let text): text.jsonByteCount
        case .array(let elements): elements.reduce(2 + max(0, elements.count - 1)) { $0 + $1.canonicalByteCount }
        case .object(let members):
            members.reduce(2 + max(0, members.count - 1)) {
                $0 + $1.key.jsonByteCount + 1 + $1.value.canonicalByteCount
            }
        }
    }
}

extension Int64 {
    /// The number of digits, without the sign.
    fileprivate var decimalDigits: Int {
        var (digits, rest) = (1, magnitude / 10)
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return digits
    }
}

extension String {
    /// The length of this text as a JSON string, quotes and escapes included.
    public var jsonByteCount: Int {
        utf8.reduce(2) { count, byte in
            switch byte {
            case 0x22, 0x5C, 0x0A, 0x0D, 0x09: count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
