internal import Base
package import Push
internal import Synchronization

/// A database of devices, of the app's other objects, and of the pushes to the devices.
///
/// It is a file of SQLite or a database in PostgreSQL: changes are on disk when a method returns, whatever happens to
/// the process. Every change is one transaction. Safe to use from any task.
package final class Registry: Sendable {
    /// The time limit of a query: the default of ``open(path:queryTimeLimit:changeTimeLimit:isAlone:cacheKiB:)``.
    package static let queryTimeLimit = ConditionTranslator.timeLimit

    /// The time limit of a change, for which others wait: the default of
    /// ``open(path:queryTimeLimit:changeTimeLimit:isAlone:cacheKiB:)``.
    ///
    /// Source: the server's own limit; a change that takes longer is rolled back and gets code 124.
    package static let changeTimeLimit: Duration = .seconds(1)

    let database: any RegistryDatabase
    /// True if the last change failed for a reason other than the request.
    private let isFailing = Atomic(false)
    /// The lane for queries with regular expressions, any of which can be slow: only two of them run at a time.
    let patternPlaces = Pool(places: 2)
    /// The lane for the queries of clients: the database's other connections are for registrations and pushes.
    let clientPlaces = Pool(places: 4)
    /// The custom fields that are queried.
    let fieldIndexes = FieldIndexes()
    let queryTimeLimit: Duration
    /// The time limit of a change, and the time after which a shared transaction starts no further changes.
    let changeTimeLimit: Duration
    /// Serializes the changes to one object.
    let turns = Turns()
    /// The registrations that wait for a transaction to share.
    let registrations = RegistrationQueue()

    /// Creates a registry over an open database.
    package init(
        _ database: any RegistryDatabase, queryTimeLimit: Duration = queryTimeLimit,
        changeTimeLimit: Duration = changeTimeLimit
    ) {
        self.database = database
        self.queryTimeLimit = queryTimeLimit
        self.changeTimeLimit = changeTimeLimit
    }

    /// True if several servers may use the database at a time.
    package var isShared: Bool { database.isShared }

    /// True each time a push has changed, also by another server; false when that may go unheard for now.
    package func news() -> AsyncStream<Bool> { database.news() }

    /// Closes the database, after which nothing works any more.
    package func shutDown() async { await database.close() }
}

extension Registry {
    /// Runs `body` on one snapshot of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await database.read(.current, body)
    }

    /// Runs `body` on one snapshot of the database, and aborts it with code 124 at its time limit.
    ///
    /// A client's, and a condition with a regular expression, waits for a free lane; `limit`, by default
    /// ``queryTimeLimit``, includes the wait.
    func query<Value: Sendable>(
        _ condition: JSONValue, as access: Access = .master, within limit: Duration? = nil,
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        let (start, limit) = (ContinuousClock.now, limit ?? queryTimeLimit)
        // In this order: whoever waits for the first holds up nobody who needs only the second.
        let lanes = [condition.mentions("$regex") ? patternPlaces : nil, access == .client ? clientPlaces : nil]
        var taken: [Pool<Void>] = []
        defer { for lane in taken { lane.giveBack(()) } }
        for lane in lanes.compactMap(\.self) {
            guard await lane.take(within: limit - (ContinuousClock.now - start)) != nil else { throw .late }
            taken.append(lane)
        }
        return try await database.read(.within(limit - (ContinuousClock.now - start)), body)
    }

    /// Runs `body` in one transaction, which is on disk when this returns; its changes are rolled back when it throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        do throws(RegistryError) {
            let value = try await database.write(body)
            isFailing.store(false, ordering: .relaxed)
            return value
        } catch {
            if error.isInternal { isFailing.store(true, ordering: .relaxed) }
            throw error
        }
    }

    /// Checks that changes are possible; tries one if the last one failed. That a file was taken away is found at once.
    ///
    /// - Throws: ``RegistryError`` with the reason when they are not.
    package func checkWriting() async throws(RegistryError) {
        try await read { _ in }
        guard isFailing.load(ordering: .relaxed) else { return }
        try await database.probe()
        isFailing.store(false, ordering: .relaxed)
    }
}

extension Journal {
    /// The journal in an open registry; the clock is the machine's by default.
    package init(_ registry: Registry, clock: @escaping @Sendable () -> Instant = { .system }) {
        self.init(registry.database, clock: clock)
    }
}
