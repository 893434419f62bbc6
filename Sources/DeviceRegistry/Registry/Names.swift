internal import Base

/// The name of a class of objects: a letter or `_`, followed by letters, digits and `_`; at most 128 characters.
///
/// Source: docs/background/leancloud/devices.md#fields.
package struct ClassName: Hashable, Sendable, CustomStringConvertible {
    /// The name as given.
    package let name: String

    package var description: String { name }

    /// Validates a name.
    ///
    /// - Throws: ``RegistryError`` with code 103.
    package init(_ name: String) throws(RegistryError) {
        guard name.utf8.count <= 128, isIdentifier(name) else {
            throw RegistryError(
                .invalidClassName, "Invalid class name. It starts with a letter and has only a-zA-Z0-9_.")
        }
        self.name = name
    }

    private init(known name: String) {
        self.name = name
    }

    /// The class of devices.
    package static let installation = ClassName(known: "_Installation")
    package static let user = ClassName(known: "_User")
    /// The class of bugle's deliveries.
    package static let ledger = ClassName(known: "BugleLedger")

    /// True if only the holder of the master key may use the class: bugle's own classes, users, and every other class
    /// that begins with `_` except devices.
    package var needsMasterKey: Bool { isBugles || (name.hasPrefix("_") && !isInstallation) }

    /// True for bugle's own classes.
    package var isBugles: Bool { name.hasPrefix("Bugle") }

    /// True for the class of devices.
    package var isInstallation: Bool { self == .installation }
}

/// True if `text` is an ASCII letter or `_` followed by letters, digits and `_`.
func isIdentifier(_ text: String) -> Bool {
    guard let first = text.utf8.first, !first.isDigit else { return false }
    return text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
}

/// A validated key of a document, with optional dots: the only text of a request that is put into SQL unbound.
package struct FieldPath: Hashable {
    /// The parts between the dots: letters, digits, `_` and `-` only.
    let segments: [String]

    /// Validates a key in a condition, an order or a list of keys.
    package init(_ key: String) throws(RegistryError) {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard key.utf8.count <= 512, let first = parts.first, isIdentifier(first),
            parts.dropFirst().allSatisfy(Self.isMemberName)
        else { throw RegistryError(.invalidKey, "Invalid key name: '\(key.prefix(64))'.") }
        segments = parts
    }

    /// The key if it has no dots.
    package var simpleKey: String? { segments.count == 1 ? segments[0] : nil }

    /// An SQLite JSON path, quoted as an SQL string: `'$."a"."b"'`.
    var sqlPath: String { sqlPath(appending: []) }

    /// The SQLite JSON path of a member below this one; `members` are names of our own.
    func sqlPath(appending members: [String]) -> String {
        "'$" + (segments + members).map { ".\"\($0)\"" }.joined() + "'"
    }

    private static func isMemberName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetterOrDigit || "_-".utf8.contains($0) }
    }
}

/// The rule for names of channels: empty, or ASCII letters, digits, `_`, `-`, `=` and CJK unified ideographs.
///
/// Source: docs/background/leancloud/devices.md#channels.
package enum ChannelName {
    /// True for a valid name.
    package static func isValid(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                ? UInt8(scalar.value).isLetterOrDigit || "_-=".unicodeScalars.contains(scalar)
                : scalar.properties.isUnifiedIdeograph
        }
    }

    /// Validates a channel name.
    ///
    /// - Throws: ``RegistryError`` with code 112 and LeanCloud's text.
    package static func check(_ name: String) throws(RegistryError) {
        guard isValid(name) else {
            throw RegistryError(
                .invalidChannel,
                "Invalid channel name. A channel name is either an empty string (the broadcast channel) or contains "
                    + "only a-zA-Z0-9_=, '-' or chinese characters.")
        }
    }
}

/// Generates the server's ids.
package enum ObjectID {
    /// 24 hex digits, for objects.
    package static func object() -> String {
        // Two numbers, for each is a call of the system's.
        let (first, second) = (UInt64.random(in: 0 ... .max), UInt32.random(in: 0 ... .max))
        return first.hexadecimal(digits: 16) + second.hexadecimal(digits: 8)
    }

    /// 16 letters and digits, for pushes.
    package static func push() -> String {
        var generator = SystemRandomNumberGenerator()
        return text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 16, &generator)
    }

    /// True if a client may use the text as an object's id: up to 64 letters, digits and `_`.
    package static func isPlausible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && isIdentifier("_" + text)
    }

    /// 24 hex digits from a generator of random numbers.
    @inlinable package static func object(using generator: inout some RandomNumberGenerator) -> String {
        text("0123456789abcdef", 24, &generator)
    }

    /// `count` random characters of an ASCII alphabet.
    @inlinable package static func text(
        _ alphabet: String, _ count: Int, _ generator: inout some RandomNumberGenerator
    ) -> String {
        let letters = Array(alphabet.utf8)
        let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The spelling of an Apple device's token.
///
/// SDKs send hexadecimal digits in lower case. Old apps sent their system's description of the bytes, `<0a1b2c3d …>`,
/// or capitals: that is the same device. Anything that is not hexadecimal is kept as it is, like LeanCloud does.
/// Source: docs/background/leancloud/devices.md#fields.
package enum AppleToken {
    /// Returns a token in its canonical spelling.
    package static func normalized(_ token: String) -> String {
        guard !token.utf8.allSatisfy({ $0.isHexadecimal && $0 & 0x20 != 0 }) else { return token }
        let digits = token.utf8.filter { !isDecoration($0) }
        guard !digits.isEmpty, digits.allSatisfy(\.isHexadecimal) else { return token }
        // Bit 5 distinguishes the cases of a letter, and is set in digits.
        return String(decoding: digits.map { $0 | 0x20 }, as: UTF8.self)
    }

    /// Returns the possible spellings of a device's token, the canonical one first: older registries contain others.
    package static func spellings(_ token: String) -> [String] {
        let normal = normalized(token)
        var spellings = [normal]
        if normal != token { spellings.append(token) }
        let capitals = normal.uppercased()
        if capitals != normal, capitals != token, normal.utf8.allSatisfy(\.isHexadecimal) { spellings.append(capitals) }
        return spellings
    }

    /// True for a system's description of bytes rather than a token: `{length = 32, bytes = 0x0a1b … 2c3d}` omits some.
    static func isDescription(_ token: String) -> Bool {
        token.utf8.contains { isDecoration($0) || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
    }

    /// The text with ASCII letters in lower case, as PostgreSQL's tables key devices by their tokens.
    package static func lowercased(_ token: String) -> String {
        func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
        guard token.utf8.contains(where: isCapital) else { return token }
        return String(decoding: token.utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func isDecoration(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
