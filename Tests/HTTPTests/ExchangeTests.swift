internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// Requests and answers, by every transport.
@Suite(.timeLimit(.minutes(10)))
struct ExchangeTests {
    @Test(arguments: Transport.allCases, HTTPRequest.Method.allCases)
    func methodHeadersAndBodyArrive(_ transport: Transport, _ method: HTTPRequest.Method) async throws {
        let body: [UInt8]? = method == .get ? nil : Array("{\"alert\":\"进球\"}".utf8)
        for repetition in [HTTPRequest.Repetition.once, .repeatable] {
            let script = Script { _ in .answer(201, headers: [("X-Kind", " a ")], body: Array("done".utf8)) }
            try await TestServer.with(transport, script) { server, client in
                let request = HTTPRequest(
                    method, server.url("/1.1/push?a=%20b"), headers: [("X-LC-Id", "app"), ("X-Empty", "")], body: body,
                    repetition: repetition)
                let response = try await client.exchange(request)
                #expect(response.status == 201)
                #expect(response.headers["x-kind"] == "a")
                #expect(response.body == Array("done".utf8))
                #expect(response.version == (transport == .http2 ? .http2 : .http1))
            }
            let seen = try #require(script.seen.first)
            #expect(script.seen.count == 1)
            #expect(seen.method == method.rawValue)
            #expect(seen.path == "/1.1/push?a=%20b")
            #expect(seen.body == body ?? [])
            #expect(seen.headers["x-lc-id"] == "app")
            #expect(seen.headers["x-empty"] == "")
            #expect(seen.headers["user-agent"] == "bugle")
            #expect(seen.headers["content-type"] == nil)
            #expect(seen.headers["expect"] == nil)
        }
    }

    @Test(arguments: Transport.allCases, [HTTPRequest.Method.post, .put, .delete])
    func aRequestWithoutABodyArrives(_ transport: Transport, _ method: HTTPRequest.Method) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            for repetition in [HTTPRequest.Repetition.once, .repeatable] {
                let request = HTTPRequest(method, server.url("/x"), repetition: repetition)
                #expect(await client.outcome(request) == .answered(200))
            }
        }
        #expect(script.seen.map(\.method) == [method.rawValue, method.rawValue])
        #expect(script.seen.allSatisfy { $0.body.isEmpty })
        #expect(script.connections == 1)
    }

    @Test(arguments: Transport.allCases)
    func aHandleKeepsNothingOfTheRequestBefore(_ transport: Transport) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            let first = HTTPRequest(
                .post, server.url("/first"), headers: [("Authorization", "secret"), ("Content-Type", "a/b")],
                body: Array("first".utf8))
            _ = try await client.exchange(first)
            _ = try await client.exchange(HTTPRequest(.get, server.url("/second")))
            _ = try await client.exchange(HTTPRequest(.put, server.url("/third"), body: [1]))
        }
        #expect(script.seen.map(\.method) == ["POST", "GET", "PUT"])
        #expect(script.seen.map(\.body) == [Array("first".utf8), [], [1]])
        #expect(script.seen.map { $0.headers["authorization"] } == ["secret", nil, nil])
        #expect(script.seen.map { $0.headers["content-type"] } == ["a/b", nil, nil])
    }

    @Test(arguments: Transport.allCases)
    func aLargeBodyGoesBothWays(_ transport: Transport) async throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let script = Script { seen in .answer(200, body: seen.body) }
        try await TestServer.with(transport, script) { server, client in
            let response = try await client.exchange(HTTPRequest(.post, server.url("/"), body: body))
            #expect(response.body == body)
        }
    }

    @Test(arguments: Transport.allCases, [301, 302, 303, 307, 308])
    func aRedirectIsAnAnswer(_ transport: Transport, _ status: Int) async throws {
        let script = Script { _ in .answer(status, headers: [("Location", "/elsewhere")]) }
        try await TestServer.with(transport, script) { server, client in
            let response = try await client.exchange(HTTPRequest(.post, server.url("/"), body: [1]))
            #expect(response.status == status)
            #expect(response.headers["location"] == "/elsewhere")
        }
        #expect(script.seen.count == 1)
    }

    @Test(arguments: Transport.allCases, [400, 404, 429, 500, 503])
    func aFailureOfTheServerIsAnAnswer(_ transport: Transport, _ status: Int) async throws {
        let script = Script { _ in .answer(status, headers: [("Retry-After", "1")], body: Array("{}".utf8)) }
        try await TestServer.with(transport, script) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .answered(status))
        }
        #expect(script.seen.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func fiveHundredAtOnceAreAllAnswered(_ transport: Transport) async throws {
        let script = Script { seen in .answer(200, body: seen.body) }
        try await TestServer.with(transport, script) { server, client in
            let right = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let body = Array("\(number)".utf8)
                        let request = HTTPRequest(
                            .post, server.url("/\(number)"), body: body, timeout: .seconds(300))
                        return (try? await client.exchange(request).body) == body
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(right == 500)
        }
        #expect(Set(script.seen.map(\.path)).count == 500)
        #expect(script.seen.count == 500)
        #expect(script.connections <= 6)
    }

    /// As before a domain is led to a server: its name and its certificate, at another address.
    @Test func aConnectionGoesWhereItIsToldAndItsCertificateIsForTheAddress() async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.run(.http1, script) { server in
            let place = String(server.url("").dropFirst("https://".count))
            let client = try HTTPClient(
                HTTPClient.Configuration(caFile: try ServerCertificate.trusted.caFile, connectsTo: place))
            let known = try await client.exchange(HTTPRequest(.get, "https://localhost:9/x"))
            #expect(known.status == 200 && script.seen.first?.headers["host"] == "localhost:9")
            let other = HTTPRequest(.get, "https://push.example.com/x")
            let error = await #expect(throws: TransportError.self) { try await client.exchange(other) }
            #expect(error?.code == .tls, "\(String(describing: error))")
        }
    }

    @Test func namesLeadToAddresses() async {
        #expect(await HostAddresses.of("127.0.0.1") == ["127.0.0.1"])
        #expect(await HostAddresses.of("[::1]") == ["::1"])
        #expect(await !HostAddresses.of("localhost").isEmpty)
        #expect(await HostAddresses.of("no-such-host.invalid").isEmpty)
    }
}
