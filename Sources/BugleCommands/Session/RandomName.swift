/// Random names.
enum RandomName {
    /// 16 lower-case hexadecimal digits.
    static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
