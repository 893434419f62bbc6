import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

/// Lists are narrowed to days, summed up, saved as files, and tell times in the viewer's zone.
@Suite struct ConsoleListTests {
    /// Pushes at noon of five days.
    private func filled() async throws -> (fixture: ConsoleFixture, cookie: String) {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "aa"])
        try await fixture.device(["deviceType": "ios", "deviceToken": "bb"])
        for day in 21...25 {
            try await fixture.push([:], ["alert": .string("day \(day)")])
            fixture.clock.advance(bySeconds: 86_400)
        }
        return (fixture, try await fixture.logIn())
    }

    @Test(
        arguments: [
            ("from=2026-11-23", ["day 25", "day 24", "day 23"]), ("to=2026-11-22", ["day 22", "day 21"]),
            ("from=2026-11-22&to=2026-11-23", ["day 23", "day 22"]), ("from=2026-12-01", []), ("from=&to=", nil),
        ] as [(String, [String]?)])
    func aListIsNarrowedToDaysAndSummedUp(query: String, found: [String]?) async throws {
        let (fixture, cookie) = try await filled()
        let page = try await fixture.page("/console/pushes?" + query, cookie: cookie)
        #expect(try page.texts("//tbody//th") == found ?? (21...25).reversed().map { "day \($0)" })
        let count = found?.count ?? 0
        #expect(
            try page.texts("//dl[@class='tiles four']//dd[1]")
                == (found == nil ? [] : ["\(count)", "\(2 * count)", "\(2 * count)", "0"]))
        #expect(try page.count("//script[@data-events]") == (found == nil ? 1 : 0))
    }

    @Test(arguments: ["from=x", "to=2026-13-01", "from=2026-11-21T00", "to=%3Cb%3E"])
    func aDayThatIsNoneIsExplained(query: String) async throws {
        let (fixture, cookie) = try await filled()
        let page = try await fixture.page("/console/pushes?" + query, cookie: cookie, status: 400)
        #expect(try page.value("//p[@id='days-problem']") == "A day is written as 2026-11-21.")
    }

    @Test func daysArePagedWithoutGaps() async throws {
        let fixture = try ConsoleFixture()
        for index in 0..<60 { try await fixture.push([:], ["alert": .string("p\(index)")]) }
        let cookie = try await fixture.logIn()
        var (seen, places) = ([String](), [String]())
        var target = "/console/pushes?from=2026-11-21&to=2026-11-21"
        while true {
            let page = try await fixture.page(target, cookie: cookie)
            seen += try page.texts("//tbody//th")
            places.append(try page.value("//p[@class='place']"))
            guard let next = try page.texts("//a[@rel='next']/@href").first else { break }
            target = next
        }
        #expect(seen == (0..<60).reversed().map { "p\($0)" })
        #expect(
            places == ["Page 1 of 3 · 1 to 25 of 60", "Page 2 of 3 · 26 to 50 of 60", "Page 3 of 3 · 51 to 60 of 60"])
    }

    @Test func sumsOfManyPushesStopAndSaySo() async throws {
        let (fixture, _) = try await filled()
        let totals = try await fixture.registry.totals(of: PushRange(), at: fixture.clock.now, mostPushes: 3)
        #expect(totals.pushes == 3 && totals.devices == 6 && totals.stoppedEarly)
        fixture.clock.advance(bySeconds: 4 * 86_400)
        let later = try await fixture.registry.totals(of: PushRange(), at: fixture.clock.now)
        #expect(later.withoutRecord == 3 && later.devices == 4)
    }

    @Test func timesAndDaysAreThoseOfTheViewersZone() async throws {
        let (fixture, cookie) = try await filled()
        let token = try await fixture.token(cookie)
        let response = try await fixture.post(
            "/console/zone", ["token": token, "zone": "Pacific/Kiritimati", "back": "/console/pushes?from=2026-11-22"],
            cookie: cookie)
        #expect(response.header("Location") == "/console/pushes?from=2026-11-22")
        #expect(
            response.header("Set-Cookie")
                == "bugle_zone=Pacific/Kiritimati; Path=/console; HttpOnly; SameSite=Strict; Max-Age=31536000")
        let both = cookie + "; " + (try response.cookie())
        // Noon is two o'clock on the next day there.
        let page = try await fixture.page("/console/pushes?from=2026-11-22&to=2026-11-22", cookie: both)
        #expect(try page.texts("//tbody//th") == ["day 21"])
        #expect(try page.value("//tbody//time/@title") == "2026-11-22 02:00:00 Pacific/Kiritimati")
        #expect(try page.value("//tbody//time/@datetime") == Instant.noon.isoText)
        #expect(try page.value("//*[@id='live-clock']/time") == "2026-11-27 02:00:00 Pacific/Kiritimati")
        #expect(try page.value("//input[@id='zone']/@value") == "Pacific/Kiritimati")
        #expect(try page.value("//input[@name='back']/@value") == "/console/pushes?from=2026-11-22&to=2026-11-22")
        let events = try await fixture.get("/console/events?page=pushes", cookie: both)
        #expect(try await events.firstParts().contains("Pacific/Kiritimati"))
    }

    @Test(
        arguments: [
            ("Europe/Berlin", "//evil.example", "/console"), ("Europe/Berlin", "/console.evil", "/console"),
            ("Europe/Berlin", "/console/\\evil", "/console"), ("Europe/Berlin", "https://evil.example", "/console"),
            ("No/Such", "/console/pushes", "/console/pushes"), ("a; b=c", "/console\r\nX: y", "/console"),
            ("", "", "/console"),
        ])
    func aZoneThatIsNoneChangesNothingAndNoFormLeadsElsewhere(zone: String, back: String, target: String) async throws {
        let (fixture, cookie) = try await filled()
        let response = try await fixture.post(
            "/console/zone", ["token": try await fixture.token(cookie), "zone": zone, "back": back], cookie: cookie)
        #expect(response.header("Location") == target)
        #expect((response.header("Set-Cookie") == nil) == (zone != "Europe/Berlin"))
        let page = try await fixture.page("/console", cookie: cookie + "; bugle_zone=" + zone.filter { $0 != ";" })
        #expect(try page.value("//*[@id='live-clock']/time").hasSuffix(zone == "Europe/Berlin" ? zone : "UTC"))
    }

    /// Reads a file as RFC 4180 says.
    private func rows(_ text: String) -> [[String]] {
        var (rows, row, cell, isQuoted) = ([[String]](), [String](), "", false)
        var rest = Substring.UnicodeScalarView(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            if isQuoted {
                if scalar != "\"" {
                    cell.unicodeScalars.append(scalar)
                } else if rest.first == "\"" {
                    cell.unicodeScalars.append(rest.removeFirst())
                } else {
                    isQuoted = false
                }
            } else if scalar == "\"" {
                isQuoted = true
            } else if scalar == "," {
                row.append(cell)
                cell = ""
            } else if scalar == "\r", rest.first == "\n" {
                rest.removeFirst()
                rows.append(row + [cell])
                (row, cell) = ([], "")
            } else {
                cell.unicodeScalars.append(scalar)
            }
        }
        #expect(row.isEmpty && cell.isEmpty && !isQuoted)
        return rows
    }

    @Test(arguments: ConsoleHostileTextTests.battery + ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "a,\"b\"\r\nc"])
    func aFileHoldsEveryTextAndNoFormula(text: String) async throws {
        let fixture = try ConsoleFixture()
        try await fixture.push(["note": .string(text)], ["alert": .string(text)])
        let response = try await fixture.get("/console/pushes.csv", cookie: try await fixture.logIn())
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/csv; charset=utf-8; header=present")
        #expect(response.header("Content-Disposition") == "attachment; filename=\"pushes.csv\"")
        let rows = rows(response.text)
        #expect(rows.count == 2 && rows[0].count == rows[1].count && rows[0][0] == "createdAt")
        #expect(rows[1].allSatisfy { !"=+-@\t\r\n".unicodeScalars.contains($0.unicodeScalars.first ?? "x") })
        let cut = text.cut(to: 80)
        #expect([cut, "'" + cut].contains(rows[1][4]))
    }

    @Test func theDevicesOfAFilterAreAFileWithoutWholeTokensForWhoMayOnlyLook() async throws {
        var configuration = TestServer.configuration
        configuration.viewerKey = ServerKey("only-for-looking-at-things")
        let fixture = try ConsoleFixture(configuration: configuration)
        let token = String(repeating: "0123456789abcdef", count: 4)
        try await fixture.device([
            "deviceType": "ios", "deviceToken": .string(token), "channels": ["A", "B"], "valid": true,
        ])
        try await fixture.device(["deviceType": "android", "installationId": "x"])
        let viewer = try await fixture.post("/console/login", ["key": "only-for-looking-at-things"]).cookie()
        for (cookie, shown) in [(try await fixture.logIn(), token), (viewer, "01234567…cdef")] {
            let response = try await fixture.get("/console/installations.csv?platform=ios", cookie: cookie)
            let rows = rows(response.text)
            #expect(rows.count == 2)
            #expect(rows[1].dropFirst(3) == ["ios", shown, "", "", "true", "A B"])
        }
        #expect(try await fixture.get("/console/installations.csv").status == 303)
        let problem = try await fixture.get("/console/installations.csv?where=%7B", cookie: viewer)
        #expect(problem.status == 400)
    }
}
