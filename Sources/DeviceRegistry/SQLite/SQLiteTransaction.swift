internal import Base
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

// MARK: - Devices

extension SQLiteTransaction {
    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try AudienceSQL(audience: audience, now: now)
            .count(in: db, through: try sieve(of: audience, besides: nil, at: now))
    }

    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try AudienceSQL(audience: audience, now: now)
            .explain(in: db, through: try sieve(of: audience, besides: nil, at: now))
    }

    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws {
        let sieve = try sieve(of: audience, besides: nil, at: now)
        try AudienceSQL(audience: audience, now: now).each(in: db, audience.traits) { fate, token, row, traits in
            if case .reached = sieve.fate(fate, traits, number: row, token: token) { try body(row) }
        }
    }

    /// The rows of a token: the installation it was found in, unless that has another token by now, and the token's
    /// own.
    private static let isToken = "((id = ? AND lower(deviceToken) = ?) OR deviceToken = ?)"

    /// The row of an Android device, unless it has another address by now.
    private static let isAddress = "(id = ? AND \(Dialect.sqlite.address(of: "installation")) = ?)"

    private func isDevice(_ row: Int64, _ token: String) -> (sql: String, values: [any SQLBindable]) {
        PushAddress.isOne(token.utf8) ? (Self.isAddress, [row, token]) : (Self.isToken, [row, token, token])
    }

    func raiseBadges(of targets: TargetPack) throws -> [Int] {
        try (0..<targets.count).map { index in
            let device = isDevice(targets.rows[index], targets.token(index))
            let raised = try rows(
                """
                UPDATE installation SET document = \(dialect.documentWithRaisedBadge(of: "installation"))
                WHERE \(device.sql) RETURNING json_extract(document, '$.badge')
                """, device.values)
            return raised.first?.number(0) ?? 1
        }
    }

    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws {
        for (target, since) in dead {
            let device = isDevice(target.row, target.token)
            let seenSince = try rows(
                "SELECT 1 FROM installation WHERE \(device.sql) AND updatedAt > ?",
                device.values + [since ?? Instant(milliseconds: .max)])
            guard seenSince.isEmpty else { continue }
            try execute(
                """
                UPDATE installation SET document = json_set(document, '$.valid', json('false'))
                WHERE \(device.sql) AND +valid IS NOT 0
                """, device.values)
            try DeadTokens(db: self).list(target.token, at: now)
        }
    }

    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow] {
        let proven = ProvenTokens(db: db, environment: environment)
        return try suspects.filter { target in
            guard !PushAddress.isOne(target.token.utf8) else { return false }
            let found = try rows(
                "SELECT id FROM installation WHERE \(Self.isToken)", [target.row, target.token, target.token])
            return try found.first?.integer(0).map(proven.contains) ?? false
        }
    }

    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws {
        try ProvenTokens(db: db, environment: environment).add(targets, except: failed.union(targets.texts))
    }
}

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

// MARK: - SQLite

extension SQLText {
    var literal: SQL { SQL(sql: sql, arguments: StatementArguments(values.map(\.databaseValue))) }
}

extension SQLValue {
    /// The value for SQLite; a list is one JSON text for `json_each`.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .text(let text): text.databaseValue
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .texts(let texts): JSONValue(texts: texts).canonicalText.databaseValue
        case .integers(let numbers): JSONValue.array(numbers.map { .integer($0) }).canonicalText.databaseValue
        }
    }
}

/// Functions that SQL lacks.
enum SQLFunctions {
    /// `bugle_regexp(pattern, options, deadline, text)`: true if the pattern matches somewhere in the text.
    static let regularExpression = DatabaseFunction("bugle_regexp", argumentCount: 4) { values in
        guard let pattern = String.fromDatabaseValue(values[0]), let options = String.fromDatabaseValue(values[1]),
            let deadline = Int64.fromDatabaseValue(values[2]), let text = String.fromDatabaseValue(values[3])
        else { return false }
        return try RegularExpression.matches(pattern, options, in: text, until: deadline)
    }

    /// `bugle_distance(latitude, longitude, latitude, longitude)`: radians on the great circle, by the haversine formula.
    static let distance = DatabaseFunction("bugle_distance", argumentCount: 4, pure: true) { values in
        let degrees = values.compactMap { Double.fromDatabaseValue($0) }
        guard degrees.count == 4 else { return nil }
        let radians = degrees.map { $0 * .pi / 180 }
        let latitude = sin((radians[2] - radians[0]) / 2)
        let longitude = sin((radians[3] - radians[1]) / 2)
        let chord = latitude * latitude + cos(radians[0]) * cos(radians[2]) * longitude * longitude
        return 2 * asin(min(1, chord.squareRoot()))
    }
}
