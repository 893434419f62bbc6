internal import Crypto
package import Base
internal import FoundationEssentials

/// The key that signs plans (`BUGLE_PLAN_KEY`): without it nobody can make a plan that an apply with the key accepts.
///
/// The file's member `signature` is the HMAC-SHA-256 of every byte before that member.
package struct PlanKey: Sendable {
    private let key: SymmetricKey

    /// The minimum length of a key in bytes.
    package static let fewestBytes = 32

    private static let start = Array(",\n  \"signature\": \"hmac-sha256:".utf8)
    private static let end = UInt8(ascii: "\"")
    /// The number of digits of a signature.
    private static let digits = 64
    private static let length = start.count + digits + 1

    /// Creates a key; nil when it is too short.
    package init?(_ secret: Secret) {
        guard secret.revealedBytes.count >= Self.fewestBytes else { return nil }
        key = SymmetricKey(data: secret.revealedBytes)
    }

    /// Returns the bytes to append to a plan file, before its seal.
    func signature(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        Self.start + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).hexadecimal.utf8) + [Self.end]
    }

    /// True if a plan file has a valid signature of this key.
    package func hasSigned(_ file: [UInt8]) -> Bool {
        guard let unsealed = PlanSeal.unsealed(file), unsealed.count > Self.length else { return false }
        let expected = signature(of: unsealed.dropLast(Self.length))
        // Compares every byte, in constant time.
        return zip(expected, unsealed.suffix(Self.length)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// True if a plan file has a signature of any key.
    package static func isSigned(_ file: [UInt8]) -> Bool {
        PlanSeal.unsealed(file)?.suffix(length).starts(with: start) ?? false
    }
}
