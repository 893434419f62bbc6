internal import APNs
internal import APNsDelivery
internal import PushModel

/// The senders of a remote's profiles: one a profile, made when it is first needed and kept for the next delivery.
///
/// A paced delivery has senders of its own: the pace is the delivery's.
actor ProfileSenders {
    /// Makes the sender of a profile.
    ///
    /// - Parameter perSecond: requests a second; nil: no limit.
    typealias Making =
        @Sendable (_ profile: String, _ perSecond: Int?) async -> Result<any NotificationSending, SenderError>

    private let make: Making
    private var senders: [Key: any NotificationSending] = [:]

    private struct Key: Hashable {
        let profile: String
        let perSecond: Int?
    }

    init(_ make: @escaping Making) { self.make = make }

    /// The sender of a profile at a pace.
    func sender(for profile: String, perSecond: Int?) async throws(SenderError) -> any NotificationSending {
        let key = Key(profile: profile, perSecond: perSecond)
        if let known = senders[key] { return known }
        let made = try await make(profile, perSecond).get()
        // Another delivery may have made it meanwhile.
        if let known = senders[key] {
            await made.close()
            return known
        }
        senders[key] = made
        return made
    }

    /// Closes all senders; batches under way end first.
    func close() async {
        let open = senders.values
        senders = [:]
        for sender in open { await sender.close() }
    }
}

/// The senders of one delivery.
struct DeliverySenders: SenderProviding {
    let senders: ProfileSenders
    let perSecond: Int?

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        try await senders.sender(for: profile, perSecond: perSecond)
    }
}
