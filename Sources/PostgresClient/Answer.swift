internal import CPostgres

/// One result of libpq's, which is given back when this ends.
// Every use of the pointer is in here, and it lives as long as this does.
@safe
final class Answer {
    private let pointer: OpaquePointer?

    /// Takes a result over.
    init(_ pointer: OpaquePointer?) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    /// What kind of result it is; a failure when there is none.
    var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    /// How many rows it has.
    var rowCount: Int { Int(unsafe PQntuples(pointer)) }

    /// How many rows a statement wrote.
    var changedRows: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    private var columnCount: Int32 { unsafe PQnfields(pointer) }

    /// One of its rows.
    func row(_ index: Int) -> PostgresRow {
        let columns = (0..<columnCount).map { column -> String? in
            guard unsafe PQgetisnull(pointer, Int32(index), column) == 0,
                let text = unsafe PQgetvalue(pointer, Int32(index), column)
            else { return nil }
            let length = Int(unsafe PQgetlength(pointer, Int32(index), column))
            // Not by its terminator: the length is what the server sent.
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
        return PostgresRow(columns: columns)
    }

    /// What the server said against it; nil when it said nothing.
    var refusal: PostgresError? {
        guard let state = field(PG_DIAG_SQLSTATE_CODE) else { return nil }
        return PostgresError(sqlState: state, message: field(PG_DIAG_MESSAGE_PRIMARY) ?? "the statement failed")
    }

    private func field(_ code: Int32) -> String? {
        guard let text = unsafe PQresultErrorField(pointer, code) else { return nil }
        return unsafe String(cString: text)
    }
}

/// The letters of libpq's `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, whose macros Swift does not see.
private let PG_DIAG_SQLSTATE_CODE = Int32(UInt8(ascii: "C"))
private let PG_DIAG_MESSAGE_PRIMARY = Int32(UInt8(ascii: "M"))
