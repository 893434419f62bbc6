package import PushModel

/// The certificate or key of a DeviceProfile as a reviewer looks at it.
package struct PlannedCertificate: Hashable, Sendable {
    /// The DeviceProfile.
    package var name: String
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The bundle id that it pushes to.
    package var topic: String
    /// The topics that the certificate names; empty for a key, and where it could not be read.
    package var topics: [String]
    /// The key's id; nil for a certificate.
    package var keyId: String?
    /// SHA-256 of the certificate, or of the key's public half, in hexadecimal; nil: it could not be read here.
    package var fingerprint: String?
    /// When a certificate ends; nil for a key, and where it could not be read.
    package var expiresAt: Instant?
    /// Whole days from the plan's making to then; negative when it has ended.
    package var daysLeft: Int?
    /// The campaigns of the plan that it pushes, by name.
    package var campaigns: [String]

    /// Joins them.
    package init(
        name: String, environment: PushEnvironment, topic: String, topics: [String] = [], keyId: String? = nil,
        fingerprint: String? = nil, expiresAt: Instant? = nil, daysLeft: Int? = nil, campaigns: [String] = []
    ) {
        self.name = name
        self.environment = environment
        self.topic = topic
        self.topics = topics
        self.keyId = keyId
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.daysLeft = daysLeft
        self.campaigns = campaigns
    }
}
