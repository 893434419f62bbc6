internal import CLibrary
internal import CPostgres

/// A session with a server; every call blocks its thread until the server has answered.
///
/// Not to be shared: ``PostgresPool`` lends a session to one body at a time, on its own thread. The session connects on
/// its first statement and reconnects on the first one after a broken connection, except within a transaction.
// The pointer is used only here and lives as long as the object.
@safe
package final class PostgresSession {
    private let address: PostgresAddress
    private let settings: PostgresSettings
    private var link: OpaquePointer?
    private var isInTransaction = false
    /// The optional settings that the engine knows.
    private var known: Set<String> = []
    /// The names of the statements that the server keeps for this connection, by their text.
    private var statements: [String: String] = [:]
    /// A number that no other session has.
    private var identity = UInt64.random(in: 0 ... .max)
    /// False once a kept statement was lost: between this session and the server is a proxy that shares connections.
    private var keepsStatements = true
    /// True in a transaction whose plans do not depend on the size of tables.
    private(set) var isByKeys = false
    /// The server's time when the transaction began, in milliseconds.
    package private(set) var begunAt: Int64 = 0

    init(_ address: PostgresAddress, _ settings: PostgresSettings) {
        self.address = address
        self.settings = settings
    }

    deinit {
        unsafe PQfinish(link)
    }

    /// Closes the connection; uncommitted changes are rolled back.
    package func disconnect() {
        unsafe PQfinish(link)
        unsafe link = nil
        (statements, identity) = ([:], .random(in: 0 ... .max))
    }

    /// The server's process id for this session, for `pg_terminate_backend`; 0 when not connected.
    package var process: Int { Int(unsafe PQbackendPID(link)) }

    /// Runs a statement, with `values` bound to `$1`, `$2`, ….
    ///
    /// A text `isKept` where its plan hardly depends on the values: the server parses it once for the session and plans
    /// it a few times, unless a proxy stands between.
    ///
    /// - Returns: the number of rows changed.
    @discardableResult
    package func execute(
        _ sql: String, _ values: [SQLValue] = [], isKept: Bool = false
    ) throws(PostgresError) -> Int {
        try answer(sql, values, isKept: isKept).changedRows
    }

    /// Runs a statement, as ``execute(_:_:isKept:)`` does, and returns its rows, all in memory.
    package func rows(
        _ sql: String, _ values: [SQLValue] = [], isKept: Bool = false
    ) throws(PostgresError) -> [PostgresRow] {
        let answer = try answer(sql, values, isKept: isKept)
        return (0..<answer.rowCount).map(answer.row)
    }

    /// Runs a statement, as ``execute(_:_:isKept:)`` does, and returns its first row; nil when there is none.
    package func row(
        _ sql: String, _ values: [SQLValue] = [], isKept: Bool = false
    ) throws(PostgresError) -> PostgresRow? {
        let answer = try answer(sql, values, isKept: isKept)
        return answer.rowCount == 0 ? nil : answer.row(0)
    }

    /// Waits for a notification on a channel that the session listens to; false when none comes within the milliseconds.
    func hears(within patience: Int32) throws(PostgresError) -> Bool {
        guard let link = unsafe link else { throw PostgresError(.lost, "The connection broke.") }
        var entry = unsafe pollfd(fd: PQsocket(link), events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, patience) != 0 else { return false }
        guard unsafe PQconsumeInput(link) == 1 else { throw failure(nil) }
        var isTold = false
        while let notice = unsafe PQnotifies(link) {
            unsafe PQfreemem(notice)
            isTold = true
        }
        return isTold
    }

    /// True for a text that clients can make which is kept, or has room beside those that are.
    func hasRoom(for sql: String) -> Bool { statements[sql] != nil || statements.count < 256 }

    /// Runs `body` in a transaction that is durably committed on return and rolled back if `body` throws; none of its
    /// statements takes longer than `limit`, by default ``PostgresSettings/statementTimeout``.
    package func transaction<Value>(
        _ kind: PostgresTransaction = .writing, within limit: Duration? = nil,
        _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        let wasConnected = unsafe link != nil
        do throws(PostgresError) {
            try begin(kind, limit)
        } catch {
            // The connection broke while idle, so no statement was lost.
            guard error.kind == .lost, wasConnected else { throw error }
            try begin(kind, limit)
        }
        (isInTransaction, isByKeys) = (true, kind == .lookUps)
        defer { (isInTransaction, isByKeys) = (false, false) }
        let value: Value
        do {
            value = try body(self)
        } catch {
            // A session that cannot roll back is dropped, which rolls back.
            rollBack()
            throw error
        }
        // If `body` swallowed an error, the server would answer COMMIT by rolling back without an error.
        guard unsafe PQtransactionStatus(link) != PQTRANS_INERROR else {
            rollBack()
            throw PostgresError(.statement, "A statement of the transaction failed, so all of it was undone.")
        }
        try script("COMMIT")
        return value
    }

    private func begin(_ kind: PostgresTransaction, _ limit: Duration?) throws(PostgresError) {
        _ = unsafe try connected()
        do throws(PostgresError) {
            begunAt = try script(settings.opening(kind, within: limit, known: known)).row(0).integer(0) ?? 0
        } catch {
            if unsafe link != nil { rollBack() }
            throw error
        }
    }

    /// Rolls back the transaction; a session that cannot is disconnected, which rolls back.
    private func rollBack() {
        do { try script("ROLLBACK") } catch { disconnect() }
    }

    /// Runs the program's own statements in one round trip; returns the last result.
    @discardableResult
    private func script(_ sql: String) throws(PostgresError) -> Answer {
        try checked(unsafe Answer(PQexec(try connected(), sql)))
    }

    private func checked(_ answer: Answer) throws(PostgresError) -> Answer {
        switch answer.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return answer
        default: throw failure(answer)
        }
    }

    /// Refuses statements that could write outside a read-only transaction.
    func checkPlace() throws(PostgresError) {
        guard isInTransaction || !settings.isReadOnly else {
            throw PostgresError(.readOnly, "A session that may only read runs no statement outside of a transaction.")
        }
    }
}

