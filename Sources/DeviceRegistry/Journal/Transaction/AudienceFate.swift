package import Push

/// The fate of a selected device in an audience.
package enum AudienceFate: Hashable {
    /// The device is reached by the route with this index.
    case reached(Int)
    /// The device is left out.
    case leftOut(AudienceFigures.LeftOut)

    /// Decodes a statement's number: a route's index, or the result of ``code(_:)``.
    package init(_ code: Int64) {
        self = code >= 0 ? .reached(Int(code)) : .leftOut(AudienceFigures.LeftOut.allCases[Int(-1 - code)])
    }

    /// The number for a reason in statements.
    fileprivate static func code(_ reason: AudienceFigures.LeftOut) -> Int {
        -1 - (AudienceFigures.LeftOut.allCases.firstIndex(of: reason) ?? 0)
    }
}

/// The SQL that computes the ``AudienceFate`` of an installation `t0` as a number: one rule for every database.
///
/// In SQLite it accepts any text as a token and any topic; the code that reads the rows checks both, which is faster.
package struct AudienceFates {
    let audience: DeliveryAudience
    let dialect: Dialect

    /// Creates the statements' part for an audience.
    package init(audience: DeliveryAudience, dialect: Dialect) {
        self.audience = audience
        self.dialect = dialect
    }

    private static let android = "WHEN t0.deviceType = 'android' THEN \(AudienceFate.code(.android))"
    private static let notApple = "coalesce(t0.deviceType, '') NOT IN (\(InstallationRules.appleList))"

    /// The fate of a device that matches a condition; `now` is the time for which it must have been seen recently.
    package func fitting(at now: Instant) -> SQLText {
        SQLText(
            sql: """
                CASE \(Self.android) \
                WHEN \(Self.notApple) OR \(hasNoToken("t0")) THEN \(AudienceFate.code(.notApple)) \
                WHEN NOT t0.valid THEN \(AudienceFate.code(.invalid)) \
                WHEN t0.updatedAt < ? THEN \(AudienceFate.code(.stale)) ELSE 
                """,
            arguments: [audience.staleAfter.map { (now - $0).milliseconds } ?? .min])
            + route + SQLText(sql: " END")
    }

    /// The fate of a device whose token is `named`, registered or not.
    package var named: SQLText {
        SQLText(
            sql: """
                CASE WHEN \(hasNoToken("named")) THEN \(AudienceFate.code(.notApple)) \
                WHEN t0.objectId IS NULL THEN \(fallback ?? AudienceFate.code(.otherProfile)) \
                \(Self.android) \
                WHEN \(Self.notApple) THEN \(AudienceFate.code(.notApple)) ELSE 
                """) + route + SQLText(sql: " END")
    }

    private var fallback: Int? { audience.routes.firstIndex(where: \.isDefault) }

    /// The index of the route that serves a device, or else the reason why none does.
    private var route: SQLText {
        var cases = audience.routes.indices.map { served(audience.routes[$0].profile, by: $0) }
        if let fallback { cases.append(served("", by: fallback)) }
        return SQLText(sql: "CASE coalesce(t0.deviceProfile, '') ") + .list(cases, by: " ")
            + SQLText(sql: " ELSE \(AudienceFate.code(.otherProfile)) END")
    }

    private func served(_ profile: String, by index: Int) -> SQLText {
        switch dialect {
        case .sqlite: SQLText(sql: "WHEN ? THEN \(index)", arguments: [profile])
        case .postgres:
            SQLText(
                sql: """
                    WHEN ? THEN CASE WHEN coalesce(t0.document ->> 'apnsTopic', '') IN ('', ?) THEN \(index) \
                    ELSE \(AudienceFate.code(.otherTopic)) END
                    """, arguments: [profile, audience.routes[index].topic])
        }
    }

    /// True if a row has no token: an even number of hexadecimal digits, in lower case in PostgreSQL.
    private func hasNoToken(_ row: String) -> String {
        switch dialect {
        case .sqlite: row == "t0" ? "t0.deviceToken IS NULL" : "FALSE"
        case .postgres: "\(row).token !~ '^([0-9a-f][0-9a-f])+$'"
        }
    }
}

extension [String] {
    /// The distinct tokens in lower case, in groups of at most `most`.
    package func distinctTokens(atOnce most: Int) -> [[String]] {
        let distinct = Set(map { $0.lowercased() }).sorted()
        return stride(from: 0, to: distinct.count, by: most).map { start in
            Array(distinct[start..<Swift.min(start + most, distinct.count)])
        }
    }
}
