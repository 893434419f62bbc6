internal import Base
internal import Push

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
        return rows.count - added.count + known.filter { wanted[$0.text(0) ?? ""] != nil }.count
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

    /// The last number that was given to a device, an object, a push, a message and a scheduled push.
    static func lastNumbers(in db: any RegistryTransaction) throws -> [String: Int64] {
        var last: [String: Int64] = [:]
        for table in ["installation", "object", "push", "inbox", "scheduledPush"] {
            last[table] = try db.integer("SELECT MAX(id) FROM \(table)") ?? 0
        }
        let used =
            switch db.dialect {
            case .sqlite: try db.integer("SELECT installation FROM rowUsed") ?? 0
            case .postgres: try db.integer("SELECT last_value FROM installationNumber") ?? 0
            }
        last["installation"] = max(last["installation"] ?? 0, used)
        return last
    }

    /// The id of the registry.
    static func identity(in db: any RegistryTransaction) throws -> String {
        try db.text("SELECT id FROM " + (db.dialect == .sqlite ? "registryIdentity" : "bugleRegistry")) ?? ""
    }

    /// Makes this registry the copy of another: with its id, and going on after its last numbers.
    func finish(_ origin: String, _ last: [String: Int64]) throws {
        switch db.dialect {
        case .sqlite:
            try db.execute("UPDATE registryIdentity SET id = ?", [origin])
            try db.execute("UPDATE rowUsed SET installation = ?", [last["installation"] ?? 0])
        case .postgres:
            try db.execute("UPDATE bugleRegistry SET id = ?", [origin])
            for name in ["push", "inbox"] {
                try db.execute("UPDATE serverNumber SET last = ? WHERE name = ?", [last[name] ?? 0, name])
            }
            let sequences = [
                ("installationNumber", "installation"), ("objectNumber", "object"),
                ("scheduledpush_id_seq", "scheduledPush"),
            ]
            for (sequence, table) in sequences {
                _ = try db.row(
                    "SELECT setval('\(sequence)', greatest(CAST(? AS bigint), 1), CAST(? AS bigint) > 0)",
                    [last[table] ?? 0, last[table] ?? 0])
            }
        }
    }
}
