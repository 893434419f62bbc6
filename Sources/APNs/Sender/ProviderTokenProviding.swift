/// Gives the provider token of one key: shared by all of its connections, and by all who send with it.
package protocol ProviderTokenProviding: Sendable {
    /// The bearer token to send now.
    func token() throws(CredentialError) -> String
    /// Apple said that this token has expired: another one, or nil when none may be made yet.
    func replacement(for token: String) throws(CredentialError) -> String?
}
