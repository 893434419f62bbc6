import Apply
import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import RemoteTesting
import Synchronization

@testable import Delivery

/// A registry in a file, a clock and Apple, behind one `apns` remote.
final class RemoteWorld: Sendable {
    let clock = FakeClock()
    let apple = Apple()
    let channels = FakeHTTP()
    let folder: String
    let registry: Registry
    let store: Journal

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/apns-remote-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        registry = try Registry.test(at: folder + "/devices.sqlite")
        store = Journal(registry) { [clock] in clock.now }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func reader(of workspace: String = "giants", staleAfter: Duration? = AudienceCount.threeMonths) throws
        -> APNsReader
    {
        APNsReader(
            try Registry.openReadOnly(path: folder + "/devices.sqlite") { [clock] in clock.now },
            description: APNsRemote.description(
                name: "apple", registry: "devices.sqlite", label: "devices.sqlite", hosts: [:]), workspace: workspace,
            staleAfter: staleAfter)
    }

    func writer(
        of workspace: String = "giants", profiles: [DeviceProfile] = [RemoteWorld.profile()], canBeJoined: Bool = true,
        senders: [String: SenderError] = [:], settings: DeliverySettings = DeliverySettings()
    ) -> APNsWriter {
        APNsWriter(
            store, workspace: workspace, senders: { [apple] _ in FakeSenders(sender: apple, failing: senders) },
            clients: BroadcastClients(profiles: profiles) { [channels] profile in
                .success(
                    BroadcastClient(
                        http: channels, endpoints: APNsEndpoints(), environment: profile.environment,
                        topic: profile.topic, credential: .certificate))
            },
            settings: settings, canBeJoined: canBeJoined, pausing: DeliveryTesting.FakePause(clock: clock),
            heartbeat: DeliveryTesting.NoPause(), elapsed: { [clock] in clock.elapsed })
    }

    static func profile(
        _ name: String = "app", _ environment: PushEnvironment = .production, topic: String = "com.example.app"
    ) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: RemoteTesting.Sample.origin(name), environment: environment, topic: topic,
            credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
    }

    /// A lease of the lock, taken now.
    func lease(_ run: String = "run", of workspace: String = "giants") async throws -> Lease {
        switch try await writer(of: workspace).acquireLock(holder: "test", run: run) {
        case .acquired(let lease): return lease
        case .held(let record, _): throw RemoteError(.conditionFailed, "held by \(record.run)")
        }
    }

    /// Registers devices `0`, `1`, … whose tokens are those numbers; every third follows scores.
    func register(_ count: Int, profile: String = "app", from first: Int = 0) async throws {
        for index in first..<first + count {
            _ = try await registry.create(
                [
                    "deviceType": "ios", "deviceToken": .string(World.token(index)), "deviceProfile": .string(profile),
                    "scores": .bool(index % 3 == 0), "badge": 3,
                ], in: .installation, as: .master, at: clock.now)
        }
    }

    /// The entry of a delivery, about to be sent.
    func entry(_ order: DeliveryOrder? = nil, name: String = "score", at: Instant? = nil) -> LedgerEntry {
        var entry = RemoteTesting.Sample.bareEntry(name)
        entry.request = (order ?? self.order()).request
        entry.intendedAt = clock.now
        entry.attemptedAt = clock.now
        entry.scheduledAt = at
        return entry
    }

    func order(_ change: (inout DeliveryOrder) -> Void = { _ in }) -> DeliveryOrder {
        .score(change)
    }

    func sending(
        _ entry: LedgerEntry, _ lease: Lease, isStopped: @escaping @Sendable () -> Bool = { false }
    ) -> OutgoingDelivery {
        OutgoingDelivery(entry: entry, lease: { lease }, isStopped: isStopped)
    }
}

/// Apple in memory: what it took, and what it answers instead.
final class Apple: NotificationSending {
    private let state = Mutex(State())

    struct State: Sendable {
        var taken: [String] = []
        var answers: [String: Verdict] = [:]
        /// Every device is answered so, when it is set.
        var answer: Verdict?
        /// After so many requests something happens.
        var after: (requests: Int, action: @Sendable () -> Void)?
        var requests = 0
        /// What the next requests are answered.
        var script: [Verdict] = []
        var notifications: Set<PushNotification> = []
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        await Task.yield()
        return targets.map { target in
            guard gate.isOpen else { return .notSent(.noBodyGiven("held back")) }
            let (answer, action) = with { state -> (Verdict, (@Sendable () -> Void)?) in
                state.requests += 1
                state.notifications.insert(notification)
                let answer =
                    state.script.isEmpty
                    ? state.answer ?? state.answers[target.token] ?? .accepted : state.script.removeFirst()
                if answer == .accepted { state.taken.append(target.token) }
                return (answer, state.after?.requests == state.requests ? state.after?.action : nil)
            }
            action?()
            gate.note(answer)
            return answer
        }
    }

    func close() async {}
}
