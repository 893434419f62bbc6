internal import Base
internal import Push

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
        CopiedTable("formerToken", keys: 2, ("token", .text), ("number", .integer), ("leftAt", .integer)),
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
        page.installations = try numbers.objectIDs(
            Set(page.rows.flatMap { try numbers.numbers(in: $0, of: self) }), withRemoved: tellsHowOften)
        return page
    }

    private func value(_ row: any SQLRow, _ column: Int) throws -> SQLValue {
        switch columns[column].kind {
        case .text: row.text(column).sqlValue
        case .integer: row.integer(column).sqlValue
        case .flag: row.boolean(column).sqlValue
        case .bytes: row.bytes(column).map(SQLValue.bytes) ?? .null
        case .document: .text(try JSONValue(stored: row.string(column)).canonicalText)
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

/// Writes copied rows into another database, within a transaction.
struct CopyWriter {
    let db: any RegistryTransaction

    private var isPostgres: Bool { db.dialect == .postgres }

    /// Adds rows; returns the number of those that this database cannot hold.
    func write(_ page: CopiedPage, into table: CopiedTable) throws -> Int {
        let rows = try renumbered(page, of: table)
        let fitting = isPostgres ? rows.filter { !Self.holdsNUL($0, table) } : rows
        let leftOut = page.rows.count - fitting.count
        guard !fitting.isEmpty else { return leftOut }
        switch table.name {
        case "class":
            for row in fitting {
                try db.execute("INSERT INTO class(name) VALUES (?) ON CONFLICT DO NOTHING", [row[0]])
            }
        case "installation" where isPostgres: return try leftOut + addDevices(fitting, table)
        case "deadToken" where isPostgres:
            return try leftOut
                + fitting.reduce(0) { others, row in
                    let token = Self.text(row[0]).map(AppleToken.lowercased)
                    let sql = "INSERT INTO deadToken(token, reportedAt) VALUES (?, ?) ON CONFLICT DO NOTHING"
                    return try others + 1 - db.execute(sql, [token, row[1]])
                }
        case "deployLock":
            let locks = fitting.filter { !(Self.text($0[0])?.hasPrefix(Registry.claimPrefix) ?? false) }
            if !locks.isEmpty { try add(locks, to: table) }
            return leftOut + fitting.count - locks.count
        // The index over a field is built anew.
        case "indexedField": try add(fitting.map { [$0[0], $0[1], $0[2], .integer(0)] }, to: table)
        default: try add(fitting, to: table)
        }
        return leftOut
    }

    /// Returns the rows with this database's numbers of installations.
    private func renumbered(_ page: CopiedPage, of table: CopiedTable) throws -> [[SQLValue]] {
        guard table.number != nil else { return page.rows }
        let installations = NumberedInstallations(db: db)
        let numbers = try installations.numbers(of: Set(page.installations.values))
        let new = page.installations.compactMapValues { numbers[$0] }
        return try page.rows.compactMap { try installations.renumbered($0, of: table, by: new) }
    }

    private func add(_ rows: [[SQLValue]], to table: CopiedTable) throws {
        try db.add(rows, to: "\(table.name)(\(table.list))")
    }

    /// Adds devices under their keys; of two spellings of one token the device that was seen later stays.
    private func addDevices(_ rows: [[SQLValue]], _ table: CopiedTable) throws -> Int {
        var (wanted, order): ([String: [SQLValue]], [String]) = ([:], [])
        for row in rows {
            let fields = try JSONValue(stored: Self.text(row[4]) ?? "").object ?? [:]
            let key = DeviceKey.key(fields, objectID: Self.text(row[1]) ?? "")
            if wanted[key] == nil { order.append(key) }
            if wanted[key].map({ Self.time($0) < Self.time(row) }) ?? true { wanted[key] = row }
        }
        let known = try db.rows(
            "SELECT token, updatedAt FROM installation WHERE token \(db.dialect.isOneOf)", [SQLValue.texts(order)])
        for device in known {
            guard let key = device.text(0), let row = wanted[key] else { continue }
            if device.integer(1) ?? 0 < Self.time(row) {
                try db.execute("DELETE FROM installation WHERE token = ?", [key])
            } else {
                wanted[key] = nil
            }
        }
        let added = order.compactMap { key in wanted[key].map { [.text(key)] + $0 } }
        if !added.isEmpty { try db.add(added, to: "installation(token, \(table.list))") }
        return rows.count - added.count + known.filter { wanted[$0.string(0)] != nil }.count
    }

    private static func time(_ device: [SQLValue]) -> Int64 {
        if case .integer(let time) = device[3] { time } else { 0 }
    }

    private static func text(_ value: SQLValue) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    private static func holdsNUL(_ row: [SQLValue], _ table: CopiedTable) -> Bool {
        zip(row, table.columns).contains { value, column in
            guard let text = text(value) else { return false }
            guard column.kind == .document else { return text.utf8.contains(0) }
            return text.contains(#"\u0000"#) && (try? JSONValue(stored: text).holdsNUL) ?? true
        }
    }

    // MARK: Numbers

    /// The last number that was given to a device, an object, a push, a message, a scheduled push and an index.
    static func lastNumbers(in db: any RegistryTransaction) throws -> [String: Int64] {
        var last: [String: Int64] = [:]
        for table in ["installation", "object", "push", "inbox", "scheduledPush", "indexedField"] {
            last[table] = try db.integer("SELECT MAX(id) FROM \(table)") ?? 0
        }
        // Of what is removed by now, too.
        let used: [String: String] =
            switch db.dialect {
            case .sqlite:
                [
                    "installation": "SELECT installation FROM rowUsed",
                    "scheduledPush": "SELECT seq FROM sqlite_sequence WHERE name = 'scheduledPush'",
                ]
            case .postgres:
                [
                    "installation": "SELECT last_value FROM installationNumber",
                    "scheduledPush": "SELECT last_value FROM scheduledpush_id_seq WHERE is_called",
                ]
            }
        for (table, sql) in used { last[table] = try max(last[table] ?? 0, db.integer(sql) ?? 0) }
        return last
    }

    static func identity(in db: any RegistryTransaction) throws -> String {
        try db.text("SELECT id FROM " + (db.dialect == .sqlite ? "registryIdentity" : "bugleRegistry")) ?? ""
    }

    /// Makes this registry the copy of another: with its id, and going on after its last numbers.
    func finish(_ origin: String, _ last: [String: Int64]) throws {
        switch db.dialect {
        case .sqlite:
            try db.execute("UPDATE registryIdentity SET id = ?", [origin])
            try db.execute("UPDATE rowUsed SET installation = ?", [last["installation"] ?? 0])
            try db.execute("DELETE FROM sqlite_sequence WHERE name = 'scheduledPush'", [])
            try db.execute(
                "INSERT INTO sqlite_sequence(name, seq) VALUES ('scheduledPush', ?)", [last["scheduledPush"] ?? 0])
        case .postgres:
            try db.execute("UPDATE bugleRegistry SET id = ?", [origin])
            for name in ["push", "inbox"] {
                try db.execute("UPDATE serverNumber SET last = ? WHERE name = ?", [last[name] ?? 0, name])
            }
            let sequences = [
                ("installationNumber", "installation"), ("objectNumber", "object"),
                ("scheduledpush_id_seq", "scheduledPush"), ("indexedfield_id_seq", "indexedField"),
            ]
            for (sequence, table) in sequences {
                _ = try db.row(
                    "SELECT setval('\(sequence)', greatest(CAST(? AS bigint), 1), CAST(? AS bigint) > 0)",
                    [last[table] ?? 0, last[table] ?? 0])
            }
        }
    }
}

/// The numbers by which journals and reached sets name installations, which each database gives by itself.
struct NumberedInstallations {
    let db: any RegistryTransaction

    /// The most numbers or ids of one statement.
    private static let mostAtOnce = 5000

    func numbers(in row: [SQLValue], of table: CopiedTable) throws -> [Int64] {
        switch (table.name, table.number.map { row[$0] }) {
        case ("reached", .bytes(let packed)?): try NumberSet.stored(packed)
        case ("journalBatch", .bytes(let packed)?): try Self.pack(packed).rows
        case (_, .integer(let number)?): [number]
        default: []
        }
    }

    /// Returns a row with its numbers replaced; nil for a set of which nothing is left. A device without a new number
    /// counts as not registered.
    func renumbered(_ row: [SQLValue], of table: CopiedTable, by new: [Int64: Int64]) throws -> [SQLValue]? {
        guard let column = table.number else { return row }
        var row = row
        switch (table.name, row[column]) {
        case ("reached", .bytes(let packed)):
            let numbers = try NumberSet.stored(packed).compactMap { new[$0] }.sorted()
            guard let lowest = numbers.first, let highest = numbers.last else { return nil }
            row.replaceSubrange(
                (column - 2)...column,
                with: [.integer(lowest), .integer(highest), .bytes(NumberSet.pack(numbers))])
        case ("journalBatch", .bytes(let packed)):
            let old = try Self.pack(packed)
            var pack = TargetPack(reserving: old.count)
            for index in 0..<old.count {
                pack.append(token: Array(old.token(index).utf8), row: new[old.rows[index]] ?? 0)
            }
            row[column] = .bytes(pack.bytes)
        case ("formerToken", .integer(let number)):
            guard let number = new[number] else { return nil }
            row[column] = .integer(number)
        // Part of the row's key: an event of a device that is gone still counts.
        case ("event", .integer(let number)): row[column] = .integer(new[number] ?? -abs(number))
        case (_, .integer(let number)): row[column] = .integer(new[number] ?? 0)
        default: break
        }
        return row
    }

    private static func pack(_ packed: [UInt8]) throws -> TargetPack {
        guard let pack = TargetPack(packed) else { throw RegistryError(internal: "a stored batch is damaged") }
        return pack
    }

    /// What stands for the id of an installation that a file has no more, before its number.
    private static let removed = "removed-"

    /// Returns the ids of the installations with these numbers; of those that were removed `withRemoved` gives a file
    /// others.
    func objectIDs(_ numbers: Set<Int64>, withRemoved: Bool) throws -> [Int64: String] {
        var found: [Int64: String] = [:]
        try Self.inParts(numbers.sorted()) { part in
            let (table, column) = db.dialect.numbering
            let rows = try db.rows(
                "SELECT \(column), objectId FROM \(table) WHERE \(column) \(db.dialect.isOneNumberOf)",
                [SQLValue.integers(part)])
            for row in rows { found[row.integer(0) ?? 0] = row.text(1) }
        }
        guard withRemoved, db.dialect == .sqlite else { return found }
        for number in numbers where number > 0 && found[number] == nil { found[number] = Self.removed + "\(number)" }
        return found
    }

    /// Returns the numbers of installations by their ids; in PostgreSQL those that have none get one.
    func numbers(of objectIDs: Set<String>) throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        try Self.inParts(objectIDs.sorted()) { part in
            if db.dialect == .postgres {
                try db.execute(
                    "INSERT INTO reachedInstallation(objectId) SELECT value FROM \(db.dialect.listed) ON CONFLICT DO NOTHING",
                    [SQLValue.texts(part)])
            }
            found.merge(try db.numbers(ofInstallations: part)) { $1 }
            // A file never gives a number again.
            for id in part where db.dialect == .sqlite && id.hasPrefix(Self.removed) {
                found[id] = Int64(id.dropFirst(Self.removed.count))
            }
        }
        return found
    }

    private static func inParts<Element>(_ list: [Element], _ body: ([Element]) throws -> Void) rethrows {
        for start in stride(from: 0, to: list.count, by: mostAtOnce) {
            try body(Array(list[start..<min(start + mostAtOnce, list.count)]))
        }
    }
}

extension CopiedTable {
    /// The index of the column with numbers of installations; nil for none.
    var number: Int? {
        switch name {
        case "reached": columns.firstIndex { $0.name == "installations" }
        case "journalBatch": columns.firstIndex { $0.name == "targets" }
        case "event", "journalTarget": columns.firstIndex { $0.name == "installation" }
        case "formerToken": columns.firstIndex { $0.name == "number" }
        default: nil
        }
    }

    /// True if it tells how often an installation was reached, which counts for its token also when it was removed.
    fileprivate var tellsHowOften: Bool { name == "reached" || name == "formerToken" }
}
