internal import BaseTesting
internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// A request that may not be written any more is not.
@Suite(.timeLimit(.minutes(10)))
struct LatenessTests {
    private static func request(_ server: TestServer, _ path: String = "/late") -> HTTPRequest {
        HTTPRequest(.post, server.url(path), body: [1])
    }

    @Test(arguments: Transport.allCases, [HTTPRequest.Method.post, .delete, .get])
    func afterItsLastMomentNothingIsWritten(_ transport: Transport, _ method: HTTPRequest.Method) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            var request = HTTPRequest(method, server.url("/late"), body: method == .post ? [1] : nil)
            request.notAfter = .now - .milliseconds(1)
            #expect(await client.outcome(request) == .failed(.tooLate, .nothing))
            // Nor on a connection that is open already, which serves the next request.
            #expect(await client.outcome(Self.request(server, "/first")) == .answered(200))
            #expect(await client.outcome(request) == .failed(.tooLate, .nothing))
            #expect(await client.outcome(Self.request(server, "/second")) == .answered(200))
        }
        #expect(script.seen.map(\.path) == ["/first", "/second"])
    }

    /// It is asked on the way to the server, not when the request is made.
    @Test(arguments: Transport.allCases)
    func whatIsNotWantedAnyMoreIsNotWritten(_ transport: Transport) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            let asked = Counter()
            var request = Self.request(server, "/wanted")
            request.isWanted = { asked.next() == 1 }
            #expect(await client.outcome(request) == .answered(200))
            #expect(await client.outcome(request) == .failed(.tooLate, .nothing))
        }
        #expect(script.seen.map(\.path) == ["/wanted"])
    }

    @Test(arguments: Transport.allCases)
    func beforeItIsWrittenAsEver(_ transport: Transport) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            var request = Self.request(server)
            request.notAfter = .now + .seconds(60)
            #expect(await client.outcome(request) == .answered(200))
        }
        #expect(script.seen.map(\.path) == ["/late"])
    }
}
