internal import Basics
internal import GRDB
internal import JSONValue
package import RegistryModel
internal import Synchronization

/// A database of devices, of the app's other objects, and of the pushes to the devices.
///
/// One SQLite file in WAL mode with `synchronous=FULL`: changes are on disk when a method returns, whatever happens to
/// the process. Every change is one transaction. Safe to use from any task.
package final class Registry: Sendable {
    /// The time limit of a query: the default of ``open(path:queryTimeLimit:changeTimeLimit:isAlone:)``.
    package static let queryTimeLimit = ConditionTranslator.timeLimit

    /// The time limit of a change, for which others wait: the default of
    /// ``open(path:queryTimeLimit:changeTimeLimit:isAlone:)``.
    ///
    /// Source: the server's own limit; a change that takes longer is rolled back and gets code 124.
    package static let changeTimeLimit: Duration = .seconds(1)

    /// The cache of the writing connection: the inner pages of the indexes over a million devices.
    package static let cacheKiB = 65_536

    /// The cache for a transfer: the rest of the machine's memory belongs to the server that may run beside it.
    package static let transferCacheKiB = 16_384

    /// The connection, or the pool of connections.
    private let database: any DatabaseWriter
    private let changes: WriteQueue
    /// True if the last change failed for a reason other than the request.
    private let isFailing = Atomic(false)
    /// The lane for queries with regular expressions, any of which can be slow: only two of them run at a time.
    let patternPlaces = Pool(places: 2)
    /// The state of the indexes over custom fields.
    let fieldIndexes = FieldIndexes()
    /// The time limit of a query.
    let queryTimeLimit: Duration
    /// The time limit of a change, and the time after which a shared transaction starts no further changes.
    let changeTimeLimit: Duration
    /// Serializes the changes to one object.
    let turns = Turns()
    private let isInline: Bool
    /// The owner that may write journals without a lock; nil when no other process can open the database.
    private let owner: RegistryOwner?

    private init(
        _ database: any DatabaseWriter, _ queryTimeLimit: Duration, _ changeTimeLimit: Duration = changeTimeLimit,
        isInline: Bool = false, owner: RegistryOwner? = nil, cacheKiB: Int = cacheKiB
    ) throws(RegistryError) {
        self.database = database
        self.queryTimeLimit = queryTimeLimit
        self.changeTimeLimit = changeTimeLimit
        self.isInline = isInline
        self.owner = owner
        changes = WriteQueue(database, transactionTime: changeTimeLimit, isInline: isInline)
        do {
            try database.writeWithoutTransaction { db in
                // The pool sets `NORMAL` when it turns WAL on; its writing connection lives as long as the pool.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
            }
            try Schema.migrator.migrate(database)
        } catch {
            throw RegistryError(internal: "the database cannot be used: \(Self.summary(of: error))")
        }
    }

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
            pool = try DatabasePool(path: path, configuration: configuration)
        } catch {
            throw RegistryError(internal: "cannot open '\(path)': \(summary(of: error))")
        }
        let registry = try Registry(pool, queryTimeLimit, changeTimeLimit, owner: owner, cacheKiB: cacheKiB)
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
            queue = try DatabaseQueue(configuration: configuration)
        } catch {
            throw RegistryError(internal: "cannot open a database in memory: \(summary(of: error))")
        }
        return try Registry(queue, queryTimeLimit, isInline: isInline)
    }

    /// Removes all devices and all data of applies, within a millisecond: as if the registry had just been created.
    package func empty() async throws(RegistryError) {
        try await write { db in
            for table in DeploySchema.emptied { try db.cachedStatement(sql: "DELETE FROM \(table)").execute() }
            try db.cachedStatement(sql: "UPDATE rowUsed SET installation = 0").execute()
        }
    }

    /// Moves everything into the database's own file, so that it can be copied without the log beside it.
    ///
    /// - Throws: ``RegistryError`` when another process reads the file, or the disk fails: then the log belongs to the
    ///   file.
    package func checkpoint() async throws(RegistryError) {
        do {
            try await database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = 1000")
                try db.checkpoint(.truncate)
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }

    /// Closes the files, after which nothing works any more.
    package func close() {
        try? database.close()
        owner?.giveBack()
    }

    /// Makes this the one process that writes journals without a lock.
    func own() throws(RegistryError) { try owner?.take() }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { db in
            db.add(function: SQLFunctions.regularExpression)
            db.add(function: SQLFunctions.distance)
        }
        return configuration
    }
}

