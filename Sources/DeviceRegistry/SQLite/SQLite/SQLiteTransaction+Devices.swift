internal import GRDB
internal import Push

extension SQLiteTransaction {
    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceFigures {
        try AudienceSQL(audience: audience, now: now)
            .count(in: db, through: try sieve(of: audience, besides: nil, at: now))
    }

    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceBreakdown {
        try AudienceSQL(audience: audience, now: now)
            .explain(in: db, through: try sieve(of: audience, besides: nil, at: now))
    }

    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws {
        let sieve = try sieve(of: audience, besides: nil, at: now)
        try AudienceSQL(audience: audience, now: now).each(in: db, audience.traits) { fate, token, row, traits in
            if case .reached = sieve.fate(fate, traits, number: row, token: token) { try body(row) }
        }
    }

    func number(ofInstallation objectID: String) throws -> Int64? {
        try integer("SELECT id FROM installation WHERE objectId = ?", [objectID])
    }

    /// The rows of a token: the installation it was found in, unless that has another token by now, and the token's
    /// own.
    private static let isToken = "((id = ? AND lower(deviceToken) = ?) OR deviceToken = ?)"

    func raiseBadges(of targets: TargetPack) throws -> [Int] {
        let raising = try db.cachedStatement(
            sql: """
                UPDATE installation SET document = \(dialect.documentWithRaisedBadge(of: "installation"))
                WHERE \(Self.isToken) RETURNING json_extract(document, '$.badge')
                """)
        return try (0..<targets.count).map { index in
            let token = targets.token(index)
            return try Int.fetchOne(raising, arguments: [targets.rows[index], token, token]) ?? 1
        }
    }

    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws {
        for (target, since) in dead {
            let device: [any SQLBindable] = [target.row, target.token, target.token]
            let seenSince = try rows(
                "SELECT 1 FROM installation WHERE \(Self.isToken) AND updatedAt > ?",
                device + [since ?? Instant(milliseconds: .max)])
            guard seenSince.isEmpty else { continue }
            try execute(
                """
                UPDATE installation SET document = json_set(document, '$.valid', json('false'))
                WHERE \(Self.isToken) AND +valid = 1
                """, device)
            try DeadTokens(db: self).list(target.token, at: now)
        }
    }

    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow] {
        let proven = ProvenTokens(db: db, environment: environment)
        return try suspects.filter { target in
            let found = try rows(
                "SELECT id FROM installation WHERE \(Self.isToken)", [target.row, target.token, target.token])
            return try found.first?.integer(0).map(proven.contains) ?? false
        }
    }

    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws {
        try ProvenTokens(db: db, environment: environment).add(targets, except: failed)
    }
}
