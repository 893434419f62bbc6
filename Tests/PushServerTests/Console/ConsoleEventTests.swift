import Base
import DeviceRegistry
import ProgramTesting
import Push
import Synchronization
import Testing

@testable import PushServer

@Suite struct ConsoleEventTests {
    private func events(_ fixture: ConsoleFixture, _ target: String, _ cookie: String) async throws -> EventStream {
        let response = try await fixture.get(target, cookie: cookie)
        #expect(response.header("Content-Type") == "text/event-stream; charset=utf-8")
        guard case .events(let stream) = response.body else { throw NoAnswer.closed }
        return stream
    }

    private func parts(_ chunk: [UInt8]?) throws -> [String: String]? {
        let text = String(decoding: chunk ?? [], as: UTF8.self)
        guard text.hasPrefix("event: parts\ndata: "), text.hasSuffix("\n\n") else { return nil }
        return try JSONValue(parsing: String(text.dropFirst(19))).texts
    }

    @Test func thePartsOfAPageAreWhatThePageHolds() async throws {
        let fixture = try ConsoleFixture()
        let device = try await fixture.device(["deviceType": "ios", "deviceToken": "aa"])
        let push = try await fixture.push([:], ["alert": "one\ntwo"])
        try await fixture.push([:], ["alert": "later"], in: 600)
        let cookie = try await fixture.logIn()
        let token = try await fixture.token(cookie)
        for (target, count) in [
            ("/console", 6), ("/console/pushes", 2), ("/console/pushes/\(push)", 2),
            ("/console/installations/\(device)", 2),
        ] {
            let page = try await fixture.page(target, cookie: cookie)
            let stream = try await events(fixture, try page.value("//script/@data-events"), cookie)
            var found: [String: String]?
            for await chunk in stream.chunks {
                found = try parts(chunk)
                if found != nil { break }
            }
            #expect(found?.count == count, "\(target)")
            for (id, html) in found ?? [:] {
                #expect(try page.count("//*[@id='\(id)']") == 1)
                #expect(page.html.contains(html), "\(target): \(id)")
                #expect(!html.contains(token))
            }
        }
    }

