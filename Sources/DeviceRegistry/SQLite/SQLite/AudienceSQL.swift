internal import FoundationEssentials
internal import GRDB
internal import Base
internal import Push

/// The devices of an audience and their routes: one rule for counting and for freezing.
struct AudienceSQL {
    /// The audience.
    let audience: DeliveryAudience
    /// The time for which devices must have been seen recently.
    let now: Instant
    /// The time limit for regular expressions in the condition, generous because a person waits for the count.
    private static let timeLimit = Duration.seconds(600)

    private var fates: AudienceFates { AudienceFates(audience: audience, dialect: .sqlite) }

    /// The number of named tokens per look-up.
    private static let tokensAtOnce = 500

    /// Counts the devices.
    func count(in db: Database, through sieve: AudienceSieve) throws -> AudienceFigures {
        var figures = AudienceFigures(devices: 0, forgotten: sieve.forgotten)
        try each(in: db, audience.traits) { fate, token, row, traits in
            figures.add(sieve.fate(fate, traits, number: row, token: token))
        }
        return figures
    }

    /// Counts the devices and their kinds, in a single pass.
    func explain(in db: Database, through sieve: AudienceSieve) throws -> AudienceBreakdown {
        var breakdown = AudienceBreakdown(figures: AudienceFigures(devices: 0, forgotten: sieve.forgotten))
        var zones = NameTally()
        var words = audience.words.map { (fields: $0.fields, figures: WordFigures($0)) }
        // For each route: the devices with its profile, and those without any.
        var profiles = [(named: Int, unnamed: Int)](repeating: (0, 0), count: audience.routes.count)
        var platforms = [Int](repeating: 0, count: InstallationRules.applePlatforms.count + 1)
        try eachRow(in: db, audience.traits.union(.timeZone), telling: Self.kinds) { fate, token, zone, row in
            let traits = DeviceTraits(objectID: row.objectID)
            switch sieve.fate(fate, traits, number: row[0], token: token) {
            case .leftOut(let reason): breakdown.figures.leftOut[reason, default: 0] += 1
            case .reached(let route):
                if let fields = words?.fields, words?.figures.add(try row.values(of: fields)) == false {
                    breakdown.figures.leftOut[.tooLarge, default: 0] += 1
                    return
                }
                breakdown.figures.devices += 1
                if row[5] { profiles[route].unnamed += 1 } else { profiles[route].named += 1 }
                platforms[row[6]] += 1
                if let zone { zones.add(String(decoding: zone, as: UTF8.self)) }
            }
        }
        for (route, devices) in zip(audience.routes, profiles) {
            breakdown.profiles[route.profile, default: 0] += devices.named
            breakdown.profiles["", default: 0] += devices.unnamed
        }
        for (name, devices) in zip(InstallationRules.applePlatforms + [""], platforms) {
            breakdown.platforms[name] = devices
        }
        breakdown.timeZones = zones.counts
        breakdown.words = words?.figures
        breakdown.profiles = breakdown.profiles.filter { $0.value > 0 }
        breakdown.platforms = breakdown.platforms.filter { $0.value > 0 }
        return breakdown
    }

    /// True if a device has no profile, and the index of its Apple platform, or the number of platforms for others.
    private static let kinds: SQL = {
        let names = InstallationRules.applePlatforms
        let cases = names.enumerated().map { "WHEN '\($1)' THEN \($0)" }.joined(separator: " ")
        return SQL(
            sql: ", coalesce(t0.deviceProfile, '') = '', CASE t0.deviceType \(cases) ELSE \(names.count) END")
    }()

    /// Calls `body` once for each selected device with its fate, the digits of its token, its row, which is 0 for an
    /// unregistered device, and the properties that were asked for.
    func each(
        in db: Database, _ traits: DeviceTraits.Kinds, telling fields: [String] = [],
        _ body: (AudienceFate, _ token: [UInt8], _ row: Int64, DeviceTraits) throws -> Void
    ) throws {
        try eachRow(in: db, traits) { fate, token, zone, row in
            try body(
                fate, token, row[0],
                DeviceTraits(
                    objectID: row.objectID, timeZone: traits.contains(.timeZone) ? zone : nil,
                    values: try row.values(of: fields)))
        }
    }

