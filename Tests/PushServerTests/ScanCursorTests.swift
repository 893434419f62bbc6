import Base
import DeviceRegistry
import PushServer
import RegistryTesting
import Testing

@Suite struct ScanCursorTests {
    private func firstCursor(_ server: TestServer) async throws -> String {
        for number in 1...3 as ClosedRange<Int64> {
            _ = try await server.call("POST", "/classes/Note", ["n": .integer(number), "s": "it's \"x\""])
        }
        let page = try await server.call("GET", "/scan/classes/Note?scan_key=n&limit=1")
        return try #require(page.body["cursor"]?.string)
    }

    private func answer(_ server: TestServer, _ cursor: String) async throws -> Answer {
        try await server.get("/scan/classes/Note", ["scan_key": "n", "limit": "1", "cursor": cursor])
    }

    @Test func aCursorThatWasTouchedIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            let cursor = try await firstCursor(server)
            #expect(try await answer(server, cursor).body["results"]?.array?.map { $0["n"] } == [2])
            var touched = ["", ".", "a.b", cursor + "00", String(cursor.dropLast()), cursor.uppercased() + ".", "%00"]
            for index in stride(from: 0, to: cursor.count, by: 7) {
                var letters = Array(cursor)
                letters[index] = letters[index] == "0" ? "1" : "0"
                touched.append(String(letters))
            }
            for text in touched where !text.isEmpty {
                let refused = try await answer(server, text)
                #expect(refused.status == 400, "\(text)")
                #expect(refused.body["code"] == 1, "\(text)")
            }
        }
    }

    @Test func aCursorOutlivesARestartButNotAnotherKey() async throws {
        let registry = try await Registry.test()
        let first = try await TestServer(registry)
        let cursor = try await firstCursor(first)
        await first.server.stop()
        let second = try await TestServer(registry)
        #expect(try await answer(second, cursor).body["results"]?.array?.map { $0["n"] } == [2])
        await second.server.stop()
        let other = try await TestServer(registry, configure: { $0.masterKey = ServerKey("another") })
        let headers = [("X-LC-Id", "giants"), ("X-LC-Key", "another,master")]
        let refused = try await other.call(
            "GET", "/scan/classes/Note?scan_key=n&limit=1&cursor=\(cursor)", key: .none, headers: headers)
        #expect(refused.body["code"] == 1)
        await other.server.stop()
    }

    @Test func aScanReadsEveryDeviceInPages() async throws {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 257, at: .noon)
        let server = try await TestServer(registry)
        for key in ["objectId", "-objectId", "createdAt", "-updatedAt"] {
            var query = ["limit": "50", "scan_key": key]
            var ids: [String] = []
            repeat {
                let page = try await server.get("/scan/classes/_Installation", query).body
                ids += (page["results"]?.array ?? []).compactMap { $0["objectId"]?.string }
                query["cursor"] = page["cursor"]?.string
            } while query["cursor"] != nil
            #expect(ids.count == 257)
            #expect(Set(ids).count == 257)
        }
        await server.server.stop()
    }
}
