import Base
import Foundation
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// A registry that moves from a file to a database and back.
@Suite struct CopyingTests {
    /// A registry with something in every table that a server fills.
    private static func filled() async throws -> Registry {
        let registry = try Registry.testInMemory()
        _ = try await registry.seed(devices: 2500, at: .noon)
        try await registry.index(["city"])
        let note = try ClassName("Note")
        for number in 0..<20 {
            _ = try await registry.create(
                ["n": .integer(Int64(number)), "text": .string("a\u{1F600}\\\"\(number)")], in: note, as: .master,
                at: .noon)
        }
        for (number, fireAt) in [nil, nil, Instant.noon.advanced(byDays: 1)].enumerated() {
            let order = PushOrder(
                to: .query(["deviceType": "ios"]), id: "n\(number)", requestID: "r\(number)", incrementsBadge: true,
                fireAt: fireAt)
            _ = try await registry.accept(order, at: .noon)
            if fireAt == nil { try await registry.deliver(objectID: order.objectID, at: .noon) }
        }
        try await registry.killToken("aa")
        let store = Journal(registry) { .noon }
        try await store.put(
            DeployRecord(workspace: "giants", kind: .ledger, key: "k", document: ["a": 1]), under: nil)
        let freeze = DeliveryFreeze(
            delivery: "d1", workspace: "", audience: .devices(profile: "main"), batchSize: 500, raisesBadges: true,
            environment: "production", events: EventRetention(keep: .seconds(60), expiresAt: .noon))
        _ = try await store.freeze(freeze, under: nil)
        for isSettled in [true, false] {
            guard case .batch(let batch) = try await store.claim(from: "d1", by: "c", under: nil) else { continue }
            let failures = [TargetFailure(index: 0, ending: .refused, reason: "BadTopic")]
            if isSettled { _ = try await store.settle(batch, failures, under: nil) }
        }
        let index = ReachedIndex(pause: .zero)
        let ids = try await registry.read { try $0.texts("SELECT objectId FROM installation") }
        for kind in [DeviceEvent.Kind.received, .opened] {
            let events = ids.map { DeviceEvent(delivery: "d1", installation: $0, kind: kind) }
            #expect(try await store.record(events, knowing: index).count { $0 == .accepted } == 499)
            if kind == .received {
                _ = try await registry.write { try $0.execute("UPDATE eventWindow SET foldedAt = 0", []) }
                try await store.foldEvents()
            }
            _ = try await registry.write { try $0.execute("UPDATE eventWindow SET foldedAt = NULL", []) }
        }
        return registry
    }

    /// The rows of every table, as a copy carries them.
    private static func rows(_ registry: Registry) async throws -> [String: [[SQLValue]]] {
        try await registry.read { db in
            var tables: [String: [[SQLValue]]] = [:]
            for table in CopiedTable.all {
                var after: [SQLValue]?
                repeat {
                    let page = try table.page(after: after, in: db)
                    tables[table.name, default: []] += page.rows
                    after = page.last
                } while after != nil
            }
            return tables
        }
    }

