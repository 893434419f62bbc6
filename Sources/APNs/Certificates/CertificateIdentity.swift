package import Diagnostics

/// A push certificate with its private key, and the facts that a plan checks and shows.
///
/// Source: "Establishing a certificate-based connection to APNs",
/// https://developer.apple.com/documentation/usernotifications/
package struct CertificateIdentity: Sendable, Hashable {
    /// Where a certificate may push to.
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
        /// What the certificate says it is for (`app`, `voip`, `complication`, …), where it says so.
        package let kind: String?

        /// Makes a topic.
        package init(name: String, kind: String? = nil) {
            self.name = name
            self.kind = kind
        }
    }

    /// SHA-256 of the certificate's DER, 64 lower-case hexadecimal digits.
    package let fingerprint: String
    /// The first moment it is valid, in seconds since 1970.
    package let notBefore: Int64
    /// The last moment it is valid, in seconds since 1970.
    package let notAfter: Int64
    /// The subject's common name, such as `Apple Push Services: com.example.app`.
    package let commonName: String?
    /// The subject's user id: the topic, or an MDM topic.
    package let uid: String?
    /// Every topic it names, in its own order, the subject's last.
    package let topics: [Topic]
    /// Where it may push to; empty when the certificate does not say.
    package let environments: Set<Environment>
    /// The certificate and then its issuers as far as the file holds them, the root left out: PEM for a TLS client.
    package let chainPEM: Secret
    /// The private key as unencrypted PKCS#8 PEM, for a TLS client.
    package let keyPEM: Secret
}