extension Registry {
    /// Runs `body` on one snapshot of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await reading.read(body)
    }

    /// Runs `body` on one snapshot of the database, and aborts it with code 124 at its time limit.
    ///
    /// A condition with a regular expression waits for a free lane; `limit`, by default ``queryTimeLimit``, includes
    /// the wait.
    func query<Value: Sendable>(
        _ condition: JSONValue, within limit: Duration? = nil, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        let (places, database) = (condition.mentions("$regex") ? patternPlaces : nil, database)
        let limit = limit ?? queryTimeLimit
        do {
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    try await places?.takeUnlessCancelled()
                    defer { places?.giveBack(()) }
                    return try await database.read(body)
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                // GRDB interrupts the reads of a cancelled task.
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw RegistryError.late }
                return value
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }

    /// Runs `body` in one transaction, which is on disk when this returns; its changes are rolled back when it throws.
    ///
    /// Concurrent changes share a transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            let value = try await changes.write(body)
            isFailing.store(false, ordering: .relaxed)
            return value
        } catch {
            let failure = Self.registryError(from: error)
            if failure.isInternal { isFailing.store(true, ordering: .relaxed) }
            throw failure
        }
    }

    /// Checks that changes are possible; tries one if the last one failed.
    ///
    /// - Throws: ``RegistryError`` with the reason when they are not.
    package func checkWriting() async throws(RegistryError) {
        guard isFailing.load(ordering: .relaxed) else { return }
        try await write { db in
            // The probe needs space: a disk that is nearly full still accepts changes to existing rows.
            try db.execute(sql: "CREATE TABLE writingProbe AS SELECT zeroblob(65536)")
            try db.execute(sql: "DROP TABLE writingProbe")
        }
    }

    /// Runs `body` on one snapshot of the database; the parts that it passes to `write` are written meanwhile, in
    /// transactions of their own, between other changes.
    func snapshot<Part: Sendable, Value: Sendable>(
        _ body: @escaping @Sendable (Database, (Part) throws -> Void) throws -> Value,
        write: @escaping @Sendable (Part, Database) throws -> Void
    ) async throws(RegistryError) -> Value {
        do {
            guard let pool = database as? DatabasePool else {
                // A database in memory has a single connection, so the parts are written at the end.
                let (value, parts) = try await read { db in
                    var parts: [Part] = []
                    return (try body(db) { parts.append($0) }, parts)
                }
                for part in parts { try await changes.write { db in try write(part, db) } }
                return value
            }
            return try await pool.read { db in
                try body(db) { part in try pool.write { db in try write(part, db) } }
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }

    /// The reader of snapshots.
    var reading: SQLiteReading { SQLiteReading(database: database, isInline: isInline) }

    /// SQLite's messages about a condition that exceeds its own limits.
    private static let limitMessages = [
        "parser stack overflow", "Expression tree is too large", "too many SQL variables",
    ]

    static func registryError(from error: any Error) -> RegistryError {
        if let refusal = error as? RegistryError { return refusal }
        if error is CancellationError { return .late }
        guard let failure = error as? DatabaseError else { return RegistryError(internal: "the database failed") }
        if failure.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            return .valueTaken
        }
        if failure.message?.contains(RegistryError.late.description) == true {
            return .late
        }
        if failure.resultCode == .SQLITE_INTERRUPT { return .late }
        if let message = failure.message, limitMessages.contains(where: message.contains) {
            return RegistryError(.invalidQuery, "The condition is too complex.")
        }
        return RegistryError(internal: "the database failed: \(summary(of: failure))")
    }

    /// The message of an error without its arguments, which may contain tokens.
    static func summary(of error: any Error) -> String {
        guard let failure = error as? DatabaseError else { return "\(error)" }
        return failure.message ?? "SQLite code \(failure.resultCode.rawValue)"
    }
}
