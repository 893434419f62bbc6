internal import Push

/// A delivery's changes to installations and their tokens; none of them counts as seeing the device. Tokens are in
/// lower case.
extension PostgresRegistryTransaction {
    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceFigures {
        try PostgresAudience(audience, at: now)
            .count(in: session, through: try sieve(of: audience, besides: nil, at: now))
    }

    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceBreakdown {
        try PostgresAudience(audience, at: now)
            .explain(in: session, through: try sieve(of: audience, besides: nil, at: now))
    }

    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws {
        let sieve = try sieve(of: audience, besides: nil, at: now)
        try PostgresAudience(audience, at: now).each(in: session, audience.traits) { device in
            if case .reached = device.fate(through: sieve) { try body(device.number) }
        }
    }

    func number(ofInstallation objectID: String) throws -> Int64? {
        try integer("SELECT number FROM reachedInstallation WHERE objectId = ?", [objectID])
    }

    func raiseBadges(of targets: TargetPack) throws -> [Int] {
        let rows = try session.rows(
            """
            UPDATE installation SET document = \(dialect.documentWithRaisedBadge(of: "installation"))
            FROM unnest($1::text[]) AS named(token) WHERE installation.token = named.token
            RETURNING installation.token, installation.document ->> 'badge'
            """, [.text(targets.list())])
        let raised: [String: Int] = rows.reduce(into: [:]) { $0[$1.text(0) ?? ""] = Int($1.integer(1) ?? 1) }
        return (0..<targets.count).map { raised[targets.token($0)] ?? 1 }
    }

    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws {
        let values = [
            PostgresValue.texts(dead.map(\.target.token)), .integers(dead.map { $0.since?.milliseconds ?? .max }),
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
        let unknown = targets.rows.indices.filter { targets.rows[$0] == 0 }
        let excepted = unknown.isEmpty ? failed : failed.union(unknown)
        guard excepted.count < targets.count else { return }
        try session.execute(
            """
            INSERT INTO provenToken(token, environment) SELECT named.token, $2::text
            FROM unnest($1::text[]) AS named(token) ON CONFLICT (token, environment) DO NOTHING
            """, [.text(targets.list(except: excepted)), .text(environment)])
    }
}
