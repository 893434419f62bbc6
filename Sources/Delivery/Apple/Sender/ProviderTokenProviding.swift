package import Base

/// Provides a key's provider token, one for all connections, workers and batches.
///
/// Implements Apple's rule that a token is renewed every 20 to 60 minutes
/// (docs/background/apple/credentials.md#provider-tokens). Called on the sender's thread, so it must not block.
package protocol ProviderTokenProviding: Sendable {
    /// The token to use now: the part after `bearer `, printable ASCII without spaces.
    func token() -> Secret

    /// Returns the token to use after Apple called one expired; the same token when it cannot be renewed yet.
    func renewedToken(insteadOf expired: Secret) -> Secret

    /// Returns the token to go back to after Apple said that tokens change too often (`TooManyProviderTokenUpdates`).
    func earlierToken(insteadOf token: Secret) -> Secret
}
