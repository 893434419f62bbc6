internal import Apply
package import Base
package import Push
internal import Synchronization

/// One run's connection to a ``FakeService``: it can be cut at any write, as if the run had been killed there.
package final class FakeRemote: RemoteReading, RemoteWriting {
    /// The service as this run sees it.
    package let description: RemoteDescription
    /// The capabilities.
    package let capabilities: Capabilities
    /// Makes its requests.
    package let encoder: any RequestEncoding

    let service: FakeService
    private let hook: @Sendable (WritePoint, Int) async -> Fate
    private let afterRead: @Sendable (FakeRead) -> Void
    private let state = Mutex(State())

    private struct State {
        var points: [WritePoint] = []
        var isDead = false
    }

    /// A moment before or after a write.
    package struct WritePoint: Hashable, Sendable, CustomStringConvertible {
        /// On which side of the write.
        package let phase: Phase
        /// The write: `insert sending`, `send`, `update sent`, `cancel`, `release` and so on.
        package let name: String

        /// On which side of a write.
        package enum Phase: String, Hashable, Sendable {
            /// Nothing has happened yet.
            case before
            /// It has happened, and the run does not know yet.
            case after
        }

        /// For the names of test cases.
        package var description: String { "\(phase.rawValue) \(name)" }
    }

    /// The decision of a hook.
    package enum Fate: Hashable, Sendable {
        /// The run goes on.
        case live
        /// The run is killed here: nothing that it does from now on has any effect.
        case die
    }

    /// Connects a run.
    ///
    /// `hook` is called at every point with its number from 0, and `afterRead` after every read, so that something can
    /// happen between two of them.
    package init(
        _ service: FakeService, name: String = "production", canSchedule: Bool = true, keepsJournal: Bool = false,
        encoder: any RequestEncoding = FakeEncoder(),
        hook: @escaping @Sendable (WritePoint, Int) async -> Fate = { _, _ in .live },
        afterRead: @escaping @Sendable (FakeRead) -> Void = { _ in }
    ) {
        self.service = service
        self.encoder = encoder
        self.hook = hook
        self.afterRead = afterRead
        description = Sample.remote(name)
        capabilities = Sample.capabilities(canSchedule: canSchedule, keepsJournal: keepsJournal)
    }

    /// The points that were reached, in order.
    package var points: [WritePoint] { state.withLock { $0.points } }

    /// The names of the writes that were begun, in order.
    package var writes: [String] { points.filter { $0.phase == .before }.map(\.name) }

    /// True once the run was killed.
    package var isDead: Bool { state.withLock { $0.isDead } }

    func reach(_ phase: WritePoint.Phase, _ name: String) async throws(RemoteError) {
        guard !isDead else { throw Self.killed }
        let point = WritePoint(phase: phase, name: name)
        let number = state.withLock { state in
            state.points.append(point)
            return state.points.count - 1
        }
        guard await hook(point, number) == .die else { return }
        state.withLock { $0.isDead = true }
        throw Self.killed
    }

    static let killed = RemoteError(.unavailable, "this run was killed")

    func read<Value: Sendable>(
        _ kind: FakeRead, _ body: (inout FakeWorld) -> Value
    ) throws(RemoteError) -> Value {
        guard !isDead else { throw Self.killed }
        let value: Value? = service.with { world in
            if let times = world.failingReads[kind], times > 0 {
                world.failingReads[kind] = times - 1
                return nil
            }
            return body(&world)
        }
        afterRead(kind)
        guard let value else { throw RemoteError(.unavailable, "the service answered 503") }
        return value
    }

    package var isBugleServer: Bool { service.with { $0.isBugleServer } }

    package func now() async throws(RemoteError) -> Instant { try read(.now) { $0.now } }

    package func ledger() async throws(RemoteError) -> [LedgerEntry] { try read(.ledger) { $0.ledger } }

    package func stops() async throws(RemoteError) -> [StopOrder] { try read(.ledger) { $0.stops } }

    package func isLedgerStarted() async throws(RemoteError) -> Bool { try read(.ledger) { $0.ledgerStarted } }

    package func neighbours() async throws(RemoteError) -> [String: Int] { try read(.ledger) { $0.neighbours } }

    package func resources() async throws(RemoteError) -> [ResourceRecord] { try read(.resources) { $0.resources } }

    package func lock() async throws(RemoteError) -> LockRecord? { try read(.lock) { $0.lock } }

    package func scheduledPushes() async throws(RemoteError) -> [ScheduledPush] {
        try read(.scheduled) { $0.list() }
    }

    package func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord? {
        try read(.record) { world in
            world.records.last { $0.notificationID == notification.text && $0.visibleAt <= world.now }?.record
        }
    }

    package func record(objectID: String) async throws(RemoteError) -> PushRecord? {
        try read(.record) { world in
            world.records.last { $0.record.objectID == objectID && $0.visibleAt <= world.now }?.record
        }
    }

    package func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        try read(.count) { world in
            world.audiences[Digest(of: condition)] ?? AudienceCount(devices: world.inboxes.count)
        }
    }

    package func explain(
        _ condition: JSONValue, deviceProfiles: [String]
    ) async throws(RemoteError) -> AudienceCount {
        try read(.explanation) { world in
            let digest = Digest(of: condition)
            return world.explanations[digest]
                ?? AudienceCount(devices: world.audiences[digest]?.devices ?? world.inboxes.count)
        }
    }

    package func sampleInstallations(
        channels: [String], deviceProfiles: [String]
    ) async throws(RemoteError) -> InstallationSample {
        try read(.count) { $0.installations }
    }
}
