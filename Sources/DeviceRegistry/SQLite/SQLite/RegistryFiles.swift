internal import Base
internal import GRDB
internal import Synchronization

/// The files of an open registry: whatever is written to one that has lost its name is found by nobody afterwards.
///
/// SQLite goes on with the files that it has open, whether their names were removed, given to others, or copied over.
/// Looking takes four calls of the system, so it is done in every transaction.
final class RegistryFiles: Sendable {
    private let path: String
    private let opened: [(ending: String, file: FileIdentity)]
    private let main: Mutex<MainFile>

    /// The main file, as it was last found.
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
        let isCut =
            try stamp.size < last.stamp.size && number("page_count") * number("page_size") > stamp.size
        main.withLock { main in
            main.isOverwritten = main.isOverwritten || isWritten || isCut
            if progress != nil { (main.stamp, main.progress) = (stamp, progress) }
        }
        try check()
    }
}
