/// The certificate or key of a DeviceProfile, for reviewers.
package struct PlannedCertificate: Hashable, Sendable {
    /// The name of the DeviceProfile.
    package var name: String
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The bundle id that it pushes to.
    package var topic: String
    /// The topics in the certificate; empty for a key, and when it could not be read.
    package var topics: [String]
    /// The key's id; nil for a certificate.
    package var keyId: String?
    /// The SHA-256 of the certificate, or of the key's public half, in hexadecimal; nil when it could not be read here.
    package var fingerprint: String?
    /// The expiry of a certificate; nil for a key, and when it could not be read.
    package var expiresAt: Instant?
    /// The whole days until then; negative when it has expired.
    package var daysLeft: Int?
    /// The plan's campaigns that use it, by name.
    package var campaigns: [String]

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
