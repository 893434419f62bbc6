import Base
import Delivery
import DeliveryTesting
import Push
import RegistryTesting
import Synchronization
import Testing

@testable import DeviceRegistry

/// A registry in memory, a clock and Apple, in which runs deliver.
struct World: Sendable {
    let clock = FakeClock()
    let registry: Registry
    let journal: Journal
    let apple: FakeApple
    let stop = Flag()
    /// The tokens of the devices.
    let tokens: [String]

    static let delivery = "k3jk3jk3jk3jk3jk"
    static let workspace = "giants"

    /// A world with devices of profiles in turn.
    init(devices: Int, profiles: [String] = ["app"], _ apple: FakeApple = FakeApple()) async throws {
        registry = try Registry.testInMemory()
        journal = Journal(registry) { [clock] in clock.now }
        self.apple = apple
        let tokens = (0..<devices).map(Self.token)
        self.tokens = tokens
        try await registry.write { db in
            // What is open at a time is noted as it is claimed.
            try db.execute("CREATE TABLE openBatches(count INTEGER)", [])
            for event in ["INSERT", "UPDATE OF state"] {
                try db.execute(
                    """
                    CREATE TRIGGER openBatches\(event.prefix(6)) AFTER \(event) ON journalBatch WHEN new.state = 1
                    BEGIN INSERT INTO openBatches SELECT COUNT(*) FROM journalBatch WHERE state = 1; END
                    """, [])
            }
            let rows = tokens.enumerated().map { index, token in
                let document: JSONValue = [
                    "deviceType": "ios", "deviceToken": .string(token),
                    "deviceProfile": .string(profiles[index % profiles.count]), "valid": true,
                ]
                return ["device\(index)", FakeClock.start, FakeClock.start, document.canonicalText] as [any SQLBindable]
            }
            try db.add(rows, to: "installation(objectId, createdAt, updatedAt, document)")
        }
    }

    /// A token that looks like one.
    static func token(_ index: Int) -> String {
        let digits = String(index, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func order(profiles: [String] = ["app"], _ change: (inout DeliveryOrder) -> Void = { _ in }) -> DeliveryOrder {
        .score(profiles: profiles, change)
    }

    func job(
        _ order: DeliveryOrder? = nil, window: Duration = .seconds(3600), expiresAt: Instant? = nil
    ) -> DeliveryJob {
        DeliveryJob(
            id: Self.delivery, workspace: Self.workspace, order: order ?? self.order(), start: FakeClock.start,
            window: window, expiresAt: expiresAt)
    }

    /// Takes the lock for a run, from whoever has it.
    func lease(_ run: String) async throws -> Lease {
        _ = try await registry.write { db in try db.execute("UPDATE deployLock SET expiresAt = 0", []) }
        guard case .acquired(let lease) = try await journal.acquireLock(of: Self.workspace, holder: run, run: run)
        else { throw RegistryError(internal: "the lock was not had") }
        return lease
    }

    func engine(
        _ life: Life = Life(), settings: DeliverySettings = DeliverySettings(),
        failing: [String: SenderError] = [:],
        beforeRequest: @escaping @Sendable (SendTarget) async -> Void = { _ in },
        fault: @escaping @Sendable (MortalDatabase.Moment) throws(RegistryError) -> Void = {
            (_) throws(RegistryError) in
        }
    ) -> DeliveryEngine {
        let stop = stop
        return DeliveryEngine(
            store: journal.mortal(life, fault: fault),
            senders: FakeSenders(
                sender: FakeSender(apple: apple, life: life, before: beforeRequest), failing: failing),
            settings: settings,
            pausing: FakePause(clock: clock) { stop.isRaised || life.isOver },
            heartbeat: FakePause(clock: FakeClock()) { life.isOver }, elapsed: { [clock] in clock.elapsed })
    }

    /// Runs the delivery under a new fence.
    func run(
        _ job: DeliveryJob? = nil, run: String = "run", _ life: Life = Life(),
        permission: @escaping @Sendable () async -> Permission = { .granted(for: DeliveryPermit.grace) },
        beforeRequest: @escaping @Sendable (SendTarget) async -> Void = { _ in },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async throws -> DeliveryEnding {
        let stop = stop
        return await engine(life, beforeRequest: beforeRequest).run(
            job ?? self.job(),
            under: DeliveryPermit(
                run: run, lease: try await lease(run), permission: permission, isStopped: { stop.isRaised }),
            progress: progress)
    }

    var figures: JournalFigures? {
        get async throws { try await journal.journal(of: Self.delivery) }
    }

    /// The states of the devices that were not accepted.
    var unaccepted: [String: TargetState] {
        get async throws {
            try await registry.read { db in
                try db.rows("SELECT token, state FROM journalTarget", []).reduce(into: [:]) { states, row in
                    states[row.text(0) ?? ""] = row.integer(1).flatMap(TargetState.init)
                }
            }
        }
    }

    /// The most batches that were ever open at a time.
    var mostOpen: Int {
        get async throws { try await registry.read { db in try db.number("SELECT MAX(count) FROM openBatches") } }
    }

    var batchSize: Int {
        get async throws { try await registry.read { db in try db.number("SELECT batchSize FROM journal") } }
    }

    /// The tokens of the devices that are marked as invalid.
    var invalid: [String] {
        get async throws {
            try await registry.read { db in try db.texts("SELECT deviceToken FROM installation WHERE NOT valid") }
        }
    }

    func badge(of token: String) async throws -> Int {
        try await registry.read { db in
            try db.number("SELECT document ->> 'badge' FROM installation WHERE deviceToken = ?", [token])
        }
    }

    func setBadge(of token: String, _ badge: Int) async throws {
        _ = try await registry.write { db in
            try db.execute(
                "UPDATE installation SET document = json_set(document, '$.badge', ?) WHERE deviceToken = ?",
                [badge, token])
        }
    }
}

/// A flag that tests raise.
final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }

    func lower() { raised.store(false, ordering: .releasing) }
}

extension DeliveryEnding {
    /// The figures of a delivery that ended.
    var figures: JournalFigures? {
        if case .ended(let figures) = self { figures } else { nil }
    }

