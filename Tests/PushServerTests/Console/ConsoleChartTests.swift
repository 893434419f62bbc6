import APNsSimulator
import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

/// The overview's charts, and the tables that say the same.
@Suite struct ConsoleChartTests {
    /// The days with figures in a chart's table.
    private func figures(_ chart: String, _ page: Page) throws -> [String: String] {
        let rows = "//details[@id='figures-\(chart)']//tbody/tr"
        let all = zip(try page.texts(rows + "/th"), try page.texts(rows + "/td"))
        return Dictionary(uniqueKeysWithValues: all).filter { $0.value != "0" }
    }

    /// Three days: two devices, another with a push to three, and a push that finds a dead token.
    private func filled() async throws -> (fixture: ConsoleFixture, cookie: String) {
        let fixture = try ConsoleFixture()
        for token in ["aa", "bb"] { try await fixture.device(["deviceType": "ios", "deviceToken": .string(token)]) }
        fixture.clock.advance(bySeconds: 86_400)
        try await fixture.device(["deviceType": "ios", "deviceToken": "cc"])
        try await fixture.push([:], ["alert": "x"])
        fixture.clock.advance(bySeconds: 86_400)
        try await fixture.registry.killToken("aa")
        try await fixture.push([:], ["alert": "y"])
        return (fixture, try await fixture.logIn())
    }

    @Test(arguments: [("", 14), ("?days=30", 30), ("?days=9999", 14)])
    func everyDayHasItsFigures(query: String, days: Int) async throws {
        let (fixture, cookie) = try await filled()
        let page = try await fixture.page("/console" + query, cookie: cookie)
        // The device with the dead token is gone.
        #expect(try figures("registrations", page) == ["2026-11-21": "1", "2026-11-22": "1"])
        #expect(try figures("deliveries", page) == ["2026-11-22": "3", "2026-11-23": "2"])
        #expect(try figures("refusals", page) == [:])
        #expect(try figures("dead", page) == ["2026-11-23": "1"])
        #expect(try page.count("//figure[.//*[@id='chart-refusals']]/*") == 1)
        for chart in ["registrations", "deliveries", "dead"] {
            #expect(try page.count("//details[@id='figures-\(chart)']//tbody/tr") == days)
            #expect(try page.count("//*[local-name()='svg' and @aria-labelledby='chart-\(chart)']/*") == days)
        }
        #expect(try page.texts("//figcaption/strong") == ["2", "5", "0", "1"])
    }

    @Test func aDayIsOneOfTheViewersZone() async throws {
        let (fixture, cookie) = try await filled()
        let page = try await fixture.page("/console", cookie: cookie + "; bugle_zone=Pacific/Kiritimati")
        #expect(try figures("deliveries", page) == ["2026-11-23": "3", "2026-11-24": "2"])
    }

    @Test func aDayWithAChangeOfTheClocksIsCountedOnceAndWhole() throws {
        let berlin = try #require(ZoneClock("Europe/Berlin"))
        for (now, hours) in [("2026-03-30T10:00:00.000Z", 23.0), ("2026-10-26T10:00:00.000Z", 25)] {
            let viewer = Viewer(now: try #require(Instant(iso: now)), language: .english, zone: berlin)
            let boundaries = ChartsView.boundaries(days: 14, for: viewer)
            let lengths = zip(boundaries, boundaries.dropFirst()).map {
                ($1.milliseconds - $0.milliseconds) / 3_600_000
            }
            #expect(lengths.count == 14)
            #expect(lengths.filter { $0 != 24 } == [Int64(hours)])
            #expect(viewer.day(boundaries[13]) == String(now.prefix(10)))
        }
    }

    @Test func whatAppleAcceptedAndRefusedIsCounted() async throws {
        try await AppleWorld.run { (world) async throws in
            for number in 1...4 { try await world.device(number) }
            try world.apple.unregister(token: AppleWorld.token(1))
            try await world.push(["data": ["alert": "x"]])
            let html = try await HTTPClient.sendText(
                "GET", "/console", port: world.server.port,
                headers: [("Cookie", try await world.server.consoleCookie())])
            let page = try Page(html.text)
            #expect(try page.texts("//figcaption/strong") == ["4", "3", "1", "1"])
        }
    }

    @Test func aRegistryWithoutAnythingHasEmptyCharts() async throws {
        let fixture = try ConsoleFixture()
        let page = try await fixture.page("/console", cookie: try await fixture.logIn())
        #expect(try page.texts("//figcaption/strong") == ["0", "0", "0", "0"])
        #expect(try page.count("//figure[contains(@class, 'empty')]") == 4)
        #expect(try page.count("//figure//*[local-name()='svg']") == 0)
    }
}
