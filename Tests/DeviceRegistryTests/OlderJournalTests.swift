import Foundation
import GRDB
import PushModel
import Testing

@testable import DeliveryJournal
@testable import DeviceRegistry
@testable import RegistryModel

/// Deliveries that an older bugle began go on in the tables of this one.
@Suite struct OlderJournalTests {
    /// A file as the version before wrote it: a delivery under way, one that was ended, and one whose freeze was cut.
    private static func fill(_ db: Database) throws {
        func pack(_ tokens: [String], _ row: Int64) -> Data {
            var pack = TargetPack(reserving: 2)
            for (index, token) in tokens.enumerated() { pack.append(token: Array(token.utf8), row: row + Int64(index)) }
            return Data(pack.bytes)
        }
        var tries = TargetTries()
        for badge in [70_000, 1] { tries.append(badge: badge, attempts: 2) }
        try db.execute(
            sql: """
                INSERT INTO journal(id, delivery, workspace, environment, batchSize, raisesBadges, freezing, batches, targets,
                  waiting, underWay, accepted, inDoubt, missed, leftOut, lastOutcomeAt, closedAt) VALUES
                (3, 'under-way', 'shop', 'production', 2, 1, NULL, 4, 12, 3, 4, 3, 1, 0, '{"stale":7}', 5000, NULL),
                (4, 'ended', 'shop', 'production', 2, 0, NULL, 3, 7, 0, 0, 2, 0, 5, '{}', 6000, 7000),
                (5, 'cut', 'shop', 'production', 2, 0, 'attempt', 1, 2, 2, 0, 0, 0, 0, '{}', NULL, NULL);
                INSERT INTO journalBatch(id, journal, number, profile, devices, state, claimant, fence, claimedAt) VALUES
                (1, 3, 1, 'p', 2, 2, 'r', 1, 10), (2, 3, 2, 'p', 2, 2, 'r', 1, 20), (3, 3, 3, 'p', 2, 1, 'r', 1, 30),
                (4, 3, 4, 'p', 2, 1, 'r', 1, 40), (5, 3, 5, 'q', 2, 0, NULL, NULL, NULL),
                (6, 4, 1, 'p', 2, 2, 'r', 1, 10), (7, 4, 2, 'p', 2, 4, NULL, NULL, NULL), (8, 4, 3, 'p', 2, 4, NULL, NULL, NULL),
                (9, 5, 1, 'p', 2, 0, NULL, NULL, NULL);
                INSERT INTO journalTarget(journal, state, profile, token, installation, badge, attempts, dueAt, reason) VALUES
                (3, 0, 'p', 'a1', 8, 3, 1, NULL, 'Unregistered'), (3, 1, 'p', 'a2', 9, 4, 1, 50, 'Shutdown'),
                (3, 2, 'p', 'a3', 0, 5, 1, NULL, 'lost');
                INSERT INTO journalRefusal VALUES (3, 'Unregistered', 1);
                """)
        for (batch, tokens) in [(3, ["b1", "b2"]), (4, ["b3", "b4"]), (5, ["c1", "c2"]), (9, ["d1", "d2"])] {
            try db.execute(
                sql: "INSERT INTO journalPack VALUES (?, ?)", arguments: [batch, pack(tokens, Int64(batch * 10))])
        }
        try db.execute(sql: "INSERT INTO journalTries VALUES (4, ?)", arguments: [Data(tries.bytes)])
    }

    @Test func theyLoseNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "older-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "d.sqlite").path
        let old = try DatabasePool(path: path, configuration: SQLiteDatabase.configuration)
        try Schema.migrator.migrate(old, upTo: "rowsProvenAnew")
        try await old.write { try Self.fill($0) }
        try old.close()

        #expect(throws: RegistryError.self) { try Registry.openReadOnly(path: path) }
        let registry = try Registry.open(existing: path)
        defer { registry.close() }
        let store = RegistryStore(registry) { .noon }
        var figures = JournalFigures(
            targets: 12, waiting: 3, underWay: 4, accepted: 3, refused: ["Unregistered": 1], inDoubt: 1,
            leftOut: [.stale: 7], lastOutcomeAt: Instant(milliseconds: 5000))
        #expect(try await store.journal(of: "under-way") == figures)
        #expect(
            try await store.journal(of: "ended")
                == JournalFigures(
                    targets: 7, accepted: 2, missed: 5, isClosed: true, lastOutcomeAt: Instant(milliseconds: 6000)))
        #expect(try await store.journal(of: "cut")?.isFrozen == false)
        // What was under way is settled by whoever claimed it, the rest is sent.
        let open = JournalBatch(delivery: "under-way", number: 3, claimant: "r", profile: "p", targets: [])
        #expect(try await store.settle(open, [], under: nil))
        try await store.giveUp("under-way", claimedBefore: .noon, under: nil)
        try await store.reopenDoubtful("under-way", under: nil)
        var targets: [[JournalTarget]] = []
        while case .batch(let batch) = try await store.claim(from: "under-way", by: "s", under: nil) {
            targets.append(batch.targets)
            #expect(try await store.settle(batch, [], under: nil))
        }
        #expect(
            targets == [
                [.init(token: "c1", badge: 1), .init(token: "c2", badge: 1)],
                [.init(token: "a2", badge: 4, attempts: 1), .init(token: "a3", badge: 5, attempts: 1)],
                [.init(token: "b3", badge: 70_000, attempts: 3), .init(token: "b4", badge: 1, attempts: 3)],
            ])
        figures = try await store.close("under-way", under: nil)
        #expect(figures.accepted == 11 && figures.refused == ["Unregistered": 1])
        #expect(try await store.close("cut", under: nil).missed == 2)
    }
}
