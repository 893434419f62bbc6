internal import Base
internal import Push

/// The devices of an audience and their routes: one rule for counting and for freezing.
struct PostgresAudience {
    let audience: DeliveryAudience
    /// The time for which devices must have been seen recently.
    let now: Instant

    private static let timeLimitInSeconds = 600

    /// The number of devices fetched at a time.
    private static let devicesAtOnce = 10_000

    func count(in session: PostgresSession, through sieve: AudienceSieve) throws -> AudienceCount {
        var figures = sieve.nobody
        guard !audience.isRestrained, !audience.reachesAndroid else {
            try each(in: session, audience.traits) { figures.add($0.fate(through: sieve)) }
            return figures
        }
        try eachSelection(in: session) { selection in
            let text = SQLText(sql: "SELECT fate, count(*) FROM (") + selection + SQLText(sql: ") AS d GROUP BY fate")
            for row in try session.rows(text) {
                figures.add(AudienceFate(row.integer(0) ?? 0), row.number(1))
            }
        }
        return figures
    }

    func explain(in session: PostgresSession, through sieve: AudienceSieve) throws -> AudienceCount {
        audience.isRestrained || audience.words != nil || audience.reachesAndroid
            ? try explainEach(in: session, through: sieve) : try explainAll(in: session)
    }

    /// Counts devices that nothing holds back, and that all get the same: one pass for all but the time zones, which
    /// have many names, and one for these.
    private func explainAll(in session: PostgresSession) throws -> AudienceCount {
        var breakdown = AudienceCount(devices: 0)
        try eachSelection(in: session, telling: Self.kinds + Self.named(Self.zone, "zone")) { selection in
            let text =
                SQLText(sql: "SELECT fate, platform, unnamed, vendor, count(*) FROM (") + selection
                + SQLText(sql: ") AS d GROUP BY fate, platform, unnamed, vendor")
            for row in try session.rows(text) {
                breakdown.add(
                    AudienceFate(row.integer(0) ?? 0), platform: row.string(1), isUnnamed: row.boolean(2),
                    vendor: row.string(3), audience.routes, row.number(4))
            }
            let zones =
                SQLText(sql: "SELECT zone, count(*) AS devices FROM (") + selection
                + SQLText(
                    sql: """
                        ) AS d WHERE fate >= 0 AND octet_length(zone) <= \(NameTally.longestName) \
                        GROUP BY zone ORDER BY devices DESC, zone LIMIT \(Self.mostTimeZones)
                        """)
            for row in try session.rows(zones) {
                breakdown.timeZones[row.string(0), default: 0] += row.number(1)
            }
        }
        return breakdown
    }

    private func explainEach(in session: PostgresSession, through sieve: AudienceSieve) throws -> AudienceCount {
        var breakdown = sieve.nobody
        breakdown.words = audience.words?.nobody
        var zones = NameTally()
        let traits = audience.traits.union(.timeZone)
        try each(in: session, traits, telling: audience.words?.fields ?? [], kinds: true) { device in
            var fate = device.fate(through: sieve)
            if case .reached(let route) = fate {
                if audience.words?.add(device.traits.values, by: audience.routes[route], to: &breakdown) == false {
                    fate = .leftOut(.tooLarge)
                } else if let zone = device.traits.timeZone, zone.count <= NameTally.longestName {
                    zones.add(String(decoding: zone, as: UTF8.self))
                }
            }
            breakdown.add(
                fate, platform: device.platform, isUnnamed: device.isUnnamed, vendor: device.vendor, audience.routes)
        }
        breakdown.timeZones = zones.counts
        return breakdown
    }

    /// More than the number of existing time zones.
    private static let mostTimeZones = 1000

    /// The type of a device, true if it has no profile, and the vendor at which it has an address.
    private static let kinds = SQLText(
        sql: """
            , coalesce(t0.deviceType, '') AS platform, coalesce(t0.deviceProfile, '') = '' AS unnamed, \
            \(Dialect.postgres.addressedVendor) AS vendor
            """)

    /// Its time zone if that is a string.
    private static let zone = """
        CASE jsonb_typeof(t0.document -> 'timeZone') WHEN 'string' THEN (t0.document ->> 'timeZone') COLLATE "C" \
        ELSE '' END
        """

    private static func named(_ column: String, _ name: String) -> SQLText { SQLText(sql: ", \(column) AS \(name)") }

    struct Device {
        let fate: AudienceFate
        /// The token in lower case.
        let token: String
        /// The number of the installation; 0 for a device that is not registered.
        let number: Int64
        let traits: DeviceTraits
        /// The type, if it was asked for.
        let platform: String
        /// True if the device has no profile, if that was asked for.
        let isUnnamed: Bool
        /// The vendor at which it has an address, if that was asked for.
        let vendor: String

        /// The fate by the rules of the policy too.
        func fate(through sieve: AudienceSieve) -> AudienceFate {
            sieve.fate(fate, traits, number: number, token: Array(token.utf8))
        }
    }

