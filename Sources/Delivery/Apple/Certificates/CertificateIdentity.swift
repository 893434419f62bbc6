package import Base

/// A push certificate with its private key, and the facts that a plan checks and shows.
///
/// Source: "Establishing a certificate-based connection to APNs",
/// https://developer.apple.com/documentation/usernotifications/
package struct CertificateIdentity: Sendable, Hashable {
    /// An environment that a certificate may push to.
    package enum Environment: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Apple's sandbox, for apps signed for development.
        case development
        /// For apps from the App Store, TestFlight and ad-hoc distribution.
        case production

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// One topic that a certificate names.
    package struct Topic: Sendable, Hashable {
        /// The topic, such as `com.example.app` or `com.example.app.voip`.
        package let name: String
        /// The purpose stated in the certificate (`app`, `voip`, `complication`, …), if any.
        package let kind: String?

        package init(name: String, kind: String? = nil) {
            self.name = name
            self.kind = kind
        }
    }

    /// SHA-256 of the certificate's DER, 64 lower-case hexadecimal digits.
    package let fingerprint: String
    /// The first moment of validity, in seconds since 1970.
    package let notBefore: Int64
    /// The last moment of validity, in seconds since 1970.
    package let notAfter: Int64
    /// The subject's common name, such as `Apple Push Services: com.example.app`.
    package let commonName: String?
    /// The subject's user id: the topic, or an MDM topic.
    package let uid: String?
    /// Every topic the certificate names, in its order, the subject's last.
    package let topics: [Topic]
    /// The environments it may push to; empty when the certificate does not say.
    package let environments: Set<Environment>
    /// The certificate followed by the issuers found in the file, without the root: PEM for a TLS client.
    package let chainPEM: Secret
    /// The private key as unencrypted PKCS#8 PEM, for a TLS client.
    package let keyPEM: Secret
}
