import Base
import Testing

@Suite struct AppRouterTests {
    private func route(_ host: String, on port: Int) async throws -> RawConnection.Reply {
        try await onThread {
            let connection = try RawConnection(port)
            connection.send("GET /2/route?appId=giants HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            return try connection.reply()
        }
    }

    @Test(arguments: ["api.example.com", "API.example.com:8443", "127.0.0.1:1", "[2001:db8::1]", "[::1]:443"])
    func theServerNamesTheHostThatItWasAskedBy(host: String) async throws {
        try await TestServer.run { (server) async throws in
            let reply = try await route(host, on: server.port)
            #expect(reply.status == 200)
            #expect(try JSONValue(parsing: reply.body.utf8)["api_server"] == .string(host))
        }
    }

    @Test(arguments: ["a/b", "a@b", "a\"b", "<b>", "a:b", "a:", "a:99999", "a:+80", ":80", "a b", "é", "[::1", "::1"])
    func aHostThatIsNoneIsNotPassedOn(host: String) async throws {
        try await TestServer.run { (server) async throws in
            let reply = try await route(host, on: server.port)
            #expect(reply.status == 400)
            #expect(!reply.body.contains(host))
        }
    }

    @Test func pagesOfOtherOriginsMayAsk() async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.call(
                "GET", "//2/route", key: .none, headers: [("Origin", "https://a.example")])
            #expect(answer.headers["access-control-allow-origin"] == "*")
        }
    }
}
