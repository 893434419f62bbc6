/// Parses a JSON text into a value, in one pass.
struct JSONReader {
    private var scanner: JSONScanner
    private let limits: JSONLimits
    private var depth = 0
    /// The members of the objects that are open: an object is built once at its end, when its size is known.
    private var members: [JSONObject.Member] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
        scanner = JSONScanner(bytes)
        self.limits = limits
    }

    /// Reads a text that is one value.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) throws(JSONSyntaxError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw JSONSyntaxError(.tooLong, at: 0, in: bytes) }
        if let place = JSONMemory.excess(of: bytes, over: limits.memory(ofText: bytes.count)) {
            throw JSONSyntaxError(.tooMuchMemory, at: place, in: bytes)
        }
        var reader = JSONReader(bytes, limits)
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
