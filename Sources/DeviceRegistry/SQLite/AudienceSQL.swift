internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import GRDB
internal import GRDBSQLite
internal import Push

/// The devices of an audience and their routes: one rule for counting and for freezing.
struct AudienceSQL {
    let audience: DeliveryAudience
    /// The time for which devices must have been seen recently.
    let now: Instant
    /// The time limit for regular expressions in the condition, generous because a person waits for the count.
    private static let timeLimit = Duration.seconds(600)

    private var fates: AudienceFates { AudienceFates(audience: audience, dialect: .sqlite) }

    /// The number of named tokens per look-up.
    private static let tokensAtOnce = 500

    func count(in db: Database, through sieve: AudienceSieve) throws -> AudienceCount {
        var figures = sieve.nobody
        try each(in: db, audience.traits) { fate, token, row, traits in
            figures.add(sieve.fate(fate, traits, number: row, token: token))
        }
        return figures
    }

    /// Counts the devices and their kinds, in a single pass.
    func explain(in db: Database, through sieve: AudienceSieve) throws -> AudienceCount {
        var breakdown = sieve.nobody
        breakdown.words = audience.words?.nobody
        var zones = NameTally()
        // For each route: the devices with its profile, and those without any.
        var profiles = [(named: Int, unnamed: Int)](repeating: (0, 0), count: audience.routes.count)
        var platforms = [Int](repeating: 0, count: Self.platforms.count + 1)
        try eachRow(in: db, audience.traits.union(.timeZone), telling: Self.kinds) { fate, token, zone, number, row in
            let traits = DeviceTraits(objectID: row.objectID)
            switch sieve.fate(fate, traits, number: number, token: token) {
            case .leftOut(let reason):
                breakdown.leftOut[reason, default: 0] += 1
                if reason == .android { breakdown.noWay[row[7], default: 0] += 1 }
            case .reached(let route):
                if let words = audience.words,
                    !words.add(try row.values(of: words.fields), by: audience.routes[route], to: &breakdown)
                {
                    breakdown.leftOut[.tooLarge, default: 0] += 1
                    return
                }
                breakdown.devices += 1
                if row[5] { profiles[route].unnamed += 1 } else { profiles[route].named += 1 }
                platforms[row[6]] += 1
                if let zone { zones.add(String(decoding: zone, as: UTF8.self)) }
            }
        }
        for (index, devices) in profiles.enumerated() {
            let route = audience.routes[index]
            breakdown.addWay(of: index, audience.routes, devices.named + devices.unnamed)
            breakdown.deviceProfiles[route.profile, default: 0] += devices.named
            breakdown.deviceProfiles["", default: 0] += devices.unnamed
        }
        for (name, devices) in zip(Self.platforms + [""], platforms) {
            breakdown.platforms[name] = devices
        }
        breakdown.timeZones = zones.counts
        breakdown.deviceProfiles = breakdown.deviceProfiles.filter { $0.value > 0 }
        breakdown.platforms = breakdown.platforms.filter { $0.value > 0 }
        return breakdown
    }

    private static let platforms = InstallationRules.applePlatforms + ["android"]

    /// True if a device has no profile; the index of its Apple platform, or the number of platforms for others; and the
    /// vendor at which it has an address.
    private static let kinds: SQL = {
        let names = Self.platforms
        let cases = names.enumerated().map { "WHEN '\($1)' THEN \($0)" }.joined(separator: " ")
        return SQL(
            sql: """
                , coalesce(t0.deviceProfile, '') = '', CASE t0.deviceType \(cases) ELSE \(names.count) END, \
                \(Dialect.sqlite.addressedVendor)
                """)
    }()

    /// Calls `body` once for each selected device with its fate, the digits of its token, its row, which is 0 for an
    /// unregistered device, and the properties that were asked for.
    func each(
        in db: Database, _ traits: DeviceTraits.Kinds, telling fields: [String] = [],
        _ body: (AudienceFate, _ token: [UInt8], _ row: Int64, DeviceTraits) throws -> Void
    ) throws {
        try eachRow(in: db, traits) { fate, token, zone, number, row in
            try body(
                fate, token, number,
                DeviceTraits(
                    objectID: traits.contains(.objectID) ? row.objectID : nil,
                    timeZone: traits.contains(.timeZone) ? zone : nil,
                    values: try row.values(of: fields)))
        }
    }

