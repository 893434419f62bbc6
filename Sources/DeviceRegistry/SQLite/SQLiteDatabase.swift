internal import GRDB
internal import Push
internal import Synchronization

/// A registry in SQLite: one file in WAL mode with `synchronous=FULL`, or a database in memory.
///
/// Only one transaction writes at a time; concurrent changes share one.
final class SQLiteDatabase: RegistryDatabase {
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
                try db.rewriteLog()
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
                group.addTask { try await database.isolated(body) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                // GRDB interrupts the reads of a cancelled task.
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw RegistryError.late }
                return value
            }
        case .current where isInline, .journal where isInline, .toTheEnd where isInline:
            return try inline(body)
        case .current: return try await database.isolated(body)
        case .journal:
            do {
                return try await database.isolated(body)
            } catch let failure as DatabaseError where failure.resultCode == .SQLITE_CANTOPEN {
                // No connection can be made to a file that lost its name. The one that writes has it open.
                return try await database.write(body)
            }
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

extension DatabaseWriter {
    /// Runs `body` on one snapshot.
    ///
    /// A database's only connection is alone in its turn. GRDB would forbid it to write meanwhile, which discards every
    /// prepared statement, and lasts when the caller's task is cancelled at that moment.
    fileprivate func isolated<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        if self is DatabaseQueue { try await unsafeRead(body) } else { try await read(body) }
    }
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

// MARK: - Freezing

extension SQLiteDatabase {
    /// Freezes in steps that each take less than a second, since there is only one writer at a time.
    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount? {
        while true {
            switch try await attempt(freeze, under: lease, at: clock) {
            case .frozen: return nil
            case .refused(let figures): return figures
            case .overtaken: break
            }
        }
    }

    /// The ways an attempt to freeze ends.
    private enum Ending {
        case frozen
        case refused(AudienceCount)
        /// Another audience that counts for the rules of this one was frozen meanwhile.
        case overtaken
    }

