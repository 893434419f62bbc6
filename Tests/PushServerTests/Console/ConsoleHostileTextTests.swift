import Base
import Foundation
import Push
import PushReport
import Testing

@testable import DeviceRegistry
@testable import PushServer

@Suite struct ConsoleHostileTextTests {
    static let battery = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)' x='",
        "\"\u{301} onmouseover=alert(1) x=\"\u{301}", "<\u{338}script>", "]]><b>x</b><!--", "&lt;&#60;&amp;",
        "{{frame.token}}{{{frame.token}}}{{#content}}", "javascript:alert(1)", "\u{1B}[31mred\u{1B}[0m\u{7}\u{8}",
        "line\none\r\ntwo\ttab\u{2028}sep\u{85}", "\u{202E}gnp.exe\u{202C} \u{2067}\u{2066}",
        // A zero byte comes no further than the front end and the registry, which refuse it.
        "\u{1}no\u{FFFF}\u{FFFE}", "مرحبا \u{200F}abc", String(repeating: "W", count: 3000),
        String(repeating: "\u{301}", count: 500),
        "</textarea></title></style><script>", "%3Cscript%3E", "🏴󠁧󠁢󠁥󠁮󠁧󠁿👩‍👩‍👧",
    ]

    private func pages(_ text: String, _ fixture: ConsoleFixture) async throws -> [String] {
        let value = JSONValue.string(text)
        let device = try await fixture.device([
            "deviceType": "ios", "deviceToken": "aa", "note": value, "custom": ["deep": [value]],
        ])
        try await fixture.device(["deviceType": .string(String((value.string ?? "").prefix(200)))])
        let push = try await fixture.push(
            ["custom": ["$ne": value]],
            ["alert": ["title": value, "subtitle": value, "body": value], "title": value, "key": value])
        try await fixture.push(["custom": ["$ne": value]], ["alert": value], in: 60)
        let query = TestServer.encoded(["where": text, "channel": text, "profile": text, "platform": text])
        let part = TestServer.encoded(["": text]).dropFirst()
        let search = TestServer.encoded(["q": text])
        let days = TestServer.encoded(["from": text, "to": text, "before": text, "days": text])
        return [
            "/console", "/console/pushes", "/console/pushes/\(push)", "/console/installations",
            "/console/installations/\(device)", "/console/installations?\(query)", "/console/pushes/\(part)",
            "/console/installations/\(part)", "/console/\(part)", "/console/installations?\(search)",
            "/console/pushes?\(days)", "/console?\(days)",
        ]
    }

    @Test(arguments: battery)
    func anyTextStaysText(text: String) async throws {
        let fixture = try ConsoleFixture()
        let targets = try await pages(text, fixture)
        let cookie = try await fixture.logIn()
        for target in targets {
            let page = try Page(try await fixture.get(target, cookie: cookie).text)
            #expect(try page.count("//script[not(@src)] | //script[not(starts-with(@src, '/console/'))]") == 0)
            #expect(try page.count("//img[not(@src) or not(starts-with(@src, '/console/'))] | //b | //comment()") == 0)
            #expect(try page.names("//@*").allSatisfy { !$0.hasPrefix("on") }, "\(target)")
            #expect(
                try page.texts("//@href | //@src | //@action").allSatisfy {
                    $0.hasPrefix("#") || $0.hasPrefix("/console")
                })
            let token = try page.value("//form[@action='/console/logout']/input/@value")
            #expect(!(try page.texts("//main//*[not(self::input)]").contains { $0.contains(token) }))
            for scalar in page.html.unicodeScalars {
                let isPlain = scalar.value >= 0x20 || scalar == "\n" || scalar == "\t"
                #expect(isPlain && !(0x7F..<0xA0).contains(scalar.value), "\(target): \(scalar.value)")
                #expect(!(0x202A...0x202E).contains(scalar.value) && scalar.value != 0x2067 && scalar.value != 0x2068)
            }
        }
    }

    /// What no client could write: an import, or a database of another version, may hold it.
    @Test(arguments: battery)
    func textInNamesThatTheRegistryWouldRefuseStaysText(text: String) throws {
        let viewer = Viewer(now: .noon, language: .chinese)
        let value = JSONValue.string(text)
        let device = StoredObject(
            row: 1, objectID: text, createdAt: .noon, updatedAt: .noon,
            fields: [
                "deviceType": value, "deviceProfile": value, "channels": [value, value], "deviceToken": value,
                String(text.prefix(40)): value,
            ])
        let screen = DeviceScreenView(
            DeviceScreen(device: device, messages: []), app: ShownApp(name: text), for: viewer)
        let page = InstallationPage(objects: [device], next: nil, examined: 1, stoppedEarly: false)
        let clock = ClockView(for: viewer)
        let frame = PageFrame(
            title: text, application: text, token: "t", isLoggedIn: true, isOverview: false, isPushes: false,
            isInstallations: true, isSimulated: true, notice: Notice(text: text, isProblem: true),
            events: text, clock: clock)
        let list = InstallationListView(FilterForm(["channel": text]), page, place: nil, isLater: true, for: viewer)
        let failure = DeviceFailure(
            delivery: text, data: ["alert": value], workspace: text, ending: .refused, reason: text, at: .noon)
        let one = DevicePageView(
            device: DeviceView(device, showsTokens: true, for: viewer), screen: screen,
            death: InstantView(.noon, for: viewer), failures: [FailureView(failure, for: viewer)],
            test: TestPushForm(device, isSimulated: true, in: .chinese))
        for html in [
            Templates[.chinese].render(.installations, PageView(frame: frame, content: list)),
            Templates[.chinese].render(.device, PageView(frame: frame, content: one)),
        ] {
            let page = try Page(html)
            #expect(try page.count("//script") == 1)
            #expect(try page.count("//b | //comment() | //img") == 1)
            #expect(try page.names("//@*").allSatisfy { !$0.hasPrefix("on") })
            #expect(try page.texts("//@href | //@src").allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("/console") })
        }
    }

    @Test func whatIsEscapedIsReadAsItWas() async throws {
        let fixture = try ConsoleFixture()
        let text = "<b>\"'&\u{1B}\u{202E}\u{200B}é👩‍👧"
        try await fixture.push([:], ["alert": .string(text)])
        let page = try await fixture.page("/console/pushes", cookie: try await fixture.logIn())
        let shown = "<b>\"'&\u{241B}\u{2066}[U+202E]\u{2069}\u{2066}[U+200B]\u{2069}é👩‍👧"
        #expect(try page.value("//tbody//th//a/bdi") == shown)
    }

    @Test func textOfOthersIsIsolatedFromTheTextAroundIt() async throws {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "aa", "note": "XYZZY", "channels": ["XYZZY"]])
        let id = try await fixture.push(["note": "XYZZY"], ["alert": ["title": "XYZZY", "body": "XYZZY"]])
        try await fixture.push(["note": "XYZZY"], ["alert": "XYZZY"], in: 60)
        let cookie = try await fixture.logIn()
        for target in ["/console", "/console/pushes", "/console/pushes/\(id)", "/console/installations"] {
            let page = try await fixture.page(target, cookie: cookie)
            let bare = "//main//text()[contains(., 'XYZZY')][not(ancestor::bdi)][not(ancestor::svg)]"
            #expect(try page.count(bare) == 0, "\(target)")
        }
        // Drawings place each line by itself.
        #expect(NotificationDrawing.styles.contains(".bp text{fill:var(--t);font-size:15px;unicode-bidi:isolate}"))
    }
}
