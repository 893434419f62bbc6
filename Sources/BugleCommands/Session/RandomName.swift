internal import Base

/// Random names.
enum RandomName {
    /// 16 lower-case hexadecimal digits.
    static func make() -> String { UInt64.random(in: .min ... .max).hexadecimal(digits: 16) }
}
