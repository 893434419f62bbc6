import Base
import ProgramTesting
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Several machines that carry one delivery, and what ends one of them.
@Suite(hasServer) struct PostgresSendersTests {
    private static let delivery = "abcdefghijklmnop"
    private static let freeze = DeliveryFreeze(
        delivery: delivery, workspace: "w", audience: .devices(), batchSize: 10, environment: "production")

    private func begun(_ devices: Int) async throws -> (PostgresFixture, Lease) {
        let fixture = try await PostgresFixture.make()
        try await fixture.register(
            (0..<devices).map { ["deviceType": "ios", "deviceToken": .string("ab\(1000 + $0)")] }, at: .noon)
        let lease = try await fixture.registry.lease(on: "w")
        _ = try await fixture.registry.freeze(Self.freeze, under: lease)
        return (fixture, lease)
    }

    @Test func whatASenderWasAboutToTakeIsPassedOverAndGivenBackWhenItDies() async throws {
        let (fixture, lease) = try await begun(30)
        // A sender's transaction holds the first batch, and is not committed.
        let dying = PostgresPool(fixture.address, width: 1)
        let process = try await dying.use { session in
            try session.execute("BEGIN")
            try session.execute(
                """
                UPDATE journalBatch SET state = 1, claimant = 'dying', fence = $2, claimedAt = 1 WHERE delivery = $1
                AND number = (SELECT number FROM journalBatch WHERE delivery = $1 AND state = 0
                  ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
                """, [.text(Self.delivery), .integer(Int64(lease.fence))])
            return session.process
        }
        var sent: [String] = []
        for _ in 0..<2 {
            let batch = try await fixture.registry.batch(of: Self.delivery, by: "living", under: lease)
            #expect(batch.number > 1)
            sent += batch.targets.map(\.token)
            #expect(try await fixture.registry.settle(batch, [], under: lease))
        }
        // All that is left is what the other may yet take: that is not the end.
        guard case .othersAtWork = try await fixture.registry.claim(from: Self.delivery, by: "living", under: lease)
        else { throw ServerFailure(description: "finished too early") }
        _ = try await fixture.number("SELECT pg_terminate_backend($1::int)::int", [.integer(Int64(process))])
        let error = await #expect(throws: PostgresError.self) {
            try await dying.use { session in _ = try session.execute("COMMIT") }
        }
        #expect(error?.kind == .lost)
        // It tells its client before it has given back what it held.
        try await eventually {
            try await fixture.number(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = $1::int", [.integer(Int64(process))]) == 0
        }
        while case .batch(let batch) = try await fixture.registry.claim(from: Self.delivery, by: "living", under: lease)
        {
            sent += batch.targets.map(\.token)
            #expect(try await fixture.registry.settle(batch, [], under: lease))
        }
        #expect(sent.sorted() == (0..<30).map { "ab\(1000 + $0)" })
        await dying.close()
        await fixture.close()
    }

    /// A server's push is claimed under a lock of its own, and not under one of the order's workspace.
    @Test(arguments: [("abcdefghijklmnop", true), (StopOrder.all, true), ("abcdefghijklmnop", false)])
    func aStopAnswersOnceEveryClaimThatDidNotSeeItIsCommitted(key: String, isUnderItsLock: Bool) async throws {
        let (fixture, lease) = try await begun(30)
        // A sender has looked for orders, and has not committed its claim.
        let claiming = PostgresPool(fixture.address, width: 1)
        try await claiming.use { session in
            try session.execute("BEGIN")
            let db = PostgresRegistryTransaction(session)
            let journal = try db.frozen(Self.delivery, under: isUnderItsLock ? lease : nil)
            #expect(try db.stop(of: Self.delivery, in: journal.workspace) == nil)
        }
        let (order, hasAnswered) = (StopOrder(key: key, by: "mina", at: .noon, why: "wrong link"), Flag())
        async let stopping: Void = {
            try await fixture.registry.stop(order, in: "w")
            hasAnswered.raise()
        }()
        try await eventually { if hasAnswered.isRaised { true } else { try await fixture.isAnybodyWaiting() } }
        #expect(!hasAnswered.isRaised)
        // Whoever looks meanwhile sees it.
        #expect(try await fixture.registry.stop(of: Self.delivery, in: "w") == order)
        try await claiming.use { session in _ = try session.execute("COMMIT") }
        try await stopping
        #expect(try await fixture.registry.claim(from: Self.delivery, by: "r", under: lease) == .stopped(order))
        await claiming.close()
        await fixture.close()
    }

