/// The certificate or key that pushes to a set of devices: LeanCloud's `deviceProfile`, Apple's topic.
package struct DeviceProfile: Sendable {
    /// Its name, as installations bear it.
    package var name: String
    /// Where it was declared.
    package var origin: Origin
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The bundle id; the push type adds its suffix.
    package var topic: String
    /// Whether it serves installations that name none.
    package var isDefault: Bool
    /// What it authenticates with.
    package var credential: Credential
    /// Whether its removal is refused until a release says `protected: false`.
    package var isProtected: Bool
    /// What was found in the certificate or key; nil when it could not be read here.
    package var facts: CredentialFacts?

    /// What a profile authenticates with.
    package enum Credential: Hashable, Sendable {
        /// A certificate: PKCS#12, or PEM with the key in it or beside it.
        case certificate(source: SecretSource, key: SecretSource?, passphrase: SecretSource?)
        /// A provider token's key.
        case token(teamId: String, keyId: String, key: SecretSource)
    }

    /// Makes a profile.
    package init(
        name: String, origin: Origin, environment: PushEnvironment, topic: String, isDefault: Bool = false,
        credential: Credential, isProtected: Bool = false, facts: CredentialFacts? = nil
    ) {
        self.name = name
        self.origin = origin
        self.environment = environment
        self.topic = topic
        self.isDefault = isDefault
        self.credential = credential
        self.isProtected = isProtected
        self.facts = facts
    }
}

/// What a certificate or key says of itself, without anything secret.
package struct CredentialFacts: Hashable, Sendable {
    /// SHA-256 of the certificate, or of the key's public half, in hexadecimal.
    package var fingerprint: String
    /// When a certificate ends; nil for a key.
    package var expiresAt: Instant?
    /// The topics that a certificate names; empty for a key, which is not bound to any that it says.
    package var topics: [String]

    /// Joins them.
    package init(fingerprint: String, expiresAt: Instant?, topics: [String] = []) {
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.topics = topics
    }
}
