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

extension [UInt8] {
    /// Parses two hexadecimal digits of either case per byte; nil for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        self = []
        var digits = text.utf8.makeIterator()
        while let first = digits.next() {
            guard let high = first.hexadecimalValue, let low = digits.next()?.hexadecimalValue else { return nil }
            append(high << 4 | low)
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
    /// True for a byte that may stand unencoded anywhere in a URL. Source: RFC 3986, section 2.3.
    public var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
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
        var quoted = "\""
        // Not by characters: a quotation mark with an accent is another character.
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
