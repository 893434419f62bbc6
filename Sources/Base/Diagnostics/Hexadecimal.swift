extension UInt8 {
    /// The lower-case hexadecimal digit of a value below 16.
    @inlinable package var hexadecimalDigit: UInt8 { self &+ (self < 10 ? 0x30 : 0x57) }

    /// The value of a hexadecimal digit of either case; nil for any other character.
    @inlinable package var hexadecimalValue: UInt8? { isHexadecimal ? self & 15 &+ (self > 0x39 ? 9 : 0) : nil }

    /// True for a hexadecimal digit of either case.
    @inlinable package var isHexadecimal: Bool { self &- 0x30 < 10 || (self | 0x20) &- 0x61 < 6 }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    package var hexadecimal: String {
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
    package init?(hexadecimal text: some StringProtocol) {
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
    package func hexadecimal(digits: Int, uppercase: Bool = false) -> String {
        let text = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}
