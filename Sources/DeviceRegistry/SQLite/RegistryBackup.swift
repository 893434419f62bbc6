internal import Base
internal import CLibrary
internal import Foundation
internal import GRDB
package import Push

extension Registry {
    /// Copies a registry's file while it may be in use, and verifies the copy before it gets its name.
    ///
    /// The copy is one snapshot: everything on disk when this was called. It blocks no user of the file. The copy's
    /// mode is 0600; under its name there is never a partial file.
    ///
    /// - Parameters:
    ///   - source: the registry's file.
    ///   - target: the copy.
    ///   - isReplacing: true to replace an existing file.
    /// - Returns: the size of the copy in bytes.
    /// - Throws: ``RegistryError`` that names the file; then there is no copy, and an older one is unchanged.
    package static func backUp(
        _ source: String, to target: String, replacing isReplacing: Bool = false
    ) throws(RegistryError) -> Int {
        // SQLite would create a missing file.
        guard FileManager.default.fileExists(atPath: source) else {
            throw RegistryError(internal: "there is no registry at '\(source)'")
        }
        guard isReplacing || !FileManager.default.fileExists(atPath: target) else {
            throw RegistryError(internal: "'\(target)' already exists; it is overwritten only on request")
        }
        do {
            let draft = try FileDraft(of: target, mode: 0o600)
            defer {
                for ending in Self.logEndings { unsafe unlink(draft.path + ending) }
                draft.discard()
            }
            try copy(source, to: draft.path)
            try draft.publish(replacing: isReplacing)
        } catch let error as RegistryError {
            throw error
        } catch let error as SystemError {
            let reason = error.code == EEXIST ? "it exists" : error.description
            throw RegistryError(internal: "cannot write '\(target)': \(reason)")
        } catch {
            throw RegistryError(
                internal: "cannot copy '\(source)': \((error as? DatabaseError)?.message ?? "\(error)")")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// The endings of the files that belong to a registry's own.
    static let logEndings = ["-journal", "-wal", "-shm"]

    /// Removes a file, if it exists.
    static func remove(_ path: String) throws(RegistryError) {
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw RegistryError(internal: "cannot remove '\(path)': \(SystemError())")
    }

    /// Gives a registry's file its name; the file that had it is kept under `old`.
    ///
    /// - Throws: ``RegistryError`` when there is one and `old` is nil, when a process has it open, or the system
    ///   refuses.
    static func move(_ draft: String, to path: String, keeping old: String?) throws(RegistryError) {
        do {
            let isThere = FileManager.default.fileExists(atPath: path)
            if isThere, old == nil {
                throw RegistryError(internal: "'\(path)' exists; it is replaced only when that is asked for")
            }
            let known = isThere ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
            let attributes = try FileManager.default.attributesOfItem(atPath: known)
            if let user = attributes[.ownerAccountID] as? Int, let group = attributes[.groupOwnerAccountID] as? Int {
                // Only root may give a file away; anybody else keeps it.
                _ = unsafe chown(draft, uid_t(user), gid_t(group))
            }
            try alone(with: isThere ? path : nil) {
                if isThere, let old {
                    guard unsafe link(path, old) == 0 else { throw SystemError() }
                    for ending in logEndings where FileManager.default.fileExists(atPath: path + ending) {
                        try FileManager.default.moveItem(atPath: path + ending, toPath: old + ending)
                    }
                }
                guard unsafe rename(draft, path) == 0 else { throw SystemError() }
            }
            try FileDraft.flush(folderOf: path)
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError(
                internal: "cannot put the copy in the place of '\(path)': \(SQLiteDatabase.summary(of: error))")
        }
    }

    /// Runs `body` while no other process has a registry's file open; its log is merged into it first. A file that is no
    /// database any more is nobody's.
    private static func alone(with path: String?, _ body: () throws -> Void) throws {
        guard let path else { return try body() }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.writeWithoutTransaction { db in
                // SQLite refuses to leave WAL mode while another connection exists.
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
                try db.execute(sql: "BEGIN EXCLUSIVE")
                defer { try? db.execute(sql: "ROLLBACK") }
                try body()
            }
            try database.close()
        } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) {
            try body()
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw RegistryError(internal: "another process has '\(path)' open: stop it first")
        }
    }

    private static func copy(_ source: String, to draft: String) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let original = try DatabaseQueue(path: source, configuration: reading)
        let isOurs = try original.read { try $0.tableExists("installation") && $0.tableExists("push") }
        guard isOurs else { throw RegistryError(internal: "'\(source)' is not a registry") }
        var writing = Configuration()
        // The copy is a single file, without a log beside it.
        writing.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let copy = try DatabaseQueue(path: draft, configuration: writing)
        try original.backup(to: copy)
        try copy.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            let findings = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            guard findings == ["ok"] else {
                throw RegistryError(internal: "the copy of '\(source)' is damaged: \(findings.first ?? "no answer")")
            }
        }
        try copy.close()
        try original.close()
    }
}

// MARK: - Restore

extension Registry {
    /// Puts a backup in the place of a registry's file, and holds back what may have been sent since.
    ///
    /// The copy is checked and gets its name last. An existing file is kept beside it, its name followed by
    /// `.before-` and the time. The new file belongs to the old one's owner, else to its folder's.
    ///
    /// - Parameters:
    ///   - backup: a copy made by ``backUp(_:to:replacing:)``.
    ///   - path: the registry's file, which no process may have open.
    ///   - isReplacing: true to replace an existing file.
    ///   - now: the time; pushes due until then are held.
    /// - Returns: the result.
    /// - Throws: ``RegistryError``; then the file is as it was.
    package static func restore(
        _ backup: String, to path: String, replacing isReplacing: Bool, at now: Instant
    ) async throws(RegistryError) -> RestoreReport {
        let owner = RegistryOwner(of: path)
        try owner.take()
        defer { owner.giveBack() }
        let draft = path + ".restoring"
        func discard() { for ending in [""] + logEndings { try? remove(draft + ending) } }
        discard()
        do throws(RegistryError) {
            _ = try backUp(backup, to: draft)
            let restored = try Registry.open(path: draft)
            let report: RestoreReport
            do throws(RegistryError) {
                report = try await restored.holdOverdue(at: now)
                try await restored.checkpoint()
            } catch {
                restored.close()
                throw error
            }
            restored.close()
            try move(draft, to: path, keeping: isReplacing ? path + ".before-" + now.isoText : nil)
            discard()
            return report
        } catch {
            discard()
            throw error
        }
    }
}