    @Test func onlyWhatHasChangedIsSent() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        let stream = try await events(fixture, "/console/events?page=pushes", cookie)
        var seen: [Set<String>] = []
        for await chunk in stream.chunks {
            guard let parts = try parts(chunk) else { continue }
            seen.append(Set(parts.keys))
            if seen.count == 1 { try await fixture.push([:], ["alert": "new"], in: 3600) }
            if seen.count == 2 { fixture.clock.advance(bySeconds: 1) }
            if seen.count == 3 { break }
        }
        #expect(seen == [["live-clock", "live-pushes"], ["live-pushes"], ["live-clock"]])
    }

    @Test func aQuietStreamSendsHeartbeats() async throws {
        let fixture = try ConsoleFixture()
        let stream = try await events(fixture, "/console/events?page=pushes", try await fixture.logIn())
        for await chunk in stream.chunks where chunk == Array(":\n\n".utf8) { return }
        Issue.record("the events ended")
    }

    @Test func aReaderThatDoesNotReadIsGivenUp() async throws {
        let hub = EventHub(interval: .zero, news: { AsyncStream { $0.finish() } }) { _ in
            ["n": "\(UInt64.random(in: 0 ... .max))"]
        }
        let stream = try #require(hub.open(.init(topic: .pushes, language: .english, mayAct: true)) { true })
        while hub.count > 0 { await Task.yield() }
        var count = 0
        for await _ in stream.chunks { count += 1 }
        #expect(count == 32)
    }

    @Test func aPageHearsAtOnceOfWhatIsTold() async throws {
        let (news, teller) = AsyncStream.makeStream(of: Bool.self)
        let looks = Atomic(0)
        let hub = EventHub(interval: .seconds(3600), news: { news }) { _ in
            ["n": "\(looks.add(1, ordering: .relaxed).newValue)"]
        }
        let stream = try #require(hub.open(.init(topic: .pushes, language: .english, mayAct: true)) { true })
        var parts = 0
        for await chunk in stream.chunks where String(decoding: chunk, as: UTF8.self).hasPrefix("event: parts") {
            parts += 1
            if parts == 3 { break }
            teller.yield(true)
        }
        hub.stop()
        #expect(parts == 3)
    }

    @Test func pagesThatAreOpenAtATimeAreBounded() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        var open: [EventStream] = []
        for _ in 0..<EventHub.mostReaders {
            open.append(try await events(fixture, "/console/events?page=overview", cookie))
        }
        let refused = try await fixture.get("/console/events?page=overview", cookie: cookie)
        #expect(refused.status == 503)
        #expect(refused.header("Retry-After") == "30")
        open[0].end()
        #expect(try await fixture.get("/console/events?page=overview", cookie: cookie).status == 200)
        fixture.console.stop()
        #expect(fixture.console.hub.count == 0)
        #expect(try await fixture.get("/console/events?page=overview", cookie: cookie).status == 503)
    }

    @Test(arguments: [
        "", "?page=", "?page=nothing", "?page=push", "?page=device&id=" + String(repeating: "x", count: 129),
    ])
    func thereAreNoEventsAboutNothing(query: String) async throws {
        let fixture = try ConsoleFixture()
        #expect(try await fixture.get("/console/events" + query, cookie: try await fixture.logIn()).status == 404)
    }

    @Test func openPagesHearOfPushesOverHTTP() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            let reader = try await server.consoleEvents(cookie: try await server.consoleCookie())
            #expect(reader.status == 200)
            try await reader.wait(for: "live-pushes") { $0.contains("No push was sent yet.") }
            _ = try await server.call("POST", "/push", ["data": ["alert": "<Goal>"]])
            try await reader.wait(for: "live-pushes") { $0.contains("&lt;Goal&gt;") && $0.contains(">done<") }
        }
    }

    @Test func aServerThatStopsEndsTheEvents() async throws {
        let server = try await TestServer()
        let reader = try await server.consoleEvents(cookie: try await server.consoleCookie())
        #expect(try await reader.next() != nil)
        await server.server.stop()
        while try await reader.next() != nil {}
    }

    @Test func loggingOutEndsTheEvents() async throws {
        try await TestServer.run { (server) async throws in
            let cookie = try await server.consoleCookie()
            let reader = try await server.consoleEvents(cookie: cookie)
            #expect(try await reader.next() != nil)
            let html = try await HTTPClient.sendText(
                "GET", "/console", port: server.port, headers: [("Cookie", cookie)])
            let token = try #require(html.text.firstMatch(of: /name="token" value="([0-9a-f]{64})"/)).output.1
            let answer = try await HTTPClient.sendText(
                "POST", "/console/logout", port: server.port,
                headers: [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("token=\(token)".utf8))
            #expect(answer.status == 303)
            while try await reader.next() != nil {}
        }
    }

    @Test func aBrowserThatGoesMakesRoom() async throws {
        try await TestServer.run { (server) async throws in
            let cookie = try await server.consoleCookie()
            var readers: [ConsoleEventReader] = []
            for _ in 0..<EventHub.mostReaders { readers.append(try await server.consoleEvents(cookie: cookie)) }
            #expect(readers.allSatisfy { $0.status == 200 })
            #expect(try await server.consoleEvents(cookie: cookie).status == 503)
            readers.removeAll()
            try await eventually { try await server.consoleEvents(cookie: cookie).status == 200 }
        }
    }

    @Test func overHTTPTheHeadersOfAPageArriveAndHeadHasNoBody() async throws {
        try await TestServer.run(configure: { $0.trustedProxies = ["127.0.0.1"] }) { (server) async throws in
            let cookie = try await server.consoleCookie()
            for (method, hasBody) in [("GET", true), ("HEAD", false)] {
                let answer = try await HTTPClient.sendText(
                    method, "/console?x=%3C", port: server.port, headers: [("Cookie", cookie)])
                #expect(answer.status == 200)
                #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(answer.headers["date"] != nil)
                #expect(answer.text.isEmpty != hasBody)
            }
            let large = try await HTTPClient.sendText(
                "POST", "/console/login", port: server.port, body: Array(repeating: 65, count: 20_000))
            #expect(large.status == 413)
            let secure = try await HTTPClient.sendText(
                "POST", "/console/login", port: server.port,
                headers: [("Content-Type", "application/x-www-form-urlencoded"), ("X-Forwarded-Proto", "https")],
                body: Array("key=\(TestServer.masterKey)".utf8))
            #expect(secure.headers["set-cookie"]?.hasSuffix("; Secure") == true)
        }
    }
}
