internal import PostgresClient

/// What a delivery writes into installations and of their tokens, within a transaction; none of it counts as seeing the
/// device. Tokens are in lower case.
struct PostgresMarks {
    private let session: PostgresSession

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// A stored badge; what is no number of 32 bits counts as none.
    private static let badge = """
        (CASE WHEN jsonb_typeof(document -> 'badge') = 'number' \
        AND document -> 'badge' BETWEEN '-2147483648' AND '2147483646' AND document ->> 'badge' !~ '[.eE]' \
        THEN (document ->> 'badge')::bigint ELSE 0 END)
        """

    /// Raises the badges of devices by one, and gives those of the devices that the registry knows.
    func raiseBadges(_ tokens: [String]) throws -> [String: Int] {
        let rows = try session.rows(
            """
            UPDATE installation SET document = document || jsonb_build_object('badge', \(Self.badge) + 1)
            FROM unnest($1::text[]) AS named(token) WHERE installation.token = named.token
            RETURNING installation.token, document ->> 'badge'
            """, [.texts(tokens)])
        return rows.reduce(into: [:]) { $0[$1.text(0) ?? ""] = Int($1.integer(1) ?? 1) }
    }

    /// Marks devices whose tokens are dead as invalid, and black-lists the tokens.
    ///
    /// - Parameter dead: tokens, and since when Apple knows it; a device whose app registered later stays as it is: its
    ///   `updatedAt`, which every registration renews, is after it.
    func markDead(_ dead: [(token: String, since: Timestamp?)], at now: Timestamp) throws {
        guard !dead.isEmpty else { return }
        let values = [
            PostgresValue.texts(dead.map(\.token)), .integers(dead.map { $0.since?.milliseconds ?? .max }),
        ]
        let named = "unnest($1::text[], $2::bigint[]) AS dead(token, since)"
        try session.execute(
            """
            UPDATE installation SET document = installation.document || '{"valid": false}'::jsonb FROM \(named)
            WHERE installation.token = dead.token AND installation.updatedAt <= dead.since AND installation.valid
            """, values)
        try session.execute(
            """
            INSERT INTO deadToken(token, reportedAt) SELECT DISTINCT dead.token, $3::bigint FROM \(named)
            WHERE NOT EXISTS (
              SELECT 1 FROM installation AS seen WHERE seen.token = dead.token AND seen.updatedAt > dead.since)
            ON CONFLICT (token) DO NOTHING
            """, values + [.integer(now.milliseconds)])
    }

    /// Which of some tokens are of devices, and were accepted in an environment before.
    func proven(among tokens: [String], in environment: String) throws -> Set<String> {
        guard !tokens.isEmpty else { return [] }
        let rows = try session.rows(
            """
            SELECT named.token FROM unnest($1::text[]) AS named(token)
            JOIN provenToken AS proven ON proven.token = named.token AND proven.environment = $2
            JOIN installation AS t0 ON t0.token = named.token
            """, [.texts(tokens), .text(environment)])
        return Set(rows.compactMap { $0.text(0) })
    }

    /// Remembers that tokens of devices were accepted in an environment.
    func prove(_ tokens: [String], in environment: String) throws {
        guard !tokens.isEmpty else { return }
        try session.execute(
            """
            INSERT INTO provenToken(token, environment) SELECT t0.token, $2::text
            FROM unnest($1::text[]) AS named(token) JOIN installation AS t0 ON t0.token = named.token
            ON CONFLICT (token, environment) DO NOTHING
            """, [.texts(tokens), .text(environment)])
    }
}

extension PostgresRow {
    /// A list of texts, none of which needs quotes: digits of tokens.
    func texts(_ column: Int) -> [String] {
        (text(column) ?? "{}").dropFirst().dropLast().split(separator: ",").map(String.init)
    }

    /// A list of whole numbers; nil for `NULL`.
    func integers(_ column: Int) -> [Int]? {
        text(column).map { $0.dropFirst().dropLast().split(separator: ",").compactMap { Int($0) } }
    }
}
