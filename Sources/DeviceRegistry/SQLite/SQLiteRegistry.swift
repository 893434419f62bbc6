internal import Base
internal import CLibrary
internal import Foundation
internal import GRDB
package import Push
internal import Synchronization

extension Registry {
    /// The cache of the writing connection: the inner pages of the indexes over a million devices.
    package static let cacheKiB = 65_536

    /// The cache for a transfer: the rest of the machine's memory belongs to the server that may run beside it.
    package static let transferCacheKiB = 16_384

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
        try owner.checkIsNotEmptied()
        if isAlone { try owner.take() }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: SQLiteDatabase.configuration)
        } catch {
            throw RegistryError(internal: "cannot open '\(path)': \(SQLiteDatabase.summary(of: error))")
        }
        let registry = Registry(
            try SQLiteDatabase(pool, at: path, changeTimeLimit: changeTimeLimit, owner: owner, cacheKiB: cacheKiB),
            queryTimeLimit: queryTimeLimit, changeTimeLimit: changeTimeLimit)
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
        queryTimeLimit: Duration = queryTimeLimit, changeTimeLimit: Duration = changeTimeLimit, isInline: Bool = false
    ) throws(RegistryError) -> Registry {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(configuration: SQLiteDatabase.configuration)
        } catch {
            throw RegistryError(internal: "cannot open a database in memory: \(SQLiteDatabase.summary(of: error))")
        }
        return Registry(
            try SQLiteDatabase(queue, changeTimeLimit: changeTimeLimit, isInline: isInline, cacheKiB: cacheKiB),
            queryTimeLimit: queryTimeLimit, changeTimeLimit: changeTimeLimit)
    }

    /// Opens an existing registry as ``open(existing:isAlone:)`` does, with one connection whose operations run on the
    /// caller's thread as those of ``inMemory(queryTimeLimit:changeTimeLimit:isInline:)``.
    ///
    /// `uri` names the file and the file system of SQLite's (VFS) that has it: `file:/registry.db?vfs=NAME`. The program
    /// itself makes sure that nobody else writes journals without a lock, and that the file keeps its name. `logPages` is
    /// the length of the log after which it is brought over into the file.
    ///
    /// - Throws: ``RegistryError`` when the file cannot be opened or is not a registry.
    package static func open(inline uri: String, logPages: Int = 1000) throws(RegistryError) -> Registry {
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(path: uri, configuration: SQLiteDatabase.configuration)
            try queue.unsafeRead { db in
                try check(db, uri)
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(logPages)")
            }
        } catch {
            throw opening(uri, error)
        }
        return Registry(try SQLiteDatabase(queue, changeTimeLimit: changeTimeLimit, isInline: true, cacheKiB: cacheKiB))
    }

    /// The file's database; nil for one in PostgreSQL.
    var file: SQLiteDatabase? { database as? SQLiteDatabase }

    /// Removes all devices and all data of applies, within a millisecond: as if the registry had just been created;
    /// does nothing in PostgreSQL.
    package func empty() async throws(RegistryError) {
        try await file?.change { db in
            for table in DeploySchema.emptied { try db.cachedStatement(sql: "DELETE FROM \(table)").execute() }
            try db.cachedStatement(sql: "UPDATE rowUsed SET installation = 0").execute()
        }
    }

    /// Moves everything into the database's own file, so that it can be copied without the log beside it; does nothing
    /// in PostgreSQL.
    ///
    /// - Throws: ``RegistryError`` when another process reads the file, or the disk fails: then the log belongs to the
    ///   file.
    package func checkpoint() async throws(RegistryError) {
        do {
            try await file?.database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = 1000")
                try db.checkpoint(.truncate)
            }
        } catch {
            throw SQLiteDatabase.registryError(from: error)
        }
    }

    /// Closes a file at once, after which nothing works any more; ``shutDown()`` closes any database.
    package func close() { file?.shut() }
}

