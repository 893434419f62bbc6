import Base
import BaseTesting
import Dispatch
import ProgramTesting
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

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
        let pool = PostgresPool(address, width: 1)
        try await pool.add(tokens: ["AB"])
        try await PostgresRegistry.create(address, partitions: 5)
        // The server's clock says when it was seen.
        #expect(try await registry.count(.devices(), at: try await registry.now()).devices == 1)
        await registry.close()
        await #expect(throws: RegistryError(internal: "the database cannot be reached: The registry was closed.")) {
            _ = try await registry.now()
        }
        try await pool.use { session in _ = try session.execute("UPDATE bugleSchema SET version = 99") }
        await pool.close()
        let error = await #expect(throws: RegistryError.self) { _ = try await PostgresRegistry.open(address) }
        #expect(error?.description.contains("newer bugle") == true)
        await #expect(throws: RegistryError.self) { try await PostgresRegistry.create(address) }
    }

    @Test func theWaitForASessionIsNoPartOfALookAtTheSharedClock() async throws {
        let fixture = try await PostgresFixture.make()
        let pool = PostgresPool(fixture.address, width: 1)
        let registry = Registry(PostgresDatabase(pool: pool))
        let (held, free) = (Gate(), DispatchSemaphore(value: 0))
        async let holding = pool.use { _ in
            held.open()
            free.wait()
            return Instant.system
        }
        await held.pass()
        async let looking = registry.sharedTime()
        let asked = Instant.system
        while Instant.system <= asked + .milliseconds(20) { await Task.yield() }
        free.signal()
        let freed = try await holding
        let shared = try #require(try await looking)
        // Both are of this machine: the database looked after the session was free, and we know it.
        #expect(shared.machine >= freed && shared.time >= freed - .milliseconds(1))
        await pool.close()
        await fixture.close()
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

    @Test func aRegistryOfAnOlderBugleIsBroughtUpToDateOnPurposeOnly() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.pool.use { session in _ = try session.execute("UPDATE bugleSchema SET version = 0") }
        for open in [
            { (address: PostgresAddress) async throws in _ = try await PostgresRegistry.open(address) },
            { (address: PostgresAddress) async throws in _ = try await PostgresRegistry.openReadOnly(address) },
        ] {
            let error = await #expect(throws: RegistryError.self) { try await open(fixture.address) }
            #expect(error?.description.contains("bugle registry init") == true)
        }
        await fixture.close()
    }

    @Test func aReaderCannotWrite() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        let reader = try await PostgresRegistry.openReadOnly(fixture.address)
        #expect(try await reader.records(.ledger, of: "w") == [])
        let pool = PostgresPool(fixture.address, settings: PostgresSettings(isReadOnly: true), width: 1)
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

    @Test func aDatabaseThatIsSlowIsNotTheFaultOfARequestUnlessItLooksForSomething() async throws {
        for state in ["55P03", "57014", "25P03", "57P05"] {
            let error = PostgresDatabase.registryError(from: PostgresError(sqlState: state, message: "slow"))
            #expect(error.isInternal, "\(state)")
        }
        let fixture = try await PostgresFixture.make()
        let error = await #expect(throws: RegistryError.self) {
            try await fixture.server.database.read(.within(.milliseconds(1))) { db in
                _ = try db.row("SELECT pg_sleep(60)")
            }
        }
        #expect(error == .late)
        await fixture.close()
    }

    /// Tried again, what was committed would be done twice.
    @Test(arguments: ["40003", "08006", "08007"])
    func aCommitThatMayBeDoneIsNotTriedAgain(state: String) async throws {
        let database = PostgresDatabase(pool: PostgresPool(try await PostgresFixture.database(), width: 1))
        let tries = Counter()
        await #expect(throws: RegistryError.self) {
            try await database.run(.writing) { session in
                tries.next()
                try session.execute("CREATE TABLE t (n bigint)")
                try session.execute(
                    """
                    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN RAISE EXCEPTION 'who knows' USING ERRCODE = '\(state)'; END $$
                    """)
                try session.execute(
                    """
                    CREATE CONSTRAINT TRIGGER atTheEnd AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION fail()
                    """)
                try session.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(tries.value == 1)
        await database.close()
    }

    @Test func aPushWhoseStepTheDatabaseCutsOffIsNotRefused() async throws {
        let fixture = try await PostgresFixture.make()
        let (server, order, isOver) = (fixture.server, PushOrder(), Flag())
        try await fixture.register([["deviceType": "ios", "deviceToken": "aa"]], at: .noon)
        _ = try await server.accept(order, at: .noon)
        let other = PostgresPool(fixture.address, width: 1)
        try await other.hold("inbox")
        let delivering = Task {
            try? await server.deliver(objectID: order.objectID, at: .noon)
            isOver.raise()
        }
        // On a busy machine it reaches its own limit.
        try await eventually {
            let cut = try await other.cutOff()
            return cut > 0 || isOver.isRaised
        }
        try await other.letGo()
        await delivering.value
        try await server.deliver(objectID: order.objectID, at: .noon)
        #expect(try await server.record(objectID: order.objectID, at: .noon)?["status"] == "done")
        #expect(try await server.inbox(of: "aa").count == 1)
        await other.close()
        await fixture.close()
    }
}
