internal import Base
package import Push

extension Registry {
    /// Fills an empty registry with plausible devices and users; does nothing if it has devices.
    ///
    /// They include both platforms, the channels and fields of the LeanCloud guides and the examples, two device
    /// profiles, owners with a location, some invalid and some stale devices. The same number gives the same devices; their times count back
    /// from `now`.
    ///
    /// - Returns: the number of added devices.
    package func seed(devices count: Int, at now: Instant) async throws(RegistryError) -> Int {
        try await write { db in
            guard count > 0, try !db.exists("SELECT 1 FROM installation LIMIT 1") else { return 0 }
            var seeder = DeviceSeeder(count: count, now: now)
            var adding = SeedWriter(db, "object(class, objectId, createdAt, updatedAt, document)")
            // Of an earlier filling, whose devices are gone.
            let known = Set(try db.texts("SELECT objectId FROM object WHERE class = '_User'", []))
            try seeder.makeUsers { if !known.contains($0.objectID) { try adding.add(["_User"] + $0.values) } }
            try adding.finish()
            // Building the indexes at once takes a fraction of the time of a million single insertions.
            let indexes =
                db.dialect == .postgres
                ? []
                : try db.rows(
                    """
                    SELECT name, sql FROM sqlite_master
                    WHERE type = 'index' AND tbl_name = 'installation' AND sql <> ''
                    """, [])
            for index in indexes { try db.execute(SQLText(sql: "DROP INDEX \(index.text(0) ?? "")")) }
            let isPostgres = db.dialect == .postgres
            adding = SeedWriter(
                db, "installation(\(isPostgres ? "token, " : "")objectId, createdAt, updatedAt, document)")
            try seeder.makeDevices { seed in
                let key = DeviceKey.key(seed.fields.object ?? [:], objectID: seed.objectID)
                try adding.add((isPostgres ? [key] : []) + seed.values)
            }
            try adding.finish()
            for index in indexes { try db.execute(SQLText(sql: index.text(1) ?? "")) }
            return count
        }
    }

    /// Returns the number of registered devices.
    package func deviceCount() async throws(RegistryError) -> Int {
        try await read { db in try db.number("SELECT COUNT(*) FROM installation") }
    }
}

extension DeviceSeeder.Seed {
    fileprivate var values: [any SQLBindable] { [objectID, createdAt, updatedAt, fields.canonicalText] }
}

/// Adds the rows of seeds, some at a time.
private struct SeedWriter {
    private let db: any RegistryTransaction
    private let table: String
    private var rows: [[any SQLBindable]] = []

    init(_ db: any RegistryTransaction, _ table: String) {
        self.db = db
        self.table = table
    }

    mutating func add(_ row: [any SQLBindable]) throws {
        rows.append(row)
        if rows.count == 5000 { try finish() }
    }

    mutating func finish() throws {
        try db.add(rows, to: table)
        rows = []
    }
}
