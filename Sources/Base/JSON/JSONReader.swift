/// Parses a JSON text into a value, in one pass.
struct JSONReader {
    private var scanner: JSONScanner
    private let limits: JSONLimits
    private var depth = 0
    /// The members of the objects that are open: an object is built once at its end, when its size is known.
    private var members: [JSONObject.Member] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
        scanner = unsafe JSONScanner(bytes)
        self.limits = limits
    }

    /// Reads a text that is one value.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) throws(JSONSyntaxError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw unsafe JSONSyntaxError(.tooLong, at: 0, in: bytes) }
        if let place = unsafe JSONMemory.excess(of: bytes, over: limits.memory(ofText: bytes.count)) {
            throw unsafe JSONSyntaxError(.tooMuchMemory, at: place, in: bytes)
        }
        var reader = unsafe JSONReader(bytes, limits)
        let value = try reader.value()
        try reader.scanner.end()
        return value
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        switch scanner.next() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try scanner.number(longest: limits.digits)
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try list()
        case UInt8(ascii: "t"):
            try scanner.word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanner.word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanner.word("null")
            return .null
        default: throw scanner.error(.value)
        }
    }

    @inline(__always) private mutating func string() throws(JSONSyntaxError) -> String {
        try scanner.text(scanner.string())
    }

    private mutating func list() throws(JSONSyntaxError) -> JSONValue {
        try open()
        guard !scanner.take(UInt8(ascii: "]")) else {
            depth -= 1
            return .array([])
        }
        var elements = [try value()]
        while scanner.take(UInt8(ascii: ",")) {
            elements.append(try value())
        }
        guard scanner.take(UInt8(ascii: "]")) else { throw scanner.error(.commaInList) }
        depth -= 1
        return .array(elements)
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        try open()
        let first = members.count
        if !scanner.take(UInt8(ascii: "}")) {
            repeat {
                guard scanner.next() == UInt8(ascii: "\"") else { throw scanner.error(.name) }
                let name = try string()
                guard scanner.take(UInt8(ascii: ":")) else { throw scanner.error(.colon) }
                members.append(JSONObject.Member(key: name, value: try value()))
            } while scanner.take(UInt8(ascii: ","))
            guard scanner.take(UInt8(ascii: "}")) else { throw scanner.error(.commaInObject) }
        }
        depth -= 1
        let count = members.count - first
        let object = object(from: first)
        if limits.hasUniqueNames, object.count < count {
            // The brace may be the last byte of the text, after which any error is that it ends.
            throw scanner.error(.repeatedName, at: scanner.index - 1)
        }
        return .object(object)
    }

    /// Builds an object from the members starting at `first`.
    private mutating func object(from first: Int) -> JSONObject {
        let count = members.count - first
        guard count > 0 else { return [:] }
        defer { members.removeLast(count) }
        return JSONObject(members: Array(members[first...]))
    }

    @inline(__always) private mutating func open() throws(JSONSyntaxError) {
        guard depth < limits.depth else { throw scanner.error(.tooDeep) }
        depth += 1
        scanner.index += 1
    }
}

/// The limits on a JSON text; a text that exceeds one is rejected, with the place where it does.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum nesting depth of arrays and objects.
    public var depth: Int
    /// The maximum length of the text in bytes.
    public var bytes: Int
    /// The maximum length of a number in bytes.
    public var digits: Int
    /// The memory in bytes that the value may take, in addition to ``memoryPerByte`` for each byte of the text.
    ///
    /// A value takes 24 bytes, a member 40, an array or object another 48: enough for any reasonable text, not for
    /// millions of empty objects. A long array takes twice as much while it grows.
    public var memory: Int
    /// The memory in bytes that the value may take for each byte of the text, in addition to ``memory``.
    public var memoryPerByte: Int
    /// True when an object that has a name twice is an error; otherwise the first member of a name wins.
    public var hasUniqueNames = false

    /// Creates limits; omitted ones have their defaults.
    public init(
        depth: Int = 128, bytes: Int = 1 << 30, digits: Int = 1024, memory: Int = 1 << 20, memoryPerByte: Int = 4
    ) {
        self.depth = depth
        self.bytes = bytes
        self.digits = digits
        self.memory = memory
        self.memoryPerByte = memoryPerByte
    }

    /// Limits for text that bugle wrote itself, and for text whose length is bounded already: any amount of memory.
    ///
    /// Data that was accepted once must stay readable.
    public static let anyMemory = JSONLimits(memory: 1 << 40)

    /// The memory that a text of this length may take.
    func memory(ofText count: Int) -> Int { memory + memoryPerByte * count }
}

