internal import GRDB
internal import Push

/// A registry in SQLite: one file in WAL mode with `synchronous=FULL`, or a database in memory.
///
/// Only one transaction writes at a time; concurrent changes share one.
final class SQLiteDatabase: RegistryDatabase {
    /// The connection, or the pool of connections.
    let database: any DatabaseWriter
    /// The changes that wait; nil for a database that is read only.
    private let changes: WriteQueue?
    private let isInline: Bool
    /// The owner that may write journals without a lock; nil when no other process can open the database.
    private let owner: RegistryOwner?
    /// The files, which must keep their names; nil in memory.
    let files: RegistryFiles?

    /// Migrates an opened database; `path` is that of its file.
    init(
        _ database: any DatabaseWriter, at path: String? = nil, changeTimeLimit: Duration, isInline: Bool = false,
        owner: RegistryOwner? = nil, cacheKiB: Int
    ) throws(RegistryError) {
        self.database = database
        self.isInline = isInline
        self.owner = owner
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
        let files = path.map(RegistryFiles.init)
        self.files = files
        changes = WriteQueue(
            database, transactionTime: changeTimeLimit, isInline: isInline, check: { try files?.check(in: $0) })
    }

    /// Reads the file at a path over connections that cannot write.
    init(readOnly pool: DatabasePool, at path: String) {
        (database, files) = (pool, RegistryFiles(path))
        (changes, isInline, owner) = (nil, false, nil)
    }

    var isShared: Bool { false }

    func news() -> AsyncStream<Bool> { AsyncStream { $0.finish() } }

    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await look(kind) { db in try body(SQLiteTransaction(db: db)) }
    }

    /// Runs `body` on one snapshot.
    func look<Value: Sendable>(
        _ kind: ReadKind = .current, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            let value = try await value(kind, body)
            if case .journal = kind, changes != nil { return value }
            try files?.check()
            return value
        } catch {
            throw Self.registryError(from: error)
        }
    }

    private func value<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        switch kind {
        case .within(let limit):
            return try await withThrowingTaskGroup(of: Value?.self) { [database] group in
                group.addTask { try await database.read(body) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                // GRDB interrupts the reads of a cancelled task.
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw RegistryError.late }
                return value
            }
        // It needs no isolation when it is alone on its thread, and forbidding writes would discard every prepared
        // statement.
        case .current where isInline, .journal where isInline, .toTheEnd where isInline:
            return try inline(body)
        case .current, .journal: return try await database.read(body)
        case .toTheEnd:
            let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
                database.asyncRead { reading in
                    continuation.resume(returning: Result { try body(try reading.get()) })
                }
            }
            return try result.get()
        }
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.unsafeRead(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await change { db in try body(SQLiteTransaction(db: db)) }
    }

    /// Runs `body` in one transaction, which is on disk when this returns.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        guard let changes else { throw RegistryError(internal: "the database is read-only here") }
        do {
            return try await changes.write(body)
        } catch {
            throw Self.registryError(from: error)
        }
    }

    func probe() async throws(RegistryError) {
        try await change { db in
            // The probe needs space: a disk that is nearly full still accepts changes to existing rows.
            try db.execute(sql: "CREATE TABLE writingProbe AS SELECT zeroblob(65536)")
            try db.execute(sql: "DROP TABLE writingProbe")
        }
    }

    func fillIndexes() async throws(RegistryError) -> Bool {
        try await change { db in try Schema.fillIndexes(in: db) }
    }

    func size() async throws(RegistryError) -> Int {
        try await look { db in
            func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
            return try number("PRAGMA page_count") * number("PRAGMA page_size")
        }
    }

    /// Closes the files.
    func shut() {
        try? database.close()
        owner?.giveBack()
    }

    func close() async { shut() }

    /// Makes this the one process that writes journals without a lock.
    func own() throws(RegistryError) { try owner?.take() }
}

extension SQLiteDatabase {
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
        return RegistryError(
            internal: "the database failed: \(summary(of: failure))",
            isForLackOfRoom: failure.resultCode == .SQLITE_FULL)
    }

    /// The message of an error without its arguments, which may contain tokens.
    static func summary(of error: any Error) -> String {
        guard let failure = error as? DatabaseError else { return "\(error)" }
        return failure.message ?? "SQLite code \(failure.resultCode.rawValue)"
    }
}
