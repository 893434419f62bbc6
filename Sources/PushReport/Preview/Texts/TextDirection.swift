/// The reading direction of a text.
enum TextDirection: Hashable {
    /// From left to right.
    case leftToRight
    /// From right to left.
    case rightToLeft

    /// The direction of a text's first character that has one; left to right when none has.
    ///
    /// Source: Unicode Standard Annex 9, rules P2 and P3, with the blocks of right-to-left scripts in place of the
    /// property of each character.
    init(of text: String) {
        for scalar in text.unicodeScalars {
            if Self.isRightToLeft(scalar) {
                self = .rightToLeft
                return
            }
            if scalar.properties.isAlphabetic {
                self = .leftToRight
                return
            }
        }
        self = .leftToRight
    }

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Arabic digits and signs have no direction of their own.
        case 0x600...0x607, 0x609...0x60A, 0x60C, 0x60E...0x61A, 0x64B...0x66C, 0x670, 0x6D6...0x6DD, 0x6DF...0x6E4,
            0x6F0...0x6F9:
            false
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
