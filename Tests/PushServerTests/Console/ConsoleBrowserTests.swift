import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import Testing

@testable import PushServer

/// The console in a real browser.
@Suite(
    .enabled(if: Browser.isInstalled, "Chromium is not installed: 'apt-get install chromium', or 'make test-long'"),
    .serialized)
struct ConsoleBrowserTests {
    private static let looks = [true, false].flatMap { isPhone in [true, false].map { (isPhone, $0) } }

    /// Logs in as a person does.
    private func logIn(_ page: BrowserPage, _ server: TestServer) async throws {
        try await page.open("http://127.0.0.1:\(server.port)/console")
        #expect(try await page.value("location.pathname") == "/console/login")
        _ = try await page.value("document.getElementById('key').focus()")
        try await page.call("Input.insertText", ["text": .string(TestServer.masterKey)])
        try await page.press("Enter", code: 13, text: "\r")
        _ = try await page.browser.wait(for: "Page.loadEventFired")
        #expect(try await page.value("location.pathname") == "/console")
    }

    /// What the console of the browser complained of, and what was asked of other hosts.
    private func complaints(_ events: [JSONValue], port: Int) -> [String] {
        events.compactMap { event in
            let parameters = event["params"] ?? [:]
            switch event["method"]?.string {
            case "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
                return parameters.canonicalText
            case "Network.requestWillBeSent":
                let address = parameters["request"]?["url"]?.string ?? ""
                // The browser draws its own calendar on a field for a day; pages cannot ask for such pictures.
                let isOwn = address.hasPrefix("data:image/svg+xml")
                return isOwn || address.hasPrefix("http://127.0.0.1:\(port)/console") ? nil : address
            default: return nil
            }
        }
    }

    private func fill(_ server: TestServer) async throws -> [String] {
        _ = try await server.registry.seed(devices: 60, at: server.clock.now)
        for device in try await server.call("GET", "/installations?limit=20").body["results"]?.array ?? [] {
            if let token = device["deviceToken"]?.string { try await server.registry.killToken(token) }
        }
        let push = try await server.call(
            "POST", "/push",
            ["channels": ["Giants"], "data": ["alert": ["title": "Final score", "body": "Giants 5, Mets 3"]]])
        _ = try await server.call(
            "POST", "/push", ["data": ["alert": "مباراة الليلة <b>&\u{202E}", "badge": "Increment"]])
        _ = try await server.call(
            "POST", "/push",
            [
                "data": ["alert": .string(String(repeating: "Long", count: 300))],
                "push_time": "2026-11-21T15:00:00.000Z",
            ])
        let devices = try await server.call("GET", "/installations?limit=1")
        let device = try #require(devices.body["results"]?.array?.first?["objectId"]?.string)
        let id = try #require(push.body["objectId"]?.string)
        try await server.registry.recordCampaign(ofPush: id, at: server.clock.now)
        return [
            "", "/pushes", "/pushes?from=2026-11-01", "/pushes/\(id)", "/installations", "/installations/\(device)",
            "/installations?channel=Giants&where=%7Bx", "/installations?q=no%20such%20part", "/nowhere",
        ]
    }

    @Test(arguments: [true, false]) func everyPageIsSoundInEveryLook(hasScripts: Bool) async throws {
        try await TestServer.run { (server) async throws in
            let paths = try await fill(server)
            try await Browser.run { (page) async throws in
                try await page.allowScripts(hasScripts)
                try await logIn(page, server)
                for (isPhone, isDark) in Self.looks {
                    try await page.setAppearance(
                        width: isPhone ? 360 : 1280, height: isPhone ? 740 : 900, isPhone: isPhone, isDark: isDark)
                    for path in paths {
                        let look = [
                            isPhone ? "phone" : "desktop", isDark ? "dark" : "light", hasScripts ? "script" : "plain",
                        ]
                        try await inspect(page, server, path, isDark: isDark, hasScripts: hasScripts)
                        try await keep(
                            page,
                            (look + path.split(separator: "/").map { String($0.prefix(14)) }).joined(separator: "-"))
                    }
                }
            }
        }
    }

