import Base
import DeliveryTesting
import Foundation
import GRDB
import Push
import RegistryTesting
import Synchronization
import Testing

@testable import DeviceRegistry

@Suite struct JournalTests {
    private static let everybody = DeliveryAudience.devices(profile: "shop", topic: "com.shop")

    private func freeze(batchSize: Int = 1000) -> DeliveryFreeze {
        DeliveryFreeze(
            delivery: "abcdefghijklmnop", workspace: "", audience: Self.everybody, batchSize: batchSize,
            environment: "production")
    }

    private func cappedFreeze(_ delivery: String) -> DeliveryFreeze {
        var capped = freeze()
        capped.delivery = delivery
        capped.audience.frequency = [FrequencyRule(most: 1, per: .seconds(3600))]
        return capped
    }

    private func packed(_ devices: [(token: String, row: Int64)]) -> TargetPack {
        var pack = TargetPack(reserving: devices.count)
        for device in devices { pack.append(token: Array(device.token.utf8), row: device.row) }
        return pack
    }

    @Test func aPackIsReadAsItWasWritten() throws {
        let devices: [(token: String, row: Int64)] = [
            ("00ff", 5), ("AB", 0), (String(repeating: "9c", count: 700), .max), ("0123456789abcdef", 1), ("ff", 1),
        ]
        let pack = packed(devices)
        let read = try #require(TargetPack(pack.bytes))
        #expect(read.rows == devices.map(\.row))
        #expect((0..<5).map { read.token($0) } == devices.map { $0.token.lowercased() })
        #expect(TargetPack([])?.count == 0)
    }

    @Test func tokensOfAPackAreListedForPostgreSQL() {
        let pack = packed([("00ff", 5), ("AB", 0), ("0123456789abcdef", 1)])
        #expect(pack.list() == "{00ff,ab,0123456789abcdef}")
        #expect(pack.list(except: [0]) == "{ab,0123456789abcdef}")
        #expect(pack.list(except: [0, 1, 2]) == "{}")
    }

    @Test func addressesStandBesideTokensOfAnyLength() throws {
        let devices: [(token: String, row: Int64)] = [
            ("fcm:AbC", 3), (String(repeating: "0a", count: 300), 67), ("mi:" + String(repeating: "x", count: 297), 3),
            ("abcd", 8195), ("hms:Z", 0),
        ]
        let pack = packed(devices)
        let read = try #require(TargetPack(pack.bytes))
        #expect(read.rows == devices.map(\.row))
        #expect((0..<5).map { read.token($0) } == devices.map(\.token))
        #expect(read.texts == [0, 2, 4])
        #expect(read.list() == "{\(devices[1].token),abcd}")
    }

