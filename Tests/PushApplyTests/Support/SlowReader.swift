import JSONValue
import PushModel
import PushRemote
import RemoteTesting
import Synchronization

/// A remote whose first look-up of a record takes long.
final class SlowReader: RemoteReading {
    let remote: FakeRemote
    private let service: FakeService
    private let delay: Duration
    private let isSlow = Atomic<Bool>(true)

    init(_ remote: FakeRemote, service: FakeService, delay: Duration) {
        self.remote = remote
        self.service = service
        self.delay = delay
    }

    var description: RemoteDescription { remote.description }
    var capabilities: Capabilities { remote.capabilities }
    var encoder: any RequestEncoding { remote.encoder }

    func now() async throws(RemoteError) -> Instant { try await remote.now() }
    func ledger() async throws(RemoteError) -> [LedgerEntry] { try await remote.ledger() }
    func isLedgerStarted() async throws(RemoteError) -> Bool { try await remote.isLedgerStarted() }
    func resources() async throws(RemoteError) -> [ResourceRecord] { try await remote.resources() }
    func lock() async throws(RemoteError) -> LockRecord? { try await remote.lock() }
    func scheduledPushes() async throws(RemoteError) -> [ScheduledPush] { try await remote.scheduledPushes() }

    func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord? {
        if isSlow.exchange(false, ordering: .relaxed) { service.advance(delay) }
        return try await remote.record(notification: notification)
    }

    func record(objectID: String) async throws(RemoteError) -> PushRecord? {
        try await remote.record(objectID: objectID)
    }

    func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        try await remote.count(condition)
    }

    func sampleInstallations(
        channels: [String], deviceProfiles: [String]
    ) async throws(RemoteError) -> InstallationSample {
        try await remote.sampleInstallations(channels: channels, deviceProfiles: deviceProfiles)
    }
}
