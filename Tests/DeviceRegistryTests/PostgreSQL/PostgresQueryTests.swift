import Base
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// The conditions that SQLite is compared by, asked of PostgreSQL; and the indexes that answer them.
@Suite(hasServer) struct PostgresQueryTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theDatabaseAgreesWithTheLanguageReadWordForWord(seed: UInt64) async throws {
        var maker = ConditionMaker(seed: seed)
        let source = try Registry.testInMemory()
        let evaluator = try await NaiveEvaluator(filling: source, by: &maker)
        let address = try await PostgresFixture.database(like: PostgresServer.template)
        let target = Registry(try await PostgresRegistry.openMigrated(address, width: 2))
        #expect(try await target.copy(everythingOf: source).allSatisfy(\.isComplete))
        await target.shutDown()
        let reader = try await PostgresRegistry.openReadOnly(address)
        for number in 0..<(isLong ? 340 : 150) {
            let className = number % 3 == 0 ? try ClassName("Thing") : .installation
            let condition = maker.condition(
                className.isInstallation ? ConditionMaker.deviceKeys : ConditionMaker.keys)
            let expected = (evaluator.classes[className.name] ?? []).filter { evaluator.fits($0, condition) }
                .compactMap { $0["objectId"]?.string }
            do {
                let found = try await reader.objectIDs(of: className, where: condition)
                #expect(found == expected.sorted(), "\(className): \(condition.canonicalText)")
            } catch {
                Issue.record("\(error) for \(className): \(condition.canonicalText)")
            }
        }
        await reader.close()
    }

    @Test func lookUpsAreLedByAnIndex() async throws {
        let fixture = try await PostgresFixture.make()
        // As a team's own SQL brings devices in.
        try await fixture.pool.use { session in
            try session.execute(
                """
                INSERT INTO installation (token, document)
                SELECT lower(token), jsonb_build_object('deviceType', 'ios', 'deviceToken', token, 'installationId', 'i' || n,
                  'deviceProfile', 'p' || n % 500, 'channels', jsonb_build_array('c' || n % 2000), 'valid', true)
                FROM (SELECT n, 'AB' || n AS token FROM generate_series(100000, 119999) AS n) AS devices
                """)
            try session.execute("ANALYZE installation")
        }
        let lookUps: [(JSONValue, String)] = [
            (["deviceToken": "AB100007"], "pkey"), (["deviceToken": ["$in": ["AB100007", "AB100008"]]], "pkey"),
            (["channels": "c7"], "channels"), (["channels": ["$in": ["c7", "c8"]]], "channels"),
            (["deviceProfile": "p7"], "deviceprofile"), (["installationId": "i100007"], "installationid"),
            (["channels": "c7", "$or": [["deviceProfile": "p7"], ["word": ["$exists": false]]]], "channels"),
        ]
        for (condition, index) in lookUps {
            var translator = ConditionTranslator.postgres(.installation)
            let clause = try translator.plan(condition).clause
            let plan = try await fixture.pool.use { session in
                try session.rows(SQLText(sql: "EXPLAIN SELECT t0.token FROM installation AS t0 WHERE ") + clause)
                    .map { $0.string(0) }.joined(separator: "\n")
            }
            #expect(plan.contains("Index") && plan.contains(index) && !plan.contains("Seq Scan"), "\(plan)")
            #expect(try await !fixture.ids(of: .installation, where: condition).isEmpty)
        }
        await fixture.close()
    }

    @Test func devicesAreSpreadByTheHashOfTheirTokens() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register(
            (0..<300).map { ["deviceType": "ios", "deviceToken": .string("AB\(100 + $0)")] }, at: .noon)
        for part in 0..<3 {
            #expect(try await fixture.number("SELECT count(*) FROM installation\(part)") > 50)
        }
        // A token stands where its hash says, so each is looked for in one part.
        let plan = try await fixture.pool.use { session in
            try session.rows("EXPLAIN SELECT * FROM installation WHERE token = 'ab100'").map { $0.string(0) }
        }
        #expect(plan.filter { $0.contains("Scan") }.count == 1)
        await fixture.close()
    }

    @Test func noValueIsReadAsSQL() async throws {
        let fixture = try await PostgresFixture.make()
        let texts = [
            "'); DROP TABLE installation; --", "\"", "\\", "$1", "?", "a?b", "{a,b}", "NULL", "é新闻😀", "\u{1}\u{7f}",
            "\n\t\r",
            String(repeating: "x", count: 60_000), "%_", "\\N", "\u{FFFD}",
        ]
        try await fixture.register(
            texts.enumerated().map { index, text in
                [
                    "deviceType": "ios", "deviceToken": .string("aa\(index)"), "note": .string(text),
                    "list": [.string(text), 1],
                ]
            }, at: .noon)
        for (index, text) in texts.enumerated() {
            #expect(try await fixture.device("aa\(index)")?["note"] == .string(text))
            let value = JSONValue.string(text)
            let conditions: [JSONValue] = [
                ["note": value], ["note": ["$in": [value, "none"]]], ["list": ["$all": [value]]],
                ["note": ["$gte": value, "$lte": value]], ["list": [value, 1]],
            ]
            for condition in conditions {
                let found = try await fixture.ids(of: .installation, where: condition)
                #expect(found.count == 1, "\(condition.canonicalText.prefix(200))")
            }
            for key in ["channels", "deviceToken", "deviceProfile", "installationId"] {
                let found = try await fixture.ids(
                    of: .installation, where: ["$or": [[key: value], [key: ["$in": [value]]]]])
                #expect(found.isEmpty)
            }
        }
        for condition: JSONValue in [["note": "a\u{0}b"], ["note": ["$in": ["\u{0}"]]], ["list": ["\u{0}"]]] {
            await #expect(throws: RegistryError.self) {
                _ = try await fixture.ids(of: .installation, where: condition)
            }
        }
        await fixture.close()
    }

    @Test func patternsMeanTheSame() async throws {
        let fixture = try await PostgresFixture.make()
        let sqlite = try Registry.testInMemory()
        let texts = [
            "abc a\nc", "a\nb", "ab\n", "a new car", "anew", "zzxx", "cd", "AB", "]", "$.*", "ababc", "", "x-1\r\ny",
            "é",
        ]
        for (index, text) in texts.enumerated() {
            let device: JSONObject = [
                "deviceType": "ios", "deviceToken": .string("aa\(index)"), "note": .string(text),
            ]
            try await fixture.register([.object(device)], at: .noon)
            _ = try await sqlite.create(device, in: .installation, as: .master, at: .noon)
        }
        let patterns = [
            "a.c", "^b$", "b$", "\\bnew\\b", "[^a-c]+x{1,3}", "a|(b|c)d", "\\x41\\u0042", "[\\]x]", "\\$\\.\\*",
            "(?:ab)+?c", "[\\w-]+\\d", "^", "$", "y\\z", "\\A[a-z]", "a # b", "(|z)b", "[&x]", "\\Bew", "[a\\-c]",
            "\\Qa n\\E", "\\Q$.*\\E|\\Q]", "\\Qab\\E+c", "\\Qé",
        ]
        for pattern in patterns {
            for options in ["", "i", "m", "s", "x", "imsx"] {
                let condition: JSONValue = ["note": ["$regex": .string(pattern), "$options": .string(options)]]
                let query = ObjectQuery(where: condition, keys: ["note"])
                let expected = try await sqlite.find(query, in: .installation, as: .master).results
                    .compactMap { $0["note"]?.string }
                let found = try await fixture.ids(of: .installation, where: condition)
                let notes = try await fixture.pool.use { session in
                    try session.rows(
                        "SELECT document ->> 'note' FROM installation WHERE objectId = ANY ($1::text[])",
                        [.texts(found)]
                    ).compactMap { $0.text(0) }
                }
                #expect(notes.sorted() == expected.sorted(), "/\(pattern)/\(options)")
            }
        }
        await fixture.close()
    }

    @Test(arguments: [
        "(a)\\1", "a(?=b)", "a++", "\\p{L}", "(?i)a", "a{300}", "[a&&b]", "[[a]b]", "\\Ga", "\\x{41}", "(?<n>a)",
        "[\\D]",
        "(?#c)a", "[\\Qa\\E]", "(?>a)",
    ])
    func patternsThatMayMeanAnotherThingAreRefused(pattern: String) throws {
        var translator = ConditionTranslator.postgres(.installation)
        let error = #expect(throws: RegistryError.self) {
            _ = try translator.plan(["note": ["$regex": .string(pattern)]])
        }
        #expect(error?.code == .invalidQuery)
    }

    @Test func aPushWithAPatternThatIsRefusedIsNotAccepted() async throws {
        let fixture = try await PostgresFixture.make()
        let order = PushOrder(to: .query(["note": ["$regex": "a(?=b)"]]))
        let error = await #expect(throws: RegistryError.self) { try await fixture.server.accept(order, at: .noon) }
        #expect(error?.code == .invalidQuery)
        #expect(try await fixture.number("SELECT count(*) FROM push") == 0)
        await fixture.close()
    }
}

extension PostgresFixture {
    /// The ids of the objects that fit a condition.
    func ids(of className: ClassName, where condition: JSONValue) async throws -> [String] {
        try await registry.objectIDs(of: className, where: condition)
    }
}

extension JournalReading {
    /// The ids of the objects of a class that fit a condition, in their order.
    fileprivate func objectIDs(of className: ClassName, where condition: JSONValue) async throws -> [String] {
        let database = try #require(reader.database as? PostgresDatabase)
        var translator = ConditionTranslator.postgres(className)
        let plan = try translator.plan(condition)
        var text = SQLText(sql: "SELECT t0.objectId FROM \(plan.table.source) WHERE ")
        if !className.isInstallation { text += SQLText(sql: "t0.class = ? AND ", arguments: [className.name]) }
        let query = translator.placed(text + plan.clause + SQLText(sql: " ORDER BY t0.objectId"))
        return try await database.run(.snapshot) { session in try session.rows(query).map { $0.string(0) } }
    }
}
