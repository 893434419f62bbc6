internal import Push

struct PostgresRegistryTransaction: RegistryTransaction {
    let session: PostgresSession
    var now: Instant

    /// The transaction that a session is in; its clock is the server's.
    init(_ session: PostgresSession) {
        self.session = session
        now = Instant(milliseconds: session.begunAt)
    }

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        try session.rows(sql.numbered, values.map(\.sqlValue), isKept: session.isByKeys)
    }

    func rows(_ text: SQLText) throws -> [any SQLRow] { try session.rows(text) as [PostgresRow] }

    func number(_ text: SQLText) throws -> Int {
        let sql = text.sql.numbered
        return try session.row(sql, text.values, isKept: session.hasRoom(for: sql)).map { $0.number(0) } ?? 0
    }

    func row(_ sql: String, _ values: [any SQLBindable]) throws -> (any SQLRow)? {
        try session.row(sql.numbered, values.map(\.sqlValue), isKept: session.isByKeys)
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
        try session.execute(sql, [.texts(names.filter { !$0.utf8.contains(0) })], isKept: session.isByKeys)
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int {
        try session.execute(sql.numbered, values.map(\.sqlValue), isKept: session.isByKeys)
    }

    func add(_ rows: [[any SQLBindable]], to table: String) throws {
        guard !rows.isEmpty else { return }
        try session.copy(rows.map { $0.map(\.sqlValue) }, into: table)
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

// MARK: - Devices

/// A delivery's changes to installations and their tokens; none of them counts as seeing the device. Tokens are in
/// lower case.
extension PostgresRegistryTransaction {
    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try PostgresAudience(audience: audience, now: now)
            .count(in: session, through: try sieve(of: audience, besides: nil, at: now))
    }

    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount {
        try PostgresAudience(audience: audience, now: now)
            .explain(in: session, through: try sieve(of: audience, besides: nil, at: now))
    }

    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws {
        let sieve = try sieve(of: audience, besides: nil, at: now)
        try PostgresAudience(audience: audience, now: now).each(in: session, audience.traits) { device in
            if case .reached = device.fate(through: sieve) { try body(device.number) }
        }
    }

    func raiseBadges(of targets: TargetPack) throws -> [Int] {
        let rows =
            try session.rows(
                """
                UPDATE installation SET document = \(dialect.documentWithRaisedBadge(of: "installation"))
                FROM unnest($1::text[]) AS named(token) WHERE installation.token = named.token
                RETURNING installation.token, installation.document ->> 'badge'
                """, [.text(targets.list())])
            + androidRows(
                "UPDATE installation SET document = \(dialect.documentWithRaisedBadge(of: "installation"))",
                targets.texts.map { (targets.token($0), targets.rows[$0], .max) }, returning: "document ->> 'badge'")
        let raised: [String: Int] = rows.reduce(into: [:]) { $0[$1.string(0)] = Int($1.integer(1) ?? 1) }
        return (0..<targets.count).map { raised[targets.token($0)] ?? 1 }
    }

    /// Updates the rows of Android devices, unless they have other addresses by now or were seen since.
    @discardableResult
    private func androidRows(
        _ update: String, _ devices: [(address: String, row: Int64, since: Int64)], returning value: String
    ) throws -> [PostgresRow] {
        guard !devices.isEmpty else { return [] }
        return try session.rows(
            """
            \(update) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS named(address, number, since)
            JOIN reachedInstallation AS numbered ON numbered.number = named.number
            WHERE installation.objectId = numbered.objectId AND \(dialect.address(of: "installation")) = named.address
              AND installation.updatedAt <= named.since
            RETURNING named.address, installation.\(value)
            """, [.texts(devices.map(\.address)), .integers(devices.map(\.row)), .integers(devices.map(\.since))])
    }

    func markDead(_ all: [(target: TargetRow, since: Instant?)]) throws {
        let (android, dead) = (
            all.filter { PushAddress.isOne($0.target.token.utf8) },
            all.filter { !PushAddress.isOne($0.target.token.utf8) }
        )
        try androidRows(
            "UPDATE installation SET document = installation.document || '{\"valid\": false}'::jsonb",
            android.map { ($0.target.token, $0.target.row, $0.since?.milliseconds ?? .max) }, returning: "objectId")
        for device in android { try DeadTokens(db: self).list(device.target.token, at: now) }
        guard !dead.isEmpty else { return }
        let values = [
            SQLValue.texts(dead.map(\.target.token)), .integers(dead.map { $0.since?.milliseconds ?? .max }),
        ]
        let named = "unnest($1::text[], $2::bigint[]) AS dead(token, since)"
        try session.execute(
            """
            UPDATE installation SET document = installation.document || '{"valid": false}'::jsonb FROM \(named)
            WHERE installation.token = dead.token AND installation.updatedAt <= dead.since
              AND installation.valid IS NOT FALSE
            """, values)
        try session.execute(
            """
            INSERT INTO deadToken(token, reportedAt) SELECT DISTINCT dead.token, $3::bigint FROM \(named)
            WHERE NOT EXISTS (
              SELECT 1 FROM installation AS seen WHERE seen.token = dead.token AND seen.updatedAt > dead.since)
            ON CONFLICT (token) DO UPDATE SET reportedAt = coalesce(deadToken.reportedAt, excluded.reportedAt)
            """, values + [.integer(now.milliseconds)])
    }

    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow] {
        let rows = try session.rows(
            """
            SELECT named.token FROM unnest($1::text[]) AS named(token)
            JOIN provenToken AS proven ON proven.token = named.token AND proven.environment = $2
            JOIN installation AS t0 ON t0.token = named.token
            """, [.texts(suspects.map(\.token)), .text(environment)])
        let proven = Set(rows.compactMap { $0.text(0) })
        return suspects.filter { proven.contains($0.token) }
    }

    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws {
        let unknown = targets.rows.indices.filter { targets.rows[$0] == 0 || targets.isText($0) }
        let excepted = unknown.isEmpty ? failed : failed.union(unknown)
        guard excepted.count < targets.count else { return }
        try session.execute(
            """
            INSERT INTO provenToken(token, environment) SELECT named.token, $2::text
            FROM unnest($1::text[]) AS named(token) ON CONFLICT (token, environment) DO NOTHING
            """, [.text(targets.list(except: excepted)), .text(environment)])
    }
}

// MARK: - Postgres

extension String {
    /// The SQL for PostgreSQL, with its `?` numbered `$1`, `$2`, ….
    var numbered: String {
        var (bytes, number): ([UInt8], Int) = ([], 0)
        for byte in utf8 {
            guard byte == UInt8(ascii: "?") else {
                bytes.append(byte)
                continue
            }
            number += 1
            bytes += "$\(number)".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PostgresSession {
    /// Returns the rows of a statement, all in memory.
    func rows(_ text: SQLText) throws(PostgresError) -> [PostgresRow] {
        try rows(text.sql.numbered, text.values)
    }

    /// Runs a statement; returns the number of written rows.
    @discardableResult
    func execute(_ text: SQLText) throws(PostgresError) -> Int {
        try execute(text.sql.numbered, text.values)
    }
}
