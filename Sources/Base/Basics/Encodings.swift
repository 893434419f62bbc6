extension UInt8 {
    /// The lower-case hexadecimal digit of a value below 16.
    @inlinable public var hexadecimalDigit: UInt8 { self &+ (self < 10 ? 0x30 : 0x57) }

    /// The value of a hexadecimal digit of either case; nil for any other character.
    @inlinable public var hexadecimalValue: UInt8? { isHexadecimal ? self & 15 &+ (self > 0x39 ? 9 : 0) : nil }

    /// True for a hexadecimal digit of either case.
    @inlinable public var isHexadecimal: Bool { self &- 0x30 < 10 || (self | 0x20) &- 0x61 < 6 }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    public var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 15).hexadecimalDigit)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// Eight digits at a time, which takes a fraction of what single ones take.
extension UInt32 {
    /// The lower-case hexadecimal digits of four bytes, in the order in which they stand in memory.
    fileprivate var hexadecimalDigits: UInt64 {
        var spread = UInt64(littleEndian)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        return UInt64(littleEndian: Self.digits(of: (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F))
    }

    /// The digits of eight values below 16.
    private static func digits(of values: UInt64) -> UInt64 {
        let letters = (values &+ 0x7676_7676_7676_7676) >> 7 & 0x0101_0101_0101_0101
        return values &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    /// The four bytes of eight hexadecimal digits of either case; nil for anything else.
    fileprivate init?(hexadecimalDigits digits: UInt64) {
        let digits = UInt64(littleEndian: digits)
        let lowerCase = digits | digits >> 1 & 0x2020_2020_2020_2020
        let values = digits & 0x0F0F_0F0F_0F0F_0F0F &+ (digits >> 6 & 0x0101_0101_0101_0101) &* 9
        guard values & 0xF0F0_F0F0_F0F0_F0F0 == 0, Self.digits(of: values) == lowerCase else { return nil }
        var packed = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
        self = UInt32(littleEndian: UInt32(truncatingIfNeeded: packed | packed >> 16))
    }
}

extension UnsafeRawBufferPointer {
    /// True if every byte is a hexadecimal digit of either case.
    public var isHexadecimal: Bool {
        let whole = count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            let digits = unsafe loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if UInt32(hexadecimalDigits: digits) == nil { return false }
        }
        for place in whole..<count where unsafe !self[place].isHexadecimal { return false }
        return true
    }

    /// Writes two lower-case hexadecimal digits per byte to where there is room for them.
    public func writeHexadecimal(to digits: UnsafeMutableRawPointer) {
        let whole = count & ~3
        for place in stride(from: 0, to: whole, by: 4) {
            let bytes = unsafe loadUnaligned(fromByteOffset: place, as: UInt32.self)
            unsafe digits.storeBytes(of: bytes.hexadecimalDigits, toByteOffset: place * 2, as: UInt64.self)
        }
        for place in whole..<count {
            let byte = unsafe self[place]
            unsafe digits.storeBytes(of: (byte >> 4).hexadecimalDigit, toByteOffset: place * 2, as: UInt8.self)
            unsafe digits.storeBytes(of: (byte & 15).hexadecimalDigit, toByteOffset: place * 2 + 1, as: UInt8.self)
        }
    }
}

extension [UInt8] {
    /// Parses two hexadecimal digits of either case per byte; nil for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        self = []
        var text = String(text)
        guard text.withUTF8({ unsafe append(hexadecimal: UnsafeRawBufferPointer($0)) }) else { return nil }
    }

