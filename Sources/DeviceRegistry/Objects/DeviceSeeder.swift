internal import Base
package import Push

/// Generates devices and users like those in the LeanCloud guides and the examples; the same ones for the same number.
struct DeviceSeeder {
    private var generator: SeededGenerator
    /// For the fields of the examples, so that a new one leaves the others as they are.
    private var exampleGenerator = SeededGenerator(seed: 20_261_201)
    private let count: Int
    private let now: Instant
    private let users: [String]

    struct Seed {
        let objectID: String
        let createdAt: Instant
        let updatedAt: Instant
        let fields: JSONValue
    }

    /// Creates a seeder for `count` devices that were last seen around `now`.
    init(count: Int, now: Instant) {
        self.count = count
        self.now = now
        var generator = SeededGenerator(seed: 20_150_621)
        users = (0..<max(1, count / 4)).map { _ in ObjectID.object(using: &generator) }
        self.generator = generator
    }

    /// Beijing University; the guides query devices near it.
    private static let center = (latitude: 39.9869, longitude: 116.3059)
    /// The maximum number of users near it: fewer than LeanCloud's limit on the results of a subquery.
    private static let mostNeighbours = 900

    private static let cities: [(latitude: Double, longitude: Double)] = [
        (37.7786, -122.3893), (40.7571, -73.8458), (41.4962, -81.6852), (31.2304, 121.4737), (35.6812, 139.7671),
    ]

    private static let channels: [(name: String, share: Double)] = [
        ("Giants", 0.25), ("Mets", 0.2), ("Indians", 0.15), ("suitcaseOwners", 0.1), ("public", 0.8), ("新闻", 0.3),
    ]

    /// The channels of the examples and of 'bugle init'.
    private static let exampleChannels: [(name: String, share: Double)] = [("news", 0.5), ("final", 0.2)]

    /// The fields of the examples that are true or false.
    private static let exampleFields: [(name: String, share: Double)] = [
        ("fan", 0.6), ("ticket", 0.1), ("followsFinal", 0.2), ("morningNews", 0.3),
    ]

    private static let languages = ["zh-Hans-CN", "zh-Hant-TW", "en-US", "ja-JP", "de-DE", "es-ES", "ar"]

    private static let firstNames = ["Willie", "Ricky", "Jake", "Rachel", "小明", "丽", "さくら", "عمر"]

    private static let zones = [
        "Asia/Shanghai", "America/Los_Angeles", "America/New_York", "Asia/Tokyo", "Europe/Berlin",
    ]

    /// Generates the users who own devices, one by one; must be called before the devices are generated.
    mutating func makeUsers(_ body: (Seed) throws -> Void) rethrows {
        let neighbours = min(Self.mostNeighbours, users.count / 12 + 1)
        for (index, objectID) in users.enumerated() {
            let isNear = index < neighbours
            let middle = isNear ? Self.center : Self.cities[index % Self.cities.count]
            let spread = isNear ? 0.05 : 0.3
            let createdAt = now.advanced(byDays: -Int64.random(in: 100...900, using: &generator))
            let seed = Seed(
                objectID: objectID, createdAt: createdAt, updatedAt: createdAt,
                fields: [
                    "username": .string("user\(index)"),
                    "location": [
                        "__type": "GeoPoint",
                        "latitude": .number(rounded(middle.latitude + offset(spread))),
                        "longitude": .number(rounded(middle.longitude + offset(spread))),
                    ],
                ])
            try body(seed)
        }
    }

    /// Generates the devices, one by one, so that a million of them need not be in memory.
    mutating func makeDevices(_ body: (Seed) throws -> Void) rethrows {
        for index in 0..<count {
            // A few have not been seen for longer than pushes allow.
            let age = Double.random(in: 0..<(generator.happens(0.03) ? 200 : 60), using: &generator)
            let updatedAt = now.advanced(bySeconds: -86_400 * (age > 60 ? age + 60 : age))
            let createdAt = updatedAt.advanced(byDays: -Int64.random(in: 1...700, using: &generator))
            let seed = Seed(
                objectID: ObjectID.object(using: &generator), createdAt: createdAt, updatedAt: updatedAt,
                fields: .object(fields(index)))
            try body(seed)
        }
    }

