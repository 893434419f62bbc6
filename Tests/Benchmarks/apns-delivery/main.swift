internal import Base
internal import CLibrary
internal import CMalloc
internal import CPushBench
internal import Delivery
internal import DeviceRegistry
internal import GRDB
internal import Push
internal import Synchronization

// Makes a delivery as an apply does, journal and lock on: the engine, a registry, the sender.
//
//     apns-delivery seed DATABASE COUNT
//     apns-delivery PORT CA-FILE CONNECTIONS STREAMS DATABASE [personal]
//     apns-delivery freeze DATABASE whole|waves|stages
//
// DATABASE is a file, or the address of a database of PostgreSQL's: postgresql://…
//
// The first makes a registry of COUNT devices, the second delivers to all of them, to 127.0.0.1:PORT. It prints pushes a
// second and microseconds of processor time for each, both without the freezing of the audience, as apns-sender does;
// then microseconds of processor time for the freezing of each device, the most memory in MB, and seconds in all. Exit
// status 1 when a device was not accepted. The third only freezes the audience, and prints microseconds of processor
// time for each device, seconds for all, and the most memory in MB. With "personal" each device gets a text with a value
// of its own.

/// Always the same token.
struct FixedToken: ProviderTokenProviding {
    func token() -> Secret { Secret(PUSH_TOKEN) }
    func renewedToken(insteadOf expired: Secret) -> Secret { expired }
    func earlierToken(insteadOf token: Secret) -> Secret { token }
}

/// One sender for every profile.
struct OneSender: SenderProviding {
    let sender: PushSender

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending { sender }
}

/// Keeps the lock as an apply does: renewed now and then, asked each time.
actor Keeper {
    let store: Journal
    let lease: Lease
    private var renewed = ContinuousClock.now

    init(_ store: Journal, _ lease: Lease) {
        self.store = store
        self.lease = lease
    }

    func holds() async -> Bool {
        guard renewed + .seconds(20) < .now else { return true }
        guard (try? await store.renew(lease)) != nil else { return false }
        renewed = .now
        return true
    }
}

/// When the audience was frozen.
struct Mark {
    var instant = ContinuousClock.now
    var used = push_processor_time()
}

func fail(_ why: String) -> Never {
    print("apns-delivery: \(why)")
    exit(1)
}

/// The address of a database of PostgreSQL's; nil: it is a file.
func address(_ database: String) throws -> PostgresAddress? {
    database.hasPrefix("postgresql:") ? try PostgresAddress(database) : nil
}

/// The time zones of the devices, for SQL.
let zoneList = "'Asia/Shanghai', 'Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'America/Los_Angeles'"

/// Fills a new registry with devices that all are reached.
func seed(_ address: PostgresAddress, _ count: Int) async throws {
    try await PostgresRegistry.create(address)
    let pool = PostgresPool(address, width: 1)
    try await pool.use { session in
        try session.execute(
            """
            INSERT INTO installation(token, document) SELECT token, jsonb_build_object(
              'badge', 0, 'deviceToken', token, 'deviceType', 'ios', 'firstName', 'Name ' || n, 'timeZone',
              (ARRAY[\(zoneList)])[1 + n % 5], 'valid', true)
            FROM (SELECT n, md5(n::text) || md5(n::text || 'b') AS token FROM generate_series(1, \(count)) AS n) AS named
            """)
        try session.execute("ANALYZE")
    }
    await pool.close()
}

