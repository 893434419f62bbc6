/// What authenticates pushes to Apple, ready to be used.
package enum PushCredential: Hashable, Sendable {
    /// A certificate with its key: the topics and environments are its own.
    case certificate(CertificateIdentity)
    /// A team's key, which signs provider tokens; ids of 10 characters each.
    case token(key: SigningKey, teamID: String, keyID: String)
}