    @Test func whoIsTakenForARetryWhileAnotherAudienceIsFrozenCountsForItsRule() async throws {
        let (fixture, lease) = try await begun(10)
        let first = try await fixture.registry.batch(of: Self.delivery, under: lease)
        let again = first.targets.indices.map {
            TargetFailure(index: $0, ending: .again(after: fixture.now), reason: "Shutdown")
        }
        #expect(try await fixture.registry.settle(first, again, under: lease))
        // A sender holds the table of those who wait: the freeze comes to it, and no further.
        let claiming = PostgresPool(fixture.address, width: 1)
        try await claiming.use { session in
            try session.execute("BEGIN")
            try session.execute("LOCK TABLE journalTarget IN ACCESS EXCLUSIVE MODE")
        }
        var freeze = Self.freeze
        (freeze.delivery, freeze.audience.frequency) = (
            "ponmlkjihgfedcba", [FrequencyRule(most: 1, per: .seconds(3600))]
        )
        let capped = freeze
        async let freezing = fixture.registry.freeze(capped, under: lease)
        try await eventually { try await fixture.isAnybodyWaiting() }
        // Its claim ends the transaction that it began.
        let sender = Journal(PostgresDatabase(pool: claiming)) { fixture.now }
        #expect(try await sender.batch(of: Self.delivery, under: lease).targets.count == 10)
        let figures = try await freezing
        #expect(figures.targets == 0 && figures.leftOut[.capped] == 10)
        await claiming.close()
        await fixture.close()
    }

    @Test func whatIsForgottenWhileAnAudienceIsFrozenIsNotTakenForNeverReached() async throws {
        let (fixture, lease) = try await begun(10)
        let first = try await fixture.registry.batch(of: Self.delivery, under: lease)
        #expect(try await fixture.registry.settle(first, [], under: lease))
        // Whoever forgets holds the table of those who were reached: the freeze comes to it, and no further.
        let forgetting = PostgresPool(fixture.address, width: 1)
        try await forgetting.use { session in
            try session.execute("BEGIN")
            try session.execute("LOCK TABLE reached IN ACCESS EXCLUSIVE MODE")
        }
        var freeze = Self.freeze
        (freeze.delivery, freeze.audience.frequency) = (
            "ponmlkjihgfedcba", [FrequencyRule(most: 1, per: .seconds(3600))]
        )
        let capped = freeze
        let freezing = Task { try await fixture.registry.freeze(capped, under: lease) }
        try await eventually { try await fixture.isAnybodyWaiting() }
        // It ends the transaction that it began.
        let other = Journal(PostgresDatabase(pool: forgetting)) { fixture.now }
        try await other.forgetReached(before: fixture.now + .seconds(1), of: "w", under: nil)
        await #expect(throws: RegistryError.self) { try await freezing.value }
        await forgetting.close()
        await fixture.close()
    }

    @Test func nothingIsSentTwiceAndNothingForgottenWhenASenderIsKilledAtAnyMoment() async throws {
        let (fixture, lease) = try await begun(400)
        var ended = try await withThrowingTaskGroup(of: Ended.self) { group in
            for sender in 0..<2 {
                group.addTask { try await Self.send(fixture, "sender-\(sender)", lease, forgets: sender == 0) }
            }
            group.addTask {
                // Cuts connections of the senders, whatever they are doing.
                for _ in 0..<30 {
                    _ = try await fixture.number(
                        """
                        SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%journal%'
                        ORDER BY random() LIMIT 1) AS one
                        """)
                }
                return Ended()
            }
            return try await group.reduce(into: Ended()) { all, one in
                all.sent += one.sent
                all.forgotten += one.forgotten
            }
        }
        // A session that was cut holds its batch for a moment: both may have ended before it was given back.
        try await eventually {
            ended.sent += try await Self.send(fixture, "rest", lease, forgets: false).sent
            return try await fixture.registry.journal(of: Self.delivery)?.waiting == 0
        }
        // A batch whose claim was committed while its answer was cut off was sent to nobody, and is in doubt, too.
        try await fixture.registry.giveUp(
            Self.delivery, claimedBefore: fixture.now.advanced(bySeconds: 1), under: lease)
        let after = try #require(try await fixture.registry.journal(of: Self.delivery))
        let tokens = ended.sent
        #expect(Set(tokens).count == tokens.count)
        #expect(after.underWay == 0 && after.accepted + after.inDoubt == 400)
        #expect(after.inDoubt >= ended.forgotten)
        // What is neither accepted nor in doubt was not sent; what was not sent is in doubt.
        #expect(after.accepted <= tokens.count)
        await fixture.close()
    }

