internal import GRDB

extension SQLiteTransaction {
    func count(_ audience: DeliveryAudience, at now: Timestamp) throws -> AudienceFigures {
        try AudienceSQL(audience: audience, now: now).count(in: db)
    }

    func explain(_ audience: DeliveryAudience, at now: Timestamp) throws -> AudienceBreakdown {
        try AudienceSQL(audience: audience, now: now).explain(in: db)
    }

    func survey(channels: [String], profiles: [String]) throws -> DeviceSurvey {
        let newest =
            "(SELECT id, deviceProfile FROM installation ORDER BY updatedAt DESC LIMIT \(DeviceSurvey.mostSurveyed))"
        func count(_ sql: String, _ value: any SQLBindable...) throws -> Int {
            try rows(sql, value).first?.number(0) ?? 0
        }
        func counts(_ sql: String) throws -> [String: Int] {
            try rows(sql, []).reduce(into: [:]) { $0[$1.text(0) ?? ""] = $1.number(1) }
        }
        var survey = DeviceSurvey(
            size: try count("SELECT COUNT(*) FROM \(newest)"),
            channels: try counts(
                "SELECT name, COUNT(*) FROM channel WHERE installation IN (SELECT id FROM \(newest)) GROUP BY name"),
            profiles: try counts(
                "SELECT deviceProfile, COUNT(*) FROM \(newest) WHERE deviceProfile <> '' GROUP BY 1"))
        for channel in channels {
            survey.subscribers[channel] = try count("SELECT COUNT(*) FROM channel WHERE name = ?", channel)
        }
        for profile in profiles {
            survey.bearers[profile] = try count("SELECT COUNT(*) FROM installation WHERE deviceProfile = ?", profile)
        }
        return survey
    }

    /// The rows of a token: that of the installation it was found in, unless that has another by now, and its own.
    private static let isToken = "((id = ? AND lower(deviceToken) = ?) OR deviceToken = ?)"

    func raiseBadges(of targets: TargetPack) throws -> [Int] {
        let raising = try db.cachedStatement(
            sql: """
                UPDATE installation SET document = json_set(document, '$.badge', \(PushDelivery.raised("badge")))
                WHERE \(Self.isToken) RETURNING json_extract(document, '$.badge')
                """)
        return try (0..<targets.count).map { index in
            let token = targets.token(index)
            return try Int.fetchOne(raising, arguments: [targets.rows[index], token, token]) ?? 1
        }
    }

    func markDead(_ dead: [(target: TargetRow, since: Timestamp?)]) throws {
        for (target, since) in dead {
            let device: [any SQLBindable] = [target.row, target.token, target.token]
            let seenSince = try rows(
                "SELECT 1 FROM installation WHERE \(Self.isToken) AND updatedAt > ?",
                device + [since ?? Timestamp(milliseconds: .max)])
            guard seenSince.isEmpty else { continue }
            try execute(
                """
                UPDATE installation SET document = json_set(document, '$.valid', json('false'))
                WHERE \(Self.isToken) AND +valid = 1
                """, device)
            try DeadTokens(db: db).list(target.token, at: now)
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