    /// Calls `body` for each selected device with the properties that were asked for.
    ///
    /// If `numbering` is true, reached installations without a number get one; otherwise theirs is 0, too. Uses a cursor,
    /// so only a few devices are in memory. Must run within a transaction; all devices are of one snapshot.
    func each(
        in session: PostgresSession, _ traits: DeviceTraits.Kinds, telling fields: [String] = [], kinds: Bool = false,
        numbering: Bool = false, _ body: (Device) throws -> Void
    ) throws {
        // The name of a field has letters, digits and '_' only.
        let values = fields.map { "t0.document -> '\($0)'" }.joined(separator: ", ")
        var more = SQLText(
            sql: ", numbered.number, CASE WHEN numbered.number IS NULL THEN t0.objectId END AS unnumbered")
        more += Self.named(traits.contains(.objectID) ? "t0.objectId" : "NULL::text", "id")
        more += Self.named(traits.contains(.timeZone) ? Self.zone : "NULL::text", "zone")
        more += Self.named(fields.isEmpty ? "NULL::text" : "jsonb_build_array(\(values))::text", "own")
        if kinds { more += Self.kinds }
        var addresses = SeenAddresses()
        try eachSelection(in: session, telling: more, numbered: true) { selection in
            // All rows are read: a plan that is quick with the first of them looks each number up by itself.
            try session.execute("SET LOCAL cursor_tuple_fraction = 1")
            try session.execute(SQLText(sql: "DECLARE audience NO SCROLL CURSOR FOR ") + selection)
            var rows: [PostgresRow]
            repeat {
                rows = try session.rows("FETCH \(Self.devicesAtOnce) FROM audience")
                let added = numbering ? try number(rows, in: session) : [:]
                for row in rows {
                    let number = row.integer(2) ?? row.text(3).flatMap { added[$0] } ?? 0
                    if audience.reachesAndroid, (row.integer(0) ?? -1) >= 0, let token = row.text(1),
                        PushAddress.isOne(token.utf8), !addresses.isNew(token.utf8)
                    {
                        continue
                    }
                    let own = fields.isEmpty ? [] : (try? JSONValue(parsing: row.string(6)))?.array ?? []
                    try body(
                        Device(
                            fate: AudienceFate(row.integer(0) ?? 0), token: row.string(1), number: number,
                            traits: DeviceTraits(
                                objectID: row.text(4).map { Array($0.utf8) },
                                timeZone: row.text(5).map { Array($0.utf8) }, values: own),
                            platform: kinds ? row.string(7) : "",
                            isUnnamed: kinds && row.boolean(8),
                            vendor: kinds ? row.string(9) : ""))
                }
            } while !rows.isEmpty
            try session.execute("CLOSE audience")
        }
    }

    /// Gives numbers to those of the reached installations that have none; returns these by `objectId`.
    private func number(_ rows: [PostgresRow], in session: PostgresSession) throws -> [String: Int64] {
        let unnumbered = rows.filter { ($0.integer(0) ?? -1) >= 0 }.compactMap { $0.text(3) }
        guard !unnumbered.isEmpty else { return [:] }
        try session.execute(
            """
            INSERT INTO reachedInstallation(objectId) SELECT unnest($1::text[]) ON CONFLICT (objectId) DO NOTHING
            """, [.texts(unnumbered)])
        return try session.rows(
            "SELECT objectId, number FROM reachedInstallation WHERE objectId = ANY ($1::text[])", [.texts(unnumbered)]
        ).reduce(into: [:]) { $0[$1.string(0)] = $1.integer(1) }
    }

    /// Calls `body` with statements that select `fate` and `token`, and `more`; if `numbered` is true, that can name
    /// the table of that name.
    private func eachSelection(
        in session: PostgresSession, telling more: SQLText = SQLText(sql: ""), numbered: Bool = false,
        _ body: (SQLText) throws -> Void
    ) throws {
        let numbers = numbered ? " LEFT JOIN reachedInstallation AS numbered ON numbered.objectId = t0.objectId" : ""
        let fates = AudienceFates(audience: audience, dialect: .postgres)
        // It may examine all devices, which takes time.
        try session.execute("SET LOCAL statement_timeout = \(Self.timeLimitInSeconds * 1000)")
        switch audience.selection {
        case .condition(let condition):
            var translator = ConditionTranslator.postgres(.installation)
            let clause = try translator.plan(condition).clause
            try body(
                translator.placed(
                    SQLText(sql: "SELECT ") + fates.fitting(at: now)
                        + SQLText(sql: " AS fate, \(fates.address) AS token") + more
                        + SQLText(sql: " FROM installation AS t0\(numbers) WHERE ") + clause))
        case .tokens(let tokens):
            for part in tokens.distinctTokens(atOnce: Self.devicesAtOnce) {
                try body(
                    SQLText(sql: "SELECT ") + fates.named + SQLText(sql: " AS fate, named.token") + more
                        + SQLText(
                            sql: """
                                 FROM unnest(?::text[]) AS named(token) \
                                LEFT JOIN installation AS t0 ON t0.token = named.token\(numbers) ORDER BY named.token
                                """, arguments: [SQLValue.texts(part)]))
            }
        }
    }
}
