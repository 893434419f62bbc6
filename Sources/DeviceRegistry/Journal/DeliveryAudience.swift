package import Base
package import Push

/// The audience of a delivery and its routes.
///
/// It reaches the selected devices that are `valid` and were seen recently enough, whose service and profile have a route,
/// and of Apple's those whose `apnsTopic` is empty or the route's.
package struct DeliveryAudience: Hashable, Sendable {
    /// The selected devices.
    package var selection: Selection
    /// The topics of the delivery, with the profiles that they serve; at least one.
    package var routes: [DeliveryRoute]
    /// The forms of its message, if it has several, or values of devices in its texts.
    package var words: AudienceWords?
    /// The share of devices that is held out; nil: none.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device.
    package var frequency: [FrequencyRule]
    /// The time after which a device that was not seen gets nothing; nil: it always gets it.
    package var staleAfter: Duration?

    /// True when some devices may be held back by rules.
    package var isRestrained: Bool { holdout != nil || !frequency.isEmpty }

    /// True if it has routes to Android devices.
    package var reachesAndroid: Bool { routes.contains { $0.vendor != .apns } }

    /// The properties of devices that its rules depend on.
    package var traits: DeviceTraits.Kinds { isRestrained ? .objectID : [] }

    /// A selection of devices.
    package enum Selection: Hashable, Sendable {
        /// Devices that match a condition in LeanCloud's query language.
        case condition(JSONValue)
        case tokens([String])
    }

    package init(
        selection: Selection, routes: [DeliveryRoute], words: AudienceWords? = nil, holdout: Holdout? = nil,
        frequency: [FrequencyRule] = [], staleAfter: Duration? = AudienceCount.threeMonths
    ) {
        self.staleAfter = staleAfter
        self.holdout = holdout
        self.frequency = frequency
        self.selection = selection
        self.routes = routes
        self.words = words
    }
}

/// One topic of a delivery.
package struct DeliveryRoute: Hashable, Sendable {
    /// The profile's name.
    package var profile: String
    /// The service of its devices.
    package var vendor: PushVendor
    /// The `deviceProfile` of the installations that it serves.
    package var installations: String
    /// The topic as in the `apnsTopic` of installations: the bundle id.
    package var topic: String
    /// True if it also serves installations without a profile.
    package var isDefault: Bool

    package init(
        profile: String, vendor: PushVendor = .apns, installations: String? = nil, topic: String, isDefault: Bool
    ) {
        self.vendor = vendor
        self.installations = installations ?? profile
        self.profile = profile
        self.topic = topic
        self.isDefault = isDefault
    }
}

extension AudienceCount {
    /// Counts devices by their fate.
    package mutating func add(_ fate: AudienceFate, _ number: Int = 1) {
        switch fate {
        case .reached: devices += number
        case .leftOut(let reason): leftOut[reason, default: 0] += number
        }
    }

    /// Counts devices of a kind by their fate; `routes` are the audience's.
    package mutating func add(
        _ fate: AudienceFate, platform: String, isUnnamed: Bool, vendor: String, _ routes: [DeliveryRoute],
        _ devices: Int = 1
    ) {
        add(fate, devices)
        if fate == .leftOut(.android) { noWay[vendor, default: 0] += devices }
        guard case .reached(let route) = fate else { return }
        platforms[platform, default: 0] += devices
        deviceProfiles[isUnnamed ? "" : routes[route].profile, default: 0] += devices
        addWay(of: route, routes, devices)
    }

    /// Counts devices by their service, where there is more than Apple's.
    package mutating func addWay(of route: Int, _ routes: [DeliveryRoute], _ devices: Int) {
        guard devices > 0, routes.contains(where: { $0.vendor != .apns }) else { return }
        ways[routes[route].vendor.rawValue, default: 0] += devices
    }
}

/// The names that conditions on installations may use in a registry.
package struct RegistryNames: Hashable, Sendable {
    /// The fields of the newest installations.
    package var fields: Set<String>
    /// The classes that subqueries within a condition may query.
    package var classes: Set<String>
}

