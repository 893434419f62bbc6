internal import Basics
internal import GRDB
internal import JSONValue
internal import Synchronization

/// A database of devices, of the other objects of the app, and of what was pushed to them.
///
/// One SQLite file in WAL mode with `synchronous=FULL`: what a method returned from is on the disk, whatever happens to
/// the process. Every change is one transaction. Safe to use from any task.
package final class Registry: Sendable {
    /// How long a query may take: the default of ``open(path:queryTimeLimit:changeTimeLimit:isAlone:)``.
    ///
    /// Source: the server's own bound; a query that takes longer gets code 124.
    package static let queryTimeLimit: Duration = .seconds(10)

    /// How long others wait for one change: the default of ``open(path:queryTimeLimit:changeTimeLimit:isAlone:)``.
    ///
    /// Source: the server's own bound; a change that takes longer is undone and gets code 124.
    package static let changeTimeLimit: Duration = .seconds(1)

    /// How much of the database the writing connection keeps in memory: the inner pages of the indexes over a million
    /// devices.
    package static let cacheKiB = 65_536

    /// As much as a transfer needs: the rest of the machine's memory belongs to the server that may run beside it.
    package static let transferCacheKiB = 16_384

    /// The connection, or the pool of connections.
    private let database: any DatabaseWriter
    private let changes: WriteQueue
    /// Whether the last change failed, and not because of what was asked.
    private let isFailing = Atomic(false)
    /// Queries with regular expressions, which one expression can make slow: only two of them run at a time.
    let patternPlaces = Pool(places: 2)
    /// What is known of the indexes over custom fields.
    let fieldIndexes = FieldIndexes()
    /// How long a query may take.
    let queryTimeLimit: Duration
    /// How long others wait for one change, and for a transaction of several to begin no more of them.
    let changeTimeLimit: Duration
    /// The changes of one object, one after another.
    let turns = Turns()
    private let isInline: Bool
    /// Who may write journals without a lock; nil: nobody else can come.
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
                // The pool sets `NORMAL` when it turns WAL on; its writing connection lives as long as it does.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
            }
            try Schema.migrator.migrate(database)
        } catch {
            throw RegistryError(internal: "the database cannot be used: \(Self.summary(of: error))")
        }
    }

    /// Opens the database file at `path`, and creates it and its tables where they are missing.
    ///
    /// - Parameters:
    ///   - isAlone: whether this is the one process that writes journals without a lock; default false: it becomes so with
    ///     the first of them.
    ///   - cacheKiB: how much of the file the writing connection keeps in memory.
    /// - Throws: ``RegistryError`` when the file cannot be opened or is no database of ours, or another process, which it
    ///   names, is the one already.
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
        // An index that an earlier process began is completed.
        registry.index(later: [])
        return registry
    }

    /// A database that lives in memory and ends with the process.
    ///
    /// - Parameter isInline: whether what applies ask is carried out on the caller's thread before the call returns, so
    ///   that one thread drives everything in an order of its own; default false.
    /// - Throws: ``RegistryError`` when SQLite lacks something.
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

    /// Removes every device and all that applies keep, within a millisecond: as if the registry had just been made.
    package func empty() async throws(RegistryError) {
        try await write { db in
            for table in DeploySchema.emptied { try db.cachedStatement(sql: "DELETE FROM \(table)").execute() }
            try db.cachedStatement(sql: "UPDATE rowUsed SET installation = 0").execute()
        }
    }

    /// Brings everything into the database's own file, so that it can be copied without the log beside it.
    ///
    /// - Throws: ``RegistryError`` when somebody else reads the file, or the disk fails: then the log belongs to the file.
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

    /// Closes the files. Nothing works after it.
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

    /// Runs `body` on one snapshot of the database, and ends it with code 124 when its time is over.
    ///
    /// - Parameters:
    ///   - condition: what is asked; one with a regular expression waits for its turn.
    ///   - limit: how long it may take, waiting included; default ``queryTimeLimit``.
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
                // GRDB interrupts the reading of a task that is cancelled.
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw RegistryError.late }
                return value
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }

    /// Runs `body` in one transaction, which is on the disk when this returns; what it did is undone when it throws.
    ///
    /// Changes that wait at the same time share the transaction.
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

    /// Whether changes are possible: where the last one failed, one is tried.
    ///
    /// - Throws: ``RegistryError`` that says why they are not.
    package func checkWriting() async throws(RegistryError) {
        guard isFailing.load(ordering: .relaxed) else { return }
        try await write { db in
            // Room for something: a disk that is nearly full still takes a change of what is there.
            try db.execute(sql: "CREATE TABLE writingProbe AS SELECT zeroblob(65536)")
            try db.execute(sql: "DROP TABLE writingProbe")
        }
    }

    /// Runs `body` on one snapshot of the database; what it hands to `write` is written meanwhile, in transactions of
    /// their own, between which other changes go on.
    func snapshot<Part: Sendable, Value: Sendable>(
        _ body: @escaping @Sendable (Database, (Part) throws -> Void) throws -> Value,
        write: @escaping @Sendable (Part, Database) throws -> Void
    ) async throws(RegistryError) -> Value {
        do {
            guard let pool = database as? DatabasePool else {
                // A database in memory has one connection: the parts are written when all of them are there.
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

    /// What reads on one snapshot.
    var reading: SQLiteReading { SQLiteReading(database: database, isInline: isInline) }

    /// What SQLite says of a condition that is beyond its own limits.
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
        if failure.message?.contains(SQLFunctions.timeoutMessage) == true {
            return .late
        }
        if failure.resultCode == .SQLITE_INTERRUPT { return .late }
        if let message = failure.message, limitMessages.contains(where: message.contains) {
            return RegistryError(.invalidQuery, "The condition is too complex.")
        }
        return RegistryError(internal: "the database failed: \(summary(of: failure))")
    }

    /// The words of an error without its arguments, which may hold tokens.
    static func summary(of error: any Error) -> String {
        guard let failure = error as? DatabaseError else { return "\(error)" }
        return failure.message ?? "SQLite code \(failure.resultCode.rawValue)"
    }
}
