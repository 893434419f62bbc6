/// A JSON text whose members keep the given order, for files that people read.
///
/// Written with two spaces per level and a final newline. Invisible characters are escaped.
public enum OrderedJSON: Sendable {
    /// A value whose members, if any, are sorted.
    case value(JSONValue)
    case array([OrderedJSON])
    /// An array whose elements are made one by one while writing: the tree of a large one would need more memory than
    /// its text.
    case list(Int, @Sendable (Int) -> OrderedJSON)
    /// An object with its members in this order.
    case object([(String, OrderedJSON)])
    /// A value written on one line, for files that are compared line by line.
    indirect case line(OrderedJSON)

    /// `null`.
    public static var null: OrderedJSON { .value(.null) }

    /// A string; `null` for nil.
    public static func string(_ text: String?) -> OrderedJSON { .value(text.map { .string($0) } ?? .null) }

    /// A whole number; `null` for nil.
    public static func integer(_ number: Int?) -> OrderedJSON {
        .value(number.map { .integer(Int64($0)) } ?? .null)
    }

    /// The object with a member appended; any other value unchanged.
    public func adding(_ name: String, _ value: OrderedJSON) -> OrderedJSON {
        switch self {
        case .value, .array, .list, .line: self
        case .object(let members): .object(members + [(name, value)])
        }
    }

    /// The same value without the order of its members.
    public var unordered: JSONValue {
        switch self {
        case .value(let value): value
        case .array(let elements): .array(elements.map(\.unordered))
        case .list(let count, let element): .array((0..<count).map { element($0).unordered })
        case .object(let members):
            .object(JSONObject(members.lazy.map { (key: $0, value: $1.unordered) }))
        case .line(let value): value.unordered
        }
    }

    /// The text, ending with a newline.
    public var bytes: [UInt8] { bytes(reserving: 0) }

    /// Writes the text as UTF-8.
    ///
    /// - Parameter capacity: the estimated length in bytes, so that a large text is not moved while it grows.
    /// - Returns: the text, ending with a newline.
    public func bytes(reserving capacity: Int) -> [UInt8] {
        var writer = OrderedJSONWriter()
        writer.bytes.reserveCapacity(capacity)
        writer.write(self, level: 0)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}

extension OrderedJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// An object with its members in this order.
    public init(dictionaryLiteral elements: (String, OrderedJSON)...) { self = .object(elements) }
    /// An array.
    public init(arrayLiteral elements: OrderedJSON...) { self = .array(elements) }
}

extension JSONValue {
    /// Human-readable text: sorted keys, two spaces per level, only the escapes that JSON requires.
    public var prettyText: String {
        var writer = OrderedJSONWriter()
        writer.escapesHidden = false
        writer.write(.value(self), level: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes JSON with two spaces per level.
private struct OrderedJSONWriter {
    var bytes: [UInt8] = []
    /// True to escape invisible characters as well.
    var escapesHidden = true
    private var isOnOneLine = false
    private static let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 32)

    mutating func write(_ json: OrderedJSON, level: Int) {
        switch json {
        case .value(let value): write(value, level: level)
        case .array(let elements):
            writeList(elements, "[", "]", level) { writer, element in writer.write(element, level: level + 1) }
        case .list(let count, let element):
            writeList(0..<count, "[", "]", level) { writer, index in writer.write(element(index), level: level + 1) }
        case .object(let members):
            writeList(members, "{", "}", level) { writer, member in
                writer.write(string: member.0)
                writer.bytes.append(contentsOf: ": ".utf8)
                writer.write(member.1, level: level + 1)
            }
        case .line(let value):
            let isWithin = isOnOneLine
            isOnOneLine = true
            write(value, level: level)
            isOnOneLine = isWithin
        }
    }

    private mutating func write(_ value: JSONValue, level: Int) {
        switch value {
        case .null, .bool, .integer, .number: value.write(to: &bytes)
        case .string(let text): write(string: text)
        case .array(let elements):
            writeList(elements, "[", "]", level) { writer, element in writer.write(element, level: level + 1) }
        case .object(let members):
            writeList(JSONValue.sorted(members), "{", "}", level) { writer, member in
                writer.write(string: member.key)
                writer.bytes.append(contentsOf: ": ".utf8)
                writer.write(member.value, level: level + 1)
            }
        }
    }

    private mutating func writeList<Elements: Collection>(
        _ elements: Elements, _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ level: Int,
        _ writeElement: (inout OrderedJSONWriter, Elements.Element) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(contentsOf: (isOnOneLine ? ", " : ",").utf8) }
            startLine(level + 1)
            writeElement(&self, element)
        }
        if !elements.isEmpty { startLine(level) }
        bytes.append(UInt8(ascii: close))
    }

    private mutating func startLine(_ level: Int) {
        guard !isOnOneLine else { return }
        bytes.append(UInt8(ascii: "\n"))
        var missing = 2 * level
        while missing > 0 {
            bytes.append(contentsOf: Self.spaces.prefix(missing))
            missing -= Self.spaces.count
        }
    }

    private mutating func write(string text: String) {
        guard escapesHidden else { return JSONValue.writeString(text, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
        HiddenCharacters.append(Self.quoting(text), to: &bytes, replacingWith: Self.appendEscape)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The text with a backslash before every quotation mark and backslash.
    private static func quoting(_ text: String) -> String {
        func isSpecial(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        guard text.utf8.contains(where: isSpecial) else { return text }
        var quoted: [UInt8] = []
        quoted.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isSpecial(byte) { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return String(decoding: quoted, as: UTF8.self)
    }

    private static func appendEscape(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        for unit in String(scalar).utf16 { JSONValue.writeEscape(unit, to: &bytes) }
    }
}
