/// Finds what GitHub, GitLab or a similar service would make a link, an image or a command of: mentions, references to
/// issues, merge requests, commits and labels, URLs, emoji names, formulas, quick actions.
enum ReferenceSearch {
    /// True if a text holds any; punctuation alone, in whatever language, is none.
    static func finds(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first != UInt8(ascii: "/") else { return true }
        var (hexadecimal, dollars) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: " ")
            hexadecimal = isHexadecimal(byte) ? hexadecimal + 1 : 0
            if hexadecimal == shortestCommit { return true }
            let rest = bytes[(index + 1)...]
            let isFound: Bool =
                switch byte {
                case UInt8(ascii: "@"), UInt8(ascii: "#"): isWord(next)
                case UInt8(ascii: "~"), UInt8(ascii: "%"): isWord(next) || "\"-.?&".utf8.contains(next)
                case UInt8(ascii: "*"): isLetter(next) && rest.contains(UInt8(ascii: ":"))
                case UInt8(ascii: "!"), UInt8(ascii: "&"): isDigit(next)
                case UInt8(ascii: "-"): isDigit(next) && endsKey(bytes[..<index])
                case UInt8(ascii: ":"): rest.starts(with: "//".utf8) || isName(rest)
                case UInt8(ascii: "["): next == UInt8(ascii: "[") || isName(rest)
                case UInt8(ascii: "w"), UInt8(ascii: "W"): isWeb(bytes[index...])
                default: false
                }
            if isFound { return true }
            if byte == UInt8(ascii: "$") {
                dollars += 1
                // `$1` is a snippet, and what two of them enclose is a formula.
                if isDigit(next) || dollars == 2 { return true }
            }
        }
        return false
    }

    /// A text as the words that hold something, and what stands between them; nil if several words make one.
    static func parts(of text: String) -> [(text: String, isReference: Bool)]? {
        var (parts, plain, word) = ([(text: String, isReference: Bool)](), "", "")
        func isEnd(_ scalar: Unicode.Scalar) -> Bool { " ,;()，。；：、（）“”".unicodeScalars.contains(scalar) }
        func endWord() {
            if finds(in: word) {
                if !plain.isEmpty { parts.append((plain, false)) }
                parts.append((word, true))
                plain = ""
            } else {
                plain += word
            }
            word = ""
        }
        for scalar in text.unicodeScalars {
            if isEnd(scalar) {
                endWord()
                plain.unicodeScalars.append(scalar)
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
        endWord()
        if !plain.isEmpty { parts.append((plain, false)) }
        return finds(in: parts.map { $0.isReference ? " " : $0.text }.joined()) ? nil : parts
    }

    /// The fewest hexadecimal digits that a service takes for a commit.
    private static let shortestCommit = 7

    /// True for a name that a colon ends: `tada:`, `feature_flag:`. Hours and minutes are none.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.prefix {
            $0 < 0x80 && isWord($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }
        guard !name.isEmpty, bytes.dropFirst(name.count).first == UInt8(ascii: ":") else { return false }
        return name.count > 2 || !name.allSatisfy(isDigit)
    }

    /// True if a word before a hyphen could be the key of a tracker, as in `GH-1`, `AB2-15` and `X_1-7`; dates are none.
    private static func endsKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.reversed().prefix { $0 < 0x80 && isWord($0) }.contains { isLetter($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isWeb(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.prefix(4).elementsEqual("www.".utf8) { $0 | 0x20 == $1 || $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// True for a letter, a digit, `_`, and every byte beyond ASCII: a label may have any name.
    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
