import JSONValue
import PostgresClient
import PushModel
import StoreTesting
import Testing

@testable import DeliveryJournal
@testable import PostgresStorage
@testable import RegistryModel

@Suite(hasServer) struct PostgresStoreTests {
    @Test(arguments: StoreClaim.allCases)
    func holdsAsForEveryStore(claim: StoreClaim) async throws {
        let fixture = try await PostgresFixture.make()
        try await claim.test(fixture)
        await fixture.close()
    }

    @Test func ofADeliveryThatWasNotBegunThereIsNothingToChange() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.registry.giveUp("never", claimedBefore: .noon, under: nil)
        try await fixture.registry.reopenDoubtful("never", under: nil)
        #expect(try await fixture.registry.journal(of: "never") == nil)
        await #expect(throws: RegistryError.self) { try await fixture.registry.close("never", under: nil) }
        let batch = JournalBatch(delivery: "never", number: 1, claimant: "r", profile: "p", targets: [])
        await #expect(throws: RegistryError.self) { try await fixture.registry.settle(batch, [], under: nil) }
        await fixture.close()
    }

    @Test func aRegistryIsMadeOnceAndOpenedOnlyWhereItIs() async throws {
        let address = try await PostgresFixture.database()
        await #expect(throws: RegistryError.self) { _ = try await PostgresRegistry.open(address) }
        await #expect(throws: RegistryError.self) { _ = try await PostgresRegistry.openReadOnly(address) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await PostgresRegistry.create(address, partitions: 2) } }
            try await group.waitForAll()
        }
        let registry = try await PostgresRegistry.open(address)
        try await registry.register([["deviceType": "ios", "deviceToken": "AB"]])
        try await PostgresRegistry.create(address, partitions: 5)
        let everybody = DeliveryAudience(
            selection: .condition([:]), routes: [DeliveryRoute(profile: "p", topic: "t", isDefault: true)])
        // The server's clock says when it was seen.
        #expect(try await registry.count(everybody, at: try await registry.now()).devices == 1)
        await registry.close()
        await #expect(throws: RegistryError(internal: "the database cannot be reached: The registry was closed.")) {
            _ = try await registry.now()
        }
        let pool = PostgresPool(address, width: 1)
        try await pool.use { session in _ = try session.execute("UPDATE bugleSchema SET version = 99") }
        await pool.close()
        let error = await #expect(throws: RegistryError.self) { _ = try await PostgresRegistry.open(address) }
        #expect(error?.description.contains("newer bugle") == true)
        await #expect(throws: RegistryError.self) { try await PostgresRegistry.create(address) }
    }

    @Test func aRegistryIsToldFromEveryOther() async throws {
        var ids: Set<String> = []
        for _ in 0..<2 {
            let address = try await PostgresFixture.database()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await PostgresRegistry.create(address, partitions: 0) } }
                try await group.waitForAll()
            }
            let registry = try await PostgresRegistry.open(address)
            let id = try await registry.identity()
            #expect(id.count == 32)
            try await PostgresRegistry.create(address, partitions: 0)
            #expect(try await registry.identity() == id)
            ids.insert(id)
            await registry.close()
        }
        #expect(ids.count == 2)
    }

    /// The tables as version 2 had them, under a delivery that is under way; version 1 had no id besides.
    private func makeOlder(_ fixture: PostgresFixture, version: Int64) async throws {
        try await fixture.pool.use { session in
            for statement in [
                """
                ALTER TABLE journalBatch DROP COLUMN targets, DROP COLUMN tries, DROP COLUMN missed,
                  ADD COLUMN tokens text[], ADD COLUMN badges bigint[], ADD COLUMN tries bigint[]
                """,
                "ALTER TABLE journal DROP COLUMN freezing",
                """
                INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, targets, missed)
                VALUES ('d', '', 'production', 2, true, 9, 1)
                """,
                """
                INSERT INTO journalBatch(delivery, number, profile, devices, state, claimant, fence, claimedAt, settledAt,
                  accepted, tokens, badges, tries) VALUES
                ('d', 1, 'p', 2, 2, 'r', 0, 1, 7, 2, NULL, NULL, NULL),
                ('d', 2, 'p', 2, 1, 'r', 0, 2, NULL, 0, '{0102,ff}', '{70000,1}', '{300,2}'),
                ('d', 3, 'p', 2, 1, 'r', 0, 2, NULL, 0, '{03,04}', '{5,6}', NULL),
                ('d', 4, 'p', 2, 0, NULL, NULL, NULL, NULL, 0, '{\(String(repeating: "ab", count: 300)),05}', NULL, NULL)
                """,
            ] { try session.execute(statement) }
            if version == 1 { try session.execute("DROP TABLE bugleRegistry") }
            try session.execute("UPDATE bugleSchema SET version = $1", [.integer(version)])
        }
    }

    @Test(arguments: [1, 2])
    func aRegistryOfAnOlderBugleIsBroughtUpToDateOnPurposeOnlyAndItsDeliveriesGoOn(version: Int64) async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        try await makeOlder(fixture, version: version)
        for open in [
            { (address: PostgresAddress) async throws in _ = try await PostgresRegistry.open(address) },
            { (address: PostgresAddress) async throws in _ = try await PostgresRegistry.openReadOnly(address) },
        ] {
            let error = await #expect(throws: RegistryError.self) { try await open(fixture.address) }
            #expect(error?.description.contains("bugle registry init") == true)
        }
        try await PostgresRegistry.create(fixture.address)
        let reader = try await PostgresRegistry.openReadOnly(fixture.address)
        #expect(try await reader.identity().count == 32)
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 1)
        let figures = JournalFigures(
            targets: 9, waiting: 2, underWay: 4, accepted: 2, missed: 1, lastOutcomeAt: Instant(milliseconds: 7))
        #expect(try await reader.journal(of: "d") == figures)
        await reader.close()
        // What was under way is in doubt, and is sent again with the badges and tries that it had.
        try await fixture.registry.giveUp("d", claimedBefore: .noon, under: nil)
        try await fixture.registry.reopenDoubtful("d", under: nil)
        var targets: [[JournalTarget]] = []
        while case .batch(let batch) = try await fixture.registry.claim(from: "d", by: "s", under: nil) {
            targets.append(batch.targets)
        }
        #expect(
            targets == [
                [.init(token: String(repeating: "ab", count: 300), badge: 1), .init(token: "05", badge: 1)],
                [.init(token: "0102", badge: 70_000, attempts: 301), .init(token: "03", badge: 5, attempts: 1)],
                [.init(token: "04", badge: 6, attempts: 1), .init(token: "ff", badge: 1, attempts: 3)],
            ])
        await fixture.close()
    }

    @Test func aReaderCannotWrite() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        let reader = try await PostgresRegistry.openReadOnly(fixture.address)
        #expect(try await reader.records(.ledger, of: "w") == [])
        var settings = PostgresSettings()
        settings.isReadOnly = true
        let pool = PostgresPool(fixture.address, settings: settings, width: 1)
        for statement in ["DELETE FROM installation", "CREATE TABLE t (a bigint)", "COPY installation TO '/tmp/x'"] {
            let error = await #expect(throws: PostgresError.self) {
                try await pool.use { session in
                    _ = try session.transaction { session in try session.execute(statement) }
                }
            }
            #expect(error?.kind == .readOnly || statement.hasPrefix("COPY"))
        }
        await pool.close()
        await reader.close()
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 1)
        await fixture.close()
    }
}