    private mutating func fields(_ index: Int) -> JSONObject {
        let isApple = generator.happens(0.7)
        var fields: JSONObject = [
            "channels": .array(Self.channels.filter { generator.happens($0.share) }.map { .string($0.name) }),
            "scores": .bool(generator.happens(0.5)),
            "gameResults": .bool(generator.happens(0.4)),
            "injuryReports": .bool(generator.happens(0.3)),
            "owner": ["__type": "Pointer", "className": "_User", "objectId": .string(users[index % users.count])],
            "timeZone": .string(Self.zones[Int.random(in: 0..<Self.zones.count, using: &generator)]),
            "valid": .bool(!generator.happens(0.02)),
        ]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3: fields["deviceProfile"] = "driver"
        case 3..<6: fields["deviceProfile"] = "passenger"
        default: break
        }
        if isApple {
            fields["deviceType"] = "ios"
            fields["deviceToken"] = .string(ObjectID.text("0123456789abcdef", 64, &generator))
            fields["badge"] = .integer(Int64.random(in: 0...9, using: &generator))
        } else {
            fields["deviceType"] = "android"
            fields["installationId"] = .string(uuid())
        }
        addExamples(to: &fields)
        return fields
    }

    private mutating func addExamples(to fields: inout JSONObject) {
        let more = Self.exampleChannels.filter { exampleGenerator.happens($0.share) }
        fields["channels"] = .array((fields["channels"]?.array ?? []) + more.map { .string($0.name) })
        for field in Self.exampleFields { fields[field.name] = .bool(exampleGenerator.happens(field.share)) }
        fields["language"] = Self.languages.randomElement(using: &exampleGenerator).map { .string($0) }
        // Some people have not said theirs.
        if exampleGenerator.happens(0.7) {
            fields["firstName"] = Self.firstNames.randomElement(using: &exampleGenerator).map { .string($0) }
        }
    }

    private mutating func uuid() -> String {
        [8, 4, 4, 4, 12].map { ObjectID.text("0123456789abcdef", $0, &generator) }.joined(separator: "-")
    }

    private mutating func offset(_ spread: Double) -> Double { Double.random(in: -spread...spread, using: &generator) }

    private func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
}

// MARK: - Seeding

extension Registry {
    /// Fills an empty registry with plausible devices and users; does nothing if it has devices.
    ///
    /// They include both platforms, the channels and fields of the LeanCloud guides and the examples, two device
    /// profiles, owners with a location, some invalid and some stale devices. The same number gives the same devices; their times count back
    /// from `now`.
    ///
    /// - Returns: the number of added devices.
    package func seed(devices count: Int, at now: Instant) async throws(RegistryError) -> Int {
        try await write { db in
            guard count > 0, try !db.exists("SELECT 1 FROM installation LIMIT 1") else { return 0 }
            var seeder = DeviceSeeder(count: count, now: now)
            var adding = SeedWriter(db: db, table: "object(class, objectId, createdAt, updatedAt, document)")
            // Of an earlier filling, whose devices are gone.
            let known = Set(try db.texts("SELECT objectId FROM object WHERE class = '_User'", []))
            try seeder.makeUsers { if !known.contains($0.objectID) { try adding.add(["_User"] + $0.values) } }
            try adding.finish()
            // Building the indexes at once takes a fraction of the time of a million single insertions.
            let indexes =
                db.dialect == .postgres
                ? []
                : try db.rows(
                    """
                    SELECT name, sql FROM sqlite_master
                    WHERE type = 'index' AND tbl_name = 'installation' AND sql <> ''
                    """, [])
            for index in indexes { try db.execute(SQLText(sql: "DROP INDEX \(index.string(0))")) }
            let isPostgres = db.dialect == .postgres
            let columns = "\(isPostgres ? "token, " : "")objectId, createdAt, updatedAt, document"
            adding = SeedWriter(db: db, table: "installation(\(columns))")
            try seeder.makeDevices { seed in
                let key = DeviceKey.key(seed.fields.object ?? [:], objectID: seed.objectID)
                try adding.add((isPostgres ? [key] : []) + seed.values)
            }
            try adding.finish()
            for index in indexes { try db.execute(SQLText(sql: index.string(1))) }
            return count
        }
    }

    /// Returns the number of registered devices.
    package func deviceCount() async throws(RegistryError) -> Int {
        try await read { db in try db.number("SELECT COUNT(*) FROM installation") }
    }
}

extension DeviceSeeder.Seed {
    fileprivate var values: [any SQLBindable] { [objectID, createdAt, updatedAt, fields.canonicalText] }
}

/// Adds the rows of seeds, some at a time.
private struct SeedWriter {
    let db: any RegistryTransaction
    let table: String
    var rows: [[any SQLBindable]] = []

    mutating func add(_ row: [any SQLBindable]) throws {
        rows.append(row)
        if rows.count == 5000 { try finish() }
    }

    mutating func finish() throws {
        try db.add(rows, to: table)
        rows = []
    }
}