/// The fate of a selected device in an audience.
package enum AudienceFate: Hashable {
    /// The device is reached by the route with this index.
    case reached(Int)
    case leftOut(LeftOut)

    /// Decodes a statement's number: a route's index, or the result of ``code(_:)``.
    package init(_ code: Int64) {
        self = code >= 0 ? .reached(Int(code)) : .leftOut(LeftOut.allCases[Int(-1 - code)])
    }

    fileprivate static func code(_ reason: LeftOut) -> Int {
        -1 - (LeftOut.allCases.firstIndex(of: reason) ?? 0)
    }
}

/// The SQL that computes the ``AudienceFate`` of an installation `t0` as a number: one rule for every database.
///
/// In SQLite it accepts any text as a token and any topic; the code that reads the rows checks both, which is faster.
package struct AudienceFates {
    let audience: DeliveryAudience
    let dialect: Dialect

    private static let isAndroid = "WHEN t0.deviceType = 'android' THEN"
    private static let notApple = "coalesce(t0.deviceType, '') NOT IN (\(InstallationRules.appleList))"

    /// The fate of a device that matches a condition; `now` is the time for which it must have been seen recently.
    package func fitting(at now: Instant) -> SQLText {
        let isAlive = SQLText(
            sql: """
                 WHEN NOT t0.valid THEN \(AudienceFate.code(.invalid)) \
                WHEN t0.updatedAt < ? THEN \(AudienceFate.code(.stale)) ELSE 
                """,
            arguments: [audience.staleAfter.map { (now - $0).milliseconds } ?? .min])
        return SQLText(sql: "CASE \(Self.isAndroid) ") + android(isAlive)
            + SQLText(sql: " WHEN \(Self.notApple) OR \(hasNoToken("t0")) THEN \(AudienceFate.code(.otherPlatform))")
            + isAlive + route(of: .apns) + SQLText(sql: " END")
    }

    /// The fate of an Android device: by its vendor it has a way only if it has the vendor's address, and the audience
    /// routes of that vendor.
    private func android(_ isAlive: SQLText) -> SQLText {
        let vendors = PushVendor.allCases.filter { vendor in
            vendor != .apns && audience.routes.contains { $0.vendor == vendor }
        }
        guard !vendors.isEmpty else { return SQLText(sql: "\(AudienceFate.code(.android))") }
        let names = vendors.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let routes = vendors.map { SQLText(sql: "WHEN '\($0.rawValue)' THEN ") + route(of: $0) }
        return SQLText(
            sql: """
                CASE WHEN \(dialect.vendor) NOT IN (\(names)) OR \(dialect.registrationID) = '' \
                THEN \(AudienceFate.code(.android))
                """) + isAlive + SQLText(sql: "CASE \(dialect.vendor) ") + .list(routes, by: " ")
            + SQLText(sql: " END END")
    }

    /// The address of an installation `t0`: its token, or an Android device's ``PushAddress``.
    package var address: String {
        let token = dialect == .sqlite ? "t0.deviceToken" : "t0.token"
        guard audience.reachesAndroid else { return token }
        return "CASE \(Self.isAndroid) \(dialect.address(of: "t0")) ELSE \(token) END"
    }

    /// The fate of a device whose token is `named`, registered or not.
    package var named: SQLText {
        SQLText(
            sql: """
                CASE WHEN \(hasNoToken("named")) THEN \(AudienceFate.code(.otherPlatform)) \
                WHEN t0.objectId IS NULL THEN \(fallback(of: .apns) ?? AudienceFate.code(.otherProfile)) \
                \(Self.isAndroid) \(AudienceFate.code(.android)) \
                WHEN \(Self.notApple) THEN \(AudienceFate.code(.otherPlatform)) ELSE 
                """) + route(of: .apns) + SQLText(sql: " END")
    }

    private func fallback(of vendor: PushVendor) -> Int? {
        audience.routes.firstIndex { $0.vendor == vendor && $0.isDefault }
    }

    /// The index of the route of a vendor that serves a device, or else the reason why none does.
    private func route(of vendor: PushVendor) -> SQLText {
        var cases = audience.routes.indices.filter { audience.routes[$0].vendor == vendor }
            .map { served(audience.routes[$0].installations, by: $0) }
        if let fallback = fallback(of: vendor) { cases.append(served("", by: fallback)) }
        guard !cases.isEmpty else { return SQLText(sql: "\(AudienceFate.code(.otherProfile))") }
        return SQLText(sql: "CASE coalesce(t0.deviceProfile, '') ") + .list(cases, by: " ")
            + SQLText(sql: " ELSE \(AudienceFate.code(.otherProfile)) END")
    }

    private func served(_ profile: String, by index: Int) -> SQLText {
        let isApple = audience.routes[index].vendor == .apns
        return switch dialect {
        case .postgres where isApple:
            SQLText(
                sql: """
                    WHEN ? THEN CASE WHEN coalesce(t0.document ->> 'apnsTopic', '') IN ('', ?) THEN \(index) \
                    ELSE \(AudienceFate.code(.otherTopic)) END
                    """, arguments: [profile, audience.routes[index].topic])
        case .sqlite, .postgres: SQLText(sql: "WHEN ? THEN \(index)", arguments: [profile])
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

/// The address of a device of a vendor other than Apple, in the place of a token: `fcm:REGISTRATION-ID`, case kept.
///
/// No token has a colon, so that no device can pass for another. Source: docs/background/android.md#vendors.
package enum PushAddress {
    /// True for such an address.
    package static func isOne(_ token: some Collection<UInt8>) -> Bool {
        token.prefix(8).contains(UInt8(ascii: ":"))
    }

    /// The address of an installation with these fields; nil without a vendor or a registration.
    package static func address(of fields: JSONObject) -> String? {
        guard let vendor = fields["vendor"]?.string, let id = fields["registrationId"]?.string, !vendor.isEmpty,
            !id.isEmpty
        else { return nil }
        return "\(vendor.lowercased()):\(id)"
    }

    /// The `registrationId` of an address.
    package static func registrationID(of address: String) -> String {
        address.firstIndex(of: ":").map { String(address[address.index(after: $0)...]) } ?? address
    }
}

extension Dialect {
    /// The vendor of an installation `t0`, in lower case; empty if it has none.
    fileprivate var vendor: String { "lower(coalesce(\(text(at: "vendor", of: "t0.document")), ''))" }

    /// The vendor at which an Android installation `t0` has an address; empty for others.
    package var addressedVendor: String {
        let names = PushVendor.allCases.filter { $0 != .apns }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return """
            CASE WHEN t0.deviceType = 'android' AND \(registrationID) <> '' AND \(vendor) IN (\(names)) \
            THEN \(vendor) ELSE '' END
            """
    }

    /// The address of an installation `t0` at its vendor; empty if it has none.
    fileprivate var registrationID: String { "coalesce(\(text(at: "registrationId", of: "t0.document")), '')" }

    /// The ``PushAddress`` of an installation.
    package func address(of installation: String) -> String {
        let document = installation + ".document"
        return "lower(\(text(at: "vendor", of: document))) || ':' || \(text(at: "registrationId", of: document))"
    }
}

/// The addresses seen so far: two installations with one address are one device.
package struct SeenAddresses {
    /// Two hashes of each, with different keys: with a hundred million of them the chance that two share both is nil.
    private var seen: Set<Pair> = []

    private struct Pair: Hashable {
        let first, second: Int
    }

    /// True for an address that was not seen before.
    package mutating func isNew(_ address: some Sequence<UInt8>) -> Bool {
        var hashers = (Hasher(), Hasher())
        hashers.1.combine(0)
        for byte in address {
            hashers.0.combine(byte)
            hashers.1.combine(byte)
        }
        return seen.insert(Pair(first: hashers.0.finalize(), second: hashers.1.finalize())).inserted
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

/// Counts devices by name, in bounded memory however many names there are.
///
/// With very many names the rarest are dropped while counting, so that a name that reappears gets a few devices too
/// few; frequent names are never affected.
package struct NameTally {
    /// The number of devices by name.
    package private(set) var counts: [String: Int] = [:]

    /// The maximum length of a reported name in bytes.
    package static let longestName = 64
    /// The maximum number of names kept while counting.
    private static let mostNames = 16_384

    /// Adds devices to a name's count.
    package mutating func add(_ name: String, _ devices: Int = 1) {
        counts[name, default: 0] += devices
        if counts.count > Self.mostNames { forgetRarest() }
    }

    private mutating func forgetRarest() {
        var rare = 1
        while counts.count > Self.mostNames / 2 {
            counts = counts.filter { $0.value > rare }
            rare *= 2
        }
    }
}

// MARK: - Survey

/// The number of sampled installations.
private let mostSurveyed = 1000

extension JournalReading {
    /// Surveys the channels and profiles of the installations.
    ///
    /// Subscribers of `channels` and devices with one of `profiles` are counted over all installations.
    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> InstallationSample {
        try await read { db in
            let newest = """
                (SELECT \(db.dialect == .sqlite ? "id" : "channels"), deviceProfile FROM installation
                 ORDER BY updatedAt DESC LIMIT \(mostSurveyed)) AS t
                """
            func count(_ sql: String, _ value: any SQLBindable...) throws -> Int {
                try db.number("SELECT COUNT(*) FROM \(sql)", value)
            }
            var survey = InstallationSample(
                size: try count(newest), channels: try db.counts(db.dialect.subscriptions(of: newest)),
                deviceProfiles: try db.counts(
                    "SELECT deviceProfile, COUNT(*) FROM \(newest) WHERE deviceProfile <> '' GROUP BY deviceProfile"))
            for channel in channels {
                switch db.dialect {
                case .sqlite: survey.subscribers[channel] = try count("channel WHERE name = ?", channel)
                case .postgres:
                    survey.subscribers[channel] = try count(
                        "installation WHERE channels @> ?::jsonb", JSONValue.array([.string(channel)]).canonicalText)
                }
            }
            for profile in profiles {
                survey.bearers[profile] = try count("installation WHERE deviceProfile = ?", profile)
            }
            return survey
        }
    }

    /// Returns the fields of the newest installations, and the existing classes: the names that conditions on
    /// installations may use.
    package func names() async throws(RegistryError) -> RegistryNames {
        try await read { db in
            let newest = "(SELECT document FROM installation ORDER BY updatedAt DESC LIMIT \(mostSurveyed)) AS t"
            let (keys, classes) =
                switch db.dialect {
                case .sqlite: ("key FROM \(newest), json_each(t.document)", "name FROM class")
                case .postgres: ("k FROM \(newest), jsonb_object_keys(t.document) AS k", "class FROM object")
                }
            func texts(_ sql: String) throws -> Set<String> { Set(try db.texts("SELECT DISTINCT " + sql)) }
            // The classes of devices and users exist even without objects.
            return RegistryNames(
                fields: try texts(keys), classes: try texts(classes).union(["_Installation", "_User"]))
        }
    }
}

extension Dialect {
    /// A query that counts the subscribers of each channel among some installations.
    fileprivate func subscriptions(of installations: String) -> String {
        switch self {
        case .sqlite:
            "SELECT name, COUNT(*) FROM channel WHERE installation IN (SELECT id FROM \(installations)) GROUP BY name"
        case .postgres:
            """
            SELECT name, count(*) FROM (
              SELECT DISTINCT n, c.value #>> '{}' AS name
              FROM (SELECT channels, row_number() OVER () AS n FROM \(installations)) AS d, jsonb_array_elements(
                CASE jsonb_typeof(d.channels) WHEN 'array' THEN d.channels ELSE '[]' END) AS c
              WHERE jsonb_typeof(c.value) = 'string') AS names GROUP BY name
            """
        }
    }
}
