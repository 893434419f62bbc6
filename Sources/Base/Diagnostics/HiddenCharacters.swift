/// Characters that are invisible, or that change how others are displayed; no output contains them unescaped.
///
/// The ranges are fixed rather than taken from the running Unicode version, so that equal input gives equal output on
/// every machine. Source: Unicode 16, general categories Cc, Cf, Zl and Zp, and the blank Hangul letters.
public enum HiddenCharacters {
    /// True for characters that are escaped everywhere: controls, bidi controls, line separators, format characters and
    /// blank letters. Joiners (U+200C, U+200D) are included; see ``joins(_:_:_:)``.
    public static func contain(_ scalar: Unicode.Scalar) -> Bool {
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
    public static func joins(_ joiner: Unicode.Scalar, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
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
    public static func hide<Text: BidirectionalCollection<Unicode.Scalar>>(_ text: Text, at index: Text.Index) -> Bool {
        guard contain(text[index]) else { return false }
        let previous = index > text.startIndex ? text[text.index(before: index)] : nil
        return !joins(text[index], previous, text[text.index(after: index)...].first)
    }

    /// The text with every hidden character replaced.
    public static func replaced(
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
    public static func append(
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
    public static func areCertainlyAbsent(from text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var previous: UInt8 = 0
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                switch byte {
                case 0..<0x20, 0x7F: return false
                case UInt8(ascii: "#") where previous == byte: return false
                case 0x80...: if unsafe mayBegin(bytes[index...]) { return false }
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
        var rest = unsafe bytes.dropFirst()
        let second = unsafe rest.popFirst() ?? 0
        let third = unsafe rest.popFirst() ?? 0
        switch unsafe bytes.first {
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
    public var isForeignSpace: Bool { !isASCII && properties.isWhitespace }

    /// The character's number as Unicode writes it.
    public var codePoint: String { "U+" + value.hexadecimal(digits: 4, uppercase: true) }
}

/// Escapes text from a file or a response for a line of output.
///
/// Control characters, bidi controls, line breaks and other invisible characters become `\n`, `\u{1b}` and so on. The
/// result can neither begin a workflow command (`::error`) nor contain one (`##[error]`, `##vso[…]`), wherever the line
/// begins.
public func escaped(_ text: String) -> String {
    if commandColon(in: text) == nil, HiddenCharacters.areCertainlyAbsent(from: text) { return text }
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

/// Appends the result of ``escaped(_:)``.
public func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
    guard let colon = commandColon(in: text) else {
        HiddenCharacters.append(text, to: &bytes, replacingWith: appendVisibleEscape)
        return
    }
    HiddenCharacters.append(String(text[..<colon]), to: &bytes, replacingWith: appendVisibleEscape)
    appendVisibleEscape(":", to: &bytes)
    let rest = text.unicodeScalars[text.unicodeScalars.index(after: colon)...]
    HiddenCharacters.append(String(rest), to: &bytes, replacingWith: appendVisibleEscape)
}

/// The colon that could begin `::` at the start of a line, even after leading white space.
private func commandColon(in text: String) -> String.Index? {
    guard let first = text.utf8.first, first == UInt8(ascii: ":") || first == UInt8(ascii: " ") || first >= 0x80,
        let index = text.unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
        text.unicodeScalars[index] == ":"
    else { return nil }
    let next = text.unicodeScalars[index...].dropFirst().first
    return next == nil || next == ":" ? index : nil
}

/// Appends the escape of an invisible character: `\n`, `\u{1b}`.
public func appendVisibleEscape(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    default: bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
    }
}

/// Text from a file in single quotes, for a message: hidden characters are escaped, and it is cut after 100 characters.
public func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let shown = HiddenCharacters.replaced(in: scalars.prefix(100)) { scalar in
        "\\u" + scalar.value.hexadecimal(digits: 4, uppercase: true)
    }
    return "'" + shown + (scalars.dropFirst(100).isEmpty ? "'" : "…'")
}

/// The number of terminal columns that text takes.
public enum DisplayWidth {
    /// The width of UTF-8 text.
    public static func of(_ bytes: ArraySlice<UInt8>) -> Int {
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.count }
        return of(String(decoding: bytes, as: UTF8.self))
    }

    /// The width of a text without control characters.
    ///
    /// Source: Unicode Standard Annex 11, East Asian Width, W and F; emoji sequences take two columns.
    public static func of(_ text: String) -> Int {
        var width = 0
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar.value == 0xFE0F {
                // A symbol with an emoji variation selector.
                if of(previous) == 1, previous.value > 0x7F { width += 1 }
            } else if previous.value != 0x200D || scalar.value < 0x2190 {
                width += of(scalar)
            }
            previous = scalar
        }
        return width
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        if isWide(value) { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return (0x1F3FB...0x1F3FF).contains(value) ? 0 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE,
            0x2614...0x2615, 0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE,
            0x26C4...0x26C5, 0x26CE, 0x26D4, 0x26EA, 0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2705,
            0x270A...0x270B, 0x2728, 0x274C, 0x274E, 0x2753...0x2755, 0x2757, 0x2795...0x2797, 0x27B0, 0x27BF,
            0x2B1B...0x2B1C, 0x2B50, 0x2B55:
            true
        case 0x2E80...0x3029, 0x302E...0x303E, 0x3041...0x3098, 0x309B...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6:
            true
        case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004, 0x1F0CF, 0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320,
            0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3,
            0x1F3E0...0x1F3F0, 0x1F3F4, 0x1F3F8...0x1F3FA, 0x1F400...0x1F43E, 0x1F440, 0x1F442...0x1F4FC,
            0x1F4FF...0x1F53D, 0x1F54B...0x1F567, 0x1F57A, 0x1F595...0x1F596, 0x1F5A4, 0x1F5FB...0x1F64F,
            0x1F680...0x1F6C5, 0x1F6CC, 0x1F6D0...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6FC,
            0x1F7E0...0x1F7F0, 0x1F90C...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