/// The memory that the value of a JSON text will take, estimated from the text before anything is allocated.
struct JSONMemory {
    private var scanner: JSONScanner
    /// The remaining memory.
    private var left: Int
    /// The number of members so far in each open array and object.
    private var members: [Int] = []

    /// The place where a text's values exceed `memory`; nil when they do not, or the text is not valid JSON before that
    /// place.
    static func excess(of bytes: UnsafeBufferPointer<UInt8>, over memory: Int) -> Int? {
        // No byte costs more than a bracket.
        guard bytes.count > memory / (listSize + valueSize) else { return nil }
        var measure = unsafe JSONMemory(scanner: JSONScanner(bytes), left: memory)
        return measure.excess()
    }

    private mutating func excess() -> Int? {
        while left >= 0 {
            switch scanner.next() {
            case 0: return nil
            case UInt8(ascii: "\""):
                guard let text = try? scanner.string() else { return nil }
                spend(on: text)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isEmpty { left -= Self.listSize + Self.valueSize }
                members.append(0)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let count = members.popLast(), count > JSONObject.few { left -= count * Self.placeSize }
            case UInt8(ascii: ","): left -= Self.valueSize
            case UInt8(ascii: ":"):
                left -= Self.memberSize - Self.valueSize
                if !members.isEmpty { members[members.count - 1] += 1 }
            default: break
            }
            scanner.index += 1
        }
        return scanner.index
    }

    /// True if the array or object that begins here ends at once: empty ones share one allocation.
    private var isEmpty: Bool {
        let next = scanner.index + 1
        return unsafe next < scanner.bytes.count
            && (scanner.bytes[next] == UInt8(ascii: "]") || scanner.bytes[next] == UInt8(ascii: "}"))
    }

    private mutating func spend(on text: JSONScanner.StringToken) {
        // An escape is at least twice as long as the text it encodes.
        let count = text.isEscaped ? text.place.count / 2 : text.place.count
        // Shorter strings are stored inline.
        if count > 15 { left -= Self.stringSize + count }
    }

    private static let valueSize = MemoryLayout<JSONValue>.stride
    private static let memberSize = MemoryLayout<JSONObject.Element>.stride
    /// The overhead of a string beside its bytes, including the allocator's.
    private static let stringSize = 48
    /// The overhead of an array or object beside its elements, including the allocator's.
    private static let listSize = 48
    /// The size of a member in the table of a large object, including the allocator's overhead.
    private static let placeSize = 16
}

/// A JSON parse error and its position. It never quotes the text, which may hold secrets.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public let fault: Fault
    /// The number of bytes before the error.
    public let offset: Int
    /// The line, from 1.
    public let line: Int
    /// The column in bytes, from 1.
    public let column: Int

    /// The kinds of parse errors, with their messages.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        case endOfText = "the text ends too early"
        case textAfterValue = "unexpected text after the value"
        case value = "a value is expected"
        case name = "a name in quotation marks is expected"
        case colon = "':' is expected"
        case commaInList = "',' or ']' is expected"
        case commaInObject = "',' or '}' is expected"
        case word = "only true, false and null may be without quotation marks"
        case number = "this is not a number"
        case controlCharacter = "a control character in a string must be escaped"
        case escape = "this is not a valid escape"
        case surrogate = "this is half of a surrogate pair"
        case encoding = "this string is not UTF-8"
        case repeatedName = "the object that ends here has a name twice"
        case tooDeep = "it is nested too deeply"
        case tooLong = "the text is too long"
        case numberTooLong = "the number has too many digits"
        case numberTooLarge = "the number is too large"
        case tooMuchMemory = "it holds too many values for its length"
    }

    /// Locates a fault in a text.
    init(_ fault: Fault, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        self.fault = fault
        self.offset = offset
        let before = unsafe bytes.prefix(offset)
        let lineStart = unsafe (before.lastIndex(of: 0x0A) ?? -1) + 1
        line = unsafe 1 + before.count { $0 == 0x0A }
        column = offset - lineStart + 1
    }

    /// The message with line and column, for people.
    public var description: String { "not JSON: line \(line), column \(column): \(fault.rawValue)" }
}
