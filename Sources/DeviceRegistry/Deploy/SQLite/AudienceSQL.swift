internal import GRDB
internal import JSONValue

/// The devices of an audience, and by which of its routes each is reached: one rule for counting and for freezing.
struct AudienceSQL {
    /// The audience.
    let audience: DeliveryAudience
    /// The time that devices must have been seen recently at.
    let now: Timestamp
    /// How long the condition may look for regular expressions: an audience is counted by a person who waits.
    private static let timeLimit = Duration.seconds(600)

    /// Named tokens are looked up so many at a time.
    private static let tokensAtOnce = 500

    /// What becomes of one selected device.
    enum Fate: Hashable {
        /// It is reached by the route of this index.
        case reached(Int)
        /// It is left out.
        case leftOut(AudienceFigures.LeftOut)
        /// It is another spelling of a token that is selected, too.
        case double

        /// Reads what ``AudienceSQL`` selects: a route's index, -1 and below for the reasons, NULL for a double.
        init(_ code: Int64?) {
            guard let code else {
                self = .double
                return
            }
            self = code >= 0 ? .reached(Int(code)) : .leftOut(AudienceFigures.LeftOut.allCases[Int(-1 - code)])
        }
    }

    /// Counts the devices.
    func count(in db: Database) throws -> AudienceFigures {
        var figures = AudienceFigures(devices: 0)
        func add(_ fate: Fate, _ devices: Int) {
            switch fate {
            case .reached: figures.devices += devices
            case .leftOut(let reason): figures.leftOut[reason, default: 0] += devices
            case .double: break
            }
        }
        switch audience.selection {
        case .condition(let condition):
            let sql =
                SQL(sql: "SELECT fate, COUNT(*) FROM (SELECT ") + fate + SQL(sql: " AS fate")
                + (try selected(condition, in: db)) + SQL(sql: ") GROUP BY 1")
            let rows = try Row.fetchAll(db, SQLRequest<Row>(literal: sql))
            for row in rows { add(Fate(row[0]), row[1]) }
        case .tokens(let tokens):
            try eachNamed(tokens, in: db) { fate, _, _ in add(fate, 1) }
        }
        return figures
    }

    /// Calls `body` for each selected device with what becomes of it, the digits of its token, and its row, which is 0
    /// for one that the registry does not know.
    func each(in db: Database, _ body: (Fate, _ token: [UInt8], _ row: Int64) throws -> Void) throws {
        switch audience.selection {
        case .condition(let condition):
            let sql =
                SQL(sql: "SELECT t0.id, CAST(t0.deviceToken AS BLOB), ") + fate + (try selected(condition, in: db))
            let cursor = try Row.fetchCursor(db, SQLRequest<Row>(literal: sql))
            var digits: [UInt8] = []
            while let row = try cursor.next() {
                digits.removeAll(keepingCapacity: true)
                try row.withUnsafeData(atIndex: 1) { if let token = $0 { digits.append(contentsOf: token) } }
                try body(Fate(row[2]), digits, row[0])
            }
        case .tokens(let tokens):
            try eachNamed(tokens, in: db) { try body($0, Array($1.utf8), $2) }
        }
    }

    private func selected(_ condition: JSONValue, in db: Database) throws -> SQL {
        var translator = ConditionTranslator(className: .installation, access: .master, timeLimit: Self.timeLimit)
        return SQL(sql: " FROM installation AS t0 WHERE ") + (try translator.plan(condition).clause(in: db))
    }

    private func eachNamed(
        _ tokens: [String], in db: Database, _ body: (Fate, String, Int64) throws -> Void
    ) throws {
        let distinct = Set(tokens.map { $0.lowercased() }).sorted()
        for start in stride(from: 0, to: distinct.count, by: Self.tokensAtOnce) {
            let part = Array(distinct[start..<min(start + Self.tokensAtOnce, distinct.count)])
            let sql =
                SQL(sql: "SELECT named.value, coalesce(t0.id, 0), ") + namedFate
                + SQL(
                    sql: """
                         FROM json_each(?) AS named LEFT JOIN installation AS t0 ON t0.id = coalesce(
                        (SELECT id FROM installation WHERE deviceToken = named.value),
                        (SELECT id FROM installation WHERE deviceToken = upper(named.value)))
                        """, arguments: [SQLFunctions.jsonList(part)])
            let rows = try Row.fetchAll(db, SQLRequest<Row>(literal: sql))
            for row in rows { try body(Fate(row[2]), row[0], row[1]) }
        }
    }

    private static func code(_ reason: AudienceFigures.LeftOut) -> Int {
        switch reason {
        case .notApple: -1
        case .invalid: -2
        case .stale: -3
        case .otherProfile: -4
        case .otherTopic: -5
        }
    }

    private static let notApple = "coalesce(t0.deviceType, '') NOT IN (\(InstallationRules.appleList))"

    /// Whether a text is no token: an even number of hexadecimal digits.
    private static func isNoToken(_ text: String) -> String {
        "\(text) IS NULL OR \(text) GLOB '*[^0-9a-fA-F]*' OR length(\(text)) % 2 = 1 OR \(text) = ''"
    }

    /// What becomes of a device that fits the condition.
    private var fate: SQL {
        SQL(
            sql: """
                CASE WHEN \(Self.notApple) OR \(Self.isNoToken("t0.deviceToken")) THEN \(Self.code(.notApple))
                WHEN t0.deviceToken <> lower(t0.deviceToken) AND EXISTS (
                  SELECT 1 FROM installation AS other
                  WHERE other.deviceToken IN (lower(t0.deviceToken), upper(t0.deviceToken)) AND other.id <> t0.id
                  AND (other.deviceToken = lower(t0.deviceToken) OR t0.deviceToken <> upper(t0.deviceToken))) THEN NULL
                WHEN NOT t0.valid THEN \(Self.code(.invalid)) WHEN t0.updatedAt < ? THEN \(Self.code(.stale))
                ELSE
                """,
            arguments: [now.advanced(byDays: -PushDelivery.freshnessInDays).milliseconds])
            + SQL(sql: " ") + route + SQL(sql: " END")
    }

    /// What becomes of a device that is named.
    private var namedFate: SQL {
        let fallback = audience.routes.firstIndex(where: \.isDefault) ?? Self.code(.otherProfile)
        return SQL(
            sql: """
                CASE WHEN \(Self.isNoToken("named.value")) THEN \(Self.code(.notApple))
                WHEN t0.id IS NULL THEN \(fallback) WHEN \(Self.notApple) THEN \(Self.code(.notApple)) ELSE
                """) + SQL(sql: " ") + route + SQL(sql: " END")
    }

    /// The index of the route that serves a device, else why none does.
    private var route: SQL {
        let topic = "json_extract(t0.document, '$.apnsTopic')"
        var cases: [SQL] = []
        func add(_ profile: String, _ index: Int) {
            cases.append(
                SQL(
                    sql: """
                        WHEN ? THEN CASE WHEN coalesce(\(topic), '') IN ('', ?) THEN \(index)
                        ELSE \(Self.code(.otherTopic)) END
                        """, arguments: [profile, audience.routes[index].topic]))
        }
        for index in audience.routes.indices { add(audience.routes[index].profile, index) }
        if let fallback = audience.routes.firstIndex(where: \.isDefault) { add("", fallback) }
        return SQL(sql: "CASE coalesce(t0.deviceProfile, '') ") + cases.joined(separator: " ")
            + SQL(sql: " ELSE \(Self.code(.otherProfile)) END")
    }
}
