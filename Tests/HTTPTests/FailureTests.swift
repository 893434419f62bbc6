internal import CCurl
internal import HTTPTesting
internal import NIOCore
internal import NIOPosix
internal import Testing

@testable internal import HTTP

/// What is said when there is no whole answer.
@Suite(.timeLimit(.minutes(10)))
struct FailureTests {
    @Test(arguments: [Transport.http1, .http2])
    func anUnknownCAIsRefusedBeforeAnythingIsSent(_ transport: Transport) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(transport, script, certificate: try .unknown) { server, client in
            for request in [HTTPRequest(.get, server.url("/")), HTTPRequest(.post, server.url("/"), body: [1])] {
                #expect(await client.outcome(request) == .failed(.tls, .nothing))
            }
        }
        #expect(script.seen.isEmpty)
    }

    @Test
    func anotherHostsCertificateIsRefused() async throws {
        let script = Script { _ in .answer(200) }
        // The certificate is for 127.0.0.1 and localhost.
        try await TestServer.with(.http2, script, host: "127.0.0.2") { server, client in
            #expect(await client.outcome(HTTPRequest(.post, server.url("/"), body: [1])) == .failed(.tls, .nothing))
        }
        #expect(script.seen.isEmpty)
        try await TestServer.with(.http2, script) { server, client in
            let named = HTTPRequest(.post, "https://localhost:\(server.port)/", body: [1])
            #expect(await client.outcome(named) == .answered(200))
        }
    }

    @Test
    func aMissingCAFileIsATLSFailure() async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(.http1, script) { server, _ in
            let client = try HTTPClient(.init(caFile: ServerCertificate.trusted.caFile + ".missing"))
            #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .failed(.tls, .nothing))
        }
        #expect(script.seen.isEmpty)
    }

    @Test
    func aPortWhereNobodyListensIsNamed() async throws {
        try await DeafPort.with { port in
            let client = try HTTPClient()
            let request = HTTPRequest(.post, "http://127.0.0.1:\(port)/1.1/push?where=secret", body: [1])
            let error = await #expect(throws: TransportError.self) { try await client.exchange(request) }
            #expect(error?.code == .couldNotConnect)
            #expect(error?.sent == .nothing)
            #expect(error?.request == "POST http://127.0.0.1:\(port)/1.1/push")
        }
    }

    @Test(arguments: Transport.allCases)
    func silenceAfterTheRequestEndsWithItsTime(_ transport: Transport) async throws {
        let script = Script { _ in .hold }
        try await TestServer.with(transport, script) { server, client in
            let outcome = try await withPatience(until: { $0 != .failed(.timedOut, .nothing) }) { limit in
                await client.outcome(HTTPRequest(.post, server.url("/"), body: [1], timeout: limit))
            }
            #expect(outcome == .failed(.timedOut, .possibly))
        }
    }

    @Test
    func silenceBeforeTheRequestEndsWithItsTime() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try HTTPClient()
        let url = "https://127.0.0.1:\(listener.localAddress?.port ?? 0)/"
        let request = HTTPRequest(.post, url, body: [1], timeout: .milliseconds(300))
        #expect(await client.outcome(request) == .failed(.timedOut, .nothing))
        let hasty = try HTTPClient(.init(connectTimeout: .milliseconds(300)))
        #expect(await hasty.outcome(HTTPRequest(.post, url, body: [1])) == .failed(.timedOut, .nothing))
        try await listener.close()
    }

    @Test
    func theWaitForATurnCounts() async throws {
        let script = Script { _ in .hold }
        try await TestServer.with(.plain, script, configuration: .init(maximumInFlight: 1)) { server, client in
            let first = Task { await client.outcome(HTTPRequest(.post, server.url("/1"), body: [1])) }
            await script.requests(1)
            let second = HTTPRequest(.post, server.url("/2"), body: [1], timeout: .milliseconds(100))
            #expect(await client.outcome(second) == .failed(.timedOut, .nothing))
            first.cancel()
            #expect(await first.value == .failed(.cancelled, .possibly))
        }
        #expect(script.seen.map(\.path) == ["/1"])
    }

    @Test(
        arguments: Transport.allCases,
        [("content-length", "100"), ("transfer-encoding", "chunked")])
    func aConnectionCutInTheBodyIsLost(_ transport: Transport, _ header: (String, String)) async throws {
        let script = Script { _ in .cut(headers: [header], body: Array("{\"objectId\"".utf8)) }
        try await TestServer.with(transport, script) { server, client in
            for repetition in [HTTPRequest.Repetition.once, .repeatable] {
                let request = HTTPRequest(.post, server.url("/"), body: [1], repetition: repetition)
                #expect(await client.outcome(request) == .failed(.connectionLost, .possibly))
            }
        }
        #expect(script.seen.count == 2)
    }

    @Test(arguments: Transport.allCases)
    func aNewConnectionClosedWithoutAnAnswerIsLost(_ transport: Transport) async throws {
        let script = Script { _ in .close }
        try await TestServer.with(transport, script) { server, client in
            let request = HTTPRequest(.post, server.url("/"), body: [1])
            #expect(await client.outcome(request) == .failed(.connectionLost, .possibly))
        }
        #expect(script.seen.count == 1)
    }

    @Test(arguments: [Transport.plain, .http2])
    func anAnswerBeforeTheBodyWasReadIsTheOutcome(_ transport: Transport) async throws {
        let script = Script(repliesAtHead: true) { _ in
            transport == .http2
                ? .answerAndReset(200, headers: [("apns-id", "A")]) : .answer(413, headers: [("connection", "close")])
        }
        try await TestServer.with(transport, script) { server, client in
            for size in [1, 100_000] {
                let body = [UInt8](repeating: 1, count: size)
                let response = try await client.exchange(HTTPRequest(.post, server.url("/"), body: body))
                #expect(response.status == (transport == .http2 ? 200 : 413))
                #expect(response.headers["apns-id"] == (transport == .http2 ? "A" : nil))
            }
        }
        #expect(script.seen.count == 2)
    }

    @Test(arguments: [
        (CURLE_COULDNT_RESOLVE_HOST, TransportError.Code.couldNotResolve),
        (CURLE_COULDNT_RESOLVE_PROXY, .couldNotResolve),
        (CURLE_COULDNT_CONNECT, .couldNotConnect), (CURLE_PEER_FAILED_VERIFICATION, .tls),
        (CURLE_SSL_CONNECT_ERROR, .tls), (CURLE_SSL_CACERT_BADFILE, .tls), (CURLE_OPERATION_TIMEDOUT, .timedOut),
        (CURLE_GOT_NOTHING, .connectionLost), (CURLE_SEND_ERROR, .connectionLost), (CURLE_RECV_ERROR, .connectionLost),
        (CURLE_PARTIAL_FILE, .connectionLost), (CURLE_HTTP2, .connectionLost), (CURLE_HTTP2_STREAM, .connectionLost),
        (CURLE_SEND_FAIL_REWIND, .rewindRefused), (CURLE_WEIRD_SERVER_REPLY, .protocolError),
        (CURLE_BAD_CONTENT_ENCODING, .protocolError), (CURLE_UNSUPPORTED_PROTOCOL, .refusedURL),
        (CURLE_OUT_OF_MEMORY, .internalFailure),
    ])
    func aLibcurlCodeHasItsMeaning(_ code: CURLcode, _ meaning: TransportError.Code) {
        #expect(TransportError.Code(code) == meaning)
    }
}
