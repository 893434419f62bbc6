/// Characters that are invisible, or that change how others are displayed; no output contains them unescaped.
///
/// The ranges are fixed rather than taken from the running Unicode version, so that equal input gives equal output on
/// every machine. Source: Unicode 16, general categories Cc, Cf, Zl and Zp, and the blank Hangul letters.
package enum HiddenCharacters {
    /// True for characters that are escaped everywhere: controls, bidi controls, line separators, format characters and
    /// blank letters. Joiners (U+200C, U+200D) are included; see ``joins(_:_:_:)``.
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

    /// True if the joiner belongs to the spelling of its neighbours: in emoji sequences and in the scripts from Arabic
    /// to Sinhala, whose letters join.
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

    /// True if the character at `index` is hidden; joiners that join their neighbours are not.
    package static func hide<Text: BidirectionalCollection<Unicode.Scalar>>(_ text: Text, at index: Text.Index) -> Bool
    {
        guard contain(text[index]) else { return false }
        let previous = index > text.startIndex ? text[text.index(before: index)] : nil
        return !joins(text[index], previous, text[text.index(after: index)...].first)
    }

    /// The text with every hidden character replaced.
    package static func replaced(
        in text: some BidirectionalCollection<Unicode.Scalar>, by replacement: (Unicode.Scalar) -> String
    ) -> String {
        var result = ""
        for index in text.indices {
            if hide(text, at: index) {
                result += replacement(text[index])
            } else {
                result.unicodeScalars.append(text[index])
            }
        }
        return result
    }

    /// Appends a text with every hidden character replaced, and also the second `#` of what a log parser would take for
    /// a command (`##[`, `##vso[`).
    ///
    /// - Parameters:
    ///   - text: the text to append.
    ///   - bytes: the buffer to append to, as UTF-8.
    ///   - replace: appends the replacement of a character.
    package static func append(
        _ text: String, to bytes: inout [UInt8], replacingWith replace: (Unicode.Scalar, inout [UInt8]) -> Void
    ) {
        if areCertainlyAbsent(from: text) {
            bytes.append(contentsOf: text.utf8)
            return
        }
        let scalars = text.unicodeScalars
        var previous: Unicode.Scalar?
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let after = scalars.index(after: index)
            if hide(scalars, at: index) || scalar == "#" && previous == "#" && beginsCommand(scalars[after...]) {
                replace(scalar, &bytes)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            previous = scalar
            index = after
        }
    }

    /// True only if ``append(_:to:replacingWith:)`` would leave the text unchanged, judged by its bytes alone; false
    /// does not mean that something would be replaced.
    package static func areCertainlyAbsent(from text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var previous: UInt8 = 0
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case 0..<0x20, 0x7F: return false
                case UInt8(ascii: "#") where previous == byte: return false
                case 0x80...: if mayBegin(bytes[index...]) { return false }
                default: break
                }
                previous = byte
            }
            return true
        }
    }

    /// True if the bytes may begin a hidden character: judged by two bytes, or by three where common punctuation begins
    /// alike.
    private static func mayBegin(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var rest = bytes.dropFirst()
        let second = rest.popFirst() ?? 0
        let third = rest.popFirst() ?? 0
        switch bytes.first {
        case 0xC2: return second < 0xA0 || second == 0xAD
        case 0xD8: return second == 0x9C
        case 0xE1: return second == 0x85 || second == 0xA0
        case 0xE2:
            return second == 0x81 || second == 0x80 && ((0x8B...0x8F).contains(third) || third >= 0xA8 && third <= 0xAE)
        case 0xE3: return second == 0x85
        case 0xEF: return second >= 0xBB && second != 0xBC && second != 0xBD
        case 0xF0: return second == 0x9B || second == 0x9D
        case 0xF3: return true
        default: return false
        }
    }

    private static func beginsCommand(_ rest: Substring.UnicodeScalarView) -> Bool {
        // No command's name is longer; the bound keeps a line of nothing but `#` from taking quadratic time.
        rest.prefix(32).first { !("a"..."z").contains($0) && !("A"..."Z").contains($0) && $0 != "#" } == "["
    }
}

extension Unicode.Scalar {
    /// True for a space that YAML takes for a letter, such as U+00A0 and U+3000.
    package var isForeignSpace: Bool { !isASCII && properties.isWhitespace }

    /// The character's number as Unicode writes it.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
