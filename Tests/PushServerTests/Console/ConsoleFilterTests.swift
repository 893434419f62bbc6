import Base
import DeviceRegistry
import RegistryTesting
import Testing

@testable import PushServer

@Suite struct ConsoleFilterTests {
    private static let seeded = Task {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 400, at: .noon)
        return registry
    }

    private func expected(_ condition: JSONValue) async throws -> Set<String> {
        let query = ObjectQuery(where: condition, limit: 1000)
        let found = try await Self.seeded.value.find(query, in: .installation, as: .master)
        return Set(found.results.compactMap { $0["objectId"]?.string })
    }

    @Test(
        arguments: [
            ([:], [:]), (["platform": "ios"], ["deviceType": "ios"]), (["channel": "新闻"], ["channels": "新闻"]),
            (["profile": "driver"], ["deviceProfile": "driver"]), (["valid": "yes"], ["valid": true]),
            (["valid": "no"], ["valid": false]),
            (
                ["platform": "android", "channel": "Giants", "valid": "yes", "profile": "driver"],
                ["deviceType": "android", "channels": "Giants", "valid": true, "deviceProfile": "driver"]
            ),
            (["where": #"{"scores":true,"badge":{"$gt":3}}"#], ["scores": true, "badge": ["$gt": 3]]),
            (["where": #"[{"scores":true},{"channels":"Mets"}]"#], ["scores": true, "channels": "Mets"]),
            (["platform": "ios", "where": #"{"channels":"Mets"}"#], ["deviceType": "ios", "channels": "Mets"]),
            (
                ["where": #"{"channels":"Mets","valid":true}"#, "channel": "Giants"],
                ["channels": ["$all": ["Giants", "Mets"]], "valid": true]
            ),
            (["platform": "none"], ["deviceType": "none"]), (["valid": "perhaps"], [:]),
            (["field": "scores = true", "platform": "ios"], ["scores": true, "deviceType": "ios"]),
            (
                ["field": "timeZone=Asia/Tokyo", "where": #"{"scores":true}"#],
                ["timeZone": "Asia/Tokyo", "scores": true]
            ),
            (
                ["seen": "stale"],
                ["updatedAt": ["$lt": ["__type": "Date", "iso": "2026-08-23T12:00:00.000Z"]]]
            ),
            (["seen": "never"], [:]),
        ] as [([String: String], JSONValue)])
    func pagingThroughAFilterMeetsEachDeviceThatFitsOnce(fields: [String: String], condition: JSONValue) async throws {
        let fixture = try ConsoleFixture(try await Self.seeded.value)
        let cookie = try await fixture.logIn()
        var (seen, places) = ([String](), [String]())
        var target = "/console/installations?" + TestServer.encoded(fields)
        while true {
            let page = try await fixture.page(target, cookie: cookie)
            let rows = try page.texts("//tbody//th")
            if !rows.isEmpty { places.append(try page.value("//p[@class='place']")) }
            seen += rows
            guard let next = try page.texts("//a[@rel='next']/@href").first else { break }
            target = next
        }
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen) == (try await expected(condition)))
        let (all, pages) = (seen.count, (seen.count + 24) / 25)
        #expect(
            places
                == (0..<pages).map { page in
                    "Page \(page + 1) of \(pages) · \(25 * page + 1) to \(min(25 * page + 25, all)) of \(all)"
                })
    }

    @Test(arguments: [
        ("{", "This cannot be read as JSON."), ("7", "A condition is a JSON object"),
        (#"{"a":{"$bad":1}}"#, "Unknown operator '$bad'."), (#"{"a b":1}"#, "Invalid key name: 'a b'."),
        (#"{"a":{"$in":1}}"#, "$in takes a list."), (String(repeating: "[", count: 10_000), "This cannot be read"),
        (#"{"x') OR 1=1 --":1}"#, "Invalid key name"),
    ])
    func aConditionThatCannotBeReadIsExplainedAtItsField(condition: String, problem: String) async throws {
        let fixture = try ConsoleFixture(try await Self.seeded.value)
        let target = "/console/installations?" + TestServer.encoded(["where": condition, "channel": "Mets"])
        let page = try await fixture.page(target, cookie: try await fixture.logIn(), status: 400)
        #expect(try page.value("//*[@id='where-problem']").hasPrefix(problem))
        #expect(try page.value("//textarea/@aria-invalid") == "true")
        #expect(try page.value("//textarea/@aria-describedby") == "where-help where-problem")
        #expect(try page.value("//textarea") == condition)
        #expect(try page.value("//input[@name='channel']/@value") == "Mets")
        #expect(try page.count("//table") == 0)
    }

    @Test func aFieldThatIsNoneIsExplainedAtItsField() async throws {
        let fixture = try ConsoleFixture(try await Self.seeded.value)
        let page = try await fixture.page(
            "/console/installations?field=city", cookie: try await fixture.logIn(), status: 400)
        #expect(try page.value("//*[@id='field-problem']").hasPrefix("Write a field and its value"))
        #expect(try page.value("//input[@id='field']/@aria-describedby") == "field-problem")
        #expect(try page.count("//table | //*[@class='nothing']") == 0)
    }

    @Test(arguments: ["x", "0", "-1", "99999999999999999999-1", "1_1", "7", "'; DROP TABLE installation; --"])
    func aCursorThatIsNoneBeginsAnew(cursor: String) async throws {
        let fixture = try ConsoleFixture(try await Self.seeded.value)
        let target = "/console/installations?" + TestServer.encoded(["after": cursor])
        #expect(try await fixture.page(target, cookie: try await fixture.logIn()).count("//tbody/tr") == 25)
    }
}
