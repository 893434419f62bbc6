package import Diagnostics

/// Gives the provider token of a key: one for all connections, workers and batches.
///
/// It knows Apple's rule that a token is renewed between 20 and 60 minutes (<doc:AppleCredentials#Provider-tokens>).
/// Called on the sender's thread, so it must not wait.
package protocol ProviderTokenProviding: Sendable {
    /// The token to use now: what stands after `bearer `, printable ASCII without spaces.
    func token() -> Secret

    /// Apple says that a token has expired: the one to use instead, or the same when it cannot be renewed yet.
    func renewedToken(insteadOf expired: Secret) -> Secret

    /// Apple says that tokens change too often (`TooManyProviderTokenUpdates`): the one to go back to.
    func earlierToken(insteadOf token: Secret) -> Secret
}
