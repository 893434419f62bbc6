internal import GRDB
internal import GRDBSQLite

/// How far SQLite has brought its log into a registry's file: nothing else of SQLite's writes to that file.
///
/// It stands in the index of the log, which all processes share, and is noted there before anything is written.
///
/// Source: docs/background/unknown-outcomes.md#a-registry-whose-file-is-lost.
struct CheckpointProgress: Hashable {
    /// The name of the log's round: another one each time that it begins anew.
    private let salts: [UInt32]
    /// The frames that were or are being brought over, and those that have arrived.
    private let attempted, arrived: UInt32

    /// Reads it; nil where there is no log, or somebody is bringing frames over.
    init?(_ db: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2
        else { return nil }
        var index: UnsafeMutableRawPointer?
        // The connection has the first part of the index in memory as long as it is open; its bytes may change meanwhile.
        guard methods.xShmMap(file, 0, 32 << 10, 0, &index) == SQLITE_OK, let index else { return nil }
        func number(at offset: Int) -> UInt32 { index.load(fromByteOffset: offset, as: UInt32.self) }
        salts = [number(at: 32), number(at: 36)]
        (attempted, arrived) = (number(at: 128), number(at: 96))
        if attempted != arrived { return nil }
    }
}
