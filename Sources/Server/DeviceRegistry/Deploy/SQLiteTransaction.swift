internal import DeliveryJournal
internal import Foundation
internal import GRDB
internal import PushModel
internal import RegistryModel

/// A transaction with a registry's file; only one writes at a time, so rows need no locks.
struct SQLiteTransaction: DeployTransaction {
    let db: Database
    let now: Instant

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        try Row.fetchAll(try statement(sql), arguments: Self.arguments(values))
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int {
        try statement(sql).execute(arguments: Self.arguments(values))
        return db.changesCount
    }

    func add(_ rows: [[any SQLBindable]], to table: String) throws {
        guard let width = rows.first?.count else { return }
        let adding = try statement(
            "INSERT INTO \(table) VALUES (\(Array(repeating: "?", count: width).joined(separator: ", ")))")
        for row in rows { try adding.execute(arguments: Self.arguments(row)) }
    }

    private func statement(_ sql: String) throws -> Statement { try db.cachedStatement(sql: sql) }

    private static func arguments(_ values: [any SQLBindable]) -> StatementArguments {
        StatementArguments(values.map(\.sqlValue.databaseValue))
    }

    func clause(_ hold: RowHold) -> String { "" }

    var dialect: Dialect { .sqlite }
}

extension Row: SQLRow {
    func text(_ column: Int) -> String? { self[column] }
    func integer(_ column: Int) -> Int64? { self[column] }
    func bytes(_ column: Int) -> [UInt8]? { (self[column] as Data?).map(Array.init) }
    func boolean(_ column: Int) -> Bool { self[column] ?? false }
}
