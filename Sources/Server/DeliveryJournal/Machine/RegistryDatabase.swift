package import PushModel
package import RegistryModel

/// A database that holds a server's registry, and runs transactions on it.
package protocol RegistryDatabase: Sendable {
    /// True if several servers may use the database at a time.
    var isShared: Bool { get }

    /// Runs `body` on one snapshot, read-only.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` like ``read(_:)``, even if the task was cancelled.
    func readToTheEnd<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` like ``read(_:)``, and aborts it at a time limit.
    ///
    /// - Throws: ``RegistryError/late``, or what `body` throws.
    func query<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` in one transaction, durable when this returns and rolled back when it throws; it is run again after
    /// a conflict with another.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Checks that changes are possible, by making one.
    func probe() async throws(RegistryError)

    /// Continues to build an index over a custom field, by one step; false when all are complete.
    func fillIndexes() async throws(RegistryError) -> Bool

    /// The data of applies in this database, under a clock; nil for the database's own.
    func deploys(by clock: (@Sendable () -> Instant)?) -> any DeployDatabase

    /// True each time any server's push has changed, as long as the stream is kept; false when that may go unheard for
    /// now. It is empty where nothing is ever heard.
    func news() -> AsyncStream<Bool>

    /// The size in bytes, without a log.
    func size() async throws(RegistryError) -> Int

    /// Closes the database, after which nothing works any more.
    func close() async
}
