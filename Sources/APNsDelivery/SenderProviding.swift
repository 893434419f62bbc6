package import APNs

/// Gives the sender of a profile: made when it is first asked for, shared by all batches, closed by whoever made it.
package protocol SenderProviding: Sendable {
    /// The sender for a profile's credential and environment.
    ///
    /// - Throws: `CredentialError` when the profile's certificate or key cannot be used.
    func sender(for profile: String) async throws(CredentialError) -> any NotificationSending
}
