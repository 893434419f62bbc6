import APNsSimulator
import Base
import DeviceRegistry
import Push
import Testing

@testable import PushServer

/// A push's page says which campaign it was, who applied it, to whom it went in words, and why it failed.
@Suite struct ConsoleCampaignTests {
    private static let facts = "//dl[@class='facts']/div"

    private func origin(_ page: Page) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: zip(try page.texts(Self.facts + "/dt"), try page.texts(Self.facts + "/dd")))
    }

    @Test func aPushOfACampaignNamesItsRevisionItsCommitAndItsRun() async throws {
        let fixture = try ConsoleFixture()
        let push = try await fixture.push(["channels": "Giants"], ["alert": "x"])
        try await fixture.registry.recordCampaign(ofPush: push, at: .noon)
        let other = try await fixture.push([:], ["alert": "by hand"])
        let cookie = try await fixture.logIn()
        let page = try await fixture.page("/console/pushes/\(push)", cookie: cookie)
        #expect(
            try origin(page).filter { $0.key != "Taken" } == [
                "Campaign": "final-score", "Revision": "3", "Workspace": "giants", "Applied by": "ada",
                "Commit": "0123456789abcdef0123456789abcdef01234567", "Run": "https://ci.example/runs/7",
                "For": "channel Giants", "Certificate": "production", "objectId": push,
                "notificationId": try page.value("//dt[. = 'notificationId']/following-sibling::dd"),
            ])
        // What a person looks for stands first, and the ids last.
        let names = try page.texts(Self.facts + "/dt")
        #expect(names.first == "Campaign" && names.suffix(2) == ["objectId", "notificationId"], "\(names)")
        #expect(try page.value("//a[starts-with(@rel, 'noopener')]/@href") == "https://ci.example/runs/7")
        let none = try await fixture.page("/console/pushes/\(other)", cookie: cookie)
        #expect(try none.texts(Self.facts + "/dt").first == "For")
    }

    @Test(
        arguments: [
            "javascript:alert(1)", "https://a b", "data:text/html,x", "JAVASCRIPT:x", "https://é.example", "run 7",
            "//evil",
        ] + ConsoleHostileTextTests.battery)
    func aRunThatIsNoAddressOfTheWebIsText(run: String) async throws {
        let fixture = try ConsoleFixture()
        let push = try await fixture.push([:], ["alert": "x"])
        try await fixture.registry.recordCampaign(ofPush: push, run: run, actor: run, at: .noon)
        let page = try await fixture.page("/console/pushes/\(push)", cookie: try await fixture.logIn())
        #expect(try origin(page)["Campaign"] == "final-score")
        #expect(try page.count("//a[starts-with(@rel, 'noopener')]") == 0)
        #expect(try page.count("//script[not(@src)] | //b") == 0)
    }

    @Test(
        arguments: [
            ([:], "everyone"), (["channels": "Giants"], "channel Giants"),
            (["channels": ["$in": ["A", "B"]], "deviceType": "ios"], "channels A or B, on ios"),
            (
                ["$and": [["scores": true], ["channels": "Giants"]], "valid": true],
                "channel Giants, where scores = true"
            ),
            (["scores": true, "level": ["$gt": 3]], "where level > 3 and scores = true"),
            (["$or": [["a": 1], ["b": 2]]], "where (a = 1 or b = 2)"),
            (["deviceType": ["$in": ["ios", "android"]]], "everyone, on ios or android"),
            (["deviceType": "ios", "deviceProfile": "driver"], "on ios, deviceProfile driver"),
            (["deviceType": "tvos"], "where deviceType = \"tvos\""),
            (["$and": [["channels": "A"], ["channels": "B"]]], "channel A, where channels = \"B\""),
            (["$and": [["a": ["$ne": 1]], ["a": ["$ne": 2]]]], "where (a ≠ 1 and a ≠ 2)"),
            (["valid": false], "where valid = false"),
            (["channels": ["$all": ["A"]]], "where channels {\"$all\":[\"A\"]}"),
            ([["a": 1], ["channels": "G"]], "channel G, where a = 1"),
            (["deviceToken": .string(String(repeating: "ab", count: 32))], "where deviceToken = \"abababab…abab\""),
        ] as [(JSONValue, String)])
    func anAudienceIsSaidInTheWordsOfAPlan(condition: JSONValue, words: String) {
        let order = PushOrder(
            notificationID: nil, requestID: nil, audience: .query(condition), data: [:], environment: "prod",
            incrementsBadge: false, fireAt: nil, expiresAt: nil)
        #expect(order.audienceText(in: .english) == words)
        let chinese = order.audienceText(in: .chinese)
        #expect(chinese.unicodeScalars.contains { $0.properties.isUnifiedIdeograph })
    }

    @Test func theReasonsOfAppleAreListedWithTheirNumbers() async throws {
        try await AppleWorld.run { (world) async throws in
            for number in 1...5 { try await world.device(number) }
            for number in 1...3 { try world.apple.unregister(token: AppleWorld.token(number)) }
            _ = try await world.server.call(
                "POST", "/installations", ["deviceType": "android", "installationId": "a"])
            let answer = try await world.server.call("POST", "/push", ["data": ["alert": "x"]])
            let id = try #require(answer.body["objectId"]?.string)
            _ = try await world.record(id)
            let html = try await HTTPClient.sendText(
                "GET", "/console/pushes/\(id)", port: world.server.port,
                headers: [("Cookie", try await world.server.consoleCookie())])
            let page = try Page(html.text)
            let rows = "//section[@aria-labelledby='reasons-title']//tbody/tr"
            #expect(
                try page.texts(rows + "//bdi") == ["Unregistered", "not an Apple device, or without a token"])
            #expect(try page.texts(rows + "/td") == ["3", "1"])
            // The service's own line about them, in Chinese, says no more.
            #expect(try page.count("//p[@class='notice problem']") == 0)
            #expect(try page.count("//details[@class='raw' and not(@open)]/pre") == 3)
        }
    }

    @Test func aSimulatedDeadTokenHasApplesReasonToo() async throws {
        let fixture = try ConsoleFixture()
        for token in ["aa", "bb"] { try await fixture.device(["deviceType": "ios", "deviceToken": .string(token)]) }
        try await fixture.registry.killToken("aa")
        let push = try await fixture.push([:], ["alert": "x"])
        let page = try await fixture.page("/console/pushes/\(push)", cookie: try await fixture.logIn())
        #expect(try page.texts("//section[@aria-labelledby='reasons-title']//tbody/tr/td") == ["1"])
    }
}
