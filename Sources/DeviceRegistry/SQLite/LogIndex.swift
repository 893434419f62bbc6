internal import GRDB
internal import GRDBSQLite

/// What the index of a registry's log says, which all processes share that have the registry open.
///
/// Source: https://www.sqlite.org/walformat.html#the_wal_index_file_format.
private struct LogIndex {
    /// The bytes of the log that count: its head, and a page with a head of its own for each frame.
    let length: Int64
    /// The name of the log's round: another one each time that it begins anew.
    let salts: [UInt32]
    /// The frames that were or are being brought over, and those that have arrived.
    let attempted, arrived: UInt32

    /// Reads it; nil where there is no log. It changes meanwhile unless the connection has a transaction that writes.
    init?(_ db: Database) {
        guard let file = unsafe db.file(SQLITE_FCNTL_FILE_POINTER), let methods = unsafe file.pointee.pMethods?.pointee,
            methods.iVersion >= 2
        else { return nil }
        var index: UnsafeMutableRawPointer?
        // The connection has the first part of the index in memory as long as it is open; its bytes may change meanwhile.
        guard unsafe methods.xShmMap(file, 0, 32 << 10, 0, &index) == SQLITE_OK, let index = unsafe index else {
            return nil
        }
        func number(at offset: Int) -> UInt32 { unsafe index.load(fromByteOffset: offset, as: UInt32.self) }
        salts = [number(at: 32), number(at: 36)]
        (attempted, arrived) = (number(at: 128), number(at: 96))
        let page = unsafe index.load(fromByteOffset: 14, as: UInt16.self)
        let frames = Int64(number(at: 16))
        length = frames == 0 ? 0 : 32 + frames * (24 + (page == 1 ? 65_536 : Int64(page)))
    }
}

/// How far SQLite has brought its log into a registry's file: nothing else of SQLite's writes to that file.
///
/// It stands in the index of the log, and is noted there before anything is written.
///
/// Source: docs/background/unknown-outcomes.md#a-registry-whose-file-is-lost.
struct CheckpointProgress: Hashable {
    private let salts: [UInt32]
    private let frames: UInt32

    /// Reads it; nil where there is no log, or somebody is bringing frames over.
    init?(_ db: Database) {
        guard let index = LogIndex(db), index.attempted == index.arrived else { return nil }
        (salts, frames) = (index.salts, index.arrived)
    }
}

extension Database {
    /// Writes the log anew, byte for byte, and syncs it: what is read of it is on the disk from then on.
    ///
    /// When a sync fails, the system may show bytes that it will never write again, until the power is cut. SQLite takes
    /// such a transaction back; but whoever opens the registry next and reads the log anew takes it for committed, and
    /// everything that is committed behind it would be lost with it.
    ///
    /// Source: docs/background/proof.md#the-disk.
    func rewriteLog() throws {
        func check(_ code: Int32) throws {
            if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        do {
            try inTransaction(.immediate) {
                guard let index = LogIndex(self), index.length > 0,
                    let file = unsafe file(SQLITE_FCNTL_JOURNAL_POINTER),
                    let methods = unsafe file.pointee.pMethods?.pointee
                else { return .rollback }
                // SQLite's own system interface takes at most 128 KiB less a byte in a write.
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                for offset in stride(from: 0, to: index.length, by: bytes.count) {
                    let count = Int32(min(Int64(bytes.count), index.length - offset))
                    try unsafe check(methods.xRead(file, &bytes, count, offset))
                    try unsafe check(methods.xWrite(file, bytes, count, offset))
                }
                try unsafe check(methods.xSync(file, SQLITE_SYNC_NORMAL))
                return .rollback
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Whoever is writing has written the log anew, and knows which of its own syncs failed.
        }
    }

    /// A file of the main database: its own, or its log.
    fileprivate func file(_ control: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(sqliteConnection, "main", control, &file)
        return unsafe code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }
}
