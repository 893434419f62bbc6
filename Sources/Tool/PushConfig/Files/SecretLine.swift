internal import Diagnostics

/// Tells lines that are not for everybody's eyes by their words alone: what cannot be read as YAML has no fields.
enum SecretLine {
    /// What the keys end with whose values are secrets or device tokens.
    private static let words = ["key", "postgres", "passphrase", "password", "secret", "devices"]
    /// So many hexadecimal digits are a token or a key.
    private static let digits = 32

    /// Whether a line may hold a secret, user info of an address, or device tokens.
    static func isSuspected(_ line: String) -> Bool {
        keys(of: line).contains(where: isSecret) || hasLongNumber(line) || hasUserInfo(line)
    }

    /// Whether a line ends with such a key, and its value stands on the next.
    static func isLeftOpen(_ line: String) -> Bool {
        guard let colon = line.lastIndex(of: ":"), keys(of: line).last.map(isSecret) == true else { return false }
        return line[line.index(after: colon)...].allSatisfy { " \t|>+-0123456789".contains($0) }
    }

    private static func isSecret(_ key: String) -> Bool { words.contains(where: key.hasSuffix) }

    /// The words that a colon follows, in lower case.
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

    /// Whether an address has something before `@`.
    private static func hasUserInfo(_ line: String) -> Bool {
        guard line.utf8.contains(UInt8(ascii: "@")), let start = line.firstRange(of: "://") else { return false }
        return line[start.upperBound...].contains("@")
    }
}