    /// Calls `body` with all columns: the row's number, token, document and fate, the `objectId` if it is asked for,
    /// and the additional ones; if asked for, with the zone that a reached device reports, which is empty if it reports
    /// none, and nil if that is too long for a zone's name.
    private func eachRow(
        in db: Database, _ traits: DeviceTraits.Kinds, telling others: SQL = SQL(sql: ""),
        _ body: (AudienceFate, _ token: [UInt8], _ zone: [UInt8]?, _ number: Int64, Row) throws -> Void
    ) throws {
        let more = SQL(sql: traits.contains(.objectID) ? ", t0.objectId" : ", NULL") + others
        let withZones = traits.contains(.timeZone)
        switch audience.selection {
        case .condition(let condition):
            let sql =
                Self.columns(fates.address) + fates.fitting(at: now).literal + more
                + (try selected(condition, in: db))
            var spellings = TokenSpellings(db: db)
            try each(sql, in: db, withZones: withZones) { fate, token, zone, number, row in
                // Another spelling of a registered token is the same device.
                if try spellings.isOne(token, number) { try body(fate, token, zone, number, row) }
            }
        case .tokens(let tokens):
            for part in tokens.distinctTokens(atOnce: Self.tokensAtOnce) {
                try each(named(part, telling: more), in: db, withZones: withZones, body)
            }
        }
    }

