import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct ClaimTests {
    private static let delivery = "abcdefghijklmnop"

    /// Each statement of a claim may see other commits: another sender gives its device back between two of them.
    @Test func whatAnotherSenderGivesBackWhileAClaimLooksIsNotDone() async throws {
        let registry = try Registry.testInMemory()
        let store = Journal(registry) { .noon }
        let audience = DeliveryAudience(
            selection: .tokens(["6a0f3b"]), routes: [DeliveryRoute(profile: "p", topic: "t", isDefault: true)])
        let freeze = DeliveryFreeze(
            delivery: Self.delivery, workspace: "", audience: audience, environment: "production")
        #expect(try await store.freeze(freeze, under: nil).waiting == 1)
        _ = try await store.claim(from: Self.delivery, by: "helper", under: nil)
        let due = Instant.noon + .seconds(900)
        let database = InterleavedDatabase(database: registry.database) { sql, db in
            guard sql.contains("MIN(dueAt)") else { return }
            let journal = try db.frozen(Self.delivery, under: nil)
            guard let batch = try db.batch(1, of: journal), batch.state == .open else { return }
            let target = TargetRow(
                token: "6a0f3b", row: 0, part: 0, form: 0, texts: [], profile: "p", badge: 0, attempts: 4,
                state: .waits, dueAt: due, reason: "ServiceUnavailable")
            try db.add([target], to: journal)
            try db.end(batch, as: .settled, at: .noon)
        }
        let holder = Journal(database, clock: { .noon })
        #expect(try await holder.claim(from: Self.delivery, by: "holder", under: nil) == .othersAtWork(since: .noon))
        #expect(try await holder.claim(from: Self.delivery, by: "holder", under: nil) == .waitUntil(due))
    }
}

/// A database in whose transactions something happens after each statement that returns rows, as by another's commit.
private struct InterleavedDatabase: RegistryDatabase {
    let database: any RegistryDatabase
    let after: @Sendable (_ sql: String, any RegistryTransaction) throws -> Void

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await database.write { [after] db in try body(InterleavedTransaction(db: db, after: after)) }
    }

    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await database.read(kind, body)
    }

    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount? {
        try await database.freeze(freeze, under: lease, at: clock)
    }

    var isShared: Bool { database.isShared }
    func own() throws(RegistryError) { try database.own() }
    func probe() async throws(RegistryError) { try await database.probe() }
    func fillIndexes() async throws(RegistryError) -> Bool { try await database.fillIndexes() }
    func news() -> AsyncStream<Bool> { database.news() }
    func size() async throws(RegistryError) -> Int { try await database.size() }
    func close() async { await database.close() }
}

private struct InterleavedTransaction: RegistryTransaction {
    var db: any RegistryTransaction
    let after: (_ sql: String, any RegistryTransaction) throws -> Void

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        let rows = try db.rows(sql, values)
        try after(sql, db)
        return rows
    }

    func row(_ sql: String, _ values: [any SQLBindable]) throws -> (any SQLRow)? {
        let row = try db.row(sql, values)
        try after(sql, db)
        return row
    }

    var now: Instant {
        get { db.now }
        set { db.now = newValue }
    }

    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int { try db.execute(sql, values) }
    func each(_ text: SQLText, _ body: (any SQLRow) throws -> Bool) throws { try db.each(text, body) }
    func rows(_ text: SQLText) throws -> [any SQLRow] { try db.rows(text) }
    func execute(_ text: SQLText) throws -> Int { try db.execute(text) }
    func add(_ rows: [[any SQLBindable]], to table: String) throws { try db.add(rows, to: table) }
    func hold(_ names: [String]) throws { try db.hold(names) }
    func announce() throws { try db.announce() }
    func clause(_ hold: RowHold) -> String { db.clause(hold) }
    var dialect: Dialect { db.dialect }

    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try db.count(audience, at: now)
    }
    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try db.explain(audience, at: now)
    }
    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws {
        try db.eachNumber(of: audience, at: now, body)
    }
    func raiseBadges(of targets: TargetPack) throws -> [Int] { try db.raiseBadges(of: targets) }
    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws { try db.markDead(dead) }
    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow] {
        try db.proven(among: suspects, in: environment)
    }
    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws {
        try db.prove(targets, except: failed, in: environment)
    }
}
