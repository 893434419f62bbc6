internal import Basics
internal import GRDB
internal import RegistryModel
internal import Synchronization

/// The files of an open registry: whatever is written to one that has lost its name is found by nobody afterwards.
///
/// SQLite goes on with the files that it has open, whether their names were removed, or given to others. Looking takes
/// three calls of the system, so it is done in every transaction.
final class RegistryFiles: Sendable {
    private let path: String
    private let opened: [(ending: String, file: FileIdentity)]
    /// The largest size of the main file: it shrinks only when it is overwritten, or by a `VACUUM`.
    private let largest: Atomic<Int64>

    /// Notes the files of a registry that was opened; the log and its index exist as long as anybody has it open.
    init(_ path: String) {
        self.path = path
        opened = ["", "-wal", "-shm"].compactMap { ending in
            FileIdentity(path + ending).map { (ending, $0) }
        }
        largest = Atomic(FileStamp(path).size)
    }

    /// Checks that the names still lead to these files.
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
    }

    /// Checks this too in a transaction that writes: that nothing was copied over the file.
    func check(in db: Database) throws {
        try check()
        let size = FileStamp(path).size
        let before = largest.load(ordering: .relaxed)
        if size < before {
            func number(_ name: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
            guard try number("page_count") * number("page_size") <= size else {
                throw RegistryError.fileLost(
                    "the registry's file '\(path)' was overwritten while it was in use, so nothing more is written; "
                        + "what was recorded in it is lost: restore a backup")
            }
        }
        if size != before { largest.store(size, ordering: .relaxed) }
    }
}
