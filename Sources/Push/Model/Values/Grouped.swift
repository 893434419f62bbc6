extension Int {
    /// The number for people, with a comma between thousands: `12,345`.
    package var grouped: String {
        let digits = String(magnitude).utf8
        var bytes: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int64 {
    /// The number for people, with a comma between thousands: `12,345`.
    package var grouped: String { Int(self).grouped }
}
