internal import CPostgres

/// A libpq result, cleared when this object is deallocated.
// The pointer is used only here and lives as long as the object.
@safe
final class Answer {
    private let pointer: OpaquePointer?

    /// Takes ownership of a result.
    init(_ pointer: OpaquePointer?) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    /// The kind of result; a failure when there is none.
    var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    /// The number of rows in the result.
    var rowCount: Int { Int(unsafe PQntuples(pointer)) }

    /// The number of rows the statement changed.
    var changedRows: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    private var columnCount: Int32 { unsafe PQnfields(pointer) }

    /// The row at an index.
    func row(_ index: Int) -> PostgresRow {
        let columns = (0..<columnCount).map { column -> String? in
            guard unsafe PQgetisnull(pointer, Int32(index), column) == 0,
                let text = unsafe PQgetvalue(pointer, Int32(index), column)
            else { return nil }
            let length = Int(unsafe PQgetlength(pointer, Int32(index), column))
            // The server's length decides, not a terminator.
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
        return PostgresRow(columns: columns)
    }

    /// The server's error; nil when it reported none.
    var refusal: PostgresError? {
        guard let state = field(PG_DIAG_SQLSTATE_CODE) else { return nil }
        return PostgresError(sqlState: state, message: field(PG_DIAG_MESSAGE_PRIMARY) ?? "the statement failed")
    }

    private func field(_ code: Int32) -> String? {
        guard let text = unsafe PQresultErrorField(pointer, code) else { return nil }
        return unsafe String(cString: text)
    }
}

/// The codes of libpq's `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, macros that Swift cannot import.
private let PG_DIAG_SQLSTATE_CODE = Int32(UInt8(ascii: "C"))
private let PG_DIAG_MESSAGE_PRIMARY = Int32(UInt8(ascii: "M"))
