/// One character decoded from UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates.
struct UTF8Scalar {
    var value: UInt32
    var length: Int

    /// Decodes the character at `index`; nil when the bytes there are not one.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        // Every read is checked against the count first.
        let lead = unsafe bytes[index]
        let least: UInt32
        switch lead {
        case 0..<0x80: (value, length, least) = (UInt32(lead), 1, 0)
        case 0xC2...0xDF: (value, length, least) = (UInt32(lead & 0x1F), 2, 0x80)
        case 0xE0...0xEF: (value, length, least) = (UInt32(lead & 0x0F), 3, 0x800)
        case 0xF0...0xF4: (value, length, least) = (UInt32(lead & 0x07), 4, 0x1_0000)
        default: return nil
        }
        guard index + length <= bytes.count else { return nil }
        for offset in 1..<max(1, length) {
            let byte = unsafe bytes[index + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        guard value >= least, value <= 0x10_FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    }

    /// True if YAML allows the character unescaped, and all versions of YAML treat it alike.
    ///
    /// Source: YAML 1.2, production c-printable, without its U+0085 and without U+2028 and U+2029.
    var isAllowed: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFFFD: true
        default: value >= 0x1_0000
        }
    }
}
