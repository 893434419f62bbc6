import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

/// One box finds a device by whatever a person has of it.
@Suite struct ConsoleSearchTests {
    private static let token = "00aabb11cc22dd33ee44ff5566778899" + "00aabb11cc22dd33ee44ff5566778800"
    private static let user: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": "user64f0a1"]

    /// Three devices, the first of which has everything.
    private func filled() async throws -> (fixture: ConsoleFixture, cookie: String, device: String) {
        let fixture = try ConsoleFixture()
        let device = try await fixture.device([
            "deviceType": "ios", "deviceToken": .string(Self.token), "installationId": "1f9c2b3a-7777", "city": "Köln",
            "level": 7, "isVIP": true, "owner": Self.user,
        ])
        try await fixture.device(["deviceType": "ios", "deviceToken": "00ff", "city": "Bonn", "level": "8"])
        try await fixture.device(["deviceType": "android", "installationId": "2e_%x", "user": Self.user])
        return (fixture, try await fixture.logIn(), device)
    }

    private func found(_ text: String, _ fixture: ConsoleFixture, _ cookie: String) async throws -> Set<String> {
        let page = try await fixture.page("/console/installations?" + TestServer.encoded(["q": text]), cookie: cookie)
        #expect(try page.value("//input[@id='find']/@value") == text.trimmed)
        return Set(try page.texts("//tbody//td[@data-label='Token']"))
    }

    @Test(arguments: [token, token.uppercased(), " \(token)\n", "1f9c2b3a-7777", "objectId"])
    func aWholeTokenOrIdLeadsStraightToTheDevice(text: String) async throws {
        let (fixture, cookie, device) = try await filled()
        let text = text == "objectId" ? device : text
        let target = "/console/installations?" + TestServer.encoded(["q": text])
        let response = try await fixture.get(target, cookie: cookie)
        #expect(response.status == 303)
        #expect(response.header("Location") == "/console/installations/\(device)")
    }

    @Test(
        arguments: [
            ("00aabb11", ["00aabb11…8800"]), ("00AABB", ["00aabb11…8800"]), ("00", ["00aabb11…8800", "00ff"]),
            // As a page shows it.
            ("00aabb11…8800", ["00aabb11…8800"]), ("dd33ee44", ["00aabb11…8800"]), ("b3a-77", ["00aabb11…8800"]),
            ("user64f0a1", ["00aabb11…8800", "2e_%x"]), ("user64f0", []), ("city = Köln", ["00aabb11…8800"]),
            ("city=Bonn", ["00ff"]), ("level = 7", ["00aabb11…8800"]), ("level = 8", ["00ff"]),
            ("isVIP = true", ["00aabb11…8800"]), ("owner.objectId = user64f0a1", ["00aabb11…8800"]),
            ("city = \"7\"", []), ("%", ["2e_%x"]), ("_%", ["2e_%x"]), ("' OR 1=1 --", []), ("no such", []),
            ("{{frame.token}}", []),
        ] as [(String, Set<String>)])
    func aPartAUserOrAFieldFindsTheDevicesThatHaveIt(text: String, tokens: Set<String>) async throws {
        let (fixture, cookie, _) = try await filled()
        #expect(try await found(text, fixture, cookie) == tokens)
    }

    @Test func theBeginningOfATokenIsFoundAtOnceAndTheRestOnRequest() async throws {
        let fixture = try ConsoleFixture()
        // Longer than what a device's random id has by chance.
        let beginning = "c0ffee00c0ffee00"
        for index in 0..<40 {
            try await fixture.device(["deviceType": "ios", "deviceToken": .string(beginning + "\(100 + index)")])
        }
        try await fixture.device(["deviceType": "ios", "deviceToken": .string(beginning + "139ff")])
        try await fixture.device(["deviceType": "ios", "deviceToken": .string("f" + beginning + "139")])
        let cookie = try await fixture.logIn()
        let page = try await fixture.page("/console/installations?q=\(beginning)13", cookie: cookie)
        #expect(try page.count("//tbody/tr") == 11)
        let inside = try page.value("//p[@class='more']/a/@href")
        #expect(try await fixture.page(inside, cookie: cookie).count("//tbody/tr") == 12)
    }

    @Test func aSearchThatReadsManyDevicesStopsAndSaysSo() async throws {
        let fixture = try ConsoleFixture()
        _ = try await fixture.registry.seed(devices: 300, at: .noon)
        var filter = InstallationFilter()
        filter.part = "no such part"
        let page = try await fixture.registry.installations(filter, limit: 25, mostExamined: 100)
        #expect(page.objects.isEmpty && page.stoppedEarly && page.examined == 100)
        let view = InstallationListView(
            FilterForm(["q": "no such part"]), page, place: nil, isLater: false,
            for: Viewer(now: .noon, language: .english))
        #expect(view.stoppedEarly && view.next.contains("q=no%20such%20part"))
    }

    @Test func anIndexedFieldIsFoundAmongAnyNumberOfDevices() async throws {
        let (fixture, _, device) = try await filled()
        for (text, fields) in [("level = 7", ["level"]), ("user64f0a1", ["owner"])] {
            let search = DeviceSearch(text)
            #expect(try await fixture.registry.devices(search, limit: 5).objects.isEmpty)
            try await fixture.registry.index(fields)
            #expect(try await fixture.registry.devices(search, limit: 5).objects.map(\.objectID) == [device])
        }
    }

    @Test func aDeadTokenIsSaidToBeDead() async throws {
        let (fixture, cookie, _) = try await filled()
        try await fixture.registry.killToken("00ff")
        try await fixture.push([:], ["alert": "x"])
        let page = try await fixture.page("/console/installations?q=00FF", cookie: cookie)
        #expect(try page.value("//p[@class='notice problem']").hasPrefix("This token was reported dead"))
        #expect(try page.value("//p[@class='notice problem']/time/@datetime") == Instant.noon.isoText)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
