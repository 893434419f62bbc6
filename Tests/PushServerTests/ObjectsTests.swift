import Base
import Testing

@Suite struct ObjectsTests {
    /// An app that starts in several processes, or whose SDK sends again what was not answered in time.
    @Test func aDeviceThatComesBackManyTimesAtOnceIsOne() async throws {
        try await TestServer.run { (server) async throws in
            let device: JSONValue = ["deviceType": "android", "installationId": "i1"]
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        switch number % 3 {
                        case 0: try await server.call("POST", "/installations", device, key: .app)
                        case 1: try await server.call("PUT", "/installations/kept", device, key: .app)
                        default: try await server.call("PUT", "/classes/_Installation/other", device, key: .app)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status < 300 })
            #expect(Set(answers.map { $0.body["objectId"]?.string ?? "" }).count == 1)
            #expect(try await server.call("GET", "/installations?limit=0&count=1").body["count"] == 1)
        }
    }

    @Test func twentyRacersOverHTTPHaveOneWinner() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.call("POST", "/classes/BugleLock", ["fence": 1]).body["objectId"]?.string ?? ""
            let path = "/classes/BugleLock/\(id)?" + TestServer.encoded(["where": #"{"fence":1}"#])
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for racer in 0..<20 {
                    group.addTask { try await server.call("PUT", path, ["fence": 2, "run": .integer(Int64(racer))]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.body["code"] == 305 }.count == 19)
        }
    }

    @Test func anObjectThatItsACLHidesIsNotThereForClients() async throws {
        try await TestServer.run { (server) async throws in
            let hidden = try await server.call("POST", "/classes/Note", ["n": 1, "ACL": [:]])
            let id = try #require(hidden.body["objectId"]?.string)
            let readable = try await server.call("POST", "/classes/Note", ["n": 2, "ACL": ["*": ["read": true]]])
            let readableID = try #require(readable.body["objectId"]?.string)

            #expect(try await server.call("GET", "/classes/Note/\(id)", key: .app).body == [:])
            #expect(try await server.call("GET", "/classes/Note/\(id)").body["n"] == 1)
            let found = try await server.get("/classes/Note", ["count": "1"], key: .app)
            #expect(found.body["count"] == 1)
            #expect(found.body["results"]?.array?.map { $0["n"] } == [2])
            #expect(try await server.call("PUT", "/classes/Note/\(id)", ["n": 5], key: .app).status == 404)
            #expect(try await server.call("DELETE", "/classes/Note/\(id)", key: .app).status == 404)
            #expect(try await server.call("PUT", "/classes/Note/\(readableID)", ["n": 5], key: .app).status == 403)
            #expect(
                try await server.get("/classes/Note", ["returnACL": "true"]).body["results"]?.array?.first?["ACL"]
                    == [:])
        }
    }

    @Test(arguments: [
        ("GET", "/classes/Unknown", 404, 101), ("GET", "/classes/Unknown/x", 404, 101),
        ("GET", "/classes/_User/x", 400, 211),
        ("PUT", "/classes/Note/x", 404, 101), ("DELETE", "/classes/Note/x", 404, 101),
        ("PUT", "/classes/_User/x", 400, 211),
        ("POST", "/classes/no-name", 400, 103), ("GET", "/classes/9a", 400, 103), ("GET", "/nowhere", 404, 404),
        ("PUT", "/classes/Note", 405, 405), ("GET", "/classes/Note?where=x", 400, 107),
        ("GET", "/classes/Note?where=%7B%22n%22:%7B%22$foo%22:1%7D%7D", 400, 102), ("GET", "//1.0/date", 404, 404),
        ("GET", "/classes/Note?where=%FF", 400, 1), ("PATCH", "/date", 405, 405),
    ])
    func refusalsHaveLeanCloudsCodes(method: String, path: String, status: Int, code: Int64) async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call("POST", "/classes/Note", ["n": 1])
            let answer = try await server.call(method, path, [:])
            #expect(answer.status == status)
            #expect(answer.body["code"] == .integer(code))
            #expect(answer.body["error"]?.string?.isEmpty == false)
        }
    }

    @Test func everyAnswerHasTheServersDate() async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("GET", "/date").headers["date"] == "Sat, 21 Nov 2026 12:00:00 GMT")
            try await server.advance(86_400)
            let answer = try await server.call("GET", "/date")
            #expect(answer.headers["date"] == "Sun, 22 Nov 2026 12:00:00 GMT")
            #expect(answer.body == ["__type": "Date", "iso": "2026-11-22T12:00:00.000Z"])
            #expect(try await server.call("GET", "/nowhere").headers["date"] == "Sun, 22 Nov 2026 12:00:00 GMT")
        }
    }
}
