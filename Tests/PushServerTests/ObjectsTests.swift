import Base
import Testing

@Suite struct ObjectsTests {
    @Test(arguments: ["/installations", "/classes/_Installation"])
    func aDeviceIsRegisteredReadChangedAndRemoved(path: String) async throws {
        try await TestServer.run { (server) async throws in
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "ab12", "channels": ["public"]]
            let created = try await server.call("POST", path, device, key: .app)
            #expect(created.status == 201)
            let id = try #require(created.body["objectId"]?.string)
            #expect(created.body == ["objectId": .string(id), "createdAt": "2026-11-21T12:00:00.000Z"])
            #expect(created.headers["location"] == "http://127.0.0.1:\(server.port)/1.1/installations/\(id)")

            var expected = device
            expected["objectId"] = .string(id)
            expected["valid"] = true
            expected["createdAt"] = "2026-11-21T12:00:00.000Z"
            expected["updatedAt"] = "2026-11-21T12:00:00.000Z"
            #expect(try await server.call("GET", "\(path)/\(id)", key: .app).body == expected)

            try await server.advance(60)
            let change: JSONValue = ["channels": ["__op": "AddUnique", "objects": ["Giants"]]]
            let changed = try await server.call("PUT", "\(path)/\(id)", change, key: .app)
            #expect(changed.body == ["objectId": .string(id), "updatedAt": "2026-11-21T12:01:00.000Z"])
            #expect(try await server.call("GET", "\(path)/\(id)").body["channels"] == ["public", "Giants"])

            #expect(try await server.call("DELETE", "\(path)/\(id)", .null).body == [:])
            #expect(try await server.call("GET", "\(path)/\(id)").body == [:])
        }
    }

    @Test func aDeviceThatRegistersAgainIsUpdated() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("ab12", ["channels": ["a"]])
            try await server.advance(1)
            let again = try await server.call(
                "POST", "/installations",
                ["deviceToken": "ab12", "channels": ["__op": "Remove", "objects": ["a"]]], key: .app)
            #expect(again.status == 200)
            #expect(
                again.body == [
                    "objectId": .string(id), "createdAt": "2026-11-21T12:00:00.000Z",
                    "updatedAt": "2026-11-21T12:00:01.000Z",
                ])
            #expect(try await server.call("GET", "/installations/\(id)").body["channels"] == [])
        }
    }

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

    @Test func fetchWhenSaveAnswersTheObjectOrWhatChanged() async throws {
        try await TestServer.run { (server) async throws in
            let created = try await server.call("POST", "/classes/Note?fetchWhenSave=true", ["n": 1, "s": "a"])
            #expect(created.body["n"] == 1)
            #expect(created.body["s"] == "a")
            let id = try #require(created.body["objectId"]?.string)
            let changed = try await server.call(
                "PUT", "/classes/Note/\(id)?fetchWhenSave=true", ["n": ["__op": "Increment", "amount": 4]])
            #expect(changed.body["n"] == 5)
            #expect(changed.body["s"] == nil)
        }
    }

    @Test func aConditionalChangeHappensOnlyWhileItsConditionHolds() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.call("POST", "/classes/BugleLock", ["fence": 1]).body["objectId"]?.string ?? ""
            let path = "/classes/BugleLock/\(id)?" + TestServer.encoded(["where": #"{"fence":1}"#])
            #expect(try await server.call("PUT", path, ["fence": 2]).status == 200)
            let late = try await server.call("PUT", path, ["fence": 3])
            #expect(late.status == 400)
            #expect(late.body == ["code": 305, "error": "No effect on updating/deleting a document."])
            #expect(try await server.call("DELETE", path).body["code"] == 305)
            #expect(try await server.call("GET", "/classes/BugleLock/\(id)").body["fence"] == 2)
            let right = "/classes/BugleLock/\(id)?" + TestServer.encoded(["where": #"{"fence":2}"#])
            #expect(try await server.call("DELETE", right).status == 200)
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

    @Test(
        arguments: [
            (["limit": "2"], ["a", "b"]), (["limit": "2", "skip": "1"], ["b", "c"]),
            (["order": "-n"], ["c", "b", "a"]),
            (["order": "even,-n"], ["c", "a", "b"]), (["limit": "0"], ["a", "b", "c"]),
            (["limit": "1001"], ["a", "b", "c"]),
            (["limit": "x"], ["a", "b", "c"]), (["limit": "0", "count": "1"], []),
            (["where": #"{"n":{"$gt":1}}"#], ["b", "c"]),
            (["where": #"[{"n":{"$gt":1}},{"even":true}]"#], ["b"]), (["order": "-createdAt,n"], ["a", "b", "c"]),
        ] as [([String: String], [String])])
    func queriesAreLimitedSkippedAndOrdered(query: [String: String], names: [String]) async throws {
        try await TestServer.run { (server) async throws in
            for (index, name) in ["a", "b", "c"].enumerated() {
                _ = try await server.call(
                    "POST", "/classes/Note",
                    ["name": .string(name), "n": .integer(Int64(index + 1)), "even": .bool(index == 1)])
            }
            let answer = try await server.get("/classes/Note", query)
            #expect(answer.body["results"]?.array?.compactMap { $0["name"]?.string } == names)
            #expect((answer.body["count"] != nil) == (query["count"] != nil))
        }
    }

    @Test(arguments: [
        ("a", ["a", "createdAt", "objectId", "updatedAt"]), ("-a", ["b", "createdAt", "objectId", "updatedAt"]),
        ("b.c", ["b", "createdAt", "objectId", "updatedAt"]), ("a,-createdAt,-updatedAt", ["a", "objectId"]),
    ])
    func keysChooseWhatIsShown(keys: String, shown: [String]) async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call("POST", "/classes/Note", ["a": 1, "b": ["c": 1, "d": 2]])
            let object = try await server.get("/classes/Note", ["keys": keys]).body["results"]?.array?.first
            #expect(object?.object?.keys.sorted() == shown)
            if keys == "b.c" { #expect(object?["b"] == ["c": 1]) }
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

    @Test(arguments: ["", "[]", "5", "{", #"{"a":"\#u{FF}"#, #""text""#])
    func aBodyThatIsNoObjectIsMalformed(text: String) async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.send("POST", "/classes/Note", bytes: Array(text.utf8))
            #expect(answer.status == 400)
            #expect(
                answer.body == ["code": 107, "error": "Malformed json object. A json dictionary is expected."])
        }
    }

    @Test func badUTF8AndDeepJSONAreMalformed() async throws {
        try await TestServer.run { (server) async throws in
            let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
            for bytes in [Array(#"{"a":"#.utf8) + [0x22, 0xFF, 0xFE, 0x22, 0x7D], Array(#"{"a":\#(deep)}"#.utf8)] {
                let answer = try await server.send("POST", "/classes/Note", bytes: bytes)
                #expect(answer.body["code"] == 107)
            }
        }
    }

    @Test func aBatchIsCarriedOutInOrderWithAnAnswerEach() async throws {
        try await TestServer.run { (server) async throws in
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "ab12"]
            let answer = try await server.call(
                "POST", "/batch",
                [
                    "requests": [
                        ["method": "POST", "path": "/1.1/installations", "body": device],
                        [
                            "method": "POST", "path": "/1.1/classes/_Installation",
                            "body": ["deviceToken": "ab12", "n": 1],
                        ],
                        ["method": "PUT", "path": "/1.1/classes/Note/none", "body": ["n": 1]],
                        ["method": "GET", "path": "/1.1/classes/_Installation?limit=1"],
                        ["method": "GET", "path": "/1.1/classes/_Installation", "params": ["where": ["n": 2]]],
                        ["method": "POST", "path": "/1.1/batch", "body": ["requests": []]],
                    ]
                ])
            #expect(answer.status == 200)
            let answers = try #require(answer.body.array)
            #expect(answers.count == 6)
            #expect(answers[0]["success"]?["objectId"] == answers[1]["success"]?["objectId"])
            #expect(answers[2]["error"]?["code"] == 101)
            #expect(answers[3]["success"]?["results"]?.array?.first?["n"] == 1)
            #expect(answers[4]["success"]?["results"] == [])
            #expect(answers[5]["error"]?["code"] == 1)
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
