internal import Base

/// A table that a copy of a registry carries over; it has these columns in every database.
struct CopiedTable: Sendable {
    /// The type of a column's values.
    enum Kind {
        case text
        case integer
        case flag
        case bytes
        /// A JSON object, which databases spell differently.
        case document
    }

    let name: String
    let columns: [(name: String, kind: Kind)]
    /// The number of leading columns that identify a row; pages are read in their order.
    let keys: Int

    private init(_ name: String, keys: Int = 1, _ columns: (String, Kind)...) {
        self.name = name
        self.keys = keys
        self.columns = columns.map { (name: $0.0, kind: $0.1) }
    }

    /// The columns, separated by commas.
    var list: String { columns.map(\.name).joined(separator: ", ") }

    /// The tables, in the order of the copy.
    static let all = [
        CopiedTable("class", ("name", .text)),
        CopiedTable(
            "installation", ("id", .integer), ("objectId", .text), ("createdAt", .integer), ("updatedAt", .integer),
            ("document", .document)),
        CopiedTable(
            "object", ("id", .integer), ("class", .text), ("objectId", .text), ("createdAt", .integer),
            ("updatedAt", .integer), ("document", .document)),
        CopiedTable(
            "relation", keys: 5, ("ownerClass", .text), ("ownerId", .text), ("key", .text), ("targetClass", .text),
            ("targetId", .text)),
        CopiedTable("deadToken", ("token", .text), ("reportedAt", .integer)),
        CopiedTable(
            "push", ("id", .integer), ("objectId", .text), ("notificationId", .text), ("state", .text),
            ("request", .text), ("createdAt", .integer)),
        CopiedTable("scheduledPush", ("id", .integer), ("push", .integer), ("fireAt", .integer)),
        CopiedTable(
            "pushRecord", ("notificationId", .text), ("createdAt", .integer), ("updatedAt", .integer),
            ("document", .text)),
        CopiedTable("pushRequest", ("requestId", .text), ("push", .integer), ("createdAt", .integer)),
        CopiedTable(
            "inbox", ("id", .integer), ("device", .text), ("push", .integer), ("installation", .integer),
            ("platform", .text), ("vendor", .text), ("badge", .integer), ("receivedAt", .integer)),
        CopiedTable(
            "superseded", ("objectId", .text), ("createdAt", .integer), ("updatedAt", .integer),
            ("document", .document)),
        CopiedTable("indexedField", ("id", .integer), ("name", .text), ("path", .text), ("filledTo", .integer)),
        CopiedTable(
            "deployRecord", keys: 3, ("workspace", .text), ("kind", .text), ("key", .text), ("document", .text),
            ("fence", .integer)),
        CopiedTable(
            "deployLock", ("workspace", .text), ("holder", .text), ("run", .text), ("fence", .integer),
            ("acquiredAt", .integer), ("expiresAt", .integer), ("lastApplied", .text)),
        CopiedTable(
            "journal", ("delivery", .text), ("workspace", .text), ("environment", .text), ("batchSize", .integer),
            ("raisesBadges", .flag), ("freezing", .text), ("targets", .integer), ("missed", .integer),
            ("leftOut", .text), ("reopenedAt", .integer), ("closedAt", .integer)),
        CopiedTable(
            "journalPart", keys: 2, ("delivery", .text), ("number", .integer), ("opensAt", .integer),
            ("devices", .integer), ("unplaced", .integer), ("missed", .integer), ("closedAt", .integer),
            ("verdict", .text)),
        CopiedTable(
            "journalBatch", keys: 2, ("delivery", .text), ("number", .integer), ("profile", .text),
            ("devices", .integer), ("state", .integer), ("claimant", .text), ("fence", .integer),
            ("claimedAt", .integer), ("settledAt", .integer), ("accepted", .integer), ("missed", .integer),
            ("targets", .bytes), ("tries", .bytes), ("part", .integer), ("form", .integer), ("texts", .text)),
        CopiedTable(
            "journalTarget", keys: 2, ("delivery", .text), ("token", .text), ("installation", .integer),
            ("profile", .text), ("state", .integer), ("badge", .integer), ("attempts", .integer), ("dueAt", .integer),
            ("reason", .text), ("part", .integer), ("form", .integer), ("texts", .text)),
        CopiedTable(
            "reached", keys: 4, ("delivery", .text), ("part", .integer), ("number", .integer), ("doubtful", .integer),
            ("reachedAt", .integer), ("lowest", .integer), ("highest", .integer), ("installations", .bytes),
            ("form", .integer)),
        CopiedTable(
            "eventWindow", ("delivery", .text), ("startedAt", .integer), ("keep", .integer), ("expiresAt", .integer),
            ("foldedAt", .integer)),
        CopiedTable(
            "event", keys: 3, ("delivery", .text), ("kind", .integer), ("installation", .integer), ("part", .integer),
            ("form", .integer), ("happenedAt", .integer)),
        CopiedTable(
            "eventCount", keys: 5, ("delivery", .text), ("kind", .integer), ("part", .integer), ("form", .integer),
            ("hour", .integer), ("devices", .integer)),
    ]
}

/// A part of a table's rows.
struct CopiedPage: Sendable {
    var rows: [[SQLValue]] = []
    /// The key of the last row that was read; nil at the end of the table.
    var last: [SQLValue]?
    /// The installations that the rows name by a number of their database.
    var installations: [Int64: String] = [:]
}

extension CopiedTable {
    /// The most rows of a page; a reached set has up to 65,536 numbers.
    private var mostRows: Int { name == "reached" ? 10 : 1000 }
    /// The bytes after which a page ends.
    private static let mostBytes = 4 << 20

    /// Reads the rows that follow a key, or the first ones.
    func page(after key: [SQLValue]?, in db: any RegistryTransaction) throws -> CopiedPage {
        let names = columns.prefix(keys).map(\.name).joined(separator: ", ")
        var sql = SQLText(sql: "SELECT \(list) FROM \(name)")
        if let key {
            let places = key.map { _ in "?" }.joined(separator: ", ")
            sql += SQLText(sql: " WHERE (\(names)) > (\(places))", arguments: key)
        }
        sql += SQLText(sql: " ORDER BY \(names) LIMIT \(mostRows)")
        var (page, bytes) = (CopiedPage(), 0)
        try db.each(sql) { row in
            let values = try columns.indices.map { try value(row, $0) }
            page.rows.append(values)
            page.last = Array(values.prefix(keys))
            bytes += values.reduce(0) { $0 + $1.size }
            return bytes < Self.mostBytes
        }
        let numbers = NumberedInstallations(db: db)
        page.installations = try numbers.objectIDs(Set(page.rows.flatMap { try numbers.numbers(in: $0, of: self) }))
        return page
    }

    private func value(_ row: any SQLRow, _ column: Int) throws -> SQLValue {
        switch columns[column].kind {
        case .text: row.text(column).sqlValue
        case .integer: row.integer(column).sqlValue
        case .flag: row.boolean(column).sqlValue
        case .bytes: row.bytes(column).map(SQLValue.bytes) ?? .null
        case .document: .text(try JSONValue(stored: row.text(column) ?? "").canonicalText)
        }
    }
}

extension SQLValue {
    /// About the bytes that it takes.
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .texts(let texts): texts.reduce(0) { $0 + $1.utf8.count }
        case .integers(let numbers): 8 * numbers.count
        }
    }
}
