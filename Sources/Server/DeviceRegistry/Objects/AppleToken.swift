internal import Diagnostics

/// The spelling of an Apple device's token.
///
/// SDKs send hexadecimal digits in lower case. Old apps sent their system's description of the bytes, `<0a1b2c3d …>`,
/// or capitals: that is the same device. Anything that is not hexadecimal is kept as it is, like LeanCloud does.
/// Source: <doc:/PushModel/LeanCloudDevices#Fields>.
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
    static func spellings(_ token: String) -> [String] {
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

    private static func isDecoration(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
