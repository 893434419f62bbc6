import Base
import DeviceRegistry
import Foundation
import PushServer
import Testing

/// Requests that are too large, malformed, or meant to confuse.
@Suite struct HostileRequestTests {
    private static let malformed: JSONValue = [
        "code": 107, "error": "Malformed json object. A json dictionary is expected.",
    ]

    // MARK: Bodies

    private static let large = "7d0\r\n" + String(repeating: " ", count: 2000)
    private static let miscounted: [(headers: [String], body: String, status: Int)] = [
        (["Content-Length: 2000"], "", 413), (["Content-Length: 99999999999999999999"], "", 400),
        (["Content-Length: -1"], "", 400), (["Transfer-Encoding: chunked"], large, 413),
        (["Transfer-Encoding: chunked"], "xyz\r\n", 400), (["Content-Length: 2", "Content-Length: 3"], "{}", 400),
        (["Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n", 400),
        (["Transfer-Encoding: gzip, chunked, identity"], "{}", 400),
    ]

    @Test(arguments: miscounted)
    func bodiesThatAreTooLargeOrMiscountedAreRefusedAtOnce(headers: [String], body: String, status: Int) async throws {
        try await ServiceServer.run({ $0.limits.bodyLimit = 1000 }) { (server) async throws in
            let reply = try await server.reply(to: head("POST /1.1/installations", headers) + body)
            #expect(reply.status == status)
            #expect(reply.body.contains(#""error":"#))
            #expect(try await server.call("GET", "/1.1/date").status == 200)
        }
    }

    private static func device(token: [UInt8]) -> [UInt8] {
        let start: [UInt8] = Array(#"{"deviceType":"ios","deviceToken":""#.utf8)
        return start + token + Array(#""}"#.utf8)
    }

    private static let deep: [[UInt8]] = [
        Array(String(repeating: "[", count: 10_000).utf8), Array(String(repeating: #"{"a":"#, count: 10_000).utf8),
        Array((#"{"x":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}").utf8),
    ]
    private static let broken: [[UInt8]] = [
        device(token: [0xFF, 0xFE]), device(token: [0xC0, 0xAF]), device(token: [0xED, 0xA0, 0x80]),
        device(token: [0x61, 0, 0x62]), Array(#"{"deviceType":"ios"}"#.utf16).flatMap { [UInt8($0 & 255), 0] },
    ]
    private static let others: [[UInt8]] = ["", "null", "{} {}", "{", "[1]"].map { Array($0.utf8) }

    @Test(arguments: deep + broken + others)
    func whatIsNoJSONObjectOfBearableDepthIs107(body: [UInt8]) async throws {
        try await ServiceServer.run { (server) async throws in
            let answer = try await server.call("POST", "/1.1/installations", body: body)
            #expect(answer.status == 400)
            #expect(answer.body == Self.malformed)
            #expect(try await server.registry.deviceCount() == 0)
        }
    }

    private static func escaped(_ beginning: String, _ rest: String = "}") -> [UInt8] {
        let credentials = #""_ApplicationId":"giants","_ApplicationKey":"\#(TestServer.appKey)""#
        return Array("{\(beginning)\(credentials)\(rest)".utf8)
    }

    /// What took four seconds of a processor before it was known who asked.
    private static let nested =
        #""a":["#
        + repeatElement(String(repeating: "[", count: 97) + String(repeating: "]", count: 97), count: 325)
        .joined(separator: ",") + "]"

    private static func text(_ name: String, _ count: Int) -> String {
        #""\#(name)":"\#(String(repeating: "x", count: count))""#
    }

    private static let late: [(body: [UInt8], status: Int)] = [
        (Array("{\(nested)}".utf8), 401), (escaped(nested + ","), 400), (escaped("", "," + nested + "}"), 400),
        (escaped(#""a":"\#(String(repeating: "x", count: 3900))","#), 201),
        (escaped(#""a":"\#(String(repeating: "x", count: 4100))","#), 201),
        (escaped(text("a", 4100) + ",", "," + text("b", 3900) + "}"), 201),
        (escaped(text("a", 4100) + ",", "," + text("b", 4100) + "}"), 401), (escaped("", ",}"), 400),
        (escaped("", #","_ApplicationKey":"wrong"}"#), 201), (escaped(#""_ApplicationKey":"wrong","#), 401),
    ]

    @Test(arguments: late)
    func credentialsAreSoughtInFourKilobytesAtEitherEndOfABody(body: [UInt8], status: Int) async throws {
        try await ServiceServer.run { (server) async throws in
            let plain = [("Content-Type", "text/plain")]
            #expect(try await server.call("POST", "/1.1/classes/Note", plain, body: body).status == status)
        }
    }

    /// The sign for kelvin is equal to the letter, so two names among many are one parameter.
    @Test func namesOfATextBodyThatAreEqualAreOneParameter() async throws {
        try await ServiceServer.run { (server) async throws in
            let others = (0..<20).map { #","a\#($0)":1"# }.joined()
            let body = Self.escaped(#""_method":"GET","K":1,"\#u{212A}":2,"#, others + "}")
            let plain = [("Content-Type", "text/plain")]
            #expect(try await server.call("POST", "/1.1/date", plain, body: body).status == 200)
        }
    }

    @Test func bracketsWithinTextAreNoDepth() async throws {
        try await ServiceServer.run { (server) async throws in
            let token = String(repeating: "[", count: 500) + #"\"{"#
            let body = Array(#"{"content":"\#(token)"}"#.utf8)
            #expect(try await server.call("POST", "/1.1/classes/Note", body: body).status == 201)
        }
    }

    @Test func aDeepConditionIs107() async throws {
        try await ServiceServer.run { (server) async throws in
            let condition = TestServer.encoded(["where": String(repeating: #"{"a":"#, count: 1000)])
            let answer = try await server.call("GET", "/1.1/classes/Note?" + condition)
            #expect(answer.status == 400)
            #expect(answer.body["code"] == 107)
        }
    }

    @Test func aDeepConditionInABatchIs107() async throws {
        try await ServiceServer.run { (server) async throws in
            let condition = TestServer.encoded(["where": String(repeating: #"{"$and":[{"a":"#, count: 240)])
            let body: JSONValue = [
                "requests": [["method": "GET", "path": .string("/1.1/classes/Note?" + condition)]]
            ]
            let answer = try await server.call("POST", "/1.1/batch", body: body.canonicalBytes)
            #expect(answer.body.array?.first?["error"]?["code"] == 107)
        }
    }

    @Test func anAnswerIsGivenToAClientThatHasSaidEverything() async throws {
        try await ServiceServer.run { (server) async throws in
            let text = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send(head("GET /1.1/date"))
                connection.endSending()
                return connection.rest()
            }
            #expect(text.hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test func strangersAreRefusedBeforeTheirBodyIsRead() async throws {
        try await ServiceServer.run { (server) async throws in
            let large = head("POST /1.1/installations", ["Content-Length: 20000000"], key: .none)
            #expect(try await server.reply(to: large).status == 401)
            let plain = ["Content-Type: text/plain", "Content-Length: 100000"]
            let escaped = head("POST /1.1/installations", plain, key: .none)
            #expect(try await server.reply(to: escaped).status == 413)
        }
    }

    @Test func aClientThatAsksFirstIsToldToGoOnOnlyWithTheRightKey() async throws {
        try await ServiceServer.run { (server) async throws in
            let expecting = ["Content-Length: 2", "Expect: 100-continue"]
            let statuses = try await server.dialog { port in
                let known = try RawConnection(port)
                known.send(head("POST /1.1/classes/Note", expecting))
                let first = try known.reply().status
                known.send("{}")
                let stranger = try RawConnection(port)
                stranger.send(head("POST /1.1/classes/Note", expecting, key: .none))
                return [first, try known.reply().status, try stranger.reply().status]
            }
            #expect(statuses == [100, 201, 401])
        }
    }

    // MARK: Heads

    @Test(arguments: [
        ("GET /1.1/date HTTP/1.1\r\nX: " + String(repeating: "a", count: 20_000) + "\r\n\r\n", 431),
        ("GET /1.1/date HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 200) + "\r\n", 431),
        ("GET /" + String(repeating: "a", count: 300_000), 431),
        ("GET /1.1/date HTTP/1.1\r\n" + String(repeating: "X", count: 300_000), 431),
        ("NONSENSE\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\u{0}\r\n\r\n", 400),
        ("GET /1.1/date HTTP/9.9\r\n\r\n", 400), ("GET /1.1/date HTTP/1.1\r\nX y: z\r\n\r\n", 400),
        ("GET /1.1/date HTTP/1.1\r\nX: a\rb\r\n\r\n", 400), ("GET /health HTTP/1.1\r\n\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET /health HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", 400),
        ("POST /health HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ])
    func headsThatCannotBeReadAreRefused(bytes: String, status: Int) async throws {
        try await ServiceServer.run { (server) async throws in
            let (reply, isEnded) = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send(bytes)
                return (try connection.reply(), connection.isEnded())
            }
            #expect(reply.status == status)
            #expect(reply.body.contains(#""error":"#))
            #expect(isEnded)
            #expect(try await server.call("GET", "/1.1/date").status == 200)
        }
    }

    @Test(arguments: [
        ("GET http://elsewhere.example/1.1/date", 200), ("GET https://elsewhere.example:443/1.1/date?x=1", 200),
        ("GET /1.1/../1.1/date", 400), ("GET /1.1/%2e%2e/date", 400), ("GET /1.1/classes/a%00b", 400),
        ("GET /1.1/classes/Note?where=%00", 400), ("GET /1.1/classes/%FF", 400), ("GET /1.1/classes/%4", 400),
        ("GET /1.1/classes/a%2Fb", 400), ("GET //1.1//date", 200), ("GET /1.1/date%2F", 404), ("GET *", 404),
        ("PATCH /1.1/date", 405), ("BREW /1.1/date", 400), ("OPTIONS /1.1/date", 405), ("TRACE /1.1/date", 405),
        ("GET /1.1/nowhere", 404), ("GET /1.2/date", 404), ("GET /etc/passwd", 404),
    ])
    func strangeTargetsAndVerbsAreAnsweredAndNothingElse(line: String, status: Int) async throws {
        try await ServiceServer.run { (server) async throws in
            let reply = try await server.reply(to: head(line, ["Connection: close"]))
            #expect(reply.status == status, "\(reply)")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInTheirOrder() async throws {
        try await ServiceServer.run { (server) async throws in
            let body = #"{"deviceType":"ios","deviceToken":"pipe"}"#
            let statuses = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send(
                    head("POST /1.1/installations", ["Content-Length: \(body.utf8.count)"]) + body
                        + head("GET /1.1/date") + head("GET /1.1/nowhere") + head("GET /1.1/date", key: .none)
                        + head("GET /1.1/date"))
                return try (0..<5).map { _ in try connection.reply().status }
            }
            #expect(statuses == [201, 200, 404, 401, 200])
        }
    }

    @Test func theAnswerToHeadHasNoBody() async throws {
        try await ServiceServer.run { (server) async throws in
            let text = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send("HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return connection.rest()
            }
            #expect(text.hasPrefix("HTTP/1.1 200 OK"))
            #expect(text.hasSuffix("\r\n\r\n"))
        }
    }

    // MARK: Other origins

    @Test func aBrowserMayAskAndMaySendEverythingInATextBody() async throws {
        try await ServiceServer.run { (server) async throws in
            let asking = [("Origin", "https://page.example"), ("Access-Control-Request-Method", "POST")]
            let preflight = try await server.reply(
                to: "OPTIONS /1.1/installations HTTP/1.1\r\nHost: x\r\n"
                    + asking.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n")
            #expect(preflight.status == 204)
            #expect(preflight.head.contains("X-LC-Sign"))
            let plain = [("Content-Type", "text/plain;charset=UTF-8"), ("Origin", "https://page.example")]
            func send(_ members: JSONValue, _ path: String = "/1.1/installations") async throws -> Answer {
                var members = members
                members["_ApplicationId"] = members["_ApplicationId"] ?? "giants"
                return try await server.call("POST", path, plain, body: members.canonicalBytes)
            }
            let key = JSONValue.string(TestServer.appKey)
            let made = try await send(["_ApplicationKey": key, "deviceType": "ios", "deviceToken": "t1"])
            #expect(made.status == 201)
            #expect(made.headers["access-control-allow-origin"] == "*")
            let id = try #require(made.body["objectId"]?.string)
            let changed = try await send(
                ["_ApplicationKey": key, "_method": "PUT", "timeZone": "UTC"], "/1.1/installations/\(id)")
            #expect(changed.status == 200)
            let found = try await send(
                [
                    "_MasterKey": .string(TestServer.masterKey), "_method": "GET", "where": ["deviceToken": "t1"],
                    "keys": "timeZone", "limit": 1,
                ])
            #expect(found.body["results"]?.array?.first?["timeZone"] == "UTC")
            #expect(found.body["results"]?.array?.first?["_MasterKey"] == nil)
            #expect(try await server.call("GET", "/health", plain).headers["access-control-allow-origin"] == nil)
            for wrong: JSONValue in [
                [:], ["_ApplicationKey": "wrong"], ["_ApplicationKey": key, "_ApplicationId": "other"],
                ["_MasterKey": key],
            ] {
                let refused = try await send(wrong)
                #expect(refused.status == 401)
                #expect(refused.body == ["code": 401, "error": "Unauthorized."])
            }
        }
    }
}