    /// Appends a byte for each two hexadecimal digits of either case; false, and nothing, for anything else.
    public mutating func append(hexadecimal digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count % 2 == 0 else { return false }
        let start = count
        // Room for the bytes, whatever is in it.
        unsafe append(contentsOf: UnsafeRawBufferPointer(rebasing: digits[..<(digits.count / 2)]))
        let isHexadecimal = unsafe withUnsafeMutableBytes { bytes in
            let whole = digits.count & ~7
            for place in stride(from: 0, to: whole, by: 8) {
                let eight = unsafe digits.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                guard let four = UInt32(hexadecimalDigits: eight) else { return false }
                unsafe bytes.storeBytes(of: four, toByteOffset: start + place / 2, as: UInt32.self)
            }
            for place in stride(from: whole, to: digits.count, by: 2) {
                guard let high = unsafe digits[place].hexadecimalValue,
                    let low = unsafe digits[place + 1].hexadecimalValue
                else { return false }
                unsafe bytes[start + place / 2] = high << 4 | low
            }
            return true
        }
        if !isHexadecimal { removeSubrange(start...) }
        return isHexadecimal
    }

    /// Base64url without padding. Source: RFC 4648, section 5.
    public var base64URL: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var (digits, pending, bits) = ([UInt8](), UInt32(0), UInt32(0))
        for byte in self {
            (pending, bits) = (pending << 8 | UInt32(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                digits.append(alphabet[Int(pending >> bits & 63)])
            }
        }
        if bits > 0 { digits.append(alphabet[Int(pending << (6 - bits) & 63)]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Appends a UUID's text of 36 bytes: lower case, 8-4-4-4-12. Source: RFC 9562, section 4.
    public mutating func append(uuid high: UInt64, _ low: UInt64) {
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
            let byte = UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
            append((byte >> 4).hexadecimalDigit)
            append((byte & 15).hexadecimalDigit)
        }
    }
}

extension UnsignedInteger {
    /// The number in hexadecimal, zero-padded to `digits`.
    public func hexadecimal(digits: Int, uppercase: Bool = false) -> String {
        let text = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

extension UInt8 {
    /// True for an ASCII digit.
    @inlinable public var isDigit: Bool { self &- 0x30 < 10 }

    /// True for an ASCII letter of either case.
    @inlinable public var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// True for an ASCII letter of either case, and for a digit.
    @inlinable public var isLetterOrDigit: Bool { isLetter || isDigit }

    /// True for an ASCII letter in lower case, and for a digit.
    @inlinable public var isLowerOrDigit: Bool { self &- 0x61 < 26 || isDigit }

    /// True for a byte that may stand unencoded anywhere in a URL. Source: RFC 3986, section 2.3.
    public var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }
}

extension String {
    /// The text as one component of a URL: everything but unreserved characters is percent-encoded, as UTF-8.
    public var percentEncoded: String { percentEncoded { !$0.isUnreserved } }

    /// The text with the selected bytes of its UTF-8 written as `%` and two upper-case hexadecimal digits.
    public func percentEncoded(where isEncoded: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if isEncoded(byte) {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes percent-encoded text; nil when an escape is broken or the bytes are not UTF-8.
    public init?(percentDecoding text: some StringProtocol, plusIsSpace: Bool = false) {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = source.next()?.hexadecimalValue, let low = source.next()?.hexadecimalValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text cut to at most `length` Unicode scalars; the last one is `…` if something was cut off.
    public func shortened(to length: Int = 300) -> String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex
        else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(length - 1))) + "…"
    }

    /// The text with other texts in the place of some scalars.
    ///
    /// Not by characters: a quotation mark with an accent is another character, but ends a quotation all the same.
    public func replacingScalars(by table: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let other = table[scalar] { text += other } else { text.unicodeScalars.append(scalar) }
        }
    }
}

/// A table for spreadsheets. Source: RFC 4180.
public struct CSVFile: Sendable {
    /// The rows so far, each ended by CR LF.
    public private(set) var text = ""

    /// Creates a file with the names of its columns.
    public init(_ columns: [String]) {
        add(columns)
    }

    /// Adds a row.
    public mutating func add(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// A cell in quotation marks where it needs them; one that a spreadsheet could take for a formula begins with `'`.
    static func cell(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
        let safe = (isFormula ? "'" : "") + text
        guard safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return safe }
        return "\"" + safe.replacingScalars(by: ["\"": "\"\""]) + "\""
    }
}
