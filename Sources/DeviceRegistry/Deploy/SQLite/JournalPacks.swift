internal import Foundation
internal import GRDB

/// The devices of batches, within a transaction.
struct JournalPacks {
    let db: Database

    private static let damage = RegistryError(internal: "a stored batch is damaged")

    /// The devices of a batch.
    func pack(of batch: Int64) throws -> TargetPack {
        let bytes = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT targets FROM journalPack WHERE batch = ?"), arguments: [batch])
        guard let bytes, let pack = TargetPack(bytes) else { throw Self.damage }
        return pack
    }

    /// The badges and attempts of a batch's devices.
    func tries(of batch: Int64, count: Int) throws -> TargetTries {
        let bytes = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT tries FROM journalTries WHERE batch = ?"), arguments: [batch])
        guard let tries = TargetTries(bytes, count: count) else { throw Self.damage }
        return tries
    }

    /// Writes the devices of a batch down.
    func write(_ pack: TargetPack, _ tries: TargetTries, of batch: Int64) throws {
        try db.execute(
            sql: "INSERT INTO journalPack(batch, targets) VALUES (?, ?)", arguments: [batch, Data(pack.bytes)])
        try write(tries, of: batch)
    }

    /// Writes badges and attempts down.
    func write(_ tries: TargetTries, of batch: Int64) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO journalTries(batch, tries) VALUES (?, ?)", arguments: [batch, tries.bytes])
    }

    /// Removes the devices of a batch whose outcome is written down.
    func remove(_ batch: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM journalPack WHERE batch = ?").execute(arguments: [batch])
        try db.cachedStatement(sql: "DELETE FROM journalTries WHERE batch = ?").execute(arguments: [batch])
    }
}