// MARK: - Opening

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
        return JournalReader(database: SQLiteDatabase(readOnly: database, at: path), clock: clock)
    }

    private static func inspect(
        _ path: String, _ body: (Database) throws -> Void
    ) throws(RegistryError) -> DatabasePool {
        // SQLite would create a missing file.
        guard FileManager.default.fileExists(atPath: path) else {
            throw RegistryError(internal: "there is no registry at '\(path)': run 'bugle registry init'")
        }
        try RegistryOwner(of: path).checkIsNotEmptied()
        var configuration = SQLiteDatabase.configuration
        configuration.readonly = true
        do {
            // Unlike a queue, a closed pool rejects requests.
            let database = try DatabasePool(path: path, configuration: configuration)
            try database.read(body)
            return database
        } catch {
            throw opening(path, error)
        }
    }

    /// The error of a file that could not be opened.
    private static func opening(_ path: String, _ error: any Error) -> RegistryError {
        if let error = error as? RegistryError { return error }
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_NOTADB: return RegistryError(internal: "'\(path)' is not a bugle registry")
        case .SQLITE_CANTOPEN:
            return RegistryError(
                internal: "cannot open '\(path)': the file and its folder must be readable, and the folder writable "
                    + "too unless another process has the registry open, because SQLite keeps '-wal' and '-shm' beside it"
            )
        case _: return RegistryError(internal: "cannot open '\(path)': \(SQLiteDatabase.summary(of: error))")
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

/// Prevents two processes from writing journals into the same registry's file without a lock: the second one is
/// rejected.
///
/// It is an operating system lock on a file beside the registry, so it ends with its process in any case; the file
/// remains and names the holder. The registry's own file is not used for it: closing it would drop SQLite's locks.
final class RegistryOwner: Sendable {
    private let registry: String
    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// Creates a candidate for the ownership of a registry's file.
    init(of registry: String) {
        self.registry = registry
        path = Self.resolved(registry) + "-owner"
    }

    /// Checks that a file in use was not cut off to nothing: SQLite would take it for a new database, and remove the log
    /// beside it.
    ///
    /// - Throws: ``RegistryError`` that says what to do.
    func checkIsNotEmptied() throws(RegistryError) {
        let file = FileStamp(registry)
        guard file.identity != nil, file.size == 0 else { return }
        guard [registry + "-wal", path].contains(where: { FileStamp($0).size > 0 }) else { return }
        throw RegistryError(
            internal: "the registry's file '\(registry)' is empty, and was in use: what was recorded in it is lost, "
                + "so restore a backup; to begin anew, remove it and what stands beside it under its name")
    }

    deinit { giveBack() }

    /// Becomes the owner, unless it already is.
    ///
    /// - Throws: ``RegistryError`` that names the other owner.
    func take() throws(RegistryError) {
        let refusal: RegistryError? = descriptor.withLock { descriptor in
            guard descriptor == nil else { return nil }
            let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            guard opened >= 0 else {
                return RegistryError(internal: unsafe "cannot open '\(path)': \(String(cString: strerror(errno)))")
            }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                let reason = errno
                defer { close(opened) }
                guard reason == EWOULDBLOCK else {
                    return RegistryError(internal: unsafe "cannot lock '\(path)': \(String(cString: strerror(reason)))")
                }
                return RegistryError(
                    internal: "another process sends from this registry: \(Self.holder(opened)); only one may without "
                        + "a lock ('\(path)')")
            }
            let line = Array((Self.holder + "\n").utf8)
            _ = ftruncate(opened, 0)
            _ = unsafe pwrite(opened, line, line.count, 0)
            descriptor = opened
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Gives up the ownership.
    func giveBack() {
        descriptor.withLock { descriptor in
            if let opened = descriptor {
                // A program that is just being started may have it open, too, and keep the lock for a moment.
                flock(opened, LOCK_UN)
                close(opened)
            }
            descriptor = nil
        }
    }

    /// This process, in words.
    private static var holder: String {
        var name = [CChar](repeating: 0, count: 256)
        _ = unsafe gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(ProcessInfo.processInfo.processName), process \(getpid()) on \(host), since "
            + Instant.system.isoText
    }

    /// The holder's own description.
    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = unsafe max(0, pread(descriptor, &bytes, bytes.count, 0))
        let text = String(decoding: bytes.prefix(count).prefix { $0 >= 0x20 }, as: UTF8.self)
        return text.isEmpty ? "one that has not written its name yet" : text
    }

    /// The path with links resolved, even if the file does not exist yet.
    private static func resolved(_ path: String) -> String {
        func real(_ path: String) -> String? {
            guard let text = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(text) }
            return unsafe String(cString: text)
        }
        if let path = real(path) { return path }
        let url = URL(fileURLWithPath: path)
        return (real(url.deletingLastPathComponent().path) ?? "") + "/" + url.lastPathComponent
    }
}

