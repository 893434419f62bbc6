internal import Crypto
package import Diagnostics
internal import FoundationEssentials

/// The key with which plans are signed (`BUGLE_PLAN_KEY`): who does not have it cannot make a plan that an apply with it takes.
///
/// The file's member `signature` is the HMAC-SHA-256 of every byte before that member.
package struct PlanKey: Sendable {
    private let key: SymmetricKey

    /// The fewest bytes of a key.
    package static let fewestBytes = 32

    private static let start = Array(",\n  \"signature\": \"hmac-sha256:".utf8)
    private static let end = UInt8(ascii: "\"")
    /// The digits of a signature.
    private static let digits = 64
    private static let length = start.count + digits + 1

    /// Takes a key; nil when it is too short.
    package init?(_ secret: Secret) {
        guard secret.revealedBytes.count >= Self.fewestBytes else { return nil }
        key = SymmetricKey(data: secret.revealedBytes)
    }

    /// The bytes that are appended to a plan file, before its seal.
    func signature(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        Self.start + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).hexadecimal.utf8) + [Self.end]
    }

    /// Whether a plan file bears a signature of this key.
    package func hasSigned(_ file: [UInt8]) -> Bool {
        guard let unsealed = PlanSeal.unsealed(file), unsealed.count > Self.length else { return false }
        let expected = signature(of: unsealed.dropLast(Self.length))
        // Every byte is looked at, so that time tells nothing.
        return zip(expected, unsealed.suffix(Self.length)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Whether a plan file bears anybody's signature.
    package static func isSigned(_ file: [UInt8]) -> Bool {
        PlanSeal.unsealed(file)?.suffix(length).starts(with: start) ?? false
    }
}
