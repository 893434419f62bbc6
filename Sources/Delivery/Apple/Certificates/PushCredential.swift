/// A loaded credential that authenticates pushes to Apple.
package enum PushCredential: Hashable, Sendable {
    /// A certificate with its key; the certificate names its topics and environments.
    case certificate(CertificateIdentity)
    /// A team's key, which signs provider tokens; ids of 10 characters each.
    case token(key: SigningKey, teamID: String, keyID: String)
}