    @Test func aTokenHasAnEvenNumberOfDigitsAndNoMoreThanAPackCanHold() throws {
        let longest = String(repeating: "ab", count: Int(Int16.max))
        for token in ["ab", "AB01", longest] { #expect(TargetPack.isToken(Array(token.utf8)), "\(token.utf8.count)") }
        for text in ["", "a", "abc", "ag", longest + "ab"] {
            #expect(!TargetPack.isToken(Array(text.utf8)), "\(text.utf8.count)")
        }
        let read = try #require(TargetPack(packed([(longest, 1), ("cd", 2)]).bytes))
        #expect(read.token(0) == longest && read.token(1) == "cd")
    }

    @Test func aDamagedPackIsNotRead() {
        let whole = packed([("00ff", 5), ("abcd", 70_000)]).bytes
        for length in 1..<whole.count where length != 5 { #expect(TargetPack(Array(whole.prefix(length))) == nil) }
        // What still stands in memory behind its end is none of it.
        var cut = whole
        cut.removeLast()
        #expect(TargetPack(cut) == nil)
        #expect(TargetPack([1, 0, 7] + Array(repeating: 0xFF, count: 20)) == nil)
    }

    @Test func triesAreReadAsTheyWereWritten() throws {
        var tries = TargetTries()
        for badge in 1...2 { tries.append(badge: badge, attempts: 7, isResent: badge == 2, dueAt: .noon) }
        let read = try #require(TargetTries(tries.bytes, count: 2))
        #expect(read[1].badge == 2 && read[1].attempts == 7 && read[1].isResent && !read[0].isResent)
        #expect(read[0].dueAt == .noon && read[1].dueAt == .noon)
        #expect(TargetTries(Array(tries.bytes.dropLast()), count: 2) == nil)
        var many = TargetTries()
        many.append(badge: 0, attempts: 40_000)
        #expect(many[0].attempts == 0x7FFF && !many[0].isResent)
    }

    @Test(arguments: [
        (#"{}"#, true), (#"{"apnsTopic":"com.shop","b":1}"#, true), (#"{"apnsTopic":""}"#, true),
        (#"{"apnsTopic":null}"#, true), (#"{"apnsTopic":"com.shopping"}"#, false), (#"{"apnsTopic":"com.sho"}"#, false),
        (#"{"ACL":{"apnsTopic":"x"},"z":1}"#, true), (#"{"a":["apnsTopic",{"apnsTopic":"x"}]}"#, true),
        (#"{"a":"\"apnsTopic\":","apnsTopic":"x"}"#, false), (#"{"a":"apnsTopic"}"#, true),
        (#"{"a\\":"\\","apnsTopic":"com.shop"}"#, true), (#"{"apnsTopic":7}"#, false), (#"{"apnsTopic":"#, false),
        (#"{"apnsTopic"#, true),
    ])
    func theTopicIsThatOfTheDocument(document: String, fits: Bool) {
        var text = document
        #expect(text.withUTF8 { DocumentTopic.isEmpty(in: $0, or: Array("com.shop".utf8)) } == fits)
    }

    @Test func aFreezeThatIsTakenOverWritesNothingMore() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 100, at: .noon)
        let freeze = freeze()
        let step = FreezingStep(registry: fixture.registry, freeze: freeze)
        _ = try await step.begin("first")
        // It is cut in the middle: some batches are written down.
        for number in 0..<3 { try await step.add("first", numbers: [2 * number + 1, 2 * number + 2]) }
        let store = Journal(fixture.registry) { .noon }
        #expect(try await store.journal(of: freeze.delivery)?.isFrozen == false)
        _ = try await step.begin("second")
        await #expect(throws: RegistryError.self) { try await step.add("first", numbers: [7]) }
        let expected = try await store.count(Self.everybody, at: .noon)
        let figures = try await store.freeze(freeze, under: nil)
        #expect(figures.targets == expected.devices)
        #expect(figures.leftOut == expected.leftOut)
        let packs = try await fixture.registry.sqlite.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(targets) FROM journalBatch")
        }
        #expect(packs == 1)
        #expect(try await store.batch(of: freeze.delivery).number == 1)
    }

    @Test func aFreezeWhoseLockWasLostWritesNothingMore() async throws {
        let fixture = try RegistryFixture()
        let store = Journal(fixture.registry) { .noon }
        let lease = try await store.lease(on: "giants")
        let step = FreezingStep(registry: fixture.registry, freeze: freeze(), lease: lease)
        _ = try await step.begin("first")
        try await step.add("first", numbers: [1])
        try await store.release(lease, lastApplied: nil)
        let error = await #expect(throws: RegistryError.self) { try await step.add("first", numbers: [2]) }
        #expect(error == RegistryError.lockLost)
    }

    @Test func aFreezeThatIsTakenOverLeavesNoneOfItsSettings() async throws {
        let fixture = try RegistryFixture()
        try await fixture.register(
            (0..<5).map { ["deviceType": "ios", "deviceToken": .string("ab0\($0)")] }, at: .noon)
        var earlier = freeze(batchSize: 1)
        (earlier.environment, earlier.raisesBadges) = ("development", true)
        _ = try await FreezingStep(registry: fixture.registry, freeze: earlier).begin("first")
        let store = Journal(fixture.registry) { .noon }
        var later = freeze()
        later.delivery = "ponmlkjihgfedcba"
        let deliveries: [(freeze: DeliveryFreeze, last: TargetFailure.Ending?)] = [
            (freeze(batchSize: 5), nil), (later, .deadIfProven),
        ]
        for delivery in deliveries {
            _ = try await store.freeze(delivery.freeze, under: nil)
            // They are tried twice: what is due again comes in batches of that size, too.
            let endings: [TargetFailure.Ending?] = [.again(after: .noon), delivery.last]
            for ending in endings {
                let claim = try await store.claim(from: delivery.freeze.delivery, by: "r", under: nil)
                guard case .batch(let batch) = claim else {
                    Issue.record("no batch")
                    return
                }
                #expect(batch.targets.count == 5 && batch.targets.allSatisfy { $0.badge == nil })
                let failures = batch.targets.indices.compactMap { index in
                    ending.map { TargetFailure(index: index, ending: $0, reason: "BadDeviceToken") }
                }
                #expect(try await store.settle(batch, failures, under: nil))
            }
        }
        // The first delivery's acceptance proved the tokens for the environment that it was sent to.
        #expect(try await fixture.device("ab03")?["valid"] == false)
    }

    @Test func anAudienceThatIsNotAllowedLeavesNoRow() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 6000, at: .noon)
        let store = Journal(fixture.registry) { .noon }
        var other = freeze(batchSize: 1)
        other.delivery = "ponmlkjihgfedcba"
        let kept = try await store.freeze(other, under: nil)
        #expect(kept.waiting == kept.targets)
        // A thousand batches of one device are written before it is known that there is one device too many.
        try #require(kept.targets > 1000)
        var refused = freeze(batchSize: 1)
        refused.allowed = 0..<kept.targets
        #expect(try await store.freeze(refused, under: nil).isFrozen == false)
        #expect(try await store.journal(of: refused.delivery) == nil)
        let rows = try await fixture.registry.sqlite.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM journalBatch WHERE delivery = 'abcdefghijklmnop'")
        }
        #expect(rows == 0)
        #expect(try await store.journal(of: other.delivery) == kept)
    }

    /// What was frozen meanwhile counts for the rules, and the sieve does not know of it.
    @Test func aFreezeUnderRulesIsMadeAnewWhenAnotherWasCompletedMeanwhile() async throws {
        let fixture = try RegistryFixture()
        let store = Journal(fixture.registry) { .noon }
        // Records that bear the number of the first turn, and are none.
        for (workspace, kind) in [("", DeployRecord.Kind.mark), ("shop", .mark), ("shop", .ledger)] {
            try await store.put(DeployRecord(workspace: workspace, kind: kind, key: "a", document: [:]), under: nil)
        }
        let (first, second) = (cappedFreeze("first"), cappedFreeze("second"))
        let isOvertaken = try await fixture.registry.sqlite.write { db -> Bool in
            let transaction = SQLiteTransaction(db: db, now: .noon)
            /// The audience of nobody, as it is known now.
            func packer(_ freeze: DeliveryFreeze) throws -> AudiencePacker {
                let sieve = try transaction.sieve(of: freeze.audience, besides: freeze.delivery, at: .noon)
                return try AudiencePacker(freeze, through: sieve, at: .noon)
            }
            for freeze in [first, second] { _ = try transaction.beginFreezing(freeze, "attempt", under: nil) }
            let stale = try packer(first)
            try transaction.finishFreezing(try packer(second), second, "attempt", under: nil)
            do {
                try transaction.finishFreezing(stale, first, "attempt", under: nil)
                return false
            } catch is FreezeOvertaken {
                try transaction.finishFreezing(try packer(first), first, "attempt", under: nil)
                return true
            }
        }
        #expect(isOvertaken)
        for delivery in ["first", "second"] { #expect(try await store.journal(of: delivery)?.isFrozen == true) }
        let marks = try await store.records(.mark, of: "")
        #expect(marks.map(\.key) == ["a", "frequency"] && marks.map(\.fence) == [0, 2])
        #expect(try await store.records(.mark, of: "shop").map(\.fence) == [0])
        #expect(try await store.records(.ledger, of: "shop").map(\.fence) == [0])
    }

    @Test func whatIsNotYetFrozenCountsForNoRule() async throws {
        let fixture = try RegistryFixture()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        let store = Journal(fixture.registry) { .noon }
        let step = FreezingStep(registry: fixture.registry, freeze: freeze())
        _ = try await step.begin("first")
        try await step.add("first", numbers: [1])
        // That attempt may never be completed.
        #expect(try await store.freeze(cappedFreeze("second"), under: nil).targets == 1)
        _ = try await store.close("second", under: nil)
        _ = try await store.freeze(freeze(), under: nil)
        #expect(try await store.freeze(cappedFreeze("third"), under: nil).leftOut == [.capped: 1])
    }

    /// No third delivery is in the journal.
    @Test func whomTheOnlyOtherDeliveryIsYetToTryAgainIsCapped() async throws {
        let fixture = try RegistryFixture()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        let store = Journal(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(), under: nil)
        let again = TargetFailure(index: 0, ending: .again(after: .noon), reason: "Shutdown")
        let batch = try await store.batch(of: freeze().delivery)
        #expect(try await store.settle(batch, [again], under: nil))
        #expect(try await store.freeze(cappedFreeze("second"), under: nil).leftOut == [.capped: 1])
    }

    /// As after a clock was set back.
    @Test func whatWasForgottenStaysSoWhenSomethingEarlierIsForgottenLater() async throws {
        let last = try await Registry.testInMemory().write { db in
            for days in [0, -1] { try db.noteForgotten(Instant.noon.advanced(byDays: Int64(days)), of: "shop") }
            return try db.lastForgotten()
        }
        #expect(last == Instant.noon)
    }

    @Test func aFormerTokenIsKeptAMonthLongerThanWhatItsDeviceReceived() async throws {
        let oldest = Instant.noon
        let kept = try await Registry.testInMemory().write { db in
            for (number, days) in [0, 40, 80].enumerated() {
                try db.execute(
                    """
                    INSERT INTO reached(delivery, part, number, doubtful, reachedAt, lowest, highest, installations)
                    VALUES ('one', 0, ?, 0, ?, 1, 1, x'')
                    """, [number, oldest.advanced(byDays: Int64(days))])
            }
            let month = oldest.advanced(byDays: -30)
            let times = [
                "before": month.advanced(bySeconds: -0.001), "at": month, "since": oldest.advanced(byDays: 20),
            ]
            for (token, time) in times {
                try db.execute("INSERT INTO formerToken(token, number, leftAt) VALUES (?, 1, ?)", [token, time])
            }
            try db.forgetFormerTokens()
            return try db.texts("SELECT token FROM formerToken ORDER BY token")
        }
        #expect(kept == ["at", "since"])
    }

    @Test func aDeliveryThatWasCutBeforeItsAudienceWasWholeIsEnded() async throws {
        let fixture = try RegistryFixture()
        let store = Journal(fixture.registry) { .noon }
        let freeze = freeze()
        try await store.giveUp(freeze.delivery, claimedBefore: .noon, under: nil)
        try await store.reopenDoubtful(freeze.delivery, under: nil)
        #expect(try await store.journal(of: freeze.delivery) == nil)
        await #expect(throws: RegistryError.self) { try await store.close(freeze.delivery, under: nil) }
        let step = FreezingStep(registry: fixture.registry, freeze: freeze)
        _ = try await step.begin("first")
        try await step.add("first", numbers: [1, 2])
        try await store.giveUp(freeze.delivery, claimedBefore: .noon, under: nil)
        let figures = try await store.close(freeze.delivery, under: nil)
        #expect(figures.isClosed)
        #expect(figures.missed == 2)
        #expect(figures.targets == 2)
        await #expect(throws: RegistryError.self) { try await step.add("first", numbers: [3]) }
        #expect(try await store.claim(from: freeze.delivery, by: "r", under: nil) == .finished)
        #expect(try await store.freeze(freeze, under: nil) == figures)
    }

    /// As of a push that a server began alone, and goes on with under a lock.
    @Test func whatWasClaimedWithoutALockIsInDoubtUnderTheFirst() async throws {
        let fixture = try RegistryFixture()
        try await fixture.register([["deviceType": "ios", "deviceToken": "ab"]], at: .noon)
        let store = Journal(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(), under: nil)
        _ = try await store.batch(of: freeze().delivery)
        let lease = try await store.lease(on: "giants")
        try await store.giveUp(freeze().delivery, claimedBefore: nil, under: lease)
        #expect(try await store.journal(of: freeze().delivery)?.inDoubt == 1)
    }

    /// However often a damaged file shows a batch, clearing them ends.
    @Test func missedBatchesAreClearedAfterANumberOnly() async throws {
        let fixture = try RegistryFixture()
        let delivery = freeze().delivery
        let step = FreezingStep(registry: fixture.registry, freeze: freeze())
        _ = try await step.begin("first")
        try await step.add("first", numbers: [1, 2])
        let cleared = try await fixture.registry.write { db -> [Int?] in
            let journal = try db.begun(delivery, .changing)
            try db.missFresh(of: journal, part: nil)
            return try [2, 1, 0].map { number in try db.clearMissed(of: journal, after: number) }
        }
        #expect(cleared == [nil, 2, 1])
    }

    @Test func aFreezeIsOneSnapshotBetweenOtherWrites() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 4000, at: .noon)
        let store = Journal(fixture.registry) { .noon }
        let expected = try await store.count(Self.everybody, at: .noon).devices
        let freeze = freeze(batchSize: 50)
        let frozen = Task { try await store.freeze(freeze, under: nil) }
        // A token that moves from one device to another while the audience is written down.
        for number in 0..<50 {
            try await fixture.register(
                [["deviceType": "ios", "installationId": .string("mover-\(number % 2)"), "deviceToken": "abcd"]],
                at: .noon)
            try await fixture.registry.sqlite.write { db in
                try db.execute(sql: "DELETE FROM installation WHERE deviceToken = 'abcd'")
            }
        }
        let targets = try await frozen.value.targets
        #expect((expected...(expected + 1)).contains(targets))
        var tokens: Set<String> = []
        while case .batch(let batch) = try await store.claim(from: freeze.delivery, by: "r", under: nil) {
            tokens.formUnion(batch.targets.map(\.token))
            _ = try await store.settle(batch, [], under: nil)
        }
        #expect(tokens.count == targets)
    }

    @Test func acceptedDevicesLeaveNoRows() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 1500, at: .noon)
        let store = Journal(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(batchSize: 50), under: nil)
        for _ in 0..<5 {
            let batch = try await store.batch(of: freeze().delivery)
            #expect(try await store.settle(batch, [], under: nil))
            // Its answer was lost: settling again changes nothing.
            #expect(try await store.settle(batch, [], under: nil))
        }
        #expect(try await store.journal(of: freeze().delivery)?.accepted == 250)
        _ = try await store.close(freeze().delivery, under: nil)
        for rows in ["targets) FROM journalBatch", "tries) FROM journalBatch", "*) FROM journalTarget"] {
            let rows = try await fixture.registry.sqlite.read { try Int.fetchOne($0, sql: "SELECT COUNT(\(rows)") }
            #expect(rows == 0, "\(rows)")
        }
        // Whom its batches reached is one row.
        let reached = try await fixture.registry.sqlite.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM reached")
        }
        #expect(reached == 1)
    }

    @Test func aStoreInMemoryWorksAsWell() async throws {
        let registry = try Registry.testInMemory()
        _ = try await registry.seed(devices: 1500, at: .noon)
        let store = Journal(registry) { .noon }
        let figures = try await store.freeze(freeze(), under: nil)
        #expect(figures.targets == (try await store.count(Self.everybody, at: .noon).devices))
        #expect(figures.targets > 200)
    }

    /// A helper may claim before the sender that froze writes again.
    @Test func whoeverWatchesSeesAnAudienceAsSoonAsItIsFrozen() async throws {
        let registry = try Registry.testInMemory()
        _ = try await registry.seed(devices: 10, at: .noon)
        let seen = Mutex<[Bool?]>([])
        let store = Journal(registry) { .noon }.mortal(
            Life(),
            watch: { db in
                let isFrozen = try db.journal(of: "abcdefghijklmnop", .free).map { $0.freezing == nil }
                seen.withLock { $0.append(isFrozen) }
            })
        _ = try await store.freeze(freeze(), under: nil)
        #expect(seen.withLock { $0 } == [true])
    }

    @Test @MainActor func anInlineStoreNeverLeavesItsCallersThread() async throws {
        let registry = try Registry.testInMemory(isInline: true)
        let store = Journal(registry) { .noon }
        // A broadcast: one target that is no device.
        var freeze = freeze()
        freeze.audience.selection = .tokens(["6a0f3b"])
        for _ in 0..<2 {
            #expect(pthread_equal(try await registry.sqlite.write { _ in pthread_self() }, pthread_self()) != 0)
            #expect(pthread_equal(try await registry.sqlite.read { _ in pthread_self() }, pthread_self()) != 0)
            #expect(try await store.freeze(freeze, under: nil).targets == 1)
            let batch = try await store.batch(of: freeze.delivery)
            #expect(batch.targets == [JournalTarget(token: "6a0f3b")])
            #expect(try await store.settle(batch, [], under: nil))
            #expect(try await store.journal(of: freeze.delivery)?.lastOutcomeAt == Instant.noon)
            #expect(try await store.close(freeze.delivery, under: nil).accepted == 1)
            let proven = try await registry.sqlite.read {
                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM provenTokens")
            }
            #expect(proven == 0)
            _ = try await registry.seed(devices: 5, at: .noon)
            try await registry.empty()
            #expect(try await registry.deviceCount() == 0)
            #expect(try await store.journal(of: freeze.delivery) == nil)
        }
    }

    @Test func failuresThatDoNotFitTheirBatchAreRefusedWhole() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 100, at: .noon)
        let store = Journal(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(batchSize: 10), under: nil)
        let batch = try await store.batch(of: freeze().delivery)
        let before = try await store.journal(of: freeze().delivery)
        for places in [[10], [-1], [3, 3]] {
            let failures = places.map { TargetFailure(index: $0, ending: .dead(since: nil), reason: "x") }
            await #expect(throws: RegistryError.self) { try await store.settle(batch, failures, under: nil) }
        }
        #expect(try await store.journal(of: freeze().delivery) == before)
        #expect(try await store.settle(batch, [], under: nil))
    }
}

/// Steps of a freeze, one by one.
private struct FreezingStep {
    let registry: Registry
    let freeze: DeliveryFreeze
    var lease: Lease?

    func begin(_ attempt: String) async throws -> Bool {
        try await registry.sqlite.write { db in try transaction(db).beginFreezing(freeze, attempt, under: lease) }
    }

    /// Writes batches of one device down.
    func add(_ attempt: String, numbers: [Int]) async throws {
        try await registry.sqlite.write { db in
            let batches = numbers.map { number in
                var pack = TargetPack(reserving: 1)
                pack.append(token: Array("ab".utf8), row: 1)
                return BatchRow(
                    delivery: freeze.delivery, number: number, part: 0, form: 0, profile: "shop", targets: pack)
            }
            try transaction(db).add(batches, freeze, attempt, under: lease)
        }
    }

    private func transaction(_ db: Database) -> SQLiteTransaction { SQLiteTransaction(db: db, now: .noon) }
}
