import Base
import DeviceRegistry
import Testing

@testable import PushServer

/// The holder of the key for looking sees the pages, and neither sends, cancels nor sees a whole token.
@Suite struct ConsoleViewerTests {
    private static let key = "only-for-looking-at-things"
    private static let token = String(repeating: "0123456789abcdef", count: 4)

    private func fixture() async throws -> (fixture: ConsoleFixture, cookie: String, device: String) {
        var configuration = TestServer.configuration
        configuration.viewerKey = ServerKey(Self.key)
        let fixture = try ConsoleFixture(configuration: configuration)
        let device = try await fixture.device([
            "deviceType": "ios", "deviceToken": .string(Self.token), "installationId": "a0000000-1111-2222-3333",
        ])
        try await fixture.push([:], ["alert": "later"], in: 3600)
        return (fixture, try await fixture.post("/console/login", ["key": Self.key]).cookie(), device)
    }

    @Test func everyPageIsThereWithoutFormsThatChangeSomethingAndWithoutWholeTokens() async throws {
        let (fixture, cookie, device) = try await fixture()
        let push = try await fixture.push(["deviceToken": .string(Self.token)], ["alert": "x"])
        for target in [
            "/console", "/console/pushes", "/console/pushes/\(push)", "/console/installations",
            "/console/installations/\(device)", "/console/installations?q=0123",
        ] {
            let page = try await fixture.page(target, cookie: cookie)
            #expect(
                try page.texts("//form[@method='post']/@action").allSatisfy {
                    ["/console/logout", "/console/zone"].contains($0)
                })
            #expect(try page.count("//button[@form]") == 0)
            #expect(!page.html.contains(Self.token) && !page.html.contains("a0000000-1111-2222-3333"))
            #expect(try page.value("//header//span[@class='chip still']") == "looking only")
        }
    }

    @Test(arguments: ["cancel", "test"]) func aFormOfSomebodyWhoMayOnlyLookDoesNothing(form: String) async throws {
        let (fixture, cookie, device) = try await fixture()
        let token = try await fixture.token(cookie)
        let response = try await fixture.post(
            "/console/\(form)", ["token": token, "scheduled": "1", "device": device, "text": "x"], cookie: cookie)
        #expect(response.status == 403)
        #expect(response.text.contains("Sending and cancelling need a login with the master key."))
        #expect(try await fixture.registry.scheduledPushes().count == 1)
        #expect(try await fixture.registry.inbox(of: Self.token).isEmpty)
    }

    @Test func viewersLeaveRoomForTheEventsOfOthers() async throws {
        let (fixture, cookie, _) = try await fixture()
        let master = try await fixture.logIn()
        func open(_ cookie: String) async throws -> WebResponse {
            try await fixture.get("/console/events?page=overview", cookie: cookie)
        }
        var streams: [WebResponse] = []
        for _ in 0..<EventHub.mostViewers { streams.append(try await open(cookie)) }
        #expect(streams.allSatisfy { $0.status == 200 })
        #expect(try await open(cookie).status == 503)
        #expect(try await open(master).status == 200)
        fixture.console.stop()
    }

    @Test func aViewerWhoLogsInAgainAndAgainEndsNobodyElsesSession() async throws {
        let (fixture, first, _) = try await fixture()
        let master = try await fixture.logIn()
        for _ in 0..<SessionStore.mostSessions {
            fixture.clock.advance(bySeconds: 1)
            _ = try await fixture.post("/console/login", ["key": Self.key])
        }
        #expect(try await fixture.get("/console", cookie: master).status == 200)
        #expect(try await fixture.get("/console", cookie: first).status == 303)
    }

    @Test func theEventsOfAPageAreThoseOfItsViewer() async throws {
        let (fixture, cookie, _) = try await fixture()
        for (cookie, mayCancel) in [(cookie, false), (try await fixture.logIn(), true)] {
            let response = try await fixture.get("/console/events?page=overview", cookie: cookie)
            #expect(try await response.firstParts().contains("cancel-1") == mayCancel)
        }
    }

    @Test func theKeyForLookingOpensNothingButTheConsole() async throws {
        try await TestServer.run(configure: { $0.viewerKey = ServerKey(Self.key) }) { (server) async throws in
            for key in [Self.key, Self.key + ",master"] {
                let answer = try await server.call(
                    "GET", "/installations", key: .none, headers: [("X-LC-Id", "giants"), ("X-LC-Key", key)])
                #expect(answer.status == 401)
            }
        }
    }

    @Test func withoutSuchAKeyNobodyLogsInWithNone() async throws {
        let fixture = try ConsoleFixture()
        for key in ["", Self.key] {
            #expect(try await fixture.post("/console/login", ["key": key]).status == 403)
        }
    }
}