/// Fills a new registry with devices that all are reached.
func seed(_ path: String, _ count: Int) async throws {
    let registry = try Registry.open(path: path)
    registry.close()
    let database = try DatabaseQueue(path: path)
    try await database.write { db in
        // Built at once, indexes take a fraction of the time that single entries take.
        let indexes = try Row.fetchAll(
            db,
            sql: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'installation' AND sql <> ''")
        for index in indexes { try db.execute(sql: "DROP INDEX \(index["name"] as String)") }
        try db.execute(
            sql: """
                WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                INSERT INTO installation(objectId, createdAt, updatedAt, document)
                SELECT printf('%024x', n), ?, ?, json_object(
                  'badge', 0, 'deviceToken', lower(hex(randomblob(32))), 'deviceType', 'ios', 'firstName', 'Name ' || n,
                  'timeZone', json_extract(json_array(\(zoneList)), '$[' || (n % 5) || ']'), 'valid', json('true')) FROM number
                """, arguments: [count, Instant.system.milliseconds, Instant.system.milliseconds])
        for index in indexes { try db.execute(sql: index["sql"]) }
    }
}

func order(isPersonal: Bool) throws -> DeliveryOrder {
    var payload = try JSONValue(parsing: PUSH_BODY)
    if isPersonal { payload["aps"] = ["alert": "Hello {{firstName|there}}, the Giants have won the season"] }
    return DeliveryOrder(
        payload: payload, pushType: .alert, priority: 10,
        expiration: .at(OffsetInstant(Instant(seconds: 1_763_786_400))), environment: .production,
        routes: [.init(profile: "app", topic: PUSH_TOPIC, apnsTopic: PUSH_TOPIC, isDefault: true)],
        target: .condition([:]), isPersonal: isPersonal)
}

func open(_ database: String) async throws -> Journal {
    guard let address = try address(database) else { return Journal(try Registry.open(path: database)) }
    return try await PostgresRegistry.open(address)
}

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

/// The divisions of an audience that are measured.
func division(_ name: String, _ delivery: String) -> AudienceDivision? {
    switch name {
    case "whole": .whole
    case "waves":
        LocalTime("2026-12-24T09:00:00").map { .localTime(LocalSchedule(at: $0, otherwise: "Asia/Shanghai")) }
    case "stages":
        .stages(
            Rollout(
                stages: ["1%", "10%", "100%"].compactMap { Share($0) }, bake: .seconds(1800),
                stopWhen: Rollout.Limits()), Buckets(salt: delivery))
    default: nil
    }
}

/// Freezes everybody, and nothing else.
func freeze(_ database: String, _ name: String) async throws {
    // As long as ids are, which decides what a bucket costs.
    let delivery = String(String(UInt64.random(in: 0...UInt64.max), radix: 32).prefix(13)) + "bch"
    guard let division = division(name, delivery) else { fail("an audience is whole, or in waves or stages") }
    let store = try await open(database)
    guard case .acquired(let lease) = try await store.acquireLock(of: "bench", holder: "bench", run: delivery) else {
        fail("the lock is held")
    }
    let start = Mark()
    let figures = try await store.freeze(
        DeliveryFreeze(
            delivery: delivery, workspace: "bench",
            audience: DeliveryAudience(
                selection: .condition([:]),
                routes: [DeliveryRoute(profile: "app", topic: PUSH_TOPIC, isDefault: true)]),
            environment: "production", division: division), under: lease)
    let end = Mark()
    guard figures.targets > 0 else { fail("there are no devices") }
    try await store.release(lease, lastApplied: nil)
    await store.close()
    print(
        rounded((end.used - start.used) / Double(figures.targets) * 1e6),
        rounded(start.instant.duration(to: end.instant) / .seconds(1)), push_most_memory())
}

func deliver(_ arguments: [String], _ connections: Int, _ streams: Int) async throws {
    let store = try await open(arguments[5])
    let sender = try PushSender(
        .init(
            endpoint: "127.0.0.1:\(arguments[1])", credential: .token(FixedToken()), connections: connections,
            streams: streams, caFile: arguments[2], retries: .init(spacing: .milliseconds(1))))
    let run = "bench-\(UInt64.random(in: 0...UInt64.max))"
    guard case .acquired(let lease) = try await store.acquireLock(of: "bench", holder: "bench", run: run) else {
        fail("the lock is held")
    }
    let keeper = Keeper(store, lease)
    let clock = ContinuousClock()
    let began = clock.now
    let engine = DeliveryEngine(
        store: store, senders: OneSender(sender: sender), pausing: TaskPause(),
        elapsed: { began.duration(to: clock.now) })
    let job = DeliveryJob(
        id: run, workspace: "bench", order: try order(isPersonal: arguments.last == "personal"), start: .system,
        window: .seconds(86_400))
    let start = Mark()
    let frozen = Mutex<Mark?>(nil)
    let ending = await engine.run(
        job,
        under: DeliveryPermit(
            run: run, lease: lease,
            permission: { await keeper.holds() ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost) })
    ) { progress in
        if progress.targets != nil { frozen.withLock { $0 = $0 ?? Mark() } }
    }
    let end = Mark()
    guard case .ended(let figures) = ending, figures.accepted == figures.targets, figures.accepted > 0,
        let frozen = frozen.withLock({ $0 })
    else { fail("\(ending)") }
    try await store.release(lease, lastApplied: nil)
    await sender.close()
    await store.close()
    let count = Double(figures.accepted)
    print(
        Int(count / (frozen.instant.duration(to: end.instant) / .seconds(1))),
        rounded((end.used - frozen.used) / count * 1e6), rounded((frozen.used - start.used) / count * 1e6),
        push_most_memory(), rounded(start.instant.duration(to: end.instant) / .seconds(1)))
}

// As the programs do.
bugle_malloc_reserve_heaps()
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "seed", let count = Int(arguments[3]) {
    if let address = try address(arguments[2]) {
        try await seed(address, count)
    } else {
        try await seed(arguments[2], count)
    }
} else if arguments.count == 4, arguments[1] == "freeze" {
    try await freeze(arguments[2], arguments[3])
} else if [6, 7].contains(arguments.count), let connections = Int(arguments[3]), let streams = Int(arguments[4]) {
    try await deliver(arguments, connections, streams)
} else {
    print(
        """
        usage: apns-delivery seed DATABASE COUNT
               apns-delivery freeze DATABASE whole|waves|stages
               apns-delivery PORT CA-FILE CONNECTIONS STREAMS DATABASE [personal]
        """)
    exit(64)
}
