internal import GRDB

extension Registry {
    /// The cache of the writing connection: the inner pages of the indexes over a million devices.
    package static let cacheKiB = 65_536

    /// The cache for a transfer: the rest of the machine's memory belongs to the server that may run beside it.
    package static let transferCacheKiB = 16_384

    /// Opens the database file at `path`, creating it and its tables if they are missing.
    ///
    /// If `isAlone` is true, this process claims at once to be the one that writes journals without a lock; by default
    /// that happens with the first of them. `cacheKiB` is the cache of the writing connection.
    ///
    /// - Throws: ``RegistryError`` when the file cannot be opened or is not a registry, or another process, which it
    ///   names, has that claim already.
    package static func open(
        path: String, queryTimeLimit: Duration = queryTimeLimit, changeTimeLimit: Duration = changeTimeLimit,
        isAlone: Bool = false, cacheKiB: Int = cacheKiB
    ) throws(RegistryError) -> Registry {
        let owner = RegistryOwner(of: path)
        if isAlone { try owner.take() }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: SQLiteDatabase.configuration)
        } catch {
            throw RegistryError(internal: "cannot open '\(path)': \(SQLiteDatabase.summary(of: error))")
        }
        let registry = Registry(
            try SQLiteDatabase(pool, at: path, changeTimeLimit: changeTimeLimit, owner: owner, cacheKiB: cacheKiB),
            queryTimeLimit: queryTimeLimit, changeTimeLimit: changeTimeLimit)
        // An index that an earlier process started is completed.
        registry.index(later: [])
        return registry
    }

    /// Creates a database in memory that ends with the process.
    ///
    /// If `isInline` is true, the operations of applies run on the caller's thread before the call returns, so that one
    /// thread drives everything in its own order.
    ///
    /// - Throws: ``RegistryError`` when SQLite lacks a feature.
    package static func inMemory(
        queryTimeLimit: Duration = queryTimeLimit, isInline: Bool = false
    ) throws(RegistryError) -> Registry {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(configuration: SQLiteDatabase.configuration)
        } catch {
            throw RegistryError(
                internal: "cannot open a database in memory: \(SQLiteDatabase.summary(of: error))")
        }
        return Registry(
            try SQLiteDatabase(queue, changeTimeLimit: changeTimeLimit, isInline: isInline, cacheKiB: cacheKiB),
            queryTimeLimit: queryTimeLimit)
    }

    /// The file's database; nil for one in PostgreSQL.
    var file: SQLiteDatabase? { database as? SQLiteDatabase }

    /// Removes all devices and all data of applies, within a millisecond: as if the registry had just been created;
    /// does nothing in PostgreSQL.
    package func empty() async throws(RegistryError) {
        try await file?.change { db in
            for table in DeploySchema.emptied { try db.cachedStatement(sql: "DELETE FROM \(table)").execute() }
            try db.cachedStatement(sql: "UPDATE rowUsed SET installation = 0").execute()
        }
    }

    /// Moves everything into the database's own file, so that it can be copied without the log beside it; does nothing
    /// in PostgreSQL.
    ///
    /// - Throws: ``RegistryError`` when another process reads the file, or the disk fails: then the log belongs to the
    ///   file.
    package func checkpoint() async throws(RegistryError) {
        do {
            try await file?.database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = 1000")
                try db.checkpoint(.truncate)
            }
        } catch {
            throw SQLiteDatabase.registryError(from: error)
        }
    }

    /// Closes a file at once, after which nothing works any more; ``shutDown()`` closes any database.
    package func close() { file?.shut() }
}
