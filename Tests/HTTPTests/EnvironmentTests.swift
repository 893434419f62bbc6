internal import CLibrary
internal import FoundationEssentials
internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// What the environment can and cannot change; each in a process of its own, before libcurl is prepared.
@Suite(.timeLimit(.minutes(10)))
struct EnvironmentTests {
    @Test
    func sessionKeysAreNotWritten() async {
        await #expect(processExitsWith: .success) {
            let path = FileManager.default.temporaryDirectory.path + "/curl-http-keys-\(UUID().uuidString)"
            setenv("SSLKEYLOGFILE", path, 1)
            try await TestServer.with(.http2, Script { _ in .answer(200) }) { server, client in
                #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .answered(200))
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test
    func thisMachineIsReachedWithoutAProxy() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, "http://127.0.0.1:1", 1) }
            for transport in Transport.allCases {
                try await TestServer.with(transport, Script { _ in .answer(200) }) { server, client in
                    #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .answered(200))
                }
            }
        }
    }

    @Test
    func otherHostsAreReachedThroughTheProxy() async {
        await #expect(processExitsWith: .success) {
            let script = Script { _ in .answer(403) }
            try await TestServer.with(.plain, script) { server, client in
                setenv("https_proxy", "http://127.0.0.1:\(server.port)", 1)
                unsetenv("no_proxy")
                let request = HTTPRequest(
                    .post, "https://push.example.com/1.1/push", headers: [("X-LC-Key", "secret")], body: [1])
                guard case .failed(_, let sent) = await client.outcome(request) else {
                    Issue.record("the proxy's refusal was taken for the answer")
                    return
                }
                #expect(sent == .nothing)
            }
            let seen = try #require(script.seen.first)
            #expect(seen.method == "CONNECT")
            #expect(seen.path == "push.example.com:443")
            #expect(seen.headers["x-lc-key"] == nil)
        }
    }
}