    private func each(
        _ sql: SQL, in db: Database, withZones: Bool,
        _ body: (AudienceFate, _ token: [UInt8], _ zone: [UInt8]?, _ number: Int64, Row) throws -> Void
    ) throws {
        let topics = audience.routes.map { $0.vendor == .apns ? Array($0.topic.utf8) : nil }
        var addresses = SeenAddresses()
        let statement = try db.makeStatement(literal: sql)
        let cursor = try Row.fetchCursor(statement)
        var token: [UInt8] = []
        var zone: [UInt8]? = []
        while let row = try cursor.next() {
            token.removeAll(keepingCapacity: true)
            unsafe token.append(contentsOf: statement.bytes(1))
            var fate = AudienceFate(statement.number(3))
            var isAndroid = false
            if case .reached(let route) = fate { isAndroid = topics[route] == nil }
            let isLeftOut =
                if case .leftOut = fate { PushAddress.isOne(token) && audience.reachesAndroid } else { false }
            if fate != .leftOut(.android), !isAndroid, !isLeftOut, !TargetPack.isToken(token) {
                fate = .leftOut(.otherPlatform)
            } else if case .reached(let route) = fate {
                if isAndroid, !addresses.isNew(token) { continue }
                // In one look, since each costs as much as what it finds.
                if zone?.removeAll(keepingCapacity: true) == nil { zone = [] }
                // Empty for an unregistered device.
                let document = unsafe statement.bytes(2)
                if withZones { unsafe timeZoneKey.read(document, to: &zone) }
                if let topic = topics[route], unsafe !DocumentTopic.isEmpty(in: document, or: topic) {
                    fate = .leftOut(.otherTopic)
                }
            }
            try body(fate, token, zone, statement.number(0), row)
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
                    """, arguments: [JSONValue(texts: tokens).canonicalText])
    }
}

private let timeZoneKey = DocumentKey("timeZone")

extension DocumentKey {
    /// Reads the key's text, as long as a zone's name may be; empty if there is none, nil if it is too long.
    fileprivate func read(_ document: UnsafeBufferPointer<UInt8>, to name: inout [UInt8]?) {
        switch unsafe text(in: document, longest: NameTally.longestName) {
        case .none: break
        case .plain(let place): unsafe name?.append(contentsOf: document[place])
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
        let document = try withUnsafeData(atIndex: 2) { data in data.map { try? JSONValue(parsing: Array($0)) } }
        return fields.map { document??[$0] ?? .null }
    }
}

/// Columns of the row at which the statement's cursor is, until the next one: the values that GRDB makes of them would be
/// most of the work of an audience.
extension Statement {
    fileprivate func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(sqliteStatement, column) }

    /// The bytes of a `BLOB`; none for `NULL`.
    fileprivate func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe sqlite3_column_blob(sqliteStatement, column)
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(sqliteStatement, column))
        return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
    }
}

/// Finds a key's value in the text of an installation's document: ten times faster than parsing the whole document,
/// which would be most of the cost of counting an audience.
struct DocumentKey {
    /// The key as in the text, within its quotation marks.
    private let key: [UInt8]
    /// The index of the key's capital letter, its rarest byte.
    private let landmark: Int

    init(_ name: String) {
        key = Array("\"\(name)\"".utf8)
        landmark = key.firstIndex { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? 0
    }

    /// Finds the value of the document's top-level key.
    ///
    /// - Parameter document: an object's JSON, as the registry writes it: without spaces between its parts.
    /// - Returns: the offset of the value; nil when there is none.
    func value(in document: UnsafeBufferPointer<UInt8>) -> Int? {
        unsafe mayHaveKey(document) ? find(in: document) : nil
    }

    /// Returns the key's value if it is a string of at most `longest` bytes.
    func text(in document: UnsafeBufferPointer<UInt8>, longest: Int) -> Text {
        guard let start = unsafe value(in: document), start < document.count,
            unsafe document[start] == UInt8(ascii: "\"")
        else {
            return .none
        }
        let end = unsafe Self.end(ofStringAt: start, in: document)
        let isPlain = unsafe end < document.count && !document[(start + 1)..<end].contains(UInt8(ascii: "\\"))
        // An escape takes up to six bytes per byte of text.
        guard end < document.count, end - start - 1 <= (isPlain ? longest : 6 * longest) else { return .tooLong }
        if isPlain { return .plain((start + 1)..<end) }
        guard let text = unsafe try? JSONValue(parsing: Array(document[start...end])).string else { return .none }
        return text.utf8.count <= longest ? .escaped(text) : .tooLong
    }

    enum Text: Hashable {
        /// The value is missing, or not a string.
        case none
        case tooLong
        /// The string stands as it is within these bytes of the document.
        case plain(Range<Int>)
        /// The string, which is written with escapes.
        case escaped(String)
    }

    /// The offset of the quotation mark that ends a string, or at least that of the document's end.
    private static func end(ofStringAt start: Int, in document: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = document.baseAddress else { return document.count }
        var position = start + 1
        while position < document.count,
            let found = unsafe memchr(first + position, Int32(UInt8(ascii: "\"")), document.count - position)
        {
            let end = unsafe first.distance(to: found.assumingMemoryBound(to: UInt8.self))
            var escapes = 0
            while unsafe document[end - 1 - escapes] == UInt8(ascii: "\\") { escapes += 1 }
            if escapes % 2 == 0 { return end }
            position = end + 1
        }
        return document.count
    }

    /// True if the key's bytes occur anywhere: otherwise nothing has to be parsed.
    private func mayHaveKey(_ document: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = document.baseAddress else { return false }
        var position = landmark
        while position < document.count,
            let found = unsafe memchr(start + position, Int32(key[landmark]), document.count - position)
        {
            let place = unsafe start.distance(to: found.assumingMemoryBound(to: UInt8.self))
            if unsafe document[(place - landmark)...].starts(with: key) { return true }
            position = place + 1
        }
        return false
    }

    private func find(in document: UnsafeBufferPointer<UInt8>) -> Int? {
        var (depth, position) = (0, 0)
        while position < document.count {
            switch unsafe document[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = position
                position = unsafe Self.end(ofStringAt: start, in: document)
                let end = position + 1
                guard depth == 1, end < document.count, unsafe document[end] == UInt8(ascii: ":") else { break }
                if end - start == key.count, unsafe document[start..<end].elementsEqual(key) { return end + 1 }
            // Every other byte belongs to a number or a literal, or separates parts.
            default: break
            }
            position += 1
        }
        return nil
    }
}

/// Checks `apnsTopic` in the text of an installation's document.
enum DocumentTopic {
    private static let key = DocumentKey("apnsTopic")

    /// True if the document's top-level `apnsTopic` is missing, empty, or equal to `topic`.
    ///
    /// The document is an object's JSON, as the registry writes it: without spaces between its parts.
    static func isEmpty(in document: UnsafeBufferPointer<UInt8>, or topic: [UInt8]) -> Bool {
        guard let start = unsafe key.value(in: document) else { return true }
        guard start < document.count, unsafe document[start] == UInt8(ascii: "\"") else {
            // Not a string: `null` counts as missing.
            return unsafe start < document.count && document[start] == UInt8(ascii: "n")
        }
        let text = unsafe document[(start + 1)...]
        if unsafe text.first == UInt8(ascii: "\"") { return true }
        return unsafe text.starts(with: topic) && text.dropFirst(topic.count).first == UInt8(ascii: "\"")
    }
}

/// Identifies devices whose tokens differ only in the case of their digits: they are one device, and of its spellings
/// the lower-case one counts, else the upper-case one, else the first.
struct TokenSpellings {
    let db: Database
    /// The mixed-case tokens seen so far; there are never many.
    private var mixed: Set<[UInt8]> = []

    init(db: Database) {
        self.db = db
    }

    /// True if this spelling of a token is the one that counts.
    mutating func isOne(_ token: [UInt8], _ row: Int64) throws -> Bool {
        // Bit 5 distinguishes the cases of a letter, and is set in digits.
        guard unsafe token.withUnsafeBufferPointer({ unsafe $0.contains { $0 & 0x20 == 0 } }), TargetPack.isToken(token)
        else {
            return true
        }
        let lower = token.map { $0 | 0x20 }
        if try isRegistered(lower, besides: row) { return false }
        guard token.contains(where: { $0 >= UInt8(ascii: "a") }) else { return true }
        let upper = lower.map { $0 >= UInt8(ascii: "a") ? $0 & 0xDF : $0 }
        return try !isRegistered(upper, besides: row) && mixed.insert(lower).inserted
    }

    private func isRegistered(_ token: [UInt8], besides row: Int64) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM installation WHERE deviceToken = ? AND id <> ?"),
            arguments: [String(decoding: token, as: UTF8.self), row]) ?? false
    }
}
