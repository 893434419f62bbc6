internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// What people read.
@Suite
struct TransportErrorTests {
    @Test
    func anErrorSaysWhatWhereAndWhatNext() {
        let error = TransportError(
            .connectionLost, sent: .possibly, request: "POST https://push.example.com/1.1/push", detail: "Recv failure")
        #expect(
            error.description == """
                POST https://push.example.com/1.1/push: the connection ended before the whole answer: Recv failure \
                (the server may have acted on it: check before sending it again; check the network between here and the \
                server)
                """)
    }

    @Test
    func whatAServerSaysCannotSteerATerminal() {
        let error = TransportError(
            .tls, sent: .nothing, request: "GET https://a/\u{1b}", detail: "x\n::error::\u{202e}y")
        #expect(error.request == "GET https://a/?")
        #expect(error.detail == "x?::error::?y")
    }

    @Test
    func neitherQueryNorHeaderNorBodyIsNamed() async throws {
        let script = Script { _ in .close }
        try await TestServer.with(.plain, script) { server, client in
            let request = HTTPRequest(
                .post, server.url("/1.1/push?key=SECRET"), headers: [("X-LC-Key", "SECRET,master")],
                body: Array("SECRET".utf8))
            let error = await #expect(throws: TransportError.self) { try await client.exchange(request) }
            #expect(error?.request == "POST http://127.0.0.1:\(server.port)/1.1/push")
            #expect(error.map { "\($0)" }?.contains("SECRET") == false)
        }
        let refused = HTTPRequest(.get, "https://user:SECRET@example.com/", headers: [("X-LC-Key", "SECRET\n")])
        let error = await #expect(throws: TransportError.self) { try await HTTPClient().exchange(refused) }
        #expect(error.map { "\($0)" }?.contains("SECRET") == false)
    }

    @Test
    func everyCodeHasItsOwnWords() {
        let codes: [TransportError.Code] = [
            .couldNotResolve, .couldNotConnect, .tls, .timedOut, .connectionLost, .refusedURL, .refusedHeader,
            .responseTooLarge, .rewindRefused, .tooLate, .cancelled, .protocolError, .internalFailure,
        ]
        #expect(Set(codes.map(\.description)).count == codes.count)
    }

    @Test
    func theVersionNamesLibcurl() {
        #expect(HTTPClient.version.hasPrefix("libcurl/"))
        #expect(HTTPClient.hasHTTP2 == HTTPClient.version.contains("nghttp2"))
    }
}