    /// Looks at one page.
    private func inspect(
        _ page: BrowserPage, _ server: TestServer, _ path: String, isDark: Bool, hasScripts: Bool
    ) async throws {
        _ = page.browser.takeEvents()
        try await page.open("http://127.0.0.1:\(server.port)/console\(path)")
        let status = "document.getElementById('live-status').textContent"
        if hasScripts, path.isEmpty { try await page.wait(until: "\(status) === 'Live'") }
        if !hasScripts { #expect(try await page.value(status) == "") }
        #expect(try await page.flaws(in: .english) == [], "\(path)")
        let ground = try await page.value("getComputedStyle(document.body).backgroundColor")
        #expect(ground == (isDark ? "rgb(19, 20, 24)" : "rgb(245, 243, 238)"))
        let problems = complaints(page.browser.takeEvents(), port: server.port)
            // The browser says of a page that was refused that it was.
            .filter { !$0.contains("status of 400") && !$0.contains("status of 404") }
        #expect(problems == [])
    }

    /// Keeps a picture for people to look at, where `BUGLE_PICTURES` names a folder.
    private func keep(_ page: BrowserPage, _ name: String) async throws {
        let picture = try await page.picture()
        #expect(picture.count > 5000)
        guard let folder = ProcessInfo.processInfo.environment["BUGLE_PICTURES"] else { return }
        try picture.write(to: URL(filePath: folder).appending(path: name + ".png"))
    }

    /// The pictures of the documentation; 'make pictures' takes them anew.
    @Test func thePicturesOfThePagesAreAsTheyAreNow() async throws {
        let folder = repository.appending(path: "docs/pictures")
        try await TestServer.run { (server) async throws in
            _ = try await server.registry.seed(devices: 400, at: server.clock.now)
            for (body, time) in [("Giants 5, Mets 3", nil), ("Tickets for the final", "2026-11-21T18:00:00.000Z")] {
                var push: JSONValue = [
                    "channels": ["Giants"], "data": ["alert": ["title": "Giants", "body": .string(body)]],
                ]
                if let time { push["push_time"] = .string(time) }
                _ = try await server.call("POST", "/push", push)
            }
            let events = try await EventTests.World(server, devices: 130)
            _ = try await events.report((0..<90).map { events.event($0) })
            _ = try await events.report((0..<34).map { events.event($0, "opened") })
            try await Browser.run { (page) async throws in
                try await page.setAppearance(width: 1280, height: 900, isPhone: false, isDark: false)
                try await logIn(page, server)
                try await page.expectPicture(
                    of: "section[aria-labelledby=counted-title]", at: folder.appending(path: "events.png"))
                try await page.open("http://127.0.0.1:\(server.port)/console")
                try await page.expectPicture(of: "body", at: folder.appending(path: "console.png"))
            }
        }
    }

    @Test func anOpenPageFollowsThePushesByItself() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            try await Browser.run { (page) async throws in
                try await logIn(page, server)
                try await page.wait(until: "document.getElementById('live-status')?.textContent === 'Live'")
                _ = try await server.call("POST", "/push", ["data": ["alert": "Goal!"]])
                try await page.wait(
                    until: "document.querySelector('#live-pushes tbody')?.innerText.includes('Goal!')")
                try await page.wait(
                    until: "document.querySelector('.iphone svg title')?.textContent.endsWith('. Goal!')")
                try await page.wait(
                    until:
                        "document.getElementById('live-news').textContent.includes('Goal!, done, simulated, 1 of 1 devices.')"
                )
                server.clock.advance(bySeconds: 61)
                try await page.wait(until: "document.getElementById('live-clock').innerText.includes('12:01:01')")
                try await page.wait(until: "document.querySelector('.iphone svg .e').textContent === '1 min ago'")
                #expect(complaints(page.browser.takeEvents(), port: server.port) == [])
            }
        }
    }

    @Test func aChangeLeavesTheFocusAndWhatWasOpened() async throws {
        try await TestServer.run { (server) async throws in
            for alert in ["first", "second"] {
                _ = try await server.call(
                    "POST", "/push", ["data": ["alert": .string(alert)], "push_time": "2026-11-21T15:00:00.000Z"])
            }
            try await Browser.run { (page) async throws in
                try await logIn(page, server)
                try await page.wait(until: "document.getElementById('live-status')?.textContent === 'Live'")
                _ = try await page.value(
                    "document.getElementById('sure-1').open = true; document.getElementById('cancel-1').focus()")
                server.clock.advance(bySeconds: 3600)
                try await page.wait(until: "document.getElementById('live-scheduled').innerText.includes('in 2 h')")
                #expect(try await page.value("document.activeElement.id") == "cancel-1")
                #expect(try await page.value("document.getElementById('sure-1').open") == true)
                #expect(try await page.value("document.getElementById('sure-2').open") == false)
            }
        }
    }

    @Test(arguments: [true, false]) func aScheduledPushIsCancelledWithTheKeyboardAlone(hasScripts: Bool) async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call(
                "POST", "/push", ["data": ["alert": "later"], "push_time": "2026-11-21T15:00:00.000Z"])
            try await Browser.run { (page) async throws in
                try await page.allowScripts(hasScripts)
                try await logIn(page, server)
                // The first stop is the way past the frame.
                try await page.press("Tab", code: 9)
                #expect(try await page.value("document.activeElement.className") == "skip")
                #expect(try await page.value("document.activeElement.getBoundingClientRect().top >= 0") == true)
                try await page.press("Enter", code: 13, text: "\r")
                for id in ["ask-1", "cancel-1"] {
                    var stops = 0
                    while try await page.value("document.activeElement.id") != .string(id), stops < 30 {
                        try await page.press("Tab", code: 9)
                        #expect(
                            try await page.value("getComputedStyle(document.activeElement).outlineStyle") == "solid")
                        stops += 1
                    }
                    #expect(try await page.value("document.activeElement.id") == .string(id))
                    _ = page.browser.takeEvents()
                    try await page.press("Enter", code: 13, text: "\r")
                }
                _ = try await page.browser.wait(for: "Page.loadEventFired")
                #expect(
                    try await page.value("document.querySelector('.notice').innerText")
                        == "The scheduled push was cancelled.")
                #expect(try await server.registry.scheduledPushes().isEmpty)
            }
        }
    }

    @Test func aScreenReaderFindsLandmarksTablesAndNames() async throws {
        try await TestServer.run { (server) async throws in
            let paths = try await fill(server)
            try await Browser.run { (page) async throws in
                // Also on a phone, where the lines of a table are cards.
                try await page.setAppearance(width: 360, height: 740, isPhone: true, isDark: false)
                try await logIn(page, server)
                for path in paths.dropLast() {
                    try await page.open("http://127.0.0.1:\(server.port)/console\(path)")
                    let tree = try await page.call("Accessibility.getFullAXTree")
                    let nodes = (tree["nodes"]?.array ?? []).filter { $0["ignored"]?.bool != true }
                    func names(_ role: String) -> [String] {
                        nodes.filter { $0["role"]?["value"]?.string == role }.map { $0["name"]?["value"]?.string ?? "" }
                    }
                    #expect(names("main").count == 1)
                    #expect(names("banner").count == 1)
                    #expect(names("contentinfo").count == 1)
                    #expect(names("navigation").contains("Pages"))
                    for role in ["navigation", "button", "link", "textbox", "combobox", "table", "heading", "region"] {
                        #expect(names(role).allSatisfy { !$0.isEmpty }, "\(path): \(role)")
                    }
                    let rows = try await page.value(
                        "[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility()).length")
                    #expect(rows == .integer(Int64(names("row").count - names("table").count)))
                }
            }
        }
    }
}