    @Test func everythingArrivesInADatabaseAndComesBack() async throws {
        let source = try await Self.filled()
        let database = try await Registry.copies(1)[0]
        let there = try await database.copy(everythingOf: source)
        for count in there { #expect(count.isComplete && count.leftOut == 0, "\(count)") }
        #expect(there.first { $0.table == "installation" }?.copied == 2500)
        #expect(
            there.allSatisfy {
                $0.source > 0
                    || ["relation", "superseded", "deployLock", "journalPart", "journalTarget", "formerToken"].contains(
                        $0.table)
            })
        let back = try Registry.testInMemory()
        let here = try await back.copy(everythingOf: database)
        for count in here { #expect(count.isComplete && count.leftOut == 0, "\(count)") }
        var (expected, found) = (try await Self.rows(source), try await Self.rows(back))
        // The index over a field is built anew.
        for table in ["indexedField"] { (expected[table], found[table]) = (nil, nil) }
        for (table, rows) in expected { #expect(found[table] == rows, "\(table)") }
    }

    @Test func theCopyGoesOnWithItsNumbersAndPushes() async throws {
        let source = try await Self.filled()
        let database = try await Registry.copies(1)[0]
        _ = try await database.copy(everythingOf: source)
        let written = try await database.create(
            ["deviceType": "ios", "deviceToken": "a1b2"], in: .installation, as: .master, at: .noon)
        #expect(written.isNew && written.object.row == 2501)
        try await database.fireDue(at: Instant.noon.advanced(byDays: 2))
        let messages = try await database.inboxSummary(notificationID: "n2")
        #expect(messages.messages > 0 && messages.duplicates == 0)
        let again = PushOrder(id: "n9", requestID: "r0")
        #expect(try await database.accept(again, at: .noon).isRepeated)
    }

    @Test func aCopyGivesNoNumberAgain() async throws {
        let source = try Registry.testInMemory()
        try await source.index(["team"])
        let later = Instant.noon.advanced(byDays: 1)
        _ = try await source.accept(PushOrder(id: "gone", fireAt: later), at: .noon)
        let number = try #require(try await source.scheduledPushes().first?.id)
        #expect(try await source.cancelScheduled(number))
        let database = try await Registry.copies(1)[0]
        _ = try await database.copy(everythingOf: source)
        let back = try Registry.testInMemory()
        _ = try await back.copy(everythingOf: database)
        for copy in [database, back] {
            _ = try await copy.accept(PushOrder(id: "new", fireAt: later), at: .noon)
            #expect(try await copy.scheduledPushes().map(\.id) == [number + 1])
            try await copy.index(["city"])
            #expect(try await copy.indexedFields() == ["city", "team"])
        }
    }

    @Test func anInterruptedCopyIsContinued() async throws {
        let source = try await Self.filled()
        let database = try await Registry.copies(1)[0]
        for tables in [2, 5, 8] {
            let copying = Task {
                try await database.copy(everythingOf: source) { table, _ in
                    if table == CopiedTable.all[tables].name { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            _ = try? await copying.value
        }
        let counts = try await database.copy(everythingOf: source)
        for count in counts { #expect(count.isComplete && count.leftOut == 0, "\(count)") }
    }

    @Test(arguments: [false, true]) func aHalfCopyIsNotUsedUntilItIsFinished(isFile: Bool) async throws {
        let source = try await Self.filled()
        let target = isFile ? try Registry.testInMemory() : try await Registry.copies(1)[0]
        try await Journal(target).checkIsWhole()
        let copying = Task {
            try await target.copy(everythingOf: source) { table, _ in
                if table == "deployRecord" { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        _ = try? await copying.value
        let error = await #expect(throws: RegistryError.self) { try await Journal(target).checkIsWhole() }
        #expect(error?.description.contains("bugle-server copy") == true)
        let counts = try await target.copy(everythingOf: source)
        #expect(counts.allSatisfy { $0.isComplete })
        try await Journal(target).checkIsWhole()
        // Nothing is overwritten once it is in use.
        let row = try await target.register("c0ffee").row
        let again = try await target.copy(everythingOf: source)
        #expect(again.contains { !$0.isComplete })
        #expect(try await target.register("c0ffef").row > row)
    }

    @Test func aRegistryWhoseLockAnApplyHoldsIsNotCopied() async throws {
        let (source, target) = (try await Self.filled(), try await Registry.copies(1)[0])
        let lease = try await Journal(source).lease(on: "giants", holder: "ann")
        let error = await #expect(throws: RegistryError.self) { try await target.copy(everythingOf: source) }
        #expect(
            error?.description.contains("the source is in use: ann holds a lock") == true, "\(error?.description ?? "")"
        )
        try await Journal(source).release(lease, lastApplied: nil)
        let copied = try await target.copy(everythingOf: source)
        #expect(copied.allSatisfy { $0.isComplete })
    }

    @Test(arguments: [false, true]) func whoRegistersAnewAfterACopyIsStillCapped(isFile: Bool) async throws {
        let source = try Registry.testInMemory()
        func register(_ name: String, _ token: String, in registry: Registry) async throws -> String {
            try await registry.create(
                ["deviceType": "ios", "installationId": .string(name), "deviceToken": .string(token)],
                in: .installation, as: .master, at: .noon
            ).object.objectID
        }
        let audience = DeliveryAudience(
            selection: .tokens(["aa01", "aa02", "aa03"]),
            routes: [DeliveryRoute(profile: "main", topic: "t", isDefault: true)],
            frequency: [FrequencyRule(most: 1, per: .seconds(3600))])
        _ = try await register("changes", "aa01", in: source)
        let removed = try await register("leaves", "aa02", in: source)
        let store = Journal(source) { .noon }
        let freeze = DeliveryFreeze(delivery: "d", workspace: "", audience: audience, environment: "production")
        _ = try await store.freeze(freeze, under: nil)
        while case .batch(let batch) = try await store.claim(from: "d", by: "c", under: nil) {
            _ = try await store.settle(batch, [], under: nil)
        }
        _ = try await store.close("d", under: nil)
        #expect(try await register("changes", "aa03", in: source) != removed)
        _ = try await source.delete([removed], in: .installation, as: .master)
        let copy = isFile ? try Registry.testInMemory() : try await Registry.copies(1)[0]
        for count in try await copy.copy(everythingOf: source) { #expect(count.isComplete && count.leftOut == 0) }
        for token in ["aa01", "aa02"] { _ = try await register("new \(token)", token, in: copy) }
        let counted = try await Journal(copy) { .noon }.count(audience, at: .noon)
        #expect(counted.devices == 0 && counted.leftOut == [.capped: 3])
        // And once more, into a file.
        let back = try Registry.testInMemory()
        _ = try await back.copy(everythingOf: copy)
        #expect(try await Journal(back) { .noon }.count(audience, at: .noon).leftOut == [.capped: 3])
    }

    @Test func aCopyKnowsWhatWasTransferredAndIsNoTransferItself() async throws {
        let (source, database) = (try Registry.testInMemory(), try await Registry.copies(1)[0])
        let progress = TransferProgress(name: "app _Installation", value: ["phase": "everything"])
        _ = try await source.transfer([], into: .installation, progress: progress)
        _ = try await database.copy(everythingOf: source)
        let back = try Registry.testInMemory()
        _ = try await back.copy(everythingOf: database)
        for registry in [database, back] { #expect(try await registry.transfers() == [progress]) }
        let plain = try Registry.testInMemory()
        _ = try await plain.copy(everythingOf: try Registry.testInMemory())
        #expect(try await !plain.wasFilledFromElsewhere())
    }

    @Test func aRegistryInUseIsNoTarget() async throws {
        let (source, target) = (try await Self.filled(), try Registry.testInMemory())
        _ = try await target.create(["n": 1], in: try ClassName("Note"), as: .master, at: .noon)
        await #expect(throws: RegistryError.self) { try await target.copy(everythingOf: source) }
        let other = try Registry.testInMemory()
        let copy = try await Registry.copies(1)[0]
        _ = try await copy.copy(everythingOf: source)
        await #expect(throws: RegistryError.self) { try await copy.copy(everythingOf: other) }
    }

    @Test func whatPostgreSQLCannotHoldIsCounted() async throws {
        let source = try Registry.testInMemory()
        let note = try ClassName("Note")
        _ = try await source.create(["s": "a\u{0}b"], in: note, as: .master, at: .noon)
        _ = try await source.create(["s": "\\u0000"], in: note, as: .master, at: .noon)
        for token in ["AB", "ab"] {
            _ = try await source.create(
                ["deviceType": "android", "deviceToken": .string(token)], in: .installation, as: .master, at: .noon)
        }
        let counts = try await Registry.copies(1)[0].copy(everythingOf: source)
        for (table, copied) in [("object", 1), ("installation", 1)] {
            let count = counts.first { $0.table == table }
            #expect(count?.source == 2 && count?.copied == copied && count?.leftOut == 1)
        }
    }
}
