internal import GRDB
internal import JSONValue
package import PushModel
package import RegistryModel

extension Registry {
    /// Fills an empty registry with plausible devices and users; does nothing if it has devices.
    ///
    /// They include both platforms, the channels and fields of the LeanCloud guides, two device profiles, owners with a
    /// location, some invalid and some stale devices. The same number gives the same devices; their times count back
    /// from `now`.
    ///
    /// - Returns: the number of added devices.
    package func seed(devices count: Int, at now: Instant) async throws(RegistryError) -> Int {
        try await write { db in
            guard count > 0, try Row.fetchOne(db, sql: "SELECT 1 FROM installation LIMIT 1") == nil else { return 0 }
            var seeder = DeviceSeeder(count: count, now: now)
            let users = try db.makeStatement(
                sql: """
                    INSERT OR IGNORE INTO object(class, objectId, createdAt, updatedAt, document)
                    VALUES ('_User', ?, ?, ?, ?)
                    """)
            try seeder.makeUsers { try users.execute(arguments: $0.arguments) }
            // Building the indexes at once takes a fraction of the time of a million single insertions.
            let indexes = try Row.fetchAll(
                db,
                sql:
                    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'installation' AND sql <> ''"
            )
            for index in indexes { try db.execute(sql: "DROP INDEX \(index["name"] as String)") }
            let devices = try db.makeStatement(
                sql: "INSERT INTO installation(objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?)")
            try seeder.makeDevices { try devices.execute(arguments: $0.arguments) }
            for index in indexes { try db.execute(sql: index["sql"]) }
            return count
        }
    }

    /// Returns the number of registered devices.
    package func deviceCount() async throws(RegistryError) -> Int {
        try await read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM installation") ?? 0 }
    }
}

extension DeviceSeeder.Seed {
    fileprivate var arguments: StatementArguments {
        [objectID, createdAt.milliseconds, updatedAt.milliseconds, fields.canonicalText]
    }
}
