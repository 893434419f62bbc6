internal import Base

/// Recognizes lines with secrets by their words alone: text that cannot be read as YAML has no fields.
enum SecretLine {
    /// The endings of keys whose values are secrets or device tokens.
    private static let words = ["key", "postgres", "passphrase", "password", "secret", "devices"]
    /// The number of hexadecimal digits that makes a token or a key.
    private static let digits = 32

    /// True when a line may hold a secret, a URL's user info, or device tokens.
    static func isSuspected(_ line: String) -> Bool {
        keys(of: line).contains(where: isSecret) || hasLongNumber(line) || hasUserInfo(line)
    }

    /// True when a line ends with such a key and its value is on the next line.
    static func isLeftOpen(_ line: String) -> Bool {
        guard let colon = line.lastIndex(of: ":"), keys(of: line).last.map(isSecret) == true else { return false }
        return line[line.index(after: colon)...].allSatisfy { " \t|>+-0123456789".contains($0) }
    }

    private static func isSecret(_ key: String) -> Bool { words.contains(where: key.hasSuffix) }

    /// The words before colons, in lower case.
    private static func keys(of line: String) -> [String] {
        var keys: [String] = []
        var (word, last) = ([UInt8](), [UInt8]())
        for byte in line.utf8 {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF) {
                word.append(byte | 0x20)
                continue
            }
            if !word.isEmpty { (word, last) = ([], word) }
            switch byte {
            case UInt8(ascii: ":"):
                if !last.isEmpty { keys.append(String(decoding: last, as: UTF8.self)) }
                last = []
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "'"): break
            default: last = []
            }
        }
        return keys
    }

    private static func hasLongNumber(_ line: String) -> Bool {
        var count = 0
        for byte in line.utf8 {
            count = byte.isHexadecimal ? count + 1 : 0
            if count == digits { return true }
        }
        return false
    }

    /// True when a URL has something before `@`.
    private static func hasUserInfo(_ line: String) -> Bool {
        guard line.utf8.contains(UInt8(ascii: "@")), let start = line.firstRange(of: "://") else { return false }
        return line[start.upperBound...].contains("@")
    }
}
