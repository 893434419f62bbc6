import Base
import Testing

/// What the App Key alone, or no key at all, can do to data that is somebody else's.
@Suite struct ClientAccessTests {
    /// Stands in everything that clients must not see.
    private static let secret = "s3cret"

    /// Fills a server and gives the ids of what is in it.
    private func fill(_ server: TestServer) async throws -> [String: String] {
        var ids: [String: String] = [:]
        let hidden: JSONValue = ["s": .string(Self.secret), "ACL": [:]]
        for (name, className, body) in [
            ("device", "_Installation", ["deviceType": "ios", "deviceToken": "t", "s": .string(Self.secret)]),
            ("ledger", "BugleLedger", ["s": .string(Self.secret), "state": "sent"]),
            ("user", "_User", ["username": .string(Self.secret)]), ("role", "_Role", ["name": .string(Self.secret)]),
            ("hidden", "Note", hidden),
        ] as [(String, String, JSONValue)] {
            ids[name] = try await server.call("POST", "/classes/\(className)", body).body["objectId"]?.string
        }
        func pointer(_ className: String, _ name: String) -> JSONValue {
            [
                "__type": "Pointer", "className": .string(className), "objectId": .string(ids[name] ?? ""),
            ]
        }
        let open: JSONValue = [
            "name": "open", "device": pointer("_Installation", "device"), "ledger": pointer("BugleLedger", "ledger"),
            "user": pointer("_User", "user"), "note": pointer("Note", "hidden"), "list": [pointer("_User", "user")],
        ]
        ids["open"] = try await server.call("POST", "/classes/Note", open).body["objectId"]?.string
        let related: JSONValue = ["open": ["__op": "AddRelation", "objects": [pointer("Note", "open")]]]
        _ = try await server.call("PUT", "/classes/Note/\(ids["hidden"] ?? "")", related)
        let message: JSONValue = ["alert": .string(Self.secret)]
        _ = try await server.call("POST", "/push", ["data": message, "notification_id": "n"])
        _ = try await server.call("POST", "/push", ["data": message, "push_time": "2026-11-22T12:00:00Z"])
        return ids
    }

    /// Everything that the master key sees.
    private func everything(_ server: TestServer) async throws -> [JSONValue] {
        var answers: [JSONValue] = []
        for path in [
            "/classes/_Installation", "/classes/_User", "/classes/_Role", "/classes/BugleLedger",
            "/classes/Note?returnACL=1", "/notifications", "/scheduledPushMessages", "/bugle/devices/t/inbox",
            "/bugle/inboxes?notificationId=n", "/bugle/faults", "/bugle/clock",
        ] { answers.append(try await server.call("GET", path).body) }
        return answers
    }

    private static let requests = [
        "GET /installations", "GET /installations?count=1&limit=0", #"GET /classes/_Installation?where={"s":"s3cret"}"#,
        "DELETE /installations/$device", #"DELETE /classes/_Installation/$device?where={"s":"s3cret"}"#,
        "GET /classes/BugleLedger", "GET /classes/BugleLedger/$ledger", "PUT /classes/BugleLedger/$ledger",
        "DELETE /classes/BugleLedger/$ledger", "POST /classes/BugleLedger", "POST /classes/BugleLock",
        "GET /classes/_User", "GET /users", "GET /users/$user", "PUT /users/$user", "DELETE /users/$user",
        "POST /users", "GET /classes/_Role", "GET /classes/_Role/$role", "GET /classes/Note/$hidden",
        "PUT /classes/Note/$hidden", "DELETE /classes/Note/$hidden", "GET /classes/Note?returnACL=1",
        #"GET /classes/Note?where={"s":{"$regex":"^s3"}}&count=1"#,
        "GET /classes/Note?include=device,ledger,user,note,list",
        "GET /classes/Note/$open?include=device,ledger,user,note",
        #"GET /classes/Note?where={"note":{"$inQuery":{"className":"Note","where":{"s":"s3cret"}}}}&count=1"#,
        #"GET /classes/Note?where={"user":{"$inQuery":{"username":"s3cret"}}}"#,
        #"GET /classes/Note?where={"ledger":{"$inQuery":{"className":"BugleLedger","where":{"state":"sent"}}}}"#,
        #"GET /classes/Note?where={"device":{"$notInQuery":{"className":"_Installation","where":{}}}}"#,
        #"GET /classes/Note?where={"name":{"$select":{"query":{"className":"BugleLedger"},"key":"state"}}}"#,
        #"GET /classes/Note?where={"name":{"$dontSelect":{"query":{"className":"_User"},"key":"username"}}}"#,
        #"GET /classes/Note?where={"$or":[{"$relatedTo":{"object":{"__type":"Pointer","className":"Note","objectId":"$hidden"},"key":"open"}}]}"#,
        #"PUT /classes/Note/$open?where={"user":{"$inQuery":{"username":"s3cret"}}}"#,
        "GET /scan/classes/Note", "GET /scan/classes/_Installation", "GET /notifications", "GET /notifications/n",
        "DELETE /notifications/n", "GET /scheduledPushMessages", "POST /scheduledPushMessages",
        "DELETE /scheduledPushMessages/1", "POST /push", "POST /push/devices", "GET /bugle/devices/t/inbox",
        "GET /bugle/inboxes?notificationId=n", "POST /bugle/devices/t/dead", "POST /bugle/faults",
        "DELETE /bugle/faults",
        "POST /bugle/clock", "GET /bugle/clock", "GET /classes/_Notification",
        "GET /cloudQuery?cql=select * from _User", "GET /cloudQuery?cql=select * from BugleLedger",
        "GET /cloudQuery?cql=select * from _Installation where s='s3cret'", "GET /cloudQuery?cql=select * from Note",
        "DELETE /installations/$device,$open", "DELETE /classes/_Installation/$device,x",
        "DELETE /classes/Note/$hidden,x", "DELETE /classes/BugleLedger/$ledger,x", "PUT /installations/unknown",
        "POST /installations",
    ]

