import Foundation
import GRDB
import JSONValue
import Testing

@testable import DeviceRegistry

@Suite struct JournalTests {
    private static let everybody = DeliveryAudience(
        selection: .condition([:]), routes: [DeliveryRoute(profile: "shop", topic: "com.shop", isDefault: true)])

    private func freeze(batchSize: Int = 1000) -> DeliveryFreeze {
        DeliveryFreeze(
            delivery: "abcdefghijklmnop", workspace: "", audience: Self.everybody, batchSize: batchSize,
            environment: "production")
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
        let read = try #require(TargetPack(Data(pack.bytes)))
        #expect(read.rows == devices.map(\.row))
        #expect((0..<5).map { read.token($0) } == devices.map { $0.token.lowercased() })
        #expect(TargetPack(Data())?.count == 0)
    }

    @Test func aDamagedPackIsNotRead() {
        let whole = packed([("00ff", 5), ("abcd", 70_000)]).bytes
        for length in 1..<whole.count where length != 5 { #expect(TargetPack(Data(whole.prefix(length))) == nil) }
        #expect(TargetPack(Data([1, 0, 7] + Array(repeating: 0xFF, count: 20))) == nil)
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
        let batch = AudienceFreezer.Batch(profile: "shop", devices: 1, pack: Data(packed([("ab", 1)]).bytes))
        @Sendable func step(_ attempt: String, _ db: Database) -> JournalFreezing {
            JournalFreezing(db: db, freeze: freeze, lease: nil, attempt: attempt)
        }
        _ = try await fixture.registry.write { try step("first", $0).begin() }
        // It is cut in the middle: some batches are written down.
        for _ in 0..<3 { try await fixture.registry.write { try step("first", $0).add([batch, batch]) } }
        let store = RegistryStore(fixture.registry) { .noon }
        #expect(try await store.journal(of: freeze.delivery)?.isFrozen == false)
        _ = try await fixture.registry.write { try step("second", $0).begin() }
        await #expect(throws: RegistryError.self) {
            try await fixture.registry.write { try step("first", $0).add([batch]) }
        }
        let expected = try await store.count(Self.everybody, at: .noon)
        let figures = try await store.freeze(freeze, under: nil)
        #expect(figures.targets == expected.devices)
        #expect(figures.leftOut == expected.leftOut)
        let packs = try await fixture.registry.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM journalPack") }
        #expect(packs == 1)
        guard case .batch(let first) = try await store.claim(from: freeze.delivery, by: "r", under: nil) else {
            Issue.record("no batch")
            return
        }
        #expect(first.number == 1)
    }

    @Test func aDeliveryThatWasCutBeforeItsAudienceWasWholeIsEnded() async throws {
        let fixture = try RegistryFixture()
        let store = RegistryStore(fixture.registry) { .noon }
        let freeze = freeze()
        try await store.giveUp(freeze.delivery, claimedBefore: .noon, under: nil)
        try await store.reopenDoubtful(freeze.delivery, under: nil)
        #expect(try await store.journal(of: freeze.delivery) == nil)
        await #expect(throws: RegistryError.self) { try await store.close(freeze.delivery, under: nil) }
        let batch = AudienceFreezer.Batch(profile: "shop", devices: 1, pack: Data(packed([("ab", 1)]).bytes))
        @Sendable func step(_ db: Database) -> JournalFreezing {
            JournalFreezing(db: db, freeze: freeze, lease: nil, attempt: "first")
        }
        _ = try await fixture.registry.write { try step($0).begin() }
        try await fixture.registry.write { try step($0).add([batch, batch]) }
        try await store.giveUp(freeze.delivery, claimedBefore: .noon, under: nil)
        let figures = try await store.close(freeze.delivery, under: nil)
        #expect(figures.isClosed)
        #expect(figures.missed == 2)
        await #expect(throws: RegistryError.self) { try await fixture.registry.write { try step($0).add([batch]) } }
        #expect(try await store.claim(from: freeze.delivery, by: "r", under: nil) == .finished)
        #expect(try await store.freeze(freeze, under: nil) == figures)
    }

    @Test func aFreezeIsOneSnapshotBetweenOtherWrites() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 4000, at: .noon)
        let store = RegistryStore(fixture.registry) { .noon }
        let expected = try await store.count(Self.everybody, at: .noon).devices
        let freeze = freeze(batchSize: 50)
        let frozen = Task { try await store.freeze(freeze, under: nil) }
        // A token that moves from one device to another while the audience is written down.
        for number in 0..<50 {
            try await fixture.register(
                [["deviceType": "ios", "installationId": .string("mover-\(number % 2)"), "deviceToken": "abcd"]],
                at: .noon)
            try await fixture.registry.write { db in
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
        let store = RegistryStore(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(batchSize: 50), under: nil)
        for _ in 0..<5 {
            guard case .batch(let batch) = try await store.claim(from: freeze().delivery, by: "r", under: nil) else {
                Issue.record("no batch")
                return
            }
            #expect(try await store.settle(batch, [], under: nil))
            // Its answer was lost: settling again changes nothing.
            #expect(try await store.settle(batch, [], under: nil))
        }
        #expect(try await store.journal(of: freeze().delivery)?.accepted == 250)
        _ = try await store.close(freeze().delivery, under: nil)
        for table in ["journalPack", "journalTries", "journalTarget"] {
            let rows = try await fixture.registry.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM \(table)") }
            #expect(rows == 0, "\(table)")
        }
    }

    @Test func aStoreInMemoryWorksAsWell() async throws {
        let registry = try Registry.inMemory()
        _ = try await registry.seed(devices: 1500, at: .noon)
        let store = RegistryStore(registry) { .noon }
        let figures = try await store.freeze(freeze(), under: nil)
        #expect(figures.targets == (try await store.count(Self.everybody, at: .noon).devices))
        #expect(figures.targets > 200)
    }

    @Test @MainActor func anInlineStoreNeverLeavesItsCallersThread() async throws {
        let registry = try Registry.inMemory(isInline: true)
        let store = RegistryStore(registry) { .noon }
        // A broadcast: one target that is no device.
        var freeze = freeze()
        freeze.audience.selection = .tokens(["6a0f3b"])
        for _ in 0..<2 {
            #expect(pthread_equal(try await registry.write { _ in pthread_self() }, pthread_self()) != 0)
            #expect(pthread_equal(try await registry.read { _ in pthread_self() }, pthread_self()) != 0)
            #expect(try await store.freeze(freeze, under: nil).targets == 1)
            guard case .batch(let batch) = try await store.claim(from: freeze.delivery, by: "r", under: nil) else {
                Issue.record("no batch")
                return
            }
            #expect(batch.targets == [JournalTarget(token: "6a0f3b")])
            #expect(try await store.settle(batch, [], under: nil))
            #expect(try await store.close(freeze.delivery, under: nil).accepted == 1)
            let proven = try await registry.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM provenTokens") }
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
        let store = RegistryStore(fixture.registry) { .noon }
        _ = try await store.freeze(freeze(batchSize: 10), under: nil)
        guard case .batch(let batch) = try await store.claim(from: freeze().delivery, by: "r", under: nil) else {
            Issue.record("no batch")
            return
        }
        let before = try await store.journal(of: freeze().delivery)
        for places in [[10], [-1], [3, 3]] {
            let failures = places.map { TargetFailure(index: $0, ending: .dead(since: nil), reason: "x") }
            await #expect(throws: RegistryError.self) { try await store.settle(batch, failures, under: nil) }
        }
        #expect(try await store.journal(of: freeze().delivery) == before)
        #expect(try await store.settle(batch, [], under: nil))
    }
}
