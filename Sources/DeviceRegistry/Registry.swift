internal import Foundation
internal import GRDB

/// A database of devices, of the other objects of the app, and of what was pushed to them.
///
/// One SQLite file in WAL mode with `synchronous=FULL`: what a method returned from is on the disk, whatever happens to
/// the process. Every change is one transaction. Safe to use from any task.
package final class Registry: Sendable {
    /// The connection, or the pool of connections.
    private let database: any DatabaseWriter

    private init(_ database: any DatabaseWriter) throws(RegistryError) {
        self.database = database
        do {
            // The pool sets `NORMAL` when it turns WAL on; its writing connection lives as long as it does.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.migrator.migrate(database)
        } catch {
            throw RegistryError(internal: "the database cannot be used: \(Self.summary(of: error))")
        }
    }

    /// Opens the database file at `path`, and creates it and its tables where they are missing.
    ///
    /// - Throws: ``RegistryError`` when the file cannot be opened or is no database of ours.
    package static func open(path: String) throws(RegistryError) -> Registry {
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
        } catch {
            throw RegistryError(internal: "cannot open '\(path)': \(summary(of: error))")
        }
        return try Registry(pool)
    }

    /// A database that lives in memory and ends with the process.
    ///
    /// - Throws: ``RegistryError`` when SQLite lacks something.
    package static func inMemory() throws(RegistryError) -> Registry {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(configuration: configuration)
        } catch {
            throw RegistryError(internal: "cannot open a database in memory: \(summary(of: error))")
        }
        return try Registry(queue)
    }

    /// Closes the files. Nothing works after it.
    package func close() {
        try? database.close()
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
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
        do {
            return try await database.read(body)
        } catch {
            throw Self.registryError(from: error)
        }
    }

    /// Runs `body` in one transaction, which is on the disk when this returns and undone when `body` throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            return try await database.write(body)
        } catch {
            throw Self.registryError(from: error)
        }
    }

    private static func registryError(from error: any Error) -> RegistryError {
        if let refusal = error as? RegistryError { return refusal }
        guard let failure = error as? DatabaseError else { return RegistryError(internal: "the database failed") }
        if failure.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            return .valueTaken
        }
        if failure.message?.contains(SQLFunctions.timeoutMessage) == true {
            return RegistryError(.timeout, "The request timed out on the server.")
        }
        return RegistryError(internal: "the database failed: \(summary(of: failure))")
    }

    /// The words of an error without its arguments, which may hold tokens.
    private static func summary(of error: any Error) -> String {
        guard let failure = error as? DatabaseError else { return "\(error)" }
        return failure.message ?? "SQLite code \(failure.resultCode.rawValue)"
    }
}
