internal import Base

/// Writes single scalars.
enum YAMLScalar {
    /// The text as it is if every YAML parser reads it as this text, otherwise in double quotes.
    static func text(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    /// A line of a comment, with characters that would end it or reorder the text around it escaped.
    static func commentText(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if isShown(scalar) || scalar == " " {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
        }
    }

    /// Words that YAML 1.1 parsers read as another type; those of the core schema are found by its rules.
    private static let oldWords: Set<String> = ["y", "n", "yes", "no", "on", "off", "null", "true", "false"]

    private static func isPlain(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, isPlainStart(first), last != " ",
            scalars.allSatisfy({ isPlainASCII($0) || !$0.isASCII && isShown($0) && !$0.properties.isWhitespace })
        else { return false }
        return !oldWords.contains(text.lowercased())
    }

    /// True for a letter or a character outside ASCII: a text that begins with one is not a number, tag, alias or block
    /// indicator.
    private static func isPlainStart(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || !scalar.isASCII
    }

    /// True for ASCII characters that have no special meaning inside plain texts in blocks.
    private static func isPlainASCII(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", ";", "!", "?", "'", "(", ")", "=", "+", "/", "_", "-":
            true
        default: false
        }
    }

    /// True if editors and terminals simply draw the character.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21...0x7E: return true
        case 0xA1..<0x2_0000 where (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
            return false
        case 0xA1..<0x11_0000: break
        default: return false
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\"
                result.unicodeScalars.append(scalar)
            } else if isShown(scalar) || scalar == " " {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            switch scalar.value {
            case ..<0x100: "\\x" + scalar.value.hexadecimal(digits: 2, uppercase: true)
            case ..<0x1_0000: "\\u" + scalar.value.hexadecimal(digits: 4, uppercase: true)
            default: "\\U" + scalar.value.hexadecimal(digits: 8, uppercase: true)
            }
        }
    }
}
