internal import BaseTesting
internal import HTTPTesting
internal import NIOHTTP2
internal import Testing

@testable internal import HTTP

/// A request that goes out once is seen at most once, whatever happens to its connection.
@Suite(.timeLimit(.minutes(10)))
struct OnceTests {
    /// The requests that change something, with and without a body.
    static let writes: [(HTTPRequest.Method, [UInt8]?)] = [
        (.post, Array("{\"alert\":\"hi\"}".utf8)), (.put, [1]), (.delete, [2]), (.post, nil), (.delete, nil),
    ]

    /// Answers to `/first`, closes the connection at any other path, the first time.
    private static func closing() -> Script {
        let counter = Counter()
        return Script { seen in
            if seen.path == "/first" { return .answer(200) }
            return counter.next() == 1 ? .close : .answer(200)
        }
    }

    @Test(arguments: Transport.allCases, writes)
    func aKeptConnectionThatDiesIsNotFollowedByAnother(
        _ transport: Transport, _ write: (HTTPRequest.Method, [UInt8]?)
    ) async throws {
        let script = Self.closing()
        try await TestServer.with(transport, script) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
            let request = HTTPRequest(write.0, server.url("/second"), body: write.1, repetition: .once)
            let error = await #expect(throws: TransportError.self) { try await client.exchange(request) }
            #expect(error?.sent == .possibly)
            #expect(error?.code == .rewindRefused || error?.code == .connectionLost)
        }
        #expect(script.seen.map(\.path) == ["/first", "/second"])
    }

    @Test(arguments: Transport.oneAtATime, writes)
    func aRepeatableRequestIsRepeated(_ transport: Transport, _ write: (HTTPRequest.Method, [UInt8]?)) async throws {
        let script = Self.closing()
        try await TestServer.with(transport, script) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
            let request = HTTPRequest(write.0, server.url("/second"), body: write.1, repetition: .repeatable)
            #expect(await client.outcome(request) == .answered(200))
        }
        #expect(script.seen.map(\.path) == ["/first", "/second", "/second"])
        #expect(script.seen.map(\.body) == [[], write.1 ?? [], write.1 ?? []])
    }

    @Test(arguments: [true, false])
    func goAwayWithTwentyStreamsDoublesNone(_ hasBody: Bool) async throws {
        let counter = Counter()
        let script = Script { seen in
            if seen.path == "/first" { return .answer(200) }
            switch counter.next() {
            case ..<20: return .hold
            case 20: return .goAway(lastStream: 21)
            default: return .answer(200)
            }
        }
        let outcomes = try await TestServer.with(.http2, script) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
            return await withTaskGroup(of: Outcome.self) { group in
                for number in 0..<20 {
                    let body: [UInt8]? = hasBody ? Array("\(number)".utf8) : nil
                    let request = HTTPRequest(.delete, server.url("/\(number)"), body: body, repetition: .once)
                    group.addTask { await client.outcome(request) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        let paths = script.seen.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(paths.count == 21)
        for outcome in outcomes {
            guard case .failed(_, let sent) = outcome else {
                Issue.record("an unanswered request was reported as \(outcome)")
                continue
            }
            #expect(sent == .possibly)
        }
    }

    @Test
    func goAwayLetsRepeatableRequestsBeRepeated() async throws {
        let counter = Counter()
        let script = Script { seen in
            if seen.path == "/first" { return .answer(200) }
            switch counter.next() {
            case ..<20: return .hold
            case 20: return .goAway(lastStream: 1)
            default: return .answer(200)
            }
        }
        try await TestServer.with(.http2, script) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
            let repeated = await withTaskGroup(of: Outcome.self) { group in
                for number in 0..<20 {
                    let request = HTTPRequest(
                        .post, server.url("/\(number)"), body: Array("\(number)".utf8), timeout: .seconds(100),
                        repetition: .repeatable)
                    group.addTask { await client.outcome(request) }
                }
                return await group.reduce(0) { $0 + ($1 == .answered(200) ? 1 : 0) }
            }
            #expect(repeated > 0)
        }
        #expect(script.seen.count > 21)
    }

    @Test(arguments: [HTTP2ErrorCode.refusedStream, .http11Required, .cancel, .internalError])
    func aStreamThatIsResetIsNotSentAgain(_ code: HTTP2ErrorCode) async throws {
        for body: [UInt8]? in [[1], nil] {
            let script = Script { seen in seen.path == "/first" ? .answer(200) : .reset(code) }
            try await TestServer.with(.http2, script) { server, client in
                #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
                let request = HTTPRequest(.post, server.url("/second"), body: body, repetition: .once)
                let error = await #expect(throws: TransportError.self) { try await client.exchange(request) }
                #expect(error?.sent == .possibly)
            }
            #expect(script.seen.map(\.path) == ["/first", "/second"])
        }
    }

    @Test
    func aRefusedStreamIsRepeatedForARepeatableRequest() async throws {
        let counter = Counter()
        let script = Script { _ in counter.next() == 1 ? .reset(.refusedStream) : .answer(200) }
        try await TestServer.with(.http2, script) { server, client in
            let request = HTTPRequest(.post, server.url("/"), body: [1], repetition: .repeatable)
            #expect(await client.outcome(request) == .answered(200))
        }
        #expect(script.seen.map(\.body) == [[1], [1]])
    }

    @Test(arguments: Transport.oneAtATime)
    func aConnectionThatDiedBeforeTheRequestIsReplaced(_ transport: Transport) async throws {
        let script = Script { seen in
            seen.path == "/first" ? .cut(headers: [("content-length", "2")], body: [1, 2]) : .answer(200)
        }
        let isReplaced = try await TestServer.with(transport, script) { server, client in
            // The server has closed its socket before the client's system hears of it: until then nobody can know.
            for ending in 1...100 {
                #expect(await client.outcome(HTTPRequest(.get, server.url("/first"))) == .answered(200))
                await script.ended(ending)
                let request = HTTPRequest(.post, server.url("/second"), body: [1], repetition: .once)
                let outcome = await client.outcome(request)
                if outcome == .answered(200) { return true }
                guard case .failed(_, .possibly) = outcome else {
                    Issue.record("\(outcome)")
                    return false
                }
            }
            return false
        }
        #expect(isReplaced)
        #expect(script.seen.filter { $0.path == "/second" }.count == 1)
        #expect(script.connections == script.seen.count)
    }
}
