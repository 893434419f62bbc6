/// The certificate or key that pushes to a set of devices: LeanCloud's `deviceProfile`, Apple's topic.
package struct DeviceProfile: Sendable {
    /// The profile's name in installations.
    package var name: String
    /// The place of the declaration.
    package var origin: Origin
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The bundle id; the push type adds its suffix.
    package var topic: String
    /// True when the profile serves installations that name none.
    package var isDefault: Bool
    /// The credential.
    package var credential: Credential
    /// True when removing the profile is refused until a release says `protected: false`.
    package var isProtected: Bool
    /// The facts found in the certificate or key; nil when it could not be read here.
    package var facts: CredentialFacts?

    /// The credential of a profile.
    package enum Credential: Hashable, Sendable {
        /// A certificate: PKCS#12, or PEM with the key in it or beside it.
        case certificate(source: SecretSource, key: SecretSource?, passphrase: SecretSource?)
        /// A provider token's key.
        case token(teamId: String, keyId: String, key: SecretSource)

        /// The secrets that it needs.
        package var sources: [SecretSource] {
            switch self {
            case .certificate(let source, let key, let passphrase): [source, key, passphrase].compactMap(\.self)
            case .token(_, _, let key): [key]
            }
        }
    }

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

/// The public facts of a certificate or key, without anything secret.
package struct CredentialFacts: Hashable, Sendable {
    /// SHA-256 of the certificate, or of the key's public half, in hexadecimal.
    package var fingerprint: String
    /// The time a certificate expires; nil for a key.
    package var expiresAt: Instant?
    /// The topics that a certificate names; empty for a key, which names none.
    package var topics: [String]

    package init(fingerprint: String, expiresAt: Instant?, topics: [String] = []) {
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.topics = topics
    }
}
