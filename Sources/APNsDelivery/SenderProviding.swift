package import APNs

/// Gives the sender of a profile: made when it is first asked for, shared by all batches, closed by whoever made it.
package protocol SenderProviding: Sendable {
    /// The sender for a profile's credential and environment.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be had or used.
    func sender(for profile: String) async throws(SenderError) -> any NotificationSending
}

/// Why there is no sender for a profile, in one sentence without anything secret.
package struct SenderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do, without a final stop.
    package let description: String

    /// Says why.
    package init(_ description: String) { self.description = description }
}
