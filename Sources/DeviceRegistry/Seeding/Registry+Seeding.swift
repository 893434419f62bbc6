internal import GRDB
internal import JSONValue

extension Registry {
    /// Fills an empty registry with plausible devices and users; one that has devices is left as it is.
    ///
    /// Both platforms, the channels and fields of the LeanCloud guides, two device profiles, owners with a place, some
    /// invalid and some stale devices. The same number gives the same devices; their times count back from `now`.
    ///
    /// - Returns: how many devices were added.
    package func seed(devices count: Int, at now: Timestamp) async throws(RegistryError) -> Int {
        try await write { db in
            guard count > 0, try Row.fetchOne(db, sql: "SELECT 1 FROM installation LIMIT 1") == nil else { return 0 }
            var seeder = DeviceSeeder(count: count, now: now)
            let users = try db.makeStatement(
                sql: """
                    INSERT OR IGNORE INTO object(class, objectId, createdAt, updatedAt, document)
                    VALUES ('_User', ?, ?, ?, ?)
                    """)
            for seed in seeder.makeUsers() { try users.execute(arguments: seed.arguments) }
            let devices = try db.makeStatement(
                sql: "INSERT INTO installation(objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?)")
            for seed in seeder.makeDevices() { try devices.execute(arguments: seed.arguments) }
            return count
        }
    }

    /// How many devices are registered.
    package func deviceCount() async throws(RegistryError) -> Int {
        try await read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM installation") ?? 0 }
    }
}

extension DeviceSeeder.Seed {
    fileprivate var arguments: StatementArguments {
        [objectID, createdAt.milliseconds, updatedAt.milliseconds, fields.canonicalText]
    }
}
