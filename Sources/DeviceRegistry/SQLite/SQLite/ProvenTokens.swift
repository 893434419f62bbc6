internal import Foundation
internal import GRDB

/// The installations whose tokens Apple accepted in one environment, within a transaction.
///
/// One bit each: ten million devices take about a megabyte, and a batch of devices that were registered one after the
/// other changes one or two rows.
struct ProvenTokens {
    let db: Database
    /// `production` or `development`.
    let environment: String

    /// The number of bits per row: 1 KiB.
    private static let blockBits: Int64 = 8192

    /// Records that the tokens of a batch were accepted, except those at the indices `failed`, if they are still
    /// registered.
    func add(_ pack: TargetPack, except failed: Set<Int>) throws {
        let changed = try changed(among: pack.rows)
        var (block, bits): (Int64, [Int64]) = (-1, [])
        for (index, row) in pack.rows.enumerated() where row > 0 && (failed.isEmpty || !failed.contains(index)) {
            if changed.contains(row), try !renew(row, pack.token(index)) { continue }
            if row / Self.blockBits != block {
                try set(bits, in: block)
                (block, bits) = (row / Self.blockBits, [])
            }
            bits.append(row % Self.blockBits)
        }
        try set(bits, in: block)
    }

    /// True if an installation's token was accepted and has not changed since.
    func contains(_ row: Int64) throws -> Bool {
        guard try !hasChanged(row), let bits = try bits(of: row / Self.blockBits) else { return false }
        let bit = Int(row % Self.blockBits)
        return bits[bits.startIndex + bit / 8] & 1 << UInt8(bit % 8) != 0
    }

    private func bits(of block: Int64) throws -> Data? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT bits FROM provenTokens WHERE environment = ? AND block = ?"),
            arguments: [environment, block])
    }

    private func set(_ positions: [Int64], in block: Int64) throws {
        guard !positions.isEmpty else { return }
        let known = try bits(of: block)
        var bits = [UInt8](known ?? Data(count: Int(Self.blockBits / 8)))
        for position in positions { bits[Int(position / 8)] |= 1 << UInt8(position % 8) }
        let data = Data(bits)
        guard data != known else { return }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO provenTokens(environment, block, bits) VALUES (?, ?, ?)")
            .execute(arguments: [environment, block, data])
    }

    private func hasChanged(_ row: Int64) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM tokenChange WHERE environment = ? AND installation = ?"),
            arguments: [environment, row]) ?? false
    }

    /// Returns the installations whose token has changed since one was accepted.
    private func changed(among rows: [Int64]) throws -> Set<Int64> {
        guard let first = rows.min(), let last = rows.max() else { return [] }
        // The devices of a batch are close together, unless they are few out of many.
        guard last - first <= Int64(rows.count) * 64 else { return Set(try rows.filter { try hasChanged($0) }) }
        return try Int64.fetchSet(
            db.cachedStatement(
                sql: "SELECT installation FROM tokenChange WHERE environment = ? AND installation BETWEEN ? AND ?"),
            arguments: [environment, first, last])
    }

    /// Clears the changed-token flag of an installation if its current token was accepted now; returns true if it was.
    private func renew(_ row: Int64, _ accepted: String) throws -> Bool {
        let token = try String.fetchOne(
            db.cachedStatement(sql: "SELECT lower(deviceToken) FROM installation WHERE id = ?"), arguments: [row])
        guard token == accepted else { return false }
        try db.cachedStatement(sql: "DELETE FROM tokenChange WHERE environment = ? AND installation = ?")
            .execute(arguments: [environment, row])
        return true
    }
}
