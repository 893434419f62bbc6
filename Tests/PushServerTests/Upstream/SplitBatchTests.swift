import Base
import BaseTesting
import DeviceRegistry
import Foundation
import HTTP
import HTTPTypes
import Logging
import ProgramTesting
import Synchronization
import Testing

@testable import PushServer

/// A batch of calls for push and others costs what its bytes cost, however it is made.
@Suite struct SplitBatchTests {
    private static let note: JSONValue = ["method": "POST", "path": "/1.1/classes/Note", "body": ["n": 1]]

    private static func device(_ number: Int) -> JSONValue {
        [
            "method": "POST", "path": "/1.1/installations",
            "body": ["deviceType": "ios", "deviceToken": .string("t\(number)")],
        ]
    }

    /// Calls of both kinds by turns.
    private static func pairs(_ count: Int) -> [JSONValue] { (0..<count).flatMap { [note, device($0)] } }

    private func refused(_ calls: [JSONValue], at path: String) async throws {
        // What was passed on would be answered with 502.
        let gone = try RecordingBackend().url
        try await TestServer.run(configure: { $0.upstream = gone }) { (front) async throws in
            let answer = try await front.call("POST", path, ["requests": .array(calls)], key: .app)
            #expect(answer.status == 400 && answer.body["code"] == 1)
            #expect(answer.body["error"]?.string?.contains("1000 calls, and 20 runs of others") == true)
            #expect(try await front.registry.deviceCount() == 0)
        }
    }

    @Test(arguments: ["/batch", "/batch/save"])
    func aBatchThatWouldBeSplitTooOftenIsRefusedBeforeAnythingIsDone(path: String) async throws {
        try await refused(Self.pairs(2000), at: path)
        try await refused(Self.pairs(PassedBatch.mostParts + 1), at: path)
        try await refused([Self.note] + (0..<PassedBatch.mostCalls).map(Self.device), at: path)
    }

    @Test func aPartHoldsItsCallsAndNothingElseOfTheBatch() async throws {
        let backend = try RecordingBackend()
        try await TestServer.run(configure: { $0.upstream = backend.url }) {
            (front) async throws in
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n[{\"success\":{}}]"
            async let seen = [backend.serve(answer), backend.serve(answer)]
            let batch: JSONValue = [
                "requests": [Self.note, Self.device(1), Self.note],
                "more": .string(String(repeating: "x", count: 1000)),
            ]
            let answers = try await front.call("POST", "/batch", batch, key: .app).body.array
            #expect(answers?.map { $0["success"] != nil } == [true, true, true])
            for request in try await seen {
                let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
                #expect(try JSONValue(parsing: body.utf8) == ["requests": [Self.note]])
            }
        }
    }

    private func batch(_ body: [UInt8], _ upstream: Upstream) throws -> PassedBatch {
        let head = HTTPTypes.HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/1.1/batch")
        let exchange = Exchange(head, peer: nil, TestServer.configuration, number: 1, at: .noon)
        return try #require(PassedBatch(body, head: PassedHead(exchange), upstream: upstream))
    }

    @Test func allPartsOfABatchHaveOneDeadline() async throws {
        let backend = SlowBackend(each: .seconds(20))
        let upstream = Upstream(
            "http://127.0.0.1:1", timeout: .seconds(30), backend, pseudonym: "p", logger: Logger(label: "test"),
            now: backend.now)
        let batch = try batch(JSONValue.object(["requests": [Self.note]]).canonicalBytes, upstream)
        var answers: [JSONValue] = []
        for _ in 0..<3 { answers += await batch.answers([Self.note]) }
        #expect(answers.map { $0["error"]?["code"] } == [nil, nil, 504])
        #expect(backend.timeouts == [.seconds(30), .seconds(10)])
    }

    @Test func whoWaitsForASilentBackendLeavesConnectionsToDevices() async throws {
        let backend = SilentBackend()
        let upstream = Upstream(
            "http://127.0.0.1:1", timeout: .seconds(3600), places: 1, backend, pseudonym: "p",
            logger: Logger(label: "test"))
        let batch = try batch(JSONValue.object(["requests": [Self.note]]).canonicalBytes, upstream)
        let waiting = Task { await batch.answers([Self.note]) }
        await backend.asked.pass()
        let refused = await batch.answers([Self.note])
        backend.gone.open()
        let late = await waiting.value
        let next = await batch.answers([Self.note])
        #expect((refused + late + next).map { $0["error"]?["code"] } == [503, 504, 504])
    }

    @Test(.serialized, arguments: [true, false])
    func twiceTheBatchTakesTwiceTheTimeToSplit(byTurns: Bool) throws {
        let upstream = Upstream(
            "http://127.0.0.1:1", timeout: .seconds(30), SlowBackend(each: .zero), pseudonym: "p",
            logger: Logger(label: "test"))
        let excess = Growth.excess(from: 20_000) { (size: Int) -> [UInt8] in
            // By turns it is refused; in twenty parts each is large.
            let calls = byTurns ? size / 200 : 20
            let text = String(repeating: "x", count: byTurns ? 10 : size / 40)
            let pairs: [JSONValue] = (0..<calls).flatMap { number in
                var note = Self.note
                note["body"] = ["s": .string(text)]
                return [note, Self.device(number)]
            }
            return JSONValue.object(["requests": .array(pairs), "more": .string(text)]).canonicalBytes
        } _: { (body: [UInt8]) -> [[UInt8]] in
            guard let batch = try? self.batch(body, upstream), (try? batch.check()) != nil else { return [] }
            let sent = batch.runs.filter { $0.owner == .upstream }.map { batch.body($0.elements) }
            #expect(sent.joined().count < body.count)
            return sent
        }
        #expect(excess == nil)
    }
}

/// A backend that says nothing, until it is gone.
private final class SilentBackend: HTTPExchanging {
    let asked = ProgramTesting.Gate()
    let gone = ProgramTesting.Gate()

    func exchange(_ request: HTTP.HTTPRequest) async throws(TransportError) -> HTTP.HTTPResponse {
        asked.open()
        await gone.pass()
        throw TransportError(.timedOut, sent: .possibly, request: "POST", detail: "it says nothing")
    }
}

/// A backend whose answers take so long by a clock of its own.
private final class SlowBackend: HTTPExchanging {
    private let each: Duration
    private let start = ContinuousClock.now
    private let state = Mutex((elapsed: Duration.zero, timeouts: [Duration]()))

    init(each: Duration) {
        self.each = each
    }

    var timeouts: [Duration] { state.withLock { $0.timeouts } }

    var now: @Sendable () -> ContinuousClock.Instant {
        { [self] in start + state.withLock { $0.elapsed } }
    }

    func exchange(_ request: HTTP.HTTPRequest) async throws(TransportError) -> HTTP.HTTPResponse {
        state.withLock { state in
            state.timeouts.append(request.timeout)
            state.elapsed += each
        }
        return HTTPResponse(status: 200, body: Array(#"[{"success":{}}]"#.utf8))
    }
}
