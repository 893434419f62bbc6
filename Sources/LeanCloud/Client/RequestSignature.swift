internal import Crypto
package import Base
package import Push

/// The value of `X-LC-Sign`, which proves possession of the master key without sending it.
///
/// > `sign = md5(timestamp + key)`, lower-case; `timestamp` in milliseconds; `,master` for the master key.
/// Source: LeanCloud, "数据存储 REST API 使用指南", X-LC-Sign.
package struct RequestSignature {
    /// The header's value.
    package let headerValue: String

    /// Signs with the master key.
    package init(masterKey: Secret, at instant: Instant) {
        let timestamp = String(instant.milliseconds)
        var hash = Insecure.MD5()
        hash.update(data: Array(timestamp.utf8))
        hash.update(data: masterKey.revealedBytes)
        headerValue = hash.finalize().hexadecimal + "," + timestamp + ",master"
    }
}
