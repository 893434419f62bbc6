import Base
import DeviceRegistry
import Push
import Testing

@testable import PushServer

@Suite struct ConsoleAccessTests {
    private static let pages = [
        "/console", "/console/", "/console/pushes", "/console/pushes/x", "/console/installations",
        "/console/installations/x", "/console/nowhere", "/console?x=1",
    ]

    @Test(arguments: pages)
    func nothingIsToldWithoutASession(page: String) async throws {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "secret"])
        for cookie in [
            nil, "bugle_console=", "bugle_console=guess", "other=1; bugle_console=" + String(repeating: "a", count: 64),
        ] {
            for method in ["GET", "HEAD", "POST"] {
                let response = try await fixture.get(page, cookie: cookie, method: method)
                #expect(response.status == 303)
                #expect(response.header("Location") == "/console/login")
                #expect(response.text == "See /console/login\n")
            }
        }
        #expect(try await fixture.get("/console/events?page=overview").status == 401)
        #expect(!(try await fixture.get("/console/login").text.contains("giants")))
    }

    @Test(arguments: [false, true])
    func theMasterKeyBeginsASession(isSecure: Bool) async throws {
        let fixture = try ConsoleFixture()
        let response = try await fixture.post("/console/login", ["key": TestServer.masterKey], isSecure: isSecure)
        #expect(response.status == 303)
        #expect(response.header("Location") == "/console")
        let parts = try #require(response.header("Set-Cookie")).split(separator: "; ").map(String.init)
        #expect(parts[0].wholeMatch(of: /bugle_console=[0-9a-f]{64}/) != nil)
        #expect(
            parts.dropFirst() == ["Path=/console", "HttpOnly", "SameSite=Strict"] + (isSecure ? ["Secure"] : []))
        #expect(try await fixture.get("/console", cookie: parts[0]).status == 200)
    }

    @Test(arguments: [
        "", " ", TestServer.appKey, TestServer.masterKey + " ", TestServer.masterKey.lowercased(),
        TestServer.masterKey + ",master", "<script>alert(1)</script>",
    ])
    func anotherKeyIsRefusedAndNotShown(key: String) async throws {
        let fixture = try ConsoleFixture()
        let response = try await fixture.post("/console/login", ["key": key])
        #expect(response.status == 403)
        #expect(response.header("Set-Cookie") == nil)
        let page = try Page(response.text)
        #expect(try page.value("//*[@role='alert']") == "That is not a key for this console.")
        #expect(try page.value("//input[@name='key']/@type") == "password")
        #expect(try page.count("//input[@name='key']/@value") == 0)
        #expect(key.count < 2 || !response.text.contains(key))
    }

    @Test func aLoginNeverTakesTheIdThatItIsGiven() async throws {
        let fixture = try ConsoleFixture()
        let fixed = "bugle_console=" + String(repeating: "a", count: 64)
        let fields = ["key": TestServer.masterKey]
        let first = try await fixture.post("/console/login", fields, cookie: fixed).cookie()
        #expect(first != fixed)
        #expect(try await fixture.get("/console", cookie: fixed).status == 303)
        let second = try await fixture.post("/console/login", fields, cookie: first).cookie()
        #expect(second != first)
        #expect(try await fixture.get("/console", cookie: first).status == 303)
        #expect(try await fixture.get("/console", cookie: second).status == 200)
    }

    @Test func aSessionEndsAfterTwelveHoursWithoutUse() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        for _ in 0..<3 {
            fixture.clock.advance(bySeconds: 12 * 3600 - 1)
            #expect(try await fixture.get("/console", cookie: cookie).status == 200)
        }
        fixture.clock.advance(bySeconds: 12 * 3600)
        #expect(try await fixture.get("/console", cookie: cookie).status == 303)
        #expect(try await fixture.get("/console/events?page=overview", cookie: cookie).status == 401)
    }

    @Test func loggingOutEndsTheSessionAndTakesTheCookieBack() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        let token = try await fixture.token(cookie)
        let response = try await fixture.post("/console/logout", ["token": token], cookie: cookie)
        #expect(response.header("Location") == "/console/login")
        #expect(
            response.header("Set-Cookie") == "bugle_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0")
        #expect(try await fixture.get("/console", cookie: cookie).status == 303)
    }

    @Test func sessionsAreBoundedAndTheOneUnusedForLongestMakesRoom() async throws {
        let fixture = try ConsoleFixture()
        let first = try await fixture.logIn()
        fixture.clock.advance(bySeconds: 1)
        let second = try await fixture.logIn()
        fixture.clock.advance(bySeconds: 1)
        for _ in 1..<SessionStore.mostSessions { _ = try await fixture.logIn() }
        #expect(try await fixture.get("/console", cookie: first).status == 303)
        #expect(try await fixture.get("/console", cookie: second).status == 200)
    }

    @Test func aSessionEndsWithTheKeysAndNotWithTheServer() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        let restarted = try ConsoleFixture(fixture.registry)
        #expect(try await restarted.get("/console", cookie: cookie).status == 200)
        for isMaster in [true, false] {
            var configuration = TestServer.configuration
            let key = ServerKey("another-key-of-its-own")
            if isMaster { configuration.masterKey = key } else { configuration.viewerKey = key }
            let changed = try ConsoleFixture(fixture.registry, configuration: configuration)
            #expect(try await changed.get("/console", cookie: cookie).status == 303)
        }
    }

    @Test func aWriteNeedsTheTokenOfItsOwnSession() async throws {
        let fixture = try ConsoleFixture()
        try await fixture.push([:], ["alert": "later"], in: 3600)
        let cookie = try await fixture.logIn()
        let foreign = try await fixture.token(try await fixture.logIn())
        for token in [nil, "", "x", foreign] {
            for path in ["/console/cancel", "/console/logout", "/console/nowhere"] {
                var fields = ["scheduled": "1"]
                fields["token"] = token
                #expect(try await fixture.post(path, fields, cookie: cookie).status == 403)
            }
        }
        #expect(try await fixture.registry.scheduledPushes().count == 1)
        #expect(try await fixture.get("/console", cookie: cookie).status == 200)
    }

    @Test(
        arguments: [
            ["origin": "https://evil.example"], ["origin": "null"], ["origin": "http://bugle.example.evil.example"],
            ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
            ["sec-fetch-site": "cross-site", "origin": "http://bugle.example"],
        ] as [[String: String]])
    func aFormOfAnotherSiteIsRefused(headers: [String: String]) async throws {
        let fixture = try ConsoleFixture()
        try await fixture.push([:], ["alert": "later"], in: 3600)
        let cookie = try await fixture.logIn()
        let token = try await fixture.token(cookie)
        let fields = ["scheduled": "1", "token": token]
        #expect(try await fixture.post("/console/cancel", fields, cookie: cookie, headers: headers).status == 403)
        let login = try await fixture.post("/console/login", ["key": TestServer.masterKey], headers: headers)
        #expect(login.status == 403)
        #expect(login.header("Set-Cookie") == nil)
        #expect(try await fixture.registry.scheduledPushes().count == 1)
    }

    @Test(
        arguments: [
            [:], ["origin": "http://bugle.example"], ["origin": "https://bugle.example"],
            // A proxy that changes the host: the browser's own word counts.
            ["sec-fetch-site": "same-origin", "origin": "https://console.example"], ["sec-fetch-site": "none"],
        ] as [[String: String]])
    func aScheduledPushIsCancelledAndTheNextPageTellsItOnce(headers: [String: String]) async throws {
        let fixture = try ConsoleFixture()
        try await fixture.push([:], ["alert": "later"], in: 3600)
        let cookie = try await fixture.logIn()
        let before = try await fixture.page("/console", cookie: cookie)
        let fields = [
            "scheduled": try before.value("//button[@form='cancel']/@value"),
            "token": try before.value("//form[@id='cancel']/input/@value"),
        ]
        for (class_, text) in [
            ("notice", "The scheduled push was cancelled."),
            ("notice problem", "That push is no longer scheduled: it was sent or cancelled."),
        ] {
            let response = try await fixture.post("/console/cancel", fields, cookie: cookie, headers: headers)
            #expect(response.status == 303)
            #expect(response.header("Location") == "/console")
            let after = try await fixture.page("/console", cookie: cookie)
            #expect(try after.value("//p[@class='\(class_)']") == text)
            #expect(try after.count("//button[@form='cancel']") == 0)
            #expect(try await fixture.page("/console", cookie: cookie).count("//p[starts-with(@class, 'notice')]") == 0)
        }
        #expect(try await fixture.registry.scheduledPushes().isEmpty)
    }

    @Test(arguments: ["PUT", "DELETE", "OPTIONS", "TRACE"])
    func otherMethodsAreRefused(method: String) async throws {
        let fixture = try ConsoleFixture()
        let response = try await fixture.get("/console", cookie: try await fixture.logIn(), method: method)
        #expect(response.status == 405)
        #expect(response.header("Allow") == "GET, HEAD, POST")
    }

    @Test func aFormThatIsTooLargeIsRefused() async throws {
        let fixture = try ConsoleFixture()
        let key = String(repeating: "k", count: Console.bodyLimit)
        #expect(try await fixture.post("/console/login", ["key": key]).status == 413)
    }

    @Test func everyAnswerForbidsWhatAPageDoesNotNeed() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        for path in Self.pages + ["/console/login", "/console/style.css", "/console/console.js", "/console/icon.svg"] {
            let response = try await fixture.get(path, cookie: cookie)
            let policy = try #require(response.header("Content-Security-Policy"))
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            #expect(response.header("Referrer-Policy") == "same-origin")
            let isFile = path.contains(".")
            #expect(response.header("Cache-Control") == (isFile ? "public, no-cache" : "no-store"))
        }
    }

    @Test func phonesShowTheAppOfTheWorkspace() async throws {
        let fixture = try ConsoleFixture(app: ShownApp(name: "Giants <b>", icon: "iVBORw0KGgo="))
        let push = try await fixture.push([:], ["alert": "x"])
        let page = try await fixture.page("/console/pushes/\(push)", cookie: try await fixture.logIn())
        // Of a notification without a title, an iPhone shows the app's name.
        #expect(try page.texts("//article[contains(@class, 'iphone')]//*[@class='h']") == ["Giants <b>"])
        #expect(try page.texts("//pattern[@id='bp-icon']/image/@href") == ["/console/app-icon"])
        #expect(try page.count("//article//rect[@fill='url(#bp-icon)']") == 2)
        let icon = try await fixture.get("/console/app-icon")
        #expect(icon.header("Content-Type") == "image/png" && icon.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(icon.header("Cache-Control") == "public, no-cache")
        #expect(try await ConsoleFixture().get("/console/app-icon").status == 303)
    }

    @Test(arguments: ["style.css", "console.js", "icon.svg"])
    func aFileIsKeptForGoodUnderTheAddressOfItsVersion(name: String) async throws {
        let fixture = try ConsoleFixture()
        let first = try await fixture.get("/console/\(name)")
        #expect(first.status == 200 && !first.bytes.isEmpty)
        let tag = try #require(first.header("ETag"))
        let known = try await fixture.get("/console/\(name)", headers: ["if-none-match": tag])
        #expect(known.status == 304 && known.bytes.isEmpty)
        let page = try await fixture.page("/console", cookie: try await fixture.logIn())
        let address = try page.texts("//@href | //@src").first { $0.hasPrefix("/console/\(name)?v=") }
        #expect(
            try await fixture.get(try #require(address)).header("Cache-Control")
                == "public, max-age=31536000, immutable")
    }
}