    private func attempt(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> Ending {
        let attempt = ObjectID.object()
        guard try await write({ try $0.at(clock).beginFreezing(freeze, attempt, under: lease) }) else { return .frozen }
        while try await write({ try $0.at(clock).clearFreezing(freeze, attempt, under: lease) }) {}
        let packer = try await snapshot(
            { connection, write in
                let db = SQLiteTransaction(db: connection).at(clock)
                let sieve = try db.sieve(of: freeze.audience, besides: freeze.delivery, at: db.now)
                var packer = try AudiencePacker(freeze, through: sieve, at: db.now)
                let audience = AudienceSQL(audience: freeze.audience, now: db.now)
                let fields = freeze.audience.words?.fields ?? []
                try audience.each(in: connection, freeze.traits, telling: fields) { fate, token, row, traits in
                    let batches = packer.take(fate, token: token, row: row, traits: traits)
                    if !batches.isEmpty { try write(batches) }
                }
                try write(packer.finish())
                return packer
            },
            write: { batches, db in
                try SQLiteTransaction(db: db).at(clock).add(batches, freeze, attempt, under: lease)
            })
        guard packer.isAllowed else {
            while try await write({ try $0.at(clock).abandonFreezing(freeze, attempt, under: lease) }) {}
            return .refused(packer.figures)
        }
        return try await write { db in
            do {
                try db.at(clock).finishFreezing(packer, freeze, attempt, under: lease)
                return .frozen
            } catch is FreezeOvertaken {
                return .overtaken
            }
        }
    }

    /// Runs `body` on one snapshot of the database; the parts that it passes to `write` are written meanwhile, in
    /// transactions of their own, between other changes.
    private func snapshot<Part: Sendable, Value: Sendable>(
        _ body: @escaping @Sendable (Database, (Part) throws -> Void) throws -> Value,
        write: @escaping @Sendable (Part, Database) throws -> Void
    ) async throws(RegistryError) -> Value {
        do {
            guard let pool = database as? DatabasePool else {
                // A database in memory has a single connection, so the parts are written at the end.
                let (value, parts) = try await look { db in
                    var parts: [Part] = []
                    return (try body(db) { parts.append($0) }, parts)
                }
                for part in parts { try await change { db in try write(part, db) } }
                return value
            }
            return try await pool.read { [files] db in
                try body(db) { part in
                    try pool.write { db in
                        try write(part, db)
                        try files?.check(in: db)
                    }
                }
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }
}

/// Groups waiting changes into one transaction, so that they share one sync to disk.
///
/// Each is answered only after the commit, and rolled back alone when it fails: it has a savepoint of its own.
final class WriteQueue: Sendable {
    private struct Change: Sendable {
        /// Does the work and keeps its result.
        let run: @Sendable (Database) -> Void
        /// Returns the result, or the reason why the whole transaction failed.
        let answer: @Sendable ((any Error)?) -> Void
    }

    private struct Waiting {
        var changes: [Change] = []
        var isDraining = false
    }

    private let database: any DatabaseWriter
    private let isInline: Bool
    /// Called before each commit, which it may refuse.
    private let check: @Sendable (Database) throws -> Void
    private let waiting = Mutex(Waiting())

    /// The maximum number of changes in a transaction, so that the first one does not wait long for the last.
    private static let mostChanges = 128

    /// The time after which a transaction starts no further changes.
    private let transactionTime: Duration

    /// Creates a queue for a database; an inline one runs each change on the caller's thread, in its own transaction.
    init(
        _ database: any DatabaseWriter, transactionTime: Duration, isInline: Bool,
        check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        self.database = database
        self.check = check
        self.transactionTime = transactionTime
        self.isInline = isInline
    }

    /// Runs `body` in a transaction, possibly with others; returns when it is on disk.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        if isInline { return try inline(body) }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            let box = ResultBox<Value>()
            add(
                Change(
                    run: { db in
                        let result = Result { try Self.alone(db, body) }
                        box.result.withLock { $0 = result }
                    },
                    answer: { failure in
                        let result = failure.map { .failure($0) } ?? box.result.withLock { $0 }
                        continuation.resume(returning: result ?? .failure(Self.undone))
                    }))
        }
        return try result.get()
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try database.write(body)
    }

    private func add(_ change: Change) {
        let mustDrain = waiting.withLock { waiting in
            waiting.changes.append(change)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if mustDrain { drain() }
    }

    /// Runs the waiting changes when the writing connection is free.
    private func drain() {
        // Not run by a caller's task: a cancelled one must not take the others' changes with it.
        database.asyncWriteWithoutTransaction { [self] db in
            run(in: db)
            let mustGoOn = waiting.withLock { waiting in
                waiting.isDraining = !waiting.changes.isEmpty
                return waiting.isDraining
            }
            if mustGoOn { drain() }
        }
    }

    private func next(_ count: Int) -> [Change] {
        waiting.withLock { waiting in
            let changes = Array(waiting.changes.prefix(count))
            waiting.changes.removeFirst(changes.count)
            return changes
        }
    }

    private func run(in db: Database) {
        var changes: [Change] = []
        var failure: (any Error)?
        let end = ContinuousClock.now + transactionTime
        do {
            try db.inTransaction(.immediate) {
                repeat {
                    guard let change = next(1).first else { break }
                    changes.append(change)
                    change.run(db)
                } while changes.count < Self.mostChanges && ContinuousClock.now < end
                try check(db)
                return .commit
            }
        } catch {
            failure = error
            // No transaction could be started.
            if changes.isEmpty { changes = next(Self.mostChanges) }
        }
        for change in changes { change.answer(failure) }
    }

    private static func alone<Value>(_ db: Database, _ body: (Database) throws -> Value) throws -> Value {
        var value: Value?
        try db.inSavepoint {
            value = try body(db)
            return .commit
        }
        guard let value else { throw undone }
        return value
    }

    private static var undone: DatabaseError { DatabaseError(message: "the change was undone") }
}

/// Holds the result of a change until the commit.
private final class ResultBox<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