    /// What a sender has done.
    private struct Ended {
        var sent: [String] = []
        /// Devices of batches that it sent and did not settle.
        var forgotten = 0
    }

    /// Sends until nothing is left.
    ///
    /// One that `forgets` leaves some of what it sent unsettled, as if it was killed before it wrote that down.
    private static func send(
        _ fixture: PostgresFixture, _ name: String, _ lease: Lease, forgets: Bool
    ) async throws -> Ended {
        var ended = Ended()
        let store = try await fixture.open()
        while true {
            do {
                let claim = try await store.claim(from: delivery, by: name, under: lease)
                guard case .batch(let batch) = claim else { break }
                ended.sent += batch.targets.map(\.token)
                guard !forgets || batch.number % 5 != 0 else {
                    ended.forgotten += batch.targets.count
                    continue
                }
                _ = try await store.settle(batch, [], under: lease)
            } catch {
                // Its connection was cut: it goes on with another one.
                guard error.isInternal else { throw error }
            }
        }
        await store.close()
        return ended
    }

    @Test func aMillionDevicesNeedLittleMemory() async throws {
        let url = try await PostgresServer.databaseURL(like: isLong ? "template1" : PostgresServer.template)
        // Other tests take memory of their process meanwhile.
        await #expect(processExitsWith: .success) { [url = url as String] in
            try await Self.deliverToMany(PostgresAddress(url))
        }
    }

    private static func deliverToMany(_ address: PostgresAddress) async throws {
        let fixture = try await PostgresFixture.make(at: address, isWhole: isLong)
        let devices = isLong ? 1_000_000 : 20_000
        try await fixture.pool.use { session in
            for start in stride(from: 0, to: devices, by: 20_000) {
                try session.execute(
                    """
                    INSERT INTO installation (token, updatedAt, document)
                    SELECT token, $2::bigint, jsonb_build_object('deviceType', 'ios', 'deviceToken', token, 'valid', true)
                    FROM (SELECT md5(n::text) || md5((-n)::text) AS token FROM generate_series($1::int, $1 + 19999) AS n) AS d
                    """, [.integer(Int64(start)), .integer(Instant.noon.milliseconds)])
            }
            try session.execute("ANALYZE installation")
        }
        var freeze = Self.freeze
        (freeze.workspace, freeze.batchSize) = ("", 1000)
        let before = try residentBytes()
        let clock = ContinuousClock()
        let start = clock.now
        let frozen = try await fixture.registry.freeze(freeze, under: nil)
        #expect(frozen.targets == devices)
        if isLong { print("frozen after \(clock.now - start), \(try residentBytes() - before) bytes more") }
        // All tokens together would be over 100 MB.
        #expect(try residentBytes() - before < 64 << 20)
        var sent = 0
        while case .batch(let batch) = try await fixture.registry.claim(from: Self.delivery, by: "r", under: nil) {
            sent += batch.targets.count
            #expect(try await fixture.registry.settle(batch, [], under: nil))
        }
        #expect(sent == devices)
        if isLong { print("settled after \(clock.now - start), \(try residentBytes() - before) bytes more") }
        #expect(try residentBytes() - before < 64 << 20)
        let closed = try await fixture.registry.close(Self.delivery, under: nil)
        #expect(closed.accepted == devices)
        await fixture.close()
    }
}