    /// Calls `body` with all columns: the row's number, token, document and fate, the `objectId` if it is asked for,
    /// and the additional ones; if asked for, with the zone that a reached device reports, which is empty if it reports
    /// none, and nil if that is too long for a zone's name.
    private func eachRow(
        in db: Database, _ traits: DeviceTraits.Kinds, telling others: SQL = SQL(sql: ""),
        _ body: (AudienceFate, _ token: [UInt8], _ zone: [UInt8]?, Row) throws -> Void
    ) throws {
        let more = SQL(sql: traits.contains(.objectID) ? ", t0.objectId" : ", NULL") + others
        let withZones = traits.contains(.timeZone)
        switch audience.selection {
        case .condition(let condition):
            let sql =
                Self.columns("t0.deviceToken") + fates.fitting(at: now).literal + more
                + (try selected(condition, in: db))
            var spellings = TokenSpellings(db: db)
            try each(sql, in: db, withZones: withZones) { fate, token, zone, row in
                // Another spelling of a registered token is the same device.
                if try spellings.isOne(token, row[0]) { try body(fate, token, zone, row) }
            }
        case .tokens(let tokens):
            for part in tokens.distinctTokens(atOnce: Self.tokensAtOnce) {
                try each(named(part, telling: more), in: db, withZones: withZones, body)
            }
        }
    }

    private func each(
        _ sql: SQL, in db: Database, withZones: Bool,
        _ body: (AudienceFate, _ token: [UInt8], _ zone: [UInt8]?, Row) throws -> Void
    ) throws {
        let topics = audience.routes.map { Array($0.topic.utf8) }
        let cursor = try Row.fetchCursor(db, SQLRequest<Row>(literal: sql))
        var token: [UInt8] = []
        var zone: [UInt8]? = []
        while let row = try cursor.next() {
            token.removeAll(keepingCapacity: true)
            try row.withUnsafeData(atIndex: 1) { data in
                data?.withUnsafeBytes { token.append(contentsOf: $0) }
            }
            var fate = AudienceFate(row[3])
            if fate != .leftOut(.android), !TargetPack.isToken(token) {
                fate = .leftOut(.notApple)
            } else if case .reached(let route) = fate {
                // In one look, since each costs as much as what it finds.
                if zone?.removeAll(keepingCapacity: true) == nil { zone = [] }
                let isOurs = try row.document { document in
                    if withZones { timeZoneKey.read(document, to: &zone) }
                    return DocumentTopic.isEmpty(in: document, or: topics[route])
                }
                if isOurs == false { fate = .leftOut(.otherTopic) }
            }
            try body(fate, token, zone, row)
        }
    }

    private static func columns(_ token: String) -> SQL {
        SQL(sql: "SELECT coalesce(t0.id, 0), CAST(\(token) AS BLOB), CAST(t0.document AS BLOB), ")
    }

    private func selected(_ condition: JSONValue, in db: Database) throws -> SQL {
        var translator = ConditionTranslator(className: .installation, access: .master, timeLimit: Self.timeLimit)
        return SQL(sql: " FROM installation AS t0 WHERE ")
            + (try translator.plan(condition).clause(in: SQLiteTransaction(db: db)).literal)
    }

    private func named(_ tokens: [String], telling more: SQL) -> SQL {
        Self.columns("named.value") + fates.named.literal + more
            + SQL(
                sql: """
                     FROM json_each(?) AS named LEFT JOIN installation AS t0 ON t0.id = coalesce(
                    (SELECT id FROM installation WHERE deviceToken = named.value),
                    (SELECT id FROM installation WHERE deviceToken = upper(named.value)))
                    """, arguments: [SQLFunctions.jsonList(tokens)])
    }
}

private let timeZoneKey = DocumentKey("timeZone")

extension DocumentKey {
    /// Reads the key's text, as long as a zone's name may be; empty if there is none, nil if it is too long.
    fileprivate func read(_ document: UnsafeBufferPointer<UInt8>, to name: inout [UInt8]?) {
        switch text(in: document, longest: NameTally.longestName) {
        case .none: break
        case .plain(let place): name?.append(contentsOf: document[place])
        case .escaped(let text): name?.append(contentsOf: text.utf8)
        case .tooLong: name = nil
        }
    }
}

extension Row {
    /// The `objectId` in the fifth column, in UTF-8.
    fileprivate var objectID: [UInt8]? {
        let text: String? = self[4]
        return text.map { Array($0.utf8) }
    }

    /// The values of some fields of the document in the third column.
    fileprivate func values(of fields: [String]) throws -> [JSONValue] {
        if fields.isEmpty { return [] }
        let document = try document { try? JSONValue(parsing: Array(UnsafeRawBufferPointer($0))) }
        return fields.map { document??[$0] ?? .null }
    }

    /// Reads the document in the third column; nil for an unregistered device.
    fileprivate func document<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) throws -> Value? {
        try withUnsafeData(atIndex: 2) { data in
            data?.withUnsafeBytes { bytes in bytes.withMemoryRebound(to: UInt8.self, body) }
        }
    }
}
