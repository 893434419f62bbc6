/// Characters that a reader does not see, or that change how others are seen: no output holds them as they are.
///
/// The ranges are fixed rather than asked of the running Unicode version, so that equal input gives equal output on
/// every machine. Source: Unicode 16, general categories Cc, Cf, Zl and Zp, and the blank Hangul letters.
package enum HiddenCharacters {
    /// Whether a character is shown escaped wherever it stands: controls, bidi controls, line separators, format
    /// characters and blank letters. Joiners (U+200C, U+200D) are hidden too; see ``joins(_:_:_:)``.
    package static func contain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0xAD, 0x61C, 0x115F...0x1160, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
            0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x1BCA0...0x1BCA3,
            0x1D173...0x1D17A,
            0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// Whether a joiner between two characters is part of how they are written: in emoji sequences and in the scripts
    /// from Arabic to Sinhala, whose letters join.
    package static func joins(
        _ joiner: Unicode.Scalar, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?
    ) -> Bool {
        guard let previous, let next, joiner.value == 0x200C || joiner.value == 0x200D else { return false }
        if hasJoiningScript(previous), hasJoiningScript(next) { return true }
        return joiner.value == 0x200D && isEmoji(previous) && isEmoji(next)
    }

    private static func hasJoiningScript(_ scalar: Unicode.Scalar) -> Bool {
        (0x620...0x6D5).contains(scalar.value) || (0x900...0xDFF).contains(scalar.value)
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2190...0x2BFF, 0xFE0F, 0x1F000...0x1FAFF: true
        default: false
        }
    }

    /// Appends a text with every hidden character replaced, and with the second `#` of what an output reader would
    /// take for a command (`##[`, `##vso[`) replaced too.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - bytes: where it is appended, as UTF-8.
    ///   - replace: appends what stands for a character.
    package static func append(
        _ text: String, to bytes: inout [UInt8], replacingWith replace: (Unicode.Scalar, inout [UInt8]) -> Void
    ) {
        if isPlain(text) {
            bytes.append(contentsOf: text.utf8)
            return
        }
        let scalars = text.unicodeScalars
        var previous: Unicode.Scalar?
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let after = scalars.index(after: index)
            let next = after < scalars.endIndex ? scalars[after] : nil
            let isHidden = contain(scalar) && !joins(scalar, previous, next)
            if isHidden || scalar == "#" && previous == "#" && beginsCommand(scalars[after...]) {
                replace(scalar, &bytes)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            previous = scalar
            index = after
        }
    }

    /// Whether nothing in a text can need a replacement, judged by its bytes alone.
    private static func isPlain(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0..<0x20, 0x7F: return false
            // First bytes of the characters above; all of E2 is left to the closer look.
            case 0xC2, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3: return false
            case UInt8(ascii: "#") where previous == byte: return false
            default: previous = byte
            }
        }
        return true
    }

    private static func beginsCommand(_ rest: Substring.UnicodeScalarView) -> Bool {
        // No command's name is longer; the bound keeps a line of nothing but `#` from taking quadratic time.
        rest.prefix(32).first { !("a"..."z").contains($0) && !("A"..."Z").contains($0) && $0 != "#" } == "["
    }
}