    private static let body: JSONValue = [
        "s": "changed", "data": ["alert": "x"], "device_type": "ios", "device_ids": ["t"], "fault": "close",
        "advance": 60,
        "deviceToken": "unknown",
    ]

    private func requests(_ ids: [String: String]) -> [(method: String, path: String, query: [String: String])] {
        Self.requests.map { line in
            let line = ids.reduce(line) { $0.replacing("$" + $1.key, with: $1.value) }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let parts = words[1].split(separator: "?", maxSplits: 1).map(String.init)
            var query: [String: String] = [:]
            for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
                let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
                query[sides[0]] = sides[1]
            }
            return (words[0], parts[0], query)
        }
    }

    private func expectNothing(_ answer: JSONValue, _ request: String) {
        #expect(!answer.canonicalText.contains(Self.secret), "\(request)")
        if let count = answer["count"] { #expect(count == 0, "\(request)") }
        for object in answer["results"]?.array ?? [] { #expect(object["name"] == "open", "\(request)") }
    }

    @Test func theAppKeyReadsAndChangesNothingOfOthers() async throws {
        try await TestServer.run { (server) async throws in
            let ids = try await fill(server)
            let before = try await everything(server)
            for (method, path, query) in requests(ids) {
                let target = query.isEmpty ? path : path + "?" + TestServer.encoded(query)
                let answer = try await server.call(method, target, Self.body, key: .app)
                expectNothing(answer.body, "\(method) \(path) \(query)")
                #expect(answer.status != 500, "\(method) \(path)")
            }
            #expect(try await everything(server) == before)
        }
    }

    @Test(arguments: ["/batch", "/batch/save"])
    func aBatchIsNoWayAround(batch: String) async throws {
        try await TestServer.run { (server) async throws in
            let ids = try await fill(server)
            let before = try await everything(server)
            for (method, path, query) in requests(ids) {
                let params = JSONValue.object(JSONObject(query.mapValues { JSONValue.string($0) }))
                let call: JSONValue = [
                    "method": .string(method), "path": .string("/1.1" + path), "params": params, "body": Self.body,
                ]
                let answer = try await server.call("POST", batch, ["requests": [call]], key: .app)
                expectNothing(answer.body[0]?["success"] ?? answer.body, "\(method) \(path) \(query)")
            }
            #expect(try await everything(server) == before)
        }
    }

    @Test func withoutAKeyThereIsOnly401() async throws {
        try await TestServer.run { (server) async throws in
            let ids = try await fill(server)
            let before = try await everything(server)
            for (method, path, query) in requests(ids) {
                let target = query.isEmpty ? path : path + "?" + TestServer.encoded(query)
                for headers in [[], [("X-LC-Id", "giants"), ("X-LC-Key", "x,master")]] {
                    let answer = try await server.call(method, target, Self.body, key: .none, headers: headers)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.body == ["code": 401, "error": "Unauthorized."], "\(method) \(path)")
                }
            }
            #expect(try await everything(server) == before)
        }
    }

    @Test func aClientCannotLockADeviceOut() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("t")
            for body in [["ACL": [:]], ["ACL": ["someone": ["read": true, "write": true]], "n": 1]] as [JSONValue] {
                #expect(try await server.call("PUT", "/installations/\(id)", body, key: .app).status == 200)
            }
            let again: JSONValue = ["deviceType": "ios", "deviceToken": "t", "ACL": [:], "n": 2]
            #expect(try await server.call("POST", "/installations", again, key: .app).status == 200)
            let found = try await server.get("/installations", ["returnACL": "1"]).body["results"]?.array?.first
            #expect(found?["ACL"] == nil)
            #expect(found?["n"] == 2)
        }
    }

    /// LeanCloud let the user that an ACL names write; here nobody signs in.
    @Test func aDeviceWhoseACLCameFromAnotherServerStillRegisters() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("t", ["ACL": ["someone": ["read": true, "write": true]]])
            let again: JSONValue = ["deviceType": "ios", "deviceToken": "t", "n": 1]
            let answer = try await server.call("POST", "/installations", again, key: .app)
            #expect(answer.status == 200)
            #expect(answer.body["objectId"] == .string(id))
            let changed = try await server.call(
                "PUT", "/installations/\(id)?where=%7B%22n%22%3A1%7D", ["n": 2], key: .app)
            #expect(changed.status == 200)
            #expect(try await server.call("GET", "/installations/\(id)", key: .app).body["n"] == 2)
        }
    }
}

extension JSONValue {
    /// An element of a list.
    fileprivate subscript(index: Int) -> JSONValue? {
        array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
}
