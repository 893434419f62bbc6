package import APNs

/// Provides the sender of a profile: created on first use, shared by all batches, closed by its creator.
package protocol SenderProviding: Sendable {
    /// The sender for a profile's credential and environment.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be read or used.
    func sender(for profile: String) async throws(SenderError) -> any NotificationSending
}

/// The reason there is no sender for a profile, in one sentence without secrets.
package struct SenderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault and what to do, without a full stop.
    package let description: String

    package init(_ description: String) { self.description = description }
}