    /// Why a delivery stopped of which nothing was ever sent.
    var stopBeforeSending: DeliveryStop? { if case .nothingSent(let stop) = self { stop } else { nil } }

    /// Why a delivery stopped of which something was sent, or may have been.
    var stopWhileSending: DeliveryStop? { if case .interrupted(let stop) = self { stop } else { nil } }
}

extension DeliveryStop {
    /// The name of its case.
    var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }

    /// The verdict on a stage that was judged.
    var verdict: StageVerdict? { if case .judged(let verdict) = self { verdict } else { nil } }

    /// The error of a registry that failed.
    var registryError: RegistryError? { if case .registry(let error) = self { error } else { nil } }

    /// When what was postponed goes on.
    var until: Instant? { if case .postponed(_, let until) = self { until } else { nil } }
}

extension FakeApple {
    /// With it one request in a hundred goes wrong in some way.
    static var unreliable: FakeApple {
        FakeApple { _, request in
            switch request % 500 {
            case 17: .neverSent
            case 118: .lost
            case 219: .takenInSilence
            case 320: .refuse(410, "Unregistered")
            case 421: .refuse(503, "Shutdown")
            default: .accept
            }
        }
    }

    /// The text that each device got last.
    var texts: [String: String] {
        get throws {
            try with { $0.bodies }.mapValues {
                try #require(try JSONValue(parsing: $0)["aps"]?["alert"]?["body"]?.string)
            }
        }
    }
}

extension PartTrial.Device {
    /// Registers so many devices of one profile, in these time zones in turn.
    static func register(_ count: Int, in registry: Registry, zones: [String?] = [nil]) async throws -> [Self] {
        var devices: [Self] = []
        for index in 0..<count {
            let (token, zone) = ("ab" + String(100_000 + index), zones[index % zones.count])
            var fields: JSONObject = ["deviceType": "ios", "deviceToken": .string(token), "deviceProfile": "app"]
            fields["timeZone"] = zone.map { .string($0) }
            let written = try await registry.create(fields, in: .installation, as: .master, at: FakeClock.start)
            devices.append(Self(token: token, objectID: written.object.objectID, zone: zone))
        }
        return devices
    }
}
