import PushServer
import Testing

/// What is believed of the proxy in front of the server.
@Suite struct ProxyTests {
    private static let forwarded = [("X-Forwarded-For", "203.0.113.7, 198.51.100.2"), ("X-Forwarded-Proto", "https")]

    private static func device(_ token: String) -> [UInt8] {
        Array(#"{"deviceType":"ios","deviceToken":"\#(token)"}"#.utf8)
    }

    @Test func aTrustedProxyNamesTheClientAndTheScheme() async throws {
        try await ServiceServer.run({ $0.trustedProxies = ["127.0.0.1", "198.51.100.2"] }) { (server) async throws in
            let headers = TestServer.headers(.app) + Self.forwarded
            let answer = try await server.call("POST", "/1.1/installations", headers, body: Self.device("a"))
            #expect(answer.headers["location"]?.hasPrefix("https://127.0.0.1") == true)
            #expect(await server.log.line(1).contains("remote=203.0.113.7 "))
        }
    }

    @Test func anybodyElsesWordIsNotTaken() async throws {
        try await ServiceServer.run({ $0.trustedProxies = ["198.51.100.2"] }) { (server) async throws in
            let headers = TestServer.headers(.app) + Self.forwarded
            let answer = try await server.call("POST", "/1.1/installations", headers, body: Self.device("a"))
            #expect(answer.headers["location"]?.hasPrefix("http://127.0.0.1") == true)
            #expect(await server.log.line(1).contains("remote=127.0.0.1 "))
        }
    }

    @Test func aClientCannotPutAddressesBeforeItsOwn() async throws {
        try await ServiceServer.run({ $0.trustedProxies = ["127.0.0.1"] }) { (server) async throws in
            let cases = [
                ("127.0.0.1, 203.0.113.7", "203.0.113.7"), ("\"x\", 203.0.113.7", "203.0.113.7"),
                ("203.0.113.7, nonsense", "127.0.0.1"), ("::ffff:203.0.113.9", "203.0.113.9"), ("", "127.0.0.1"),
            ]
            for (index, (header, address)) in cases.enumerated() {
                _ = try await server.call(
                    "GET", "/1.1/date", TestServer.headers(.app) + [("X-Forwarded-For", header)])
                #expect(await server.log.line(index + 1).contains("remote=\(address) "), "\(header)")
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.0/8", true), ("127.0.0.1/32", true), ("126.0.0.0/7", true), ("127.0.0.0/31", true),
        ("127.0.0.2/31", false), ("10.0.0.0/8", false), ("::/1", false), ("fe80::/10", false),
    ])
    func aProxyOfATrustedNetworkIsBelieved(network: String, isBelieved: Bool) async throws {
        let proxies = try #require(TrustedProxies([network]))
        try await ServiceServer.run({ $0.trustedProxies = proxies }) { (server) async throws in
            _ = try await server.call(
                "GET", "/1.1/date", TestServer.headers(.app) + [("X-Forwarded-For", "203.0.113.7")])
            #expect(await server.log.line(1).contains("remote=\(isBelieved ? "203.0.113.7" : "127.0.0.1") "))
        }
    }

    @Test(arguments: [
        "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "/8", "10.0.0.0/8/8", "0.0.0.0/0", "::/0", "::1/64", "x/8",
    ])
    func whatIsNoNetworkIsRefused(text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
