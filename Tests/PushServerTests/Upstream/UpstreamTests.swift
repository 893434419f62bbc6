import Base
import DeviceRegistry
import Foundation
import HTTPTesting
import ProgramTesting
import PushServer
import Testing

/// A domain that two share: this server answers what is push, another backend the rest.
@Suite struct UpstreamTests {
    /// Runs a test with a server whose backend is another server, which keeps every class.
    private func share(_ test: (_ front: TestServer, _ backend: TestServer) async throws -> Void) async throws {
        try await TestServer.run { (backend) async throws in
            try await TestServer.run(configure: {
                $0.upstream = "http://127.0.0.1:\(backend.port)"
            }) { (front) async throws in try await test(front, backend) }
        }
    }

    /// Runs a test with a server whose backend is what a test says.
    private func share(
        _ backend: RecordingBackend, timeout: Duration = .seconds(300), _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            configure: { ($0.upstream, $0.upstreamTimeout) = (backend.url, timeout) }, test)
    }

    private let note: JSONValue = ["method": "POST", "path": "/1.1/classes/Note", "body": ["n": 1]]

    private func device(_ token: String) -> JSONValue {
        [
            "method": "POST", "path": "/1.1/installations",
            "body": ["deviceType": "ios", "deviceToken": .string(token), "__internalId": .string("i-" + token)],
        ]
    }

    @Test func whatIsNotPushIsKeptByTheBackendAndDevicesHere() async throws {
        try await share { (front, backend) async throws in
            let written = try await front.call("POST", "/classes/Note", ["n": 1], key: .app)
            #expect(written.status == 201)
            let id = try #require(written.body["objectId"]?.string)
            #expect(try await backend.call("GET", "/classes/Note/\(id)").body["n"] == 1)
            #expect(try await front.call("GET", "/classes/Note/\(id)", key: .app).body["n"] == 1)
            try await front.device("aa")
            #expect(try await front.registry.deviceCount() == 1)
            #expect(try await backend.registry.deviceCount() == 0)
            #expect(try await front.call("POST", "/push", ["data": ["alert": "x"]]).status == 200)
            #expect(try await front.inbox("aa").count == 1)
            let query = TestServer.encoded(["cql": "select * from Note"])
            #expect(try await front.call("GET", "/cloudQuery?" + query).body["results"]?.array?.count == 1)
        }
    }

    @Test func aRequestGoesOnAsItCameButForWhatIsAboutTheConnection() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            async let seen = backend.serve(
                "HTTP/1.1 203 Fine\r\nX-Own: yes\r\nSet-Cookie: a=1\r\nConnection: close, X-Hop\r\nX-Hop: no\r\n"
                    + "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
            let answer = try await HTTPClient.sendText(
                "PUT", "/1.1/users/%E4%BD%A0?a=%2F+b", port: front.port,
                headers: [
                    ("X-LC-Id", "another"), ("X-LC-Sign", "abc,123,master"), ("X-LC-Session", "s3ss1on"),
                    ("X-Hop", "no"), ("TE", "trailers"), ("Proxy-Authorization", "Basic x"),
                    ("X-Forwarded-For", "6.6.6.6"), ("Content-Type", "application/json"),
                    ("X_Forwarded_For", "6.6.6.6"), ("X_forwarded-Host", "evil"), ("X-Forwarded-Prefix", "/evil"),
                    ("X-Original-URL", "/1.1/push"), ("X-Rewrite-Url", "/1.1/push"),
                    ("X-HTTP-Method-Override", "DELETE"), ("X_HTTP_Method", "DELETE"), ("Client_Ip_Of_Its_Own", "kept"),
                ], body: Array(#"{ "b" : 1.0 }"#.utf8))
            #expect(answer.status == 203)
            #expect(answer.text == "hello")
            #expect(answer.headers["x-own"] == "yes" && answer.headers["set-cookie"] == "a=1")
            #expect(answer.headers["x-hop"] == nil && answer.headers["content-type"] == "text/plain")
            let request = try await seen
            let lines = request.components(separatedBy: "\r\n")
            #expect(lines.first == "PUT /1.1/users/%E4%BD%A0?a=%2F+b HTTP/1.1")
            #expect(lines.last == #"{ "b" : 1.0 }"#)
            for line in [
                "X-LC-Id: another", "X-LC-Sign: abc,123,master", "X-LC-Session: s3ss1on",
                "Content-Type: application/json", "X-Forwarded-For: 127.0.0.1", "Host: 127.0.0.1:\(backend.port)",
                "X-Forwarded-Host: 127.0.0.1:\(front.port)", "Client_Ip_Of_Its_Own: kept",
            ] { #expect(lines.contains(line), "\(line)") }
            for name in ["TE:", "Proxy-Authorization:", "Connection:"] {
                #expect(!lines.contains { $0.hasPrefix(name) }, "\(name)")
            }
            for word in ["6.6.6.6", "evil", "1.1/push", "DELETE"] { #expect(!request.contains(word), "\(word)") }
        }
    }

    @Test func aHostThatIsNoneIsNotPassedOn() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            let port = front.port
            async let seen = backend.serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            let status = try await onThread {
                let connection = try RawConnection(port)
                connection.send("GET /reset HTTP/1.1\r\nHost: evil.example/?\"<x>\r\n\r\n")
                return try connection.reply().status
            }
            #expect(status == 200)
            #expect(try await !seen.contains("evil"))
        }
    }

    /// A backend that cuts a fragment off, or looks through an escaped slash, would read the path of a push.
    @Test(arguments: ["/1.1/push#x", "/1.1/batch#", "/1.1/users/%2e%2e%2fpush", "/x/..%2F..%2F1.1/push"])
    func aPathThatTheBackendMayReadAnotherWayIsRefused(target: String) async throws {
        try await share(try RecordingBackend()) { (front) async throws in
            // Nobody serves at the backend: what is passed on has no answer.
            let answer = try await HTTPClient.sendText("GET", target, port: front.port, headers: [], body: [])
            #expect([400, 401].contains(answer.status))
            let batch: JSONValue = ["requests": [["method": "GET", "path": .string(target)]]]
            let refused = try await front.call("POST", "/batch", batch).body.array?.first?["error"]
            #expect(target.hasPrefix("/x") || refused?["code"] != nil, "\(refused ?? .null)")
        }
    }

    @Test func whichPagesMayReadAnAnswerOfTheBackendThatSays() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            async let seen = backend.serve(
                "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: https://app.example\r\nContent-Length: 0\r\n\r\n")
            let answer = try await HTTPClient.sendText(
                "GET", "/1.1/files/a", port: front.port, headers: [("Origin", "https://evil.example")], body: [])
            #expect(answer.headers["access-control-allow-origin"] == "https://app.example")
            _ = try await seen
        }
    }

    @Test func aStrangerGetsNoLargeAnswer() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            let size = (1 << 20) + 1
            async let seen = backend.serve(
                "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size))
            let answer = try await HTTPClient.sendText("GET", "/big", port: front.port, headers: [], body: [])
            #expect(answer.status == 502)
            _ = try await seen
        }
    }

    /// Proxies say with each request that it is their last.
    @Test func anAnswerThatNoSocketTakesAtOnceArrivesWholeBeforeItsConnectionEnds() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            let (port, size) = (front.port, 12 << 20)
            async let seen = backend.serve(
                "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size))
            let (count, isEnded) = try await onThread {
                let connection = try RawConnection(port)
                connection.send(head("GET /1.1/files/a", ["Connection: close"]))
                return (try connection.reply().body.utf8.count, connection.isEnded())
            }
            #expect(count == size)
            #expect(isEnded)
            _ = try await seen
        }
    }

    @Test func anAnswerThatHasBegunArrivesWholeWhenTheServerStops() async throws {
        let backend = try RecordingBackend()
        let front = try await TestServer(configure: { $0.upstream = backend.url })
        let (port, size) = (front.port, 12 << 20)
        async let seen = backend.serve(
            "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size))
        let held = try await onThread {
            let connection = try RawConnection(port)
            connection.send(head("GET /1.1/files/a"))
            while connection.isSilent { usleep(10_000) }
            return UncheckedConnection(connection: connection)
        }
        async let ending = front.server.stop()
        // All connections are told when it listens no more.
        try await eventually {
            guard let descriptor = try? HTTPClient.connected(port) else { return true }
            close(descriptor)
            return false
        }
        let count = try await onThread { try held.connection.reply().body.utf8.count }
        #expect(count == size)
        #expect(await ending)
        _ = try await seen
    }

    @Test func aBatchOfBothIsSplitAndItsAnswersKeepTheirOrder() async throws {
        try await share { (front, backend) async throws in
            let calls: [JSONValue] = [
                note, device("aa"), ["method": "GET", "path": "/1.1/date"], note, note,
                ["method": "GET", "path": "/1.1/users/none"], device("bb"),
            ]
            let answers = try await front.call("POST", "/batch", ["requests": .array(calls)]).body.array ?? []
            #expect(answers.map { $0["success"] != nil } == [true, true, true, true, true, false, true])
            #expect(answers[2]["success"]?["__type"] == "Date")
            #expect(answers[5]["error"]?["code"] == 211)
            #expect(try await front.registry.deviceCount() == 2)
            let notes = try await backend.call("GET", "/classes/Note").body["results"]?.array ?? []
            let written = [0, 3, 4].map { answers[$0]["success"]?["objectId"] }
            #expect(Set(notes.map { $0["objectId"] }) == Set(written))
        }
    }

    @Test func aBatchThatSavesBothKnowsTheChildrenThatTheOtherKept() async throws {
        try await share { (front, backend) async throws in
            func child(_ key: String, _ className: String, _ cid: String) -> JSONValue {
                ["key": .string(key), "className": .string(className), "cid": .string(cid)]
            }
            let calls: [JSONValue] = [
                device("aa"),
                [
                    "method": "POST", "path": "/1.1/classes/Team", "body": ["__internalId": "t"],
                ],
                [
                    "method": "POST", "path": "/1.1/classes/Note",
                    "body": [
                        "__internalId": "n",
                        "__children": [child("device", "_Installation", "i-aa"), child("team", "Team", "t")],
                    ],
                ],
                [
                    "method": "POST", "path": "/1.1/installations",
                    "body": [
                        "deviceType": "ios", "deviceToken": "bb", "__internalId": "i-bb",
                        "__children": [child("note", "Note", "n")],
                    ],
                ],
            ]
            let answer = try await front.call("POST", "/batch/save", ["requests": .array(calls)], key: .app)
            #expect(answer.status == 200)
            #expect(Set((answer.body.object ?? [:]).map(\.key)) == ["i-aa", "t", "n", "i-bb"])
            let kept = try await backend.call("GET", "/classes/Note").body["results"]?.array?.first
            #expect(kept?["device"]?["objectId"] == answer.body["i-aa"]?["objectId"])
            #expect(kept?["team"]?["objectId"] == answer.body["t"]?["objectId"])
            let found = try await front.get("/installations", ["where": #"{"deviceToken":"bb"}"#])
            #expect(found.body["results"]?.array?.first?["note"]?["objectId"] == kept?["objectId"])
        }
    }

    @Test func aBatchEndsWithWhatTheBackendRefuses() async throws {
        try await share { (front, backend) async throws in
            let refused: JSONValue = ["method": "PUT", "path": "/1.1/classes/Note/none", "body": ["n": 1]]
            let answer = try await front.call(
                "POST", "/batch/save", ["requests": [device("aa"), refused, device("bb")]])
            #expect(answer.status == 404 && answer.body["code"] == 101)
            #expect(try await front.registry.deviceCount() == 1)
        }
    }

    @Test func aBatchWithoutAnythingOfPushGoesOnAsItCame() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            async let seen = backend.serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
            let text = #"{ "requests":[{"path":"/1.1/classes/Note", "method":"POST"}] }"#
            let answer = try await front.send("POST", "/batch", bytes: Array(text.utf8))
            #expect(answer.body == [])
            #expect(try await seen.hasSuffix("\r\n\r\n" + text))
        }
    }

    @Test func aBackendThatIsDownIsSaidToBeAndDevicesRegisterOn() async throws {
        try await DeafPort.with { port in
            let gone = "http://127.0.0.1:\(port)"
            try await TestServer.run(configure: { $0.upstream = gone }) { (front) async throws in
                let answer = try await front.call("GET", "/classes/Note")
                #expect(answer.status == 502 && answer.body["code"] == 502)
                #expect(answer.body["error"]?.string?.contains("cannot be reached") == true)
                let calls: JSONValue = ["requests": [note, device("aa"), note]]
                let answers = try await front.call("POST", "/batch", calls).body.array
                #expect(answers?.map { $0["error"]?["code"] } == [502, nil, 502])
                #expect(try await front.registry.deviceCount() == 1)
            }
        }
    }

    @Test func aBackendThatIsSilentIsGivenUp() async throws {
        let backend = try RecordingBackend()
        try await share(backend, timeout: .milliseconds(200)) { (front) async throws in
            async let seen = backend.serve(nil)
            let answer = try await front.call("POST", "/functions/hello", [:])
            #expect(answer.status == 504 && answer.body["code"] == 504)
            // A busy machine may not have come as far as the backend.
            backend.stop()
            _ = try await seen
        }
    }

    @Test func aRequestThatComesBackIsALoop() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            async let seen = backend.serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            _ = try await front.call("GET", "/users/me", headers: [("Via", "1.1 other")])
            let via = try #require(
                try await seen.components(separatedBy: "\r\n").first { $0.hasPrefix("Via: ") }?.dropFirst(5))
            #expect(via.hasPrefix("1.1 other, 1.1 bugle-"))
            let answer = try await front.call("GET", "/users/me", headers: [("Via", String(via))])
            #expect(answer.status == 508 && answer.body["code"] == 508)
        }
    }

    @Test func aStrangersBodyIsShort() async throws {
        let backend = try RecordingBackend()
        try await share(backend) { (front) async throws in
            let body = Array(repeating: UInt8(ascii: "x"), count: 100_000)
            #expect(try await front.send("POST", "/files/a", bytes: body, key: .none).status == 413)
            async let seen = backend.serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try await front.send("POST", "/files/a", bytes: body, key: .app).status == 200)
            #expect(try await seen.hasSuffix(String(repeating: "x", count: 1000)))
        }
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:8710", "127.0.0.1:8710", true), ("http://localhost:8710", "0.0.0.0:8710", true),
            ("https://push.example.com:8710", "push.example.com:8710", true),
            ("http://127.0.0.1:8711", "127.0.0.1:8710", false),
            ("https://backend.example.com:8710", "0.0.0.0:8710", false),
            ("https://push.example.com", "[::]:443", false),
        ])
    func anUpstreamThatIsThisServerIsFoundInTheSettings(upstream: String, listen: String, isLoop: Bool) throws {
        var settings = ServerSettings()
        settings.listen = try #require(ListenAddress(listen))
        settings.upstream = upstream
        #expect(settings.leadsUpstreamBack == isLoop)
    }
}
