import JSONValue
import PostgresClient
import QueryTesting
import StoreTesting
import Testing

@testable import DeviceRegistry

/// The conditions that SQLite is compared by, asked of PostgreSQL; and the indexes that answer them.
@Suite(hasServer) struct PostgresQueryTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theDatabaseAgreesWithTheLanguageReadWordForWord(seed: UInt64) async throws {
        var maker = ConditionMaker(seed: seed)
        let source = try Registry.inMemory()
        let evaluator = try await NaiveEvaluator(filling: source, by: &maker)
        let fixture = try await PostgresFixture.make()
        let figures = try await fixture.registry.copy(from: source)
        #expect(figures.copied == 204 && figures.refused.isEmpty)
        let reader = try await PostgresRegistry.openReadOnly(fixture.address)
        for number in 0..<340 {
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
        await fixture.close()
    }

    @Test(arguments: [
        (#"{"deviceToken": "ab0007"}"#, "pkey"), (#"{"channels": "c7"}"#, "channels"),
        (#"{"channels": {"$in": ["c7", "c8"]}}"#, "channels"), (#"{"deviceProfile": "p7"}"#, "deviceprofile"),
        (#"{"installationId": "i7"}"#, "installationid"), (#"{"deviceToken": {"$in": ["ab0007", "AB0008"]}}"#, "pkey"),
    ])
    func lookUpsAreLedByAnIndex(condition: String, index: String) async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register(
            (0..<2000).map { number in
                [
                    "deviceType": "ios", "deviceToken": .string("ab\(String(repeating: "0", count: 4 - String(number).count))\(number)"),
                    "installationId": .string("i\(number)"), "deviceProfile": .string("p\(number % 500)"),
                    "channels": [.string("c\(number % 500)")],
                ]
            }, at: .noon)
        var translator = ConditionTranslator.postgres(.installation)
        let clause = try translator.plan(try JSONValue(parsing: condition)).clause
        let plan = try await fixture.pool.use { session in
            try session.execute("ANALYZE installation")
            return try session.rows(SQLText(sql: "EXPLAIN SELECT t0.token FROM installation AS t0 WHERE ") + clause)
                .map { $0.text(0) ?? "" }.joined(separator: "\n")
        }
        #expect(plan.contains("Index"), "\(plan)")
        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
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
            try session.rows("EXPLAIN SELECT * FROM installation WHERE token = 'ab100'").map { $0.text(0) ?? "" }
        }
        #expect(plan.filter { $0.contains("Scan") }.count == 1)
        await fixture.close()
    }

    @Test(arguments: [
        "'); DROP TABLE installation; --", "\"", "\\", "$1", "?", "a?b", "{a,b}", "NULL", "é新闻😀", "\u{1}\u{7f}", "\n\t\r",
        String(repeating: "x", count: 500_000), "%_", "\\N", "\u{FFFD}",
    ])
    func noValueIsReadAsSQL(text: String) async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register(
            [
                ["deviceType": "ios", "deviceToken": "aa", "note": .string(text), "list": [.string(text), 1]],
                ["deviceType": "ios", "deviceToken": "bb", "note": "other"],
            ], at: .noon)
        #expect(try await fixture.device("aa")?["note"] == .string(text))
        let value = JSONValue.string(text)
        let conditions: [JSONValue] = [
            ["note": value], ["note": ["$in": [value, "none"]]], ["list": ["$all": [value]]], ["note": ["$gte": value, "$lte": value]],
            ["list": [value, 1]], ["note": ["$select": ["query": ["className": "_Installation", "where": ["list": value]], "key": "note"]]],
        ]
        for condition in conditions {
            let found = try await fixture.registry.reader.objectIDs(of: .installation, where: condition)
            #expect(found.count == 1, "\(condition.canonicalText.prefix(200))")
        }
        for key in ["channels", "deviceToken", "deviceProfile", "installationId"] {
            let found = try await fixture.registry.reader.objectIDs(
                of: .installation, where: ["$or": [[key: value], [key: ["$in": [value]]]]])
            #expect(found.isEmpty)
        }
        await fixture.close()
    }

    @Test(arguments: [
        ("a.c", "abc a\nc", true), ("^b$", "a\nb", false), ("b$", "ab\n", true), ("\\bnew\\b", "a new car", true),
        ("\\bnew\\b", "anew", false), ("[^a-c]+x{2,3}", "zzxx", true), ("a|(b|c)d", "cd", true), ("\\x41\\u0042", "AB", true),
        ("[]x]", "]", true), ("\\$\\.\\*", "$.*", true), ("(?:ab)+?c", "ababc", true), ("[[]", "[", nil as Bool?),
        ("(a)\\1", "aa", nil), ("a(?=b)", "ab", nil), ("a++", "a", nil), ("\\p{L}", "a", nil), ("(?i)a", "A", nil),
        ("a{300}", "a", nil),
    ])
    func patternsMeanTheSameOrAreRefused(pattern: String, text: String, isFound: Bool?) async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register([["deviceType": "ios", "deviceToken": "aa", "note": .string(text)]], at: .noon)
        let condition: JSONValue = ["note": ["$regex": .string(pattern)]]
        if let isFound {
            let found = try await fixture.registry.reader.objectIDs(of: .installation, where: condition)
            #expect(found.count == (isFound ? 1 : 0))
            let sqlite = try Registry.inMemory()
            _ = try await sqlite.create(
                ["deviceType": "ios", "deviceToken": "aa", "note": .string(text)], in: .installation, as: .master, at: .noon)
            var query = ObjectQuery()
            query.condition = condition
            #expect(try await sqlite.find(query, in: .installation, as: .master).results.count == found.count)
        } else {
            await #expect(throws: RegistryError.self) {
                _ = try await fixture.registry.reader.objectIDs(of: .installation, where: condition)
            }
        }
        await fixture.close()
    }
}
