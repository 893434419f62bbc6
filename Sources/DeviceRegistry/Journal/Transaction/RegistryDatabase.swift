package import Push

/// A database that holds a registry, and runs transactions on it.
package protocol RegistryDatabase: Sendable {
    /// True if several servers may use the database at a time.
    var isShared: Bool { get }

    /// Runs `body` on one snapshot, read-only.
    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` in one transaction, durable when this returns and rolled back when it throws; it is run again after
    /// a conflict with another.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Freezes an audience under a clock, in as many transactions as needed; returns the figures of one whose size is
    /// not allowed, of which nothing is left.
    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceFigures?

    /// Ensures that no other process writes journals without a lock.
    func own() throws(RegistryError)

    /// Checks that changes are possible, by making one.
    func probe() async throws(RegistryError)

    /// Continues to build an index over a custom field, by one step; false when all are complete.
    func fillIndexes() async throws(RegistryError) -> Bool

    /// True each time any server's push has changed, as long as the stream is kept; false when that may go unheard for
    /// now. It is empty where nothing is ever heard.
    func news() -> AsyncStream<Bool>

    /// The size in bytes, without a log.
    func size() async throws(RegistryError) -> Int

    /// Closes the database, after which nothing works any more.
    func close() async
}

/// The ways to read a registry.
package enum ReadKind: Sendable {
    /// Reads the file that has the registry's name, where it is a file.
    case current
    /// Reads the journal, which tells what was sent even after a file that can be written to has lost its name: whatever
    /// is done about it writes.
    case journal
    /// Reads to the end even if the task was cancelled.
    case toTheEnd
    /// Reads until a time limit, and then fails with ``RegistryError/late``.
    case within(Duration)
}
