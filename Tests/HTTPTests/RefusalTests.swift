internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// What is never sent.
@Suite(.timeLimit(.minutes(10)))
struct RefusalTests {
    @Test(arguments: [
        "http://example.com/", "http://10.0.0.1/", "http://0.0.0.0/", "http://127.0.0.1.example.com/", "http://[::2]/",
        "http://localhost.example.com/", "http://localhost./", "http://[::ffff:127.0.0.1]/", "http://128.0.0.1/",
        "http://127.0.0.1@example.com/", "http://example.com#@127.0.0.1/", "http://127.0.0.256/", "//127.0.0.1/",
        "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "ws://127.0.0.1/", "", "https://", "/1.1/push",
        "https://user@example.com/", "https://user:word@example.com/", "https://127.0.0.1/\r\nX: y",
        "https://127.0.0.1/ a", "https://127.0.0.1/进", "https://127.0.0.1/\u{0}",
    ])
    func anAddressThatRequestsMayNotGoToIsRefused(_ url: String) async throws {
        #expect(throws: RequestTarget.Refusal.self) { try RequestTarget(url, plainToLoopback: true) }
        let client = try HTTPClient()
        #expect(await client.outcome(HTTPRequest(.get, url)) == .failed(.refusedURL, .nothing))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/a?b#c", "http://127.0.0.1:8080/a", true),
        ("http://127.1.2.3", "http://127.1.2.3/", true),
        ("http://127.1/", "http://127.0.0.1/", true), ("http://[::1]:1/", "http://[::1]:1/", true),
        ("HTTP://LOCALHOST/", "http://localhost/", true), ("https://Example.com/x?y", "https://example.com/x", false),
        ("https://localhost/", "https://localhost/", true), ("https://1.2.3.4/", "https://1.2.3.4/", false),
    ])
    func anAddressIsReadAsLibcurlDoes(_ url: String, _ name: String, _ isLoopback: Bool) throws {
        let target = try RequestTarget(url, plainToLoopback: true)
        #expect(target.name == name)
        #expect(target.isLoopback == isLoopback)
    }

    @Test
    func plainHTTPCanBeForbidden() async throws {
        let script = Script { _ in .answer(200) }
        let configuration = HTTPClient.Configuration(allowsPlainHTTPToLoopback: false)
        try await TestServer.with(.plain, script, configuration: configuration) { server, client in
            #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .failed(.refusedURL, .nothing))
        }
        #expect(script.connections == 0)
    }

    @Test(arguments: [
        ("X-A", "b\r\nX-C: d"), ("X-A", "b\nX-C: d"), ("X-A", "b\u{0}"), ("X-A\r\nX-B", "c"), ("X A", "b"), ("", "b"),
        ("X-A:", "b"), ("Content-Length", "5"), ("transfer-encoding", "chunked"), ("X-\u{e9}", "b"), ("@file", "b"),
    ])
    func aHeaderThatWouldBecomeAnotherIsRefused(_ name: String, _ value: String) async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(.plain, script) { server, client in
            let request = HTTPRequest(.post, server.url("/"), headers: [(name, value)], body: [1])
            #expect(await client.outcome(request) == .failed(.refusedHeader, .nothing))
        }
        #expect(script.connections == 0)
    }
}