extension PostgresSession {
    private func answer(_ sql: String, _ values: [SQLValue], isKept: Bool) throws(PostgresError) -> Answer {
        let parameters = try Self.spelled(values)
        try checkPlace()
        let link = unsafe try connected()
        guard isKept, keepsStatements else {
            return try checked(
                unsafe parameters.withPointers { pointers in
                    unsafe Answer(PQexecParams(link, sql, Int32(values.count), nil, pointers, nil, nil, 0))
                })
        }
        let name = unsafe try prepared(sql, link)
        let answer = unsafe parameters.withPointers { pointers in
            unsafe Answer(PQexecPrepared(link, name, Int32(values.count), pointers, nil, nil, 0))
        }
        if answer.refusal?.isForgotten == true { keepsStatements = false }
        return try checked(answer)
    }

    /// Returns the name under which the server keeps a statement.
    private func prepared(_ sql: String, _ link: OpaquePointer) throws(PostgresError) -> String {
        if let name = statements[sql] { return name }
        // Its own, so that behind a proxy that shares connections it means nothing else.
        let name = "bugle_\(identity)_\(statements.count)"
        _ = try checked(unsafe Answer(PQprepare(link, name, sql, 0, nil)))
        statements[sql] = name
        return name
    }

    private static func spelled(_ values: [SQLValue]) throws(PostgresError) -> CStrings {
        let texts = values.map(\.spelling)
        // C would cut such a text at its NUL.
        guard !texts.contains(where: { $0?.utf8.contains(0) ?? false }) else {
            throw PostgresError(.value, "A text holds a NUL, which PostgreSQL does not store.")
        }
        return CStrings(texts)
    }

    /// The error of a result: the server's if there is one, otherwise libpq's.
    func failure(_ answer: Answer?) -> PostgresError {
        let refusal = answer?.refusal
        // What has no SQLSTATE is libpq's own: the connection is unusable, whatever its status says. After a loss of power
        // libpq reads the server's last warning and calls it sound.
        let isLost = refusal.map { $0.kind == .lost } ?? true
        let message = unsafe address.redacted(String(cString: PQerrorMessage(link)))
        // The next statement reconnects; the transaction on this connection is rolled back.
        if unsafe isLost || PQstatus(link) == CONNECTION_BAD { disconnect() }
        return refusal ?? PostgresError(.lost, message)
    }

    /// True if a connection is encrypted, local, or plain by explicit request; a service file may have chosen the host.
    private static func isSafe(_ link: OpaquePointer) -> Bool {
        guard unsafe PQsslInUse(link) == 0, let name = unsafe PQhostaddr(link) else { return true }
        let host = unsafe String(cString: name)
        guard !PostgresAddress.isLocal(host[...]) else { return true }
        return unsafe PostgresAddress.options(PQconninfo(link))?["sslmode"] == "disable"
    }

