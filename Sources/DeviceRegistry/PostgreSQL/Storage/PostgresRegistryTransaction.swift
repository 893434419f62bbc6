internal import Push

/// A transaction with a registry in PostgreSQL.
struct PostgresRegistryTransaction: RegistryTransaction {
    let session: PostgresSession
    var now: Instant

    /// The transaction that a session is in; its clock is the server's.
    init(_ session: PostgresSession) {
        self.session = session
        now = Instant(milliseconds: session.begunAt)
    }

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        try session.rows(sql.numbered, values.map(\.sqlValue.postgresValue), isKept: true)
    }

    func rows(_ text: SQLText) throws -> [any SQLRow] { try session.rows(text) as [PostgresRow] }

    func row(_ sql: String, _ values: [any SQLBindable]) throws -> (any SQLRow)? {
        try session.row(sql.numbered, values.map(\.sqlValue.postgresValue), isKept: true)
    }

    /// The number of rows that are fetched at a time.
    private static let rowsAtOnce = 200

    func each(_ text: SQLText, _ body: (any SQLRow) throws -> Bool) throws {
        try session.execute(SQLText(sql: "DECLARE each NO SCROLL CURSOR FOR ") + text)
        rows: while true {
            let rows = try session.rows("FETCH \(Self.rowsAtOnce) FROM each")
            for row in rows where try !body(row) { break rows }
            guard rows.count == Self.rowsAtOnce else { break }
        }
        try session.execute("CLOSE each")
    }

    @discardableResult
    func execute(_ text: SQLText) throws -> Int { try session.execute(text) as Int }

    /// The number of names from which a change holds whole groups of them: the engine's table of locks is small.
    private static let manyNames = 200

    /// Holds each name, and its group together with others; or the groups alone.
    ///
    /// Servers of the version before hold groups only.
    func hold(_ names: [String]) throws {
        guard !names.isEmpty else { return }
        let (group, name) = ("(hashtextextended(n, 16) & 2047)::int", "hashtextextended(n, 16)")
        // In one order for all, so that no two wait for each other.
        let sql =
            names.count < Self.manyNames
            ? """
            SELECT pg_advisory_xact_lock_shared(16, team), pg_advisory_xact_lock(name) FROM (
              SELECT DISTINCT \(group) AS team, \(name) AS name FROM unnest($1::text[]) AS n ORDER BY team, name
            ) AS names
            """
            : """
            SELECT pg_advisory_xact_lock(16, team) FROM (
              SELECT DISTINCT \(group) AS team FROM unnest($1::text[]) AS n ORDER BY team
            ) AS names
            """
        try session.execute(sql, [.texts(names.filter { !$0.utf8.contains(0) })], isKept: true)
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int {
        try session.execute(sql.numbered, values.map(\.sqlValue.postgresValue), isKept: true)
    }

    func add(_ rows: [[any SQLBindable]], to table: String) throws {
        guard !rows.isEmpty else { return }
        try session.copy(rows.map { $0.map(\.sqlValue.postgresValue) }, into: table)
    }

    /// The channel on which servers hear of each other's pushes.
    static let channel = "bugle_pushes"

    func announce() throws { try session.execute("NOTIFY \(Self.channel)") }

    func clause(_ hold: RowHold) -> String {
        switch hold {
        case .free: ""
        case .shared: " FOR SHARE"
        case .changing: " FOR UPDATE"
        case .passing: " FOR UPDATE SKIP LOCKED"
        }
    }

    var dialect: Dialect { .postgres }
}

extension PostgresRow: SQLRow {
    package func value(_ column: Int) -> SQLValue { text(column).map { .text($0) } ?? .null }
}
