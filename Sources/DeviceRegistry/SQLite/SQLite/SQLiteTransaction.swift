internal import Foundation
internal import GRDB
internal import Push

/// A transaction with a registry's file; only one writes at a time, so rows and names need no locks.
struct SQLiteTransaction: RegistryTransaction {
    let db: Database
    /// The time of the machine by default.
    var now = Instant.system

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        try Row.fetchAll(try statement(sql), arguments: Self.arguments(values))
    }

    func row(_ sql: String, _ values: [any SQLBindable]) throws -> (any SQLRow)? {
        try Row.fetchOne(try statement(sql), arguments: Self.arguments(values))
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int {
        try statement(sql).execute(arguments: Self.arguments(values))
        return db.changesCount
    }

    func each(_ text: SQLText, _ body: (any SQLRow) throws -> Bool) throws {
        let rows = try Row.fetchCursor(db, SQLRequest<Row>(literal: text.literal))
        while let row = try rows.next(), try body(row) {}
    }

    func rows(_ text: SQLText) throws -> [any SQLRow] { try Row.fetchAll(db, SQLRequest<Row>(literal: text.literal)) }

    @discardableResult
    func execute(_ text: SQLText) throws -> Int {
        try db.execute(literal: text.literal)
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

    func hold(_ names: [String]) {}

    func announce() {}

    func clause(_ hold: RowHold) -> String { "" }

    var dialect: Dialect { .sqlite }
}

extension Row: SQLRow {
    func text(_ column: Int) -> String? { self[column] }
    func integer(_ column: Int) -> Int64? { self[column] }
    func bytes(_ column: Int) -> [UInt8]? { (self[column] as Data?).map(Array.init) }
    func boolean(_ column: Int) -> Bool { self[column] ?? false }
    func value(_ column: Int) -> SQLValue {
        switch (self[column] as DatabaseValue).storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        }
    }
}
