import Base
import Foundation
import RegistryTesting
import Testing

/// Requests that are meant to break the server: each is refused or does what it says, and the server lives on.
@Suite struct HostileParameterTests {
    /// Values of every kind, for places that expect another.
    private static let values: [JSONValue] = [
        nil, true, 0, -1, 1.5, 1e308, .integer(.max), .integer(.min), "", "x", "\u{0}", "a\u{0}b",
        "'; DROP TABLE push; --",
        "\u{202E}🙂\u{FEFF}", [], [nil], [[[]]], ["x", 1], [:], ["$foo": 1], ["__type": "Date"], ["__type": "Pointer"],
        ["__op": "Increment", "amount": 1e308], ["__op": 5], ["__type": "GeoPoint", "latitude": 1e308, "longitude": 0],
    ]

    private static func deep(_ levels: Int, _ open: String, _ close: String, _ inner: String = "") -> String {
        String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
    }

    /// Whether an answer is one of the API and not the sign of a failure inside.
    private func expectSane(_ answer: Answer, _ request: String) {
        #expect([200, 201, 400, 403, 404, 405, 413, 431].contains(answer.status), "\(request): \(answer.status)")
        if answer.status >= 400 {
            #expect(answer.body["code"]?.integer != nil && answer.body["error"]?.string != nil, "\(request)")
        }
    }

    private func expectAlive(_ server: TestServer) async throws {
        #expect(try await server.call("GET", "/installations?count=1&limit=0").status == 200)
        #expect(try await server.call("POST", "/push", ["data": ["alert": "x"]]).status == 200)
        #expect(try await server.call("GET", "/notifications").status == 200)
    }

