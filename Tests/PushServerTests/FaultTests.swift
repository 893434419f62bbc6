import Base
import PushServer
import Synchronization
import Testing

@Suite struct FaultTests {
    private static let push: JSONValue = ["data": ["alert": "x"], "notification_id": "n1"]

    private func pushed(_ server: TestServer) async throws -> JSONValue? {
        try await server.call("GET", "/bugle/inboxes?notificationId=n1").body["messages"]
    }

    @Test(arguments: [("drop-response", NoAnswer.closed, 1), ("reset", .reset, 1), ("close", .closed, 0)])
    func aCutConnectionGivesNoAnswer(fault: String, error: NoAnswer, messages: Int64) async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            let asked = try await server.call(
                "POST", "/bugle/faults", ["method": "POST", "path": "/1.1/push", "nth": 1, "fault": .string(fault)])
            #expect(asked.status == 201)
            await #expect(throws: error) { try await server.call("POST", "/push", Self.push) }
            #expect(try await pushed(server) == .integer(messages))
            #expect(try await server.call("POST", "/push", Self.push).status == 200)
        }
    }

    @Test func aStatusComesAfterTheRequestWasCarriedOut() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            _ = try await server.call("POST", "/bugle/faults", ["path": "/1.1/push", "fault": "status", "value": 503])
            let answer = try await server.call("POST", "/push", Self.push)
            #expect(answer.status == 503)
            #expect(answer.body["code"] == 503)
            #expect(try await pushed(server) == 1)
        }
    }

    @Test func aDelayedAnswerComesWhenEverythingIsDone() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call(
                "POST", "/bugle/faults", ["path": "/1.1/date", "fault": "delay", "value": 0.05])
            let elapsed = try await ContinuousClock().measure { _ = try await server.call("GET", "/date") }
            #expect(elapsed >= .milliseconds(50))
        }
    }

    @Test func stoppingTheServerLetsHeldAnswersGo() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        let server = try await TestServer(
            observer: { request, instant in
                if request.path == "/1.1/date", instant == .beforeAnswering { arrived.continuation.finish() }
            },
            // Long before the answer would go by itself.
            configure: { $0.limits.gracePeriod = .seconds(300) })
        _ = try await server.call("POST", "/bugle/faults", ["path": "/1.1/date", "fault": "delay", "value": 600])
        async let answer = server.call("GET", "/date")
        for await _ in arrived.stream {}
        await server.server.stop()
        #expect(try await answer.status == 200)
    }

    @Test func onlyTheNthRequestThatFitsIsStruckOnce() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call(
                "POST", "/bugle/faults",
                ["method": "GET", "path": "/1.1/date", "nth": 2, "fault": "status", "value": 500])
            var statuses: [Int] = []
            for (method, path) in [("GET", "/date"), ("GET", "/nowhere"), ("GET", "/date"), ("GET", "/date")] {
                statuses.append(try await server.call(method, path).status)
            }
            #expect(statuses == [200, 404, 500, 200])
            let listed = try await server.call("GET", "/bugle/faults").body["results"]?.array ?? []
            #expect(listed.map { $0["hits"] } == [1])
            #expect(try await server.call("DELETE", "/bugle/faults").body == [:])
            #expect(try await server.call("GET", "/bugle/faults").body == ["results": []])
        }
    }

    @Test(
        arguments: [
            [:], ["fault": "explode"], ["fault": "delay"], ["fault": "status", "value": 99],
            ["fault": "close", "nth": 0],
        ] as [JSONValue])
    func faultsThatAreNoneAreRefused(fault: JSONValue) async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("POST", "/bugle/faults", fault).status == 400)
            #expect(try await server.call("GET", "/bugle/faults").body == ["results": []])
        }
    }

    @Test(arguments: [("POST", "/bugle/faults"), ("GET", "/bugle/faults"), ("POST", "/bugle/clock")])
    func withoutTheFlagThereIsNoSuchPath(method: String, path: String) async throws {
        try await TestServer.run(allowsFaults: false) { (server) async throws in
            #expect(try await server.call(method, path, ["fault": "close", "advance": 1]).status == 404)
            #expect(server.clock.now == .noon)
        }
    }

    @Test func anObserverSeesEachRequestBeforeAndAfter() async throws {
        let seen = Mutex<[String]>([])
        let observer: RequestObserver = { request, instant in
            seen.withLock { $0.append("\(request.number) \(request.method) \(request.path) \(instant)") }
        }
        try await TestServer.run(observer: observer) { (server) async throws in
            _ = try await server.call("GET", "/date?x=1")
            _ = try await server.call("POST", "/push", Self.push)
        }
        #expect(
            seen.withLock { $0 } == [
                "1 GET /1.1/date beforeHandling", "1 GET /1.1/date beforeAnswering", "2 POST /1.1/push beforeHandling",
                "2 POST /1.1/push beforeAnswering",
            ])
    }
}
