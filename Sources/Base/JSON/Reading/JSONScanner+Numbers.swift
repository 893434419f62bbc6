extension JSONScanner {
    /// Reads a number; a whole one that fits 64 bits becomes an integer, however it is written.
    @inline(__always) mutating func number(longest: Int) throws(JSONSyntaxError) -> JSONValue {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var digits: UInt64 = 0
        let first = index
        while index < bytes.count, let digit = Self.digit(bytes[index]), index - first < 18 {
            digits = digits &* 10 &+ digit
            index += 1
        }
        // Eighteen digits always fit; longer numbers, fractions and exponents take the slow path.
        if index > first, index == bytes.count || !Self.isNumeric(bytes[index]),
            index == first + 1 || bytes[first] != UInt8(ascii: "0")
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
        guard whole > 0, whole == 1 || bytes[first] != UInt8(ascii: "0") else { throw error(.number) }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard readDigits(&decimal, isFraction: true) > 0 else { throw error(.number) }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") { try readExponent(&decimal) }
        if index < bytes.count, Self.isNumeric(bytes[index]) { throw error(.number) }
        guard index - start <= longest else { throw error(.numberTooLong, at: start) }
        if let whole = decimal.whole(isNegative: isNegative) { return .integer(whole) }
        let magnitude = decimal.double ?? Double(String(decoding: bytes[first..<index], as: UTF8.self))
        guard let magnitude, magnitude.isFinite else { throw error(.numberTooLarge, at: start) }
        return .number(isNegative ? -magnitude : magnitude)
    }

    private mutating func readDigits(_ decimal: inout Decimal, isFraction: Bool) -> Int {
        let start = index
        while index < bytes.count, let digit = Self.digit(bytes[index]) {
            decimal.append(digit, isFraction: isFraction)
            index += 1
        }
        return index - start
    }

    private mutating func readExponent(_ decimal: inout Decimal) throws(JSONSyntaxError) {
        index += 1
        var isNegative = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        let start = index
        var exponent = 0
        while index < bytes.count, let digit = Self.digit(bytes[index]) {
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