    @Test func aRegularExpressionIsBoundedInItselfAndNotByTheBodyOnly() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.device("t")
            let marks = "a" + String(repeating: "\u{301}", count: 1000)
            let conditions: [(JSONValue, String)] = [
                (["$regex": .string(marks)], "$regex may have 256 characters at most."),
                (["$regex": .string(String(repeating: "a", count: 257))], "$regex may have 256 characters at most."),
                (
                    ["$regex": "a", "$options": .string(String(repeating: "i", count: 1000))],
                    "$options has the letters"
                ),
            ]
            for (condition, words) in conditions {
                let query: JSONValue = ["deviceToken": condition]
                let answer = try await server.get("/installations", ["where": query.canonicalText])
                #expect(answer.status == 400)
                #expect(answer.body["code"] == 102)
                #expect(answer.body["error"]?.string?.hasPrefix(words) == true, "\(answer.body)")
            }
            let longest: JSONValue = ["deviceToken": ["$regex": .string(String(repeating: "a", count: 256))]]
            #expect(try await server.get("/installations", ["where": longest.canonicalText]).status == 200)
        }
    }

    @Test(arguments: [
        "/classes/Note", "/installations", "/push", "/push/devices", "/batch", "/batch/save", "/bugle/faults",
    ])
    func jsonOfTenThousandLevelsIsMalformed(path: String) async throws {
        try await TestServer.run { (server) async throws in
            for text in [
                Self.deep(10_000, "[", "]"), Self.deep(10_000, #"{"a":"#, "}", "1"), Self.deep(100_000, "[", ""),
                #"{"data":\#(Self.deep(1000, "[", "]")),"requests":\#(Self.deep(10_000, "[", "]"))}"#,
            ] where text.utf8.count < 4096 || path != "/push" {
                let answer = try await server.send("POST", path, bytes: Array(text.utf8))
                #expect(answer.status == 400)
                #expect(answer.body["code"] == 107)
            }
            try await expectAlive(server)
        }
    }

    @Test(arguments: [16, 100, 120, 400, 511, 3000])
    func deepValuesAreKeptOrRefused(levels: Int) async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call("POST", "/classes/Note", ["n": 1])
            let list = Self.deep(levels, "[", "]")
            let object = Self.deep(levels, #"{"a":"#, "}", "1")
            let and = Self.deep(levels, #"{"$and":["#, "]}", "{}")
            let query = Self.deep(levels, #"{"p":{"$inQuery":{"className":"Note","where":"#, "}}}", "{}")
            for text in [list, object, and, query] {
                expectSane(
                    try await server.send("POST", "/classes/Note", bytes: Array(#"{"k":\#(text)}"#.utf8)), "\(levels)")
                // A request line of more than that does not reach the API.
                for condition in [text, #"{"k":\#(text)}"#, #"{"k":{"$in":[\#(text)]}}"#] where text.utf8.count < 12_000
                {
                    expectSane(try await server.get("/classes/Note", ["where": condition]), "\(levels)")
                }
                let push = #"{"data":{},"where":\#(text)}"#
                expectSane(try await server.send("POST", "/push", bytes: Array(push.utf8)), "\(levels)")
            }
            #expect(try await server.get("/classes/Note", ["limit": "1000"]).status == 200)
            try await expectAlive(server)
        }
    }

    @Test func badUTF8IsRefusedWhereverItStands() async throws {
        try await TestServer.run { (server) async throws in
            for path in ["/classes/Note", "/push", "/batch", "/installations"] {
                let bytes =
                    Array(#"{"data":{"alert":""#.utf8) + [0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80] + Array(#""}}"#.utf8)
                #expect(try await server.send("POST", path, bytes: bytes).body["code"] == 107)
            }
            for target in [
                "/classes/%FF", "/classes/Note?where=%FF", "/classes/Note/%C0%80", "/installations?order=%ED%A0%80",
            ] {
                #expect(try await server.call("GET", target).status == 400)
            }
            for text in [#"{"a":"\ud800"}"#, #"{"\udfff":1}"#] {
                expectSane(try await server.send("POST", "/classes/Note", bytes: Array(text.utf8)), text)
            }
            try await expectAlive(server)
        }
    }

    @Test func aNULCharacterEndsNoName() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("ab", ["n": 1, "channels": ["x"]])
            for path in ["/installations/\(id)%00", "/classes/_Installation%00", "/notifications/n%00"] {
                #expect([400, 404].contains(try await server.call("GET", path).status))
            }
            let other: JSONValue = ["deviceType": "ios", "deviceToken": "ab\u{0}c", "n": 2]
            #expect(try await server.call("POST", "/installations", other, key: .app).body["code"] == 111)
            #expect(
                try await server.call("POST", "/installations", ["objectId": .string(id + "\u{0}"), "n": 3]).status
                    == 400)
            for condition in [#"{"deviceToken":"ab\u0000"}"#, #"{"n\u0000":1}"#, #"{"$or":[{"a":["\u0000"]}]}"#] {
                #expect(try await server.get("/installations", ["where": condition]).status == 400)
            }
            let push: JSONValue = ["data": ["alert": "x"], "where": ["deviceToken": "ab\u{0}"]]
            #expect(try await server.call("POST", "/push", push).body["code"] == 102)
            #expect(try await server.call("GET", "/installations/\(id)").body["n"] == 1)
            #expect(try await server.inbox("ab").isEmpty)
            let written = try await server.call("POST", "/classes/Note", ["s": "a\u{0}b"])
            // PostgreSQL stores no NUL.
            guard !TestStore.isPostgres else { return #expect(written.body["code"] == 111) }
            let note = written.body["objectId"]?.string ?? ""
            #expect(try await server.call("GET", "/classes/Note/\(note)").body["s"] == "a\u{0}b")
        }
    }

    @Test(arguments: ["1e400", "-1e400", "99999999999999999999", "9223372036854775807", "NaN", "-1", "1e3", "0x10", ""])
    func numbersOfAnySizeAreRefusedOrCounted(number: String) async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["badge": 1])
            for parameter in ["limit", "skip", "count"] {
                #expect(try await server.get("/installations", [parameter: number]).status == 200)
                expectSane(try await server.get("/scan/classes/_Installation", [parameter: number]), number)
                expectSane(try await server.get("/notifications", [parameter: number]), number)
            }
            expectSane(try await server.call("DELETE", "/scheduledPushMessages/\(number)x"), number)
            for body in [
                #"{"data":{"badge":"Increment"},"expiration_interval":\#(number)}"#,
                #"{"data":{},"flow_control":\#(number)}"#,
                #"{"data":{},"expiration_interval":"\#(number)"}"#, #"{"data":{},"where":{"n":{"$gt":\#(number)}}}"#,
                #"{"data":{},"where":{"l":{"$size":\#(number)}}}"#,
            ] { expectSane(try await server.send("POST", "/push", bytes: Array(body.utf8)), body) }
            for body in [
                #"{"deviceToken":"a","badge":\#(number)}"#, #"{"deviceToken":"a","n":\#(number)}"#,
                #"{"deviceToken":"a","n":{"__op":"Increment","amount":\#(number)}}"#,
                #"{"deviceToken":"a","badge":{"__op":"Increment","amount":\#(number)}}"#,
                #"{"deviceToken":"a","m":{"__op":"BitXor","value":\#(number)}}"#,
            ] {
                for _ in 0..<2 {
                    expectSane(try await server.send("POST", "/installations", bytes: Array(body.utf8)), body)
                }
            }
            for body in [#"{"advance":\#(number)}"#, #"{"fault":"delay","value":\#(number),"nth":99}"#] {
                let path = body.contains("advance") ? "/bugle/clock" : "/bugle/faults"
                expectSane(try await server.send("POST", path, bytes: Array(body.utf8)), body)
            }
            _ = try await server.call("POST", "/push", ["data": ["badge": "Increment"]])
            #expect(try await server.call("GET", "/bugle/devices/a/inbox").status == 200)
            try await expectAlive(server)
        }
    }

    @Test func everyMemberOfAPushMayBeOfAnyType() async throws {
        try await TestServer.run(pushesPerMinute: 10_000) { (server) async throws in
            try await server.device("a")
            let names = [
                "data", "where", "channels", "cql", "push_time", "expiration_time", "expiration_interval",
                "notification_id", "req_id", "prod", "topic", "apns_team_id", "flow_control", "_notificationChannel",
                "device_type", "device_ids", "vendor", "channel", "device_profile",
            ]
            let whole: JSONValue = ["data": ["alert": "x"], "device_type": "ios", "device_ids": ["a"]]
            for path in ["/push", "/push/devices"] {
                for name in names {
                    for value in Self.values {
                        var body = whole
                        body[name] = value
                        expectSane(try await server.call("POST", path, body), "\(path) \(name) \(value)")
                    }
                }
            }
            for device in ["a", "x"] {
                #expect(try await server.call("GET", "/bugle/devices/\(device)/inbox").status == 200)
            }
            try await expectAlive(server)
        }
    }

    @Test func everyFieldOfADeviceMayBeOfAnyType() async throws {
        try await TestServer.run(pushesPerMinute: 10_000) { (server) async throws in
            let names = [
                "objectId", "installationId", "deviceToken", "deviceType", "channels", "badge", "valid",
                "deviceProfile",
                "vendor", "timeZone", "apnsTopic", "ACL", "createdAt", "updatedAt", "own", "__internalId", "",
            ]
            for name in names {
                for value in Self.values {
                    let known: JSONValue = ["deviceType": "ios", "deviceToken": .string("t" + name)]
                    var body = known
                    body[name] = value
                    expectSane(try await server.call("POST", "/installations", body, key: .app), "\(name) \(value)")
                    let push: JSONValue = [
                        "data": ["badge": "Increment"], "where": ["deviceToken": .string("t" + name)],
                    ]
                    if name == "badge" { #expect(try await server.call("POST", "/push", push).status == 200) }
                }
            }
            #expect(try await server.call("GET", "/installations?limit=1000&returnACL=1").status == 200)
            try await expectAlive(server)
        }
    }

    @Test func everyPartOfABatchMayBeOfAnyType() async throws {
        try await TestServer.run { (server) async throws in
            for path in ["/batch", "/batch/save"] {
                for value in Self.values {
                    expectSane(try await server.call("POST", path, ["requests": value]), "\(value)")
                    expectSane(try await server.call("POST", path, ["requests": [value]]), "\(value)")
                    for name in ["method", "path", "body", "params", "new"] {
                        var call: JSONValue = ["method": "POST", "path": "/1.1/classes/Note", "body": ["n": 1]]
                        call[name] = value
                        expectSane(try await server.call("POST", path, ["requests": [call]]), "\(name) \(value)")
                    }
                    for name in ["__internalId", "__children"] {
                        let body: JSONValue = .object([name: value])
                        let call: JSONValue = ["method": "POST", "path": "/1.1/classes/Note", "body": body]
                        expectSane(try await server.call("POST", path, ["requests": [call]]), "\(name) \(value)")
                    }
                }
            }
            try await expectAlive(server)
        }
    }

    @Test func injectionsInEveryParameterAreNames() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device("a", ["n": 1])
            let texts = [
                "'; DROP TABLE installation; --", "x\") OR 1=1 --", "a' OR 'a'='a", "$.\"a\"", "a\"b", "a]b", "%", "_",
                "*",
                "a.b'.c", #"{"$ne":1}"#, "t0.document", "n) FROM installation --",
            ]
            for text in texts {
                for path in ["/installations", "/scan/classes/_Installation", "/notifications"] {
                    for parameter in [
                        "order", "keys", "include", "where", "scan_key", "cursor", "count", "skip", "limit",
                    ] {
                        expectSane(try await server.get(path, [parameter: text]), "\(parameter) \(text)")
                    }
                }
                let quoted = JSONValue.string(text).canonicalText
                for condition in [
                    "{\(quoted):1}", "{\"n\":{\(quoted):1}}", "{\"n\":\(quoted)}", "{\"channels\":\(quoted)}",
                    "{\"p\":{\"$inQuery\":{\"className\":\(quoted),\"where\":{}}}}",
                    "{\"p\":{\"$select\":{\"query\":{\"className\":\"Note\"},\"key\":\(quoted)}}}",
                ] {
                    let answer = try await server.get("/installations", ["where": condition])
                    expectSane(answer, condition)
                    #expect(answer.body["results"]?.array?.isEmpty != false, "\(condition)")
                }
                let segment = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                for path in [
                    "/classes/\(segment)", "/installations/\(segment)", "/notifications/\(segment)",
                    "/tables/Notifications/\(segment)", "/bugle/devices/\(segment)/inbox",
                    "/scheduledPushMessages/\(segment)",
                ] {
                    for method in ["GET", "PUT", "DELETE"] {
                        expectSane(try await server.call(method, path, ["s": .string(text)]), "\(method) \(path)")
                    }
                }
            }
            #expect(try await server.call("GET", "/installations/\(id)").body["n"] == 1)
            try await expectAlive(server)
        }
    }
}
