import Base
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// A database that takes no more, and then does again.
@Suite(.onlyInSQLite) struct FullDiskTests {
    /// Lets the database grow by so many pages.
    private static func leave(_ pages: Int, in registry: Registry) async throws {
        _ = try await registry.write { db in
            let count = try db.number("PRAGMA page_count")
            _ = try db.number("PRAGMA max_page_count = \(count + pages)")
        }
    }

    private static let large: JSONValue = ["text": .string(String(repeating: "x", count: 100_000))]

    @Test func theServerIsNotReadyAndSaysWhyUntilSomethingCanBeWritten() async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("GET", "//ready").status == 200)
            try await Self.leave(1, in: server.registry)
            let refused = try await server.call("POST", "/classes/Note", Self.large)
            #expect(refused.status == 503)
            #expect(refused.body["error"] == "The server's disk is full: nothing was stored. Try again later.")
            #expect(try await server.call("GET", "//health", key: .none).status == 200)
            let answer = try await server.call("GET", "//ready", key: .none)
            #expect(answer.status == 503)
            #expect(
                answer.body == [
                    "code": 503, "error": "Nothing can be written: the database failed: database or disk is full.",
                ])
            try await Self.leave(1000, in: server.registry)
            #expect(try await server.call("GET", "//ready", key: .none).status == 200)
        }
    }

    @Test func theHealthDoesNotAskTheDatabase() async throws {
        try await TestServer.run { (server) async throws in
            func answer(_ target: String) async throws -> TextAnswer {
                try await HTTPClient.sendText("GET", target, port: server.port)
            }
            let before = try await answer("/health").headers["x-bugle-registry"]
            #expect(before?.isEmpty == false)
            _ = try await server.registry.write { try $0.execute("DELETE FROM registryIdentity", []) }
            let health = try await answer("/health")
            #expect(health.status == 200 && health.headers["x-bugle-registry"] == before)
            let ready = try await answer("/ready")
            #expect(ready.status == 503 && ready.text.contains("Nothing can be read"))
        }
    }

    @Test func aPushThatFindsNoRoomIsAnErrorOrIsSent() async throws {
        let push: JSONValue = ["where": ["deviceType": "ios"], "data": ["alert": "a"], "req_id": "once"]
        var statuses: Set<Int> = []
        var takenBack = 0
        for pages in 0..<12 {
            try await TestServer.run { (server) async throws in
                _ = try await server.registry.seed(devices: 1000, at: .noon)
                try await Self.leave(pages, in: server.registry)
                let status = try await server.call("POST", "/push", push).status
                statuses.insert(status)
                try await Self.leave(10_000, in: server.registry)
                func messages() async throws -> Int {
                    try await server.registry.read { try $0.number("SELECT COUNT(*) FROM inbox") }
                }
                takenBack += try await server.registry.read {
                    try $0.number("SELECT COUNT(*) FROM push WHERE state = 'refused'")
                }
                // What was answered is what stays, also when there is room again.
                try await server.registry.deliverQueued(at: .noon)
                #expect((try await messages() > 0) == (status == 200), "\(pages) pages: \(status)")
                // The same request may be made again, and does the same once.
                #expect(try await server.call("POST", "/push", push).status == 200)
                let sent = try await messages()
                #expect(sent > 0)
                #expect(try await server.call("POST", "/push", push).status == 200)
                #expect(try await messages() == sent)
            }
        }
        #expect(statuses.contains(503))
        #expect(takenBack > 0)
    }
}
