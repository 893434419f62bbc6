internal import Foundation
internal import GRDB
package import Push
internal import Synchronization

extension Registry {
    /// Opens an existing registry, without ever creating one.
    ///
    /// Tables made by an older bugle are migrated. `isAlone` is as in
    /// ``open(path:queryTimeLimit:changeTimeLimit:isAlone:cacheKiB:)``.
    ///
    /// - Throws: ``RegistryError`` with a remedy when there is no file, it is not a registry, or a newer bugle made it.
    package static func open(existing path: String, isAlone: Bool = false) throws(RegistryError) -> Registry {
        _ = try inspect(path) { db in try check(db, path) }
        return try open(path: path, isAlone: isAlone)
    }

    /// Returns the names of the migrations that opening a file would run, in their order.
    ///
    /// - Throws: ``RegistryError`` as ``open(existing:isAlone:)``; a missing file gets all of them.
    package static func pendingMigrations(path: String) throws(RegistryError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return Schema.migrations }
        let applied = Mutex<Set<String>>([])
        let database = try inspect(path) { db in
            try check(db, path)
            let known = try Schema.migrator.appliedIdentifiers(db)
            applied.withLock { $0 = known }
        }
        try? database.close()
        return Schema.migrations.filter { name in !applied.withLock { $0.contains(name) } }
    }

    /// Opens a registry for reading only; its connections cannot write.
    ///
    /// The database's clock is the machine's by default.
    ///
    /// - Throws: ``RegistryError`` as ``open(existing:)``, and when the tables were made by an older bugle.
    package static func openReadOnly(
        path: String, clock: @escaping @Sendable () -> Instant = { .system }
    ) throws(RegistryError) -> JournalReader {
        let database = try inspect(path) { db in
            try check(db, path)
            guard try Schema.migrator.hasCompletedMigrations(db) else {
                throw RegistryError(
                    internal: "the tables of '\(path)' are those of an older bugle: run 'bugle registry init', which "
                        + "brings them up to date")
            }
        }
        return JournalReader(SQLiteDatabase(readOnly: database, at: path), clock: clock)
    }

    private static func inspect(
        _ path: String, _ body: (Database) throws -> Void
    ) throws(RegistryError) -> DatabasePool {
        // SQLite would create a missing file.
        guard FileManager.default.fileExists(atPath: path) else {
            throw RegistryError(internal: "there is no registry at '\(path)': run 'bugle registry init'")
        }
        var configuration = SQLiteDatabase.configuration
        configuration.readonly = true
        do {
            // Unlike a queue, a closed pool rejects requests.
            let database = try DatabasePool(path: path, configuration: configuration)
            try database.read(body)
            return database
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw RegistryError(internal: "'\(path)' is not a bugle registry")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            throw RegistryError(
                internal: "cannot open '\(path)': the file and its folder must be readable, and the folder writable "
                    + "too unless another process has the registry open, because SQLite keeps '-wal' and '-shm' beside it"
            )
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError(internal: "cannot open '\(path)': \(SQLiteDatabase.summary(of: error))")
        }
    }

    private static func check(_ db: Database, _ path: String) throws {
        guard try db.tableExists("installation"), try db.tableExists("push") else {
            throw RegistryError(internal: "'\(path)' is not a bugle registry")
        }
        guard try !Schema.migrator.hasBeenSuperseded(db) else {
            throw RegistryError(internal: "a newer bugle made '\(path)': use that version or a newer one")
        }
    }
}
