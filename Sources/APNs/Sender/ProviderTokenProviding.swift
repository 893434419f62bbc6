package import Diagnostics

/// Gives the provider token of one key: the same for all its connections, and for all who send with it.
///
/// It knows Apple's rule that a token is renewed between 20 and 60 minutes (apns.md, A8). Called on the sender's thread,
/// so it must not wait.
package protocol ProviderTokenProviding: Sendable {
    /// The token to send now: what stands after `bearer `, printable ASCII without spaces.
    ///
    /// - Throws: `CredentialError` when none can be signed.
    func token() throws(CredentialError) -> Secret

    /// Apple said that this token has expired: another one; nil when it should still be good, so that the connection is
    /// to blame.
    ///
    /// - Throws: `CredentialError` when the clock must be wrong, or none can be signed.
    func replacement(for token: Secret) throws(CredentialError) -> Secret?
}
