package import Base

/// The queries that planning, and every read-only command, makes on a remote: nothing here changes anything.
package protocol RemoteReading: Sendable {
    /// The remote's description.
    var description: RemoteDescription { get }
    /// The remote's capabilities.
    var capabilities: Capabilities { get }
    /// The encoder of the remote's requests.
    var encoder: any RequestEncoding { get }

    /// The server's time.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func now() async throws(RemoteError) -> Instant

    /// Every ledger entry of the workspace, including several of one delivery.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or an entry has an unexpected shape.
    func ledger() async throws(RemoteError) -> [LedgerEntry]

    /// True when `ledger start` was run for the workspace.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func isLedgerStarted() async throws(RemoteError) -> Bool

    /// The other workspaces with deliveries in the same storage, with the number of their ledger entries.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func neighbours() async throws(RemoteError) -> [String: Int]

    /// The resources of the workspace as last deployed.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or a record has an unexpected shape.
    func resources() async throws(RemoteError) -> [ResourceRecord]

    /// The lock's record; nil when no apply ever ran.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or the record has an unexpected shape.
    func lock() async throws(RemoteError) -> LockRecord?

    /// All scheduled pushes on the remote, ours and others'.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or the list has an unexpected shape.
    func scheduledPushes() async throws(RemoteError) -> [ScheduledPush]

    /// The record of the push whose request bore this id; nil when the remote answered properly that there is none.
    ///
    /// - Throws: ``RemoteError`` on any other answer: the look-up failed and proves nothing.
    func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord?

    /// The record of the push to which the service gave this id; nil when there is none (yet).
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func record(objectID: String) async throws(RemoteError) -> PushRecord?

    /// The state of a delivery's journal; only for a remote that keeps one.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or when this delivery has no journal, so that its state is
    ///   unknown.
    func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState

    /// The devices that reported events of a delivery; nil when it counts none.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func events(of entry: LedgerEntry) async throws(RemoteError) -> EventFigures?

    /// Counts the devices that a push to this audience, given by the remote's encoder, would reach now, and the largest
    /// inner query's results.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount

    /// Counts the devices that a condition for two audiences reaches, and nothing else.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func shared(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount

    /// True if a bugle-server has answered.
    var isBugleServer: Bool { get }

    /// Breaks down the devices that a push to this audience would reach now.
    ///
    /// - Parameters:
    ///   - condition: a request's audience as given by the remote's encoder.
    ///   - deviceProfiles: profiles that devices may have, for a remote that can only be queried for one by name.
    /// - Returns: a breakdown of as many devices as ``count(_:)`` returns.
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func explain(_ condition: JSONValue, deviceProfiles: [String]) async throws(RemoteError) -> AudienceExplanation

    /// A sample of the profiles and channels of installations; devices of the given channels and profiles are counted
    /// over all installations.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func sampleInstallations(channels: [String], deviceProfiles: [String]) async throws(RemoteError)
        -> InstallationSample
}

extension RemoteReading {
    /// The default for a remote that counts no events.
    package func events(of entry: LedgerEntry) async throws(RemoteError) -> EventFigures? { nil }

    /// The default for a remote that counts as cheaply as it can.
    package func shared(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        try await count(condition)
    }

    /// The default for a remote that is no server.
    package var isBugleServer: Bool { false }

    /// The default for a remote without a journal: always throws.
    package func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState {
        throw RemoteError(.unavailable, "\(description.name) keeps no journal")
    }
}
