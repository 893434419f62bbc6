package import JSONValue

/// What planning, and every command that only looks, may ask of a remote: nothing here changes anything.
package protocol RemoteReading: Sendable {
    /// Which remote it is.
    var description: RemoteDescription { get }
    /// What it can do.
    var capabilities: Capabilities { get }
    /// Makes its requests.
    var encoder: any RequestEncoding { get }

    /// The server's clock.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func now() async throws(RemoteError) -> Instant

    /// Every ledger entry of the workspace; of several of one delivery, all.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or an entry has an unexpected shape.
    func ledger() async throws(RemoteError) -> [LedgerEntry]

    /// Whether `ledger start` was run for the workspace.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func isLedgerStarted() async throws(RemoteError) -> Bool

    /// The resources of the workspace as they were last deployed.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or a record has an unexpected shape.
    func resources() async throws(RemoteError) -> [ResourceRecord]

    /// The lock's record; nil when no apply ever ran.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or the record has an unexpected shape.
    func lock() async throws(RemoteError) -> LockRecord?

    /// All pushes that the remote keeps for later, ours and others'.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or the list has an unexpected shape.
    func scheduledPushes() async throws(RemoteError) -> [ScheduledPush]

    /// The record of the push whose request bore this id; nil: the remote answered, as expected, that there is none.
    ///
    /// - Throws: ``RemoteError`` when the answer was anything else: the look-up failed and proves nothing.
    func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord?

    /// The record of the push that the service gave this id; nil when there is none (yet).
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func record(objectID: String) async throws(RemoteError) -> PushRecord?

    /// What the journal of a delivery says; asked only of a remote that keeps one.
    ///
    /// - Throws: ``RemoteError`` when it cannot be asked, or when this delivery has none: then nobody can tell.
    func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState

    /// How many devices a push to this audience would reach now, with the largest inner query's count.
    ///
    /// - Parameter condition: what the remote's encoder says of a request's audience.
    /// - Throws: ``RemoteError`` when the remote cannot be asked, or refuses the condition.
    func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount

    /// What a push to this audience would reach now, taken apart; as many devices as ``count(_:)`` says.
    ///
    /// - Parameters:
    ///   - condition: what the remote's encoder says of a request's audience.
    ///   - deviceProfiles: profiles that devices may bear, for a remote that can only be asked for one by its name.
    /// - Throws: ``RemoteError`` when the remote cannot be asked, or refuses the condition.
    func explain(_ condition: JSONValue, deviceProfiles: [String]) async throws(RemoteError) -> AudienceExplanation

    /// What the installations say about profiles and channels.
    ///
    /// - Parameters:
    ///   - channels: channels whose subscribers are counted over all installations.
    ///   - deviceProfiles: profiles whose bearers are counted over all installations.
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func sampleInstallations(channels: [String], deviceProfiles: [String]) async throws(RemoteError)
        -> InstallationSample
}

extension RemoteReading {
    /// A remote without a journal: nobody asks it.
    package func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState {
        throw RemoteError(.unavailable, "\(description.name) keeps no journal")
    }
}
