import JSONValue
import Testing

@Suite struct CredentialsTests {
    private static let id = ("X-LC-Id", "giants")
    private static let clientSign = "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"
    private static let masterSign = "e074720658078c898aa0d4b1b82bdf4b,1453014943466,master"

    // The signatures are the vendor's documented vectors.
    @Test(arguments: [
        [id, ("X-LC-Key", TestServer.masterKey + ",master")], [id, ("X-LC-Sign", masterSign)],
        [("x-lc-id", "giants"), ("x-lc-sign", masterSign)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Master-Key", TestServer.masterKey)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Request-Sign", masterSign)],
        [("X-Uluru-Application-Id", "giants"), ("X-Uluru-Application-Key", TestServer.masterKey + ",master")],
    ])
    func theMasterKeyIsKnownInEveryForm(headers: [(String, String)]) async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("GET", "/notifications", key: .none, headers: headers).status == 200)
        }
    }

    @Test(arguments: [
        [id, ("X-LC-Key", TestServer.appKey)], [id, ("X-LC-Sign", clientSign)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Application-Key", TestServer.appKey)],
    ])
    func theAppKeyIsKnownAndIsNoMasterKey(headers: [(String, String)]) async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("GET", "/date", key: .none, headers: headers).status == 200)
            #expect(try await server.call("GET", "/notifications", key: .none, headers: headers).status == 403)
        }
    }

    @Test(arguments: [
        [], [id], [("X-LC-Key", TestServer.masterKey + ",master")],
        [("X-LC-Id", "other"), ("X-LC-Key", TestServer.appKey)],
        [id, ("X-LC-Key", TestServer.masterKey)], [id, ("X-LC-Key", TestServer.appKey + ",master")],
        [id, ("X-LC-Key", "")], [id, ("X-LC-Key", ",master")], [id, ("X-LC-Key", TestServer.masterKey + ", master")],
        [id, ("X-LC-Sign", masterSign.uppercased())], [id, ("X-LC-Sign", clientSign + ",master")],
        [id, ("X-LC-Sign", "e074720658078c898aa0d4b1b82bdf4b,1453014943466")],
        [id, ("X-LC-Sign", "e074720658078c898aa0d4b1b82bdf4b,1453014943467,master")], [id, ("X-LC-Sign", ",,master")],
    ])
    func wrongKeysGet401AndNothingElse(headers: [(String, String)]) async throws {
        try await TestServer.run { (server) async throws in
            for (method, path) in [("GET", "/date"), ("POST", "/push"), ("GET", "/nowhere"), ("POST", "/classes/A")] {
                let answer = try await server.call(method, path, [:], key: .none, headers: headers)
                #expect(answer.status == 401)
                #expect(answer.body == ["code": 401, "error": "Unauthorized."])
            }
        }
    }

    @Test(arguments: [
        ("GET", "/installations"), ("DELETE", "/installations/x"), ("GET", "/classes/_Installation"),
        ("DELETE", "/classes/_Installation/x"), ("POST", "/push"), ("POST", "/push/devices"),
        ("GET", "/scheduledPushMessages"), ("DELETE", "/scheduledPushMessages/1"), ("GET", "/notifications"),
        ("GET", "/notifications/x"), ("DELETE", "/notifications/x"), ("GET", "/classes/BugleLedger"),
        ("POST", "/classes/BugleLock"), ("GET", "/classes/BugleAnything/x"), ("PUT", "/classes/BugleResource/x"),
        ("DELETE", "/classes/BugleResource/x"), ("GET", "/bugle/devices/x/inbox"), ("GET", "/bugle/inboxes"),
        ("POST", "/bugle/faults"), ("POST", "/bugle/clock"),
    ])
    func whatNeedsTheMasterKeyIsForbiddenWithoutIt(method: String, path: String) async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.call(method, path, [:], key: .app)
            #expect(answer.status == 403)
            #expect(answer.body["code"] == 403)
        }
    }

    @Test func aQueryWithinAQueryTellsClientsNothingOfClosedClasses() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call("POST", "/classes/BugleLock", ["run": "secret"])
            _ = try await server.call("POST", "/classes/Note", ["guess": "secret"])
            _ = try await server.call("POST", "/classes/Hidden", ["run": "secret", "ACL": [:]])
            for (name, status) in [("BugleLock", 403), ("_Installation", 403), ("Hidden", 200)] {
                let condition = #"{"guess":{"$select":{"query":{"className":"\#(name)"},"key":"run"}}}"#
                let answer = try await server.get("/classes/Note", ["where": condition], key: .app)
                #expect(answer.status == status)
                #expect(answer.body["results"]?.array?.isEmpty ?? true)
            }
        }
    }

    @Test func theHealthNeedsNoKey() async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.call("GET", "//health", key: .none)
            #expect(answer.status == 200)
            #expect(answer.body == ["status": "ok"])
        }
    }
}