    func connected() throws(PostgresError) -> OpaquePointer {
        if let link = unsafe link { return unsafe link }
        guard !isInTransaction else { throw PostgresError(.lost, "The connection broke within a transaction.") }
        let parameters = address.parameters(connectTimeout: settings.connectTimeout)
        let keys = CStrings(parameters.map(\.0), isTerminated: true)
        let values = CStrings(parameters.map(\.1), isTerminated: true)
        let fresh = unsafe keys.withPointers { keys in
            unsafe values.withPointers { values in unsafe PQconnectdbParams(keys, values, 1) }
        }
        guard let fresh = unsafe fresh else { throw PostgresError(.unreachable, "no memory for a connection") }
        guard unsafe PQstatus(fresh) == CONNECTION_OK else {
            let message = unsafe address.redacted(String(cString: PQerrorMessage(fresh)))
            unsafe PQfinish(fresh)
            throw PostgresError(.unreachable, message)
        }
        guard unsafe Self.isSafe(fresh) else {
            unsafe PQfinish(fresh)
            throw PostgresError(
                .address, "The server is on another machine and does not encrypt: set sslmode=disable to allow it.")
        }
        // libpq would print the server's notices.
        _ = unsafe PQsetNoticeProcessor(fresh, { _, _ in }, nil)
        unsafe link = fresh
        do throws(PostgresError) {
            let answer = try script(PostgresSettings.question)
            known = Set((0..<answer.rowCount).compactMap { answer.row($0).text(0) })
        } catch {
            disconnect()
            throw error
        }
        return unsafe fresh
    }
}

// MARK: - Copy

extension PostgresSession {
    /// Inserts rows into a table by `COPY`, all or none.
    ///
    /// `target` is the table with its columns, from the program's own text: `t(a, b)`.
    package func copy(_ rows: [[SQLValue]], into target: String) throws(PostgresError) {
        var bytes: [UInt8] = []
        for row in rows { try Self.appendCopied(row, to: &bytes) }
        try checkPlace()
        let link = unsafe try connected()
        let opening = unsafe Answer(PQexec(link, "COPY \(target) FROM STDIN"))
        guard opening.status == PGRES_COPY_IN else { throw failure(opening) }
        var start = bytes.startIndex
        var isWritten = true
        while isWritten, start < bytes.endIndex {
            let end = min(start + Self.copiedAtOnce, bytes.endIndex)
            isWritten = unsafe bytes[start..<end].withUnsafeBytes { part in
                unsafe PQputCopyData(
                    link, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count)) == 1
            }
            start = end
        }
        isWritten = unsafe PQputCopyEnd(link, isWritten ? nil : "given up") == 1 && isWritten
        var refused: Answer?
        while let result = unsafe PQgetResult(link) {
            let answer = unsafe Answer(result)
            if answer.status != PGRES_COMMAND_OK, refused == nil { refused = answer }
        }
        if let refused { throw failure(refused) }
        guard isWritten else { throw failure(nil) }
    }

    private static let copiedAtOnce = 1 << 20

    private static func appendCopied(_ row: [SQLValue], to bytes: inout [UInt8]) throws(PostgresError) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            guard let text = value.spelling else {
                bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
                continue
            }
            guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else {
                bytes += text.utf8
                continue
            }
            for byte in text.utf8 {
                switch byte {
                case 0: throw PostgresError(.value, "A text holds a NUL, which PostgreSQL does not store.")
                case UInt8(ascii: "\\"): bytes += [byte, byte]
                case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
                case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }
}

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

    var rowCount: Int { Int(unsafe PQntuples(pointer)) }

    var changedRows: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    private var columnCount: Int32 { unsafe PQnfields(pointer) }

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

/// C strings that live as long as the object.
// The pointers are used only here and live as long as the object.
@safe
final class CStrings {
    private var copies: [UnsafeMutablePointer<CChar>?]

    /// Copies the strings, none of which may hold a NUL; nil becomes a null pointer.
    init(_ texts: [String?], isTerminated: Bool = false) {
        unsafe copies = texts.map { text in
            guard let text else { return nil }
            return unsafe strdup(text)
        }
        if isTerminated { unsafe copies.append(nil) }
    }

    deinit {
        unsafe copies.forEach { unsafe free($0) }
    }

    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