/// The files of an open registry: whatever is written to one that has lost its name is found by nobody afterwards.
///
/// SQLite goes on with the files that it has open, whether their names were removed, given to others, or copied over.
/// Looking takes four calls of the system, so it is done in every transaction.
final class RegistryFiles: Sendable {
    private let path: String
    private let opened: [(ending: String, file: FileIdentity)]
    private let main: Mutex<MainFile>

    private struct MainFile {
        var stamp: FileStamp
        /// The progress with which it has this stamp; nil when that was not known.
        var progress: CheckpointProgress?
        var isOverwritten = false
    }

    /// Notes the files of a registry that was opened; the log and its index exist as long as anybody has it open.
    init(_ path: String) {
        self.path = path
        opened = ["", "-wal", "-shm"].compactMap { ending in
            FileIdentity(path + ending).map { (ending, $0) }
        }
        main = Mutex(MainFile(stamp: FileStamp(path)))
    }

    /// Checks that the names still lead to these files, and that nothing was found to be copied over the main one.
    ///
    /// - Throws: ``RegistryError`` with ``RegistryError/isFileLost``, which says what to do.
    func check() throws(RegistryError) {
        for (ending, file) in opened {
            let found = FileIdentity(path + ending)
            if found == file { continue }
            throw .fileLost(
                "the registry's file '\(path)\(ending)' was \(found == nil ? "removed or renamed" : "replaced") while it "
                    + "was in use, so nothing more is written; what was recorded stands in the file that was opened and "
                    + "its '-wal' and '-shm' only: put all three back under their names if they are elsewhere, or "
                    + "restore a backup")
        }
        if main.withLock({ $0.isOverwritten }) {
            throw .fileLost(
                "the registry's file '\(path)' was overwritten while it was in use, so nothing more is written; "
                    + "what was recorded in it is lost: restore a backup")
        }
    }

    /// Checks this too in a transaction that writes: that nothing was copied over the file.
    func check(in db: Database) throws {
        let before = CheckpointProgress(db)
        let stamp = FileStamp(path)
        // A file of another name may come back as it was; what has this one's name says nothing about it.
        guard stamp.identity == opened.first?.file else { return try check() }
        // Unless SQLite was at work meanwhile, this is what it left.
        let progress = before.flatMap { $0 == CheckpointProgress(db) ? $0 : nil }
        let last = main.withLock { $0 }
        func number(_ name: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        let isWritten = progress != nil && progress == last.progress && stamp != last.stamp
        // It shrinks only when it is overwritten, or by a `VACUUM`.
        let isCut = try stamp.size < last.stamp.size && number("page_count") * number("page_size") > stamp.size
        main.withLock { main in
            main.isOverwritten = main.isOverwritten || isWritten || isCut
            if progress != nil { (main.stamp, main.progress) = (stamp, progress) }
        }
        try check()
    }
}
