extension String {
    /// The text in single quotes, fit for a message: control and direction characters escaped, cut after 100.
    init(quoting text: some Sequence<UInt8>) {
        self = "'"
        for (count, scalar) in String(decoding: Array(text), as: UTF8.self).unicodeScalars.enumerated() {
            if count == 100 {
                append("…")
                break
            }
            if scalar.changesItsSurroundings {
                append("\\" + Self.codePoint(scalar.value, prefix: "u"))
            } else {
                unicodeScalars.append(scalar)
            }
        }
        append("'")
    }

    /// A code point's usual spelling: `U+0085`.
    static func codePoint(_ value: UInt32, prefix: String = "U+") -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return prefix + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would do something else than draw it: controls, line breaks, text direction, byte-order mark.
    fileprivate var changesItsSurroundings: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
