/// Skips over the parts of a JSON text, each byte once.
struct JSONScanner {
    // Indices are checked against the count before each access, so none is out of bounds.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The index of the next byte.
    var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        // A byte order mark means nothing here; RFC 8259 lets parsers ignore it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Returns the next byte that is not white space; zero, which no JSON text contains, at the end.
    @inline(__always) mutating func next() -> UInt8 {
        while index < bytes.count {
            let byte = bytes[index]
            if byte > 0x20 || !Self.isSpace(byte) { return byte }
            index += 1
        }
        return 0
    }

    /// Skips a byte if it is the next one after white space.
    @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        index += 1
        return true
    }

    /// Skips a literal such as `true`.
    mutating func word(_ word: StaticString) throws(JSONSyntaxError) {
        let count = word.utf8CodeUnitCount
        // A static string's bytes live as long as the program.
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: count)
        guard index + count <= bytes.count, bytes[index..<index + count].elementsEqual(expected) else {
            throw error(.word)
        }
        index += count
    }

    /// Throws unless only white space is left.
    mutating func end() throws(JSONSyntaxError) {
        guard isAtEnd else { throw error(.textAfterValue) }
    }

    /// Creates an error at an offset, by default at the next byte; `endOfText` when there is no next byte.
    func error(_ fault: JSONSyntaxError.Fault, at offset: Int? = nil) -> JSONSyntaxError {
        let isEnd = offset == nil && index >= bytes.count
        return JSONSyntaxError(isEnd ? .endOfText : fault, at: min(offset ?? index, bytes.count), in: bytes)
    }

    @inline(__always) private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

extension JSONScanner {
    /// True if only white space is left.
    var isAtEnd: Bool {
        mutating get { next() == 0 && index >= bytes.count }
    }

    /// Skips an array or object with its commas; false when there is none, or `element` returns false.
    mutating func collection(_ open: UInt8, _ close: UInt8, _ element: (inout JSONScanner) -> Bool) -> Bool {
        guard take(open) else { return false }
        if take(close) { return true }
        repeat {
            guard element(&self) else { return false }
        } while take(UInt8(ascii: ","))
        return take(close)
    }

    /// Skips a member; nil when there is none.
    mutating func member(depth: Int) -> (name: StringToken, value: Range<Int>)? {
        guard next() == UInt8(ascii: "\""), let name = try? string(), take(UInt8(ascii: ":")),
            let value = skip(depth: depth)
        else { return nil }
        return (name, value)
    }

    /// Skips a value without checking its contents, nested up to `depth` levels.
    ///
    /// - Returns: the range of the value; nil when there is none, it does not end, or is nested deeper.
    mutating func skip(depth limit: Int) -> Range<Int>? {
        var depth = 0
        var byte = next()
        let start = index
        repeat {
            switch byte {
            case 0: return nil
            case UInt8(ascii: "\""):
                guard (try? string()) != nil else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= limit else { return nil }
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return nil }
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return nil }
                index += 1
            default: skipWord()
            }
            guard depth > 0 else { return start..<index }
            byte = next()
        } while true
    }

    private mutating func skipWord() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "{"),
                UInt8(ascii: "["), UInt8(ascii: "\""):
                return
            case let byte where Self.isSpace(byte): return
            default: index += 1
            }
        }
    }
}
