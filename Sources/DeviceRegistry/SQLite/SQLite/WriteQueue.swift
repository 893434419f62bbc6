internal import GRDB
internal import Synchronization

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
