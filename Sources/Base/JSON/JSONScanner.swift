/// Skips over the parts of a JSON text, each byte once; the text outlives it.
@safe struct JSONScanner {
    // Indices are checked against the count before each access, so none is out of bounds.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The index of the next byte.
    var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = unsafe bytes
        // A byte order mark means nothing here; RFC 8259 lets parsers ignore it.
        if unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Returns the next byte that is not white space; zero, which no JSON text contains, at the end.
    @inline(__always) mutating func next() -> UInt8 {
        while unsafe index < bytes.count {
            let byte = unsafe bytes[index]
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
        let expected = unsafe UnsafeBufferPointer(start: word.utf8Start, count: count)
        guard unsafe index + count <= bytes.count, unsafe bytes[index..<index + count].elementsEqual(expected) else {
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
        let isEnd = unsafe offset == nil && index >= bytes.count
        return unsafe JSONSyntaxError(isEnd ? .endOfText : fault, at: min(offset ?? index, bytes.count), in: bytes)
    }

    @inline(__always) private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

extension JSONScanner {
    /// True if only white space is left.
    var isAtEnd: Bool {
        mutating get { unsafe next() == 0 && index >= bytes.count }
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
        while unsafe index < bytes.count {
            switch unsafe bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "{"),
                UInt8(ascii: "["), UInt8(ascii: "\""):
                return
            case let byte where Self.isSpace(byte): return
            default: index += 1
            }
        }
    }
}

// MARK: - Strings

extension JSONScanner {
    /// A string as written in the text.
    struct StringToken {
        /// The range between the quotation marks.
        let place: Range<Int>
        /// True if it contains an escape.
        var isEscaped = false
        /// True if it contains only ASCII characters.
        var isASCII = true
    }

    /// Skips a string; its escapes and encoding are checked when it is read.
    @inline(__always) mutating func string() throws(JSONSyntaxError) -> StringToken {
        let start = index + 1
        var (isEscaped, isASCII) = (false, true)
        index = start
        while true {
            skipPlain()
            guard unsafe index < bytes.count else { throw error(.endOfText) }
            switch unsafe bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return StringToken(place: start..<index - 1, isEscaped: isEscaped, isASCII: isASCII)
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            case 0x80...:
                isASCII = false
                repeat { index += 1 } while unsafe index < bytes.count && bytes[index] >= 0x80
            case ..<0x20: throw error(.controlCharacter)
            default: index += 1
            }
        }
    }

    /// Skips eight bytes at a time, up to the first that is special or not ASCII.
    @inline(__always) private mutating func skipPlain() {
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        while unsafe index + 8 <= bytes.count {
            // The index has at least eight bytes before the end.
            let eight = unsafe UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = eight ^ (ones &* 0x22)
            let backslashes = eight ^ (ones &* 0x5C)
            // In each term the lowest high bit marks a byte below 0x20, a quotation mark, a backslash, or a byte that
            // is not ASCII.
            let special = ((eight &- (ones &* 0x20)) | (quotes &- ones) | (backslashes &- ones) | eight) & highs
            index += special.trailingZeroBitCount / 8
            guard special == 0 else { return }
        }
    }

    /// The decoded text of a string.
    @inline(__always) func text(_ token: StringToken) throws(JSONSyntaxError) -> String {
        // The token lies within the text.
        let content = unsafe UnsafeBufferPointer(rebasing: bytes[token.place])
        if token.isEscaped { return try unescaped(token) }
        if token.isASCII { return unsafe String(decoding: content, as: UTF8.self) }
        return unsafe try decoded(content, token)
    }

