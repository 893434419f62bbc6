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
            guard index < bytes.count else { throw error(.endOfText) }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return StringToken(place: start..<index - 1, isEscaped: isEscaped, isASCII: isASCII)
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            case 0x80...:
                isASCII = false
                repeat { index += 1 } while index < bytes.count && bytes[index] >= 0x80
            case ..<0x20: throw error(.controlCharacter)
            default: index += 1
            }
        }
    }

    /// Skips eight bytes at a time, up to the first that is special or not ASCII.
    @inline(__always) private mutating func skipPlain() {
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        while index + 8 <= bytes.count {
            // The index has at least eight bytes before the end.
            let eight = UInt64(
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
        let content = UnsafeBufferPointer(rebasing: bytes[token.place])
        if token.isEscaped { return try unescaped(token) }
        if token.isASCII { return String(decoding: content, as: UTF8.self) }
        return try decoded(content, token)
    }

    /// Decodes the bytes of a string; `String(validating:)` alone takes twice as long.
    private func decoded(
        _ units: UnsafeBufferPointer<UInt8>, _ token: StringToken
    ) throws(JSONSyntaxError) -> String {
        if #available(macOS 26, *) {
            do {
                return String(copying: try UTF8Span(validating: units.span))
            } catch {
                throw self.error(.encoding, at: token.place.lowerBound)
            }
        }
        guard let text = String(validating: units, as: UTF8.self) else {
            throw error(.encoding, at: token.place.lowerBound)
        }
        return text
    }

    private func unescaped(_ token: StringToken) throws(JSONSyntaxError) -> String {
        // The decoded text is never longer than the source, so the buffer suffices.
        let units = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: token.place.count)
        defer { units.deallocate() }
        var count = 0
        func append(_ unit: UInt8) {
            units[count] = unit
            count += 1
        }
        var index = token.place.lowerBound
        while index < token.place.upperBound {
            let byte = bytes[index]
            if byte != UInt8(ascii: "\\") {
                append(byte)
                index += 1
                continue
            }
            // A token never ends within an escape of two bytes.
            switch bytes[index + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(bytes[index + 1])
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
        return try decoded(UnsafeBufferPointer(rebasing: units[..<count]), token)
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
        guard start + 6 <= end, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for byte in bytes[start + 2..<start + 6] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return unit
    }
}
