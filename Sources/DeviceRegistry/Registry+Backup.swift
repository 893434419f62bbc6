internal import CLibrary
internal import Foundation
internal import GRDB

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
            throw RegistryError(internal: "'\(target)' exists; it is replaced only when that is asked for")
        }
        let draft = target + ".partial-" + ObjectID.object()
        guard Draft.createEmpty(draft) else {
            throw RegistryError(internal: "cannot create '\(draft)': \(String(cString: strerror(errno)))")
        }
        defer {
            for ending in ["", "-journal", "-wal", "-shm"] { unlink(draft + ending) }
        }
        do {
            try copy(source, to: draft)
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError(
                internal: "cannot copy '\(source)': \((error as? DatabaseError)?.message ?? "\(error)")")
        }
        guard Draft.flush(draft), Draft.publish(draft, as: target, isReplacing) else {
            let reason = errno == EEXIST ? "it exists" : String(cString: strerror(errno))
            throw RegistryError(internal: "cannot write '\(target)': \(reason)")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private static func copy(_ source: String, to draft: String) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let original = try DatabaseQueue(path: source, configuration: reading)
        let isOurs = try original.read { try $0.tableExists("installation") && $0.tableExists("push") }
        guard isOurs else { throw RegistryError(internal: "'\(source)' is no registry") }
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

/// A file that gets its name when it is complete.
private enum Draft {
    static func createEmpty(_ path: String) -> Bool {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Syncs a file, or a folder's entries, to disk.
    static func flush(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    static func publish(_ draft: String, as target: String, _ isReplacing: Bool) -> Bool {
        // Unlike a rename, a link fails if the name exists, even if it was created a moment ago.
        guard (isReplacing ? rename(draft, target) : link(draft, target)) == 0 else { return false }
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        return flush(folder)
    }
}