    /// Decodes the bytes of a string; `String(validating:)` alone takes twice as long.
    private func decoded(_ units: UnsafeBufferPointer<UInt8>, _ token: StringToken) throws(JSONSyntaxError) -> String {
        if #available(macOS 26, *) {
            do {
                return unsafe String(copying: try UTF8Span(validating: units.span))
            } catch {
                throw self.error(.encoding, at: token.place.lowerBound)
            }
        }
        guard let text = unsafe String(validating: units, as: UTF8.self) else {
            throw error(.encoding, at: token.place.lowerBound)
        }
        return text
    }

    private func unescaped(_ token: StringToken) throws(JSONSyntaxError) -> String {
        // The decoded text is never longer than the source, so the buffer suffices.
        let units = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: token.place.count)
        defer { unsafe units.deallocate() }
        var count = 0
        func append(_ unit: UInt8) {
            unsafe units[count] = unit
            count += 1
        }
        var index = token.place.lowerBound
        while index < token.place.upperBound {
            let byte = unsafe bytes[index]
            if byte != UInt8(ascii: "\\") {
                append(byte)
                index += 1
                continue
            }
            // A token never ends within an escape of two bytes.
            switch unsafe bytes[index + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unsafe append(bytes[index + 1])
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                let (scalar, length) = try scalar(at: index, before: token.place.upperBound)
                UTF8.encode(scalar, into: append)
                index += length
                continue
            default: throw error(.escape, at: index)
            }
            index += 2
        }
        return unsafe try decoded(UnsafeBufferPointer(rebasing: units[..<count]), token)
    }

    /// The character of one `\u` escape or a surrogate pair of them, and the length in bytes.
    private func scalar(at start: Int, before end: Int) throws(JSONSyntaxError) -> (Unicode.Scalar, Int) {
        guard let first = unit(at: start, before: end) else { throw error(.escape, at: start) }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(first), let second = unit(at: start + 6, before: end),
            UTF16.isTrailSurrogate(second)
        else { throw error(.surrogate, at: start) }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw error(.surrogate, at: start) }
        return (scalar, 12)
    }

    /// The UTF-16 unit of a `\u` escape; nil when there is none.
    private func unit(at start: Int, before end: Int) -> UInt16? {
        guard start + 6 <= end, unsafe bytes[start] == UInt8(ascii: "\\"), unsafe bytes[start + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        var unit: UInt16 = 0
        for place in start + 2..<start + 6 {
            guard let digit = unsafe bytes[place].hexadecimalValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

// MARK: - Numbers

extension JSONScanner {
    /// Reads a number; a whole one that fits 64 bits becomes an integer, however it is written.
    @inline(__always) mutating func number(longest: Int) throws(JSONSyntaxError) -> JSONValue {
        let start = index
        let isNegative = unsafe bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var digits: UInt64 = 0
        let first = index
        while unsafe index < bytes.count, let digit = unsafe Self.digit(bytes[index]), index - first < 18 {
            digits = digits &* 10 &+ digit
            index += 1
        }
        // Eighteen digits always fit; longer numbers, fractions and exponents take the slow path.
        if index > first, unsafe index == bytes.count || !Self.isNumeric(bytes[index]),
            unsafe index == first + 1 || bytes[first] != UInt8(ascii: "0")
        {
            return .integer(isNegative ? -Int64(digits) : Int64(digits))
        }
        index = start
        return try anyNumber(isNegative: isNegative, longest: longest)
    }

    private mutating func anyNumber(isNegative: Bool, longest: Int) throws(JSONSyntaxError) -> JSONValue {
        let start = index
        var decimal = Decimal()
        if isNegative { index += 1 }
        let first = index
        let whole = readDigits(&decimal, isFraction: false)
        guard whole > 0, unsafe whole == 1 || bytes[first] != UInt8(ascii: "0") else { throw error(.number) }
        if unsafe index < bytes.count, unsafe bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard readDigits(&decimal, isFraction: true) > 0 else { throw error(.number) }
        }
        if unsafe index < bytes.count, unsafe bytes[index] | 0x20 == UInt8(ascii: "e") { try readExponent(&decimal) }
        if unsafe index < bytes.count, unsafe Self.isNumeric(bytes[index]) { throw error(.number) }
        guard index - start <= longest else { throw error(.numberTooLong, at: start) }
        if let whole = decimal.whole(isNegative: isNegative) { return .integer(whole) }
        let magnitude = unsafe decimal.double ?? Double(String(decoding: bytes[first..<index], as: UTF8.self))
        guard let magnitude, magnitude.isFinite else { throw error(.numberTooLarge, at: start) }
        return .number(isNegative ? -magnitude : magnitude)
    }

    private mutating func readDigits(_ decimal: inout Decimal, isFraction: Bool) -> Int {
        let start = index
        while unsafe index < bytes.count, let digit = unsafe Self.digit(bytes[index]) {
            decimal.append(digit, isFraction: isFraction)
            index += 1
        }
        return index - start
    }

    private mutating func readExponent(_ decimal: inout Decimal) throws(JSONSyntaxError) {
        index += 1
        var isNegative = false
        if unsafe index < bytes.count, unsafe bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
            isNegative = unsafe bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        let start = index
        var exponent = 0
        while unsafe index < bytes.count, let digit = unsafe Self.digit(bytes[index]) {
            // Any larger exponent gives zero or a number that is too large.
            exponent = min(exponent * 10 + Int(digit), 1_000_000)
            index += 1
        }
        guard index > start else { throw error(.number) }
        decimal.exponent += isNegative ? -exponent : exponent
    }

    @inline(__always) private static func digit(_ byte: UInt8) -> UInt64? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? UInt64(digit) : nil
    }

    /// True if a byte after a number would belong to it.
    @inline(__always) private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Digits and a power of ten.
private struct Decimal {
    var digits: UInt64 = 0
    var exponent = 0
    /// True if all digits are in ``digits``.
    var isExact = true

    mutating func append(_ digit: UInt64, isFraction: Bool) {
        let (shifted, isTooMany) = digits.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = shifted.addingReportingOverflow(digit)
        if isTooMany || isTooLarge { isExact = false } else { digits = sum }
        if isFraction { exponent -= 1 }
    }

    /// The number, if it is a whole number that fits 64 bits.
    func whole(isNegative: Bool) -> Int64? {
        guard isExact, digits > 0 else { return isExact ? 0 : nil }
        var (digits, exponent) = (digits, exponent)
        while exponent < 0, digits.isMultiple(of: 10) { (digits, exponent) = (digits / 10, exponent + 1) }
        guard (0..<19).contains(exponent) else { return nil }
        for _ in 0..<exponent {
            let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            digits = product
        }
        if isNegative, digits == Int64.min.magnitude { return .min }
        return Int64(exactly: digits).map { isNegative ? -$0 : $0 }
    }

    /// The number, if one division or multiplication of exact numbers gives it: that rounds once, hence correctly.
    var double: Double? {
        guard isExact, digits <= 1 << 53, (-22...22).contains(exponent) else { return nil }
        return exponent < 0
            ? Double(digits) / Self.powersOfTen[-exponent] : Double(digits) * Self.powersOfTen[exponent]
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
