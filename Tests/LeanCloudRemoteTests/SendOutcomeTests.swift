import CurlHTTP
import JSONValue
import PushModel
import PushRemote
import Testing

@testable import LeanCloudRemote

@Suite struct SendOutcomeTests {
    enum Kind: String, Sendable { case accepted, refused, deferred, unknown, unauthorized, journaled }

    private func kind(_ outcome: SendOutcome) -> Kind {
        switch outcome {
        case .accepted: .accepted
        case .refused: .refused
        case .deferred: .deferred
        case .unknown: .unknown
        case .unauthorized: .unauthorized
        case .delivered, .interrupted: .journaled
        }
    }

    @Test(arguments: [
        (200, #"{"objectId":"i4OcyCnyjckJOtzz","createdAt":"2021-11-23T08:05:54.921Z"}"#, Kind.accepted),
        (201, #"{"objectId":"i4OcyCnyjckJOtzz"}"#, .accepted),
        (200, #"{"createdAt":"2021-11-23T08:05:54.921Z"}"#, .unknown),
        (200, #"{"objectId":""}"#, .unknown), (200, #"{"objectId":7}"#, .unknown), (200, "{}", .unknown),
        (200, "", .unknown), (200, "<html>", .unknown), (204, "", .unknown), (200, "[]", .unknown),
        (400, #"{"code":107,"error":"Malformed json object. A json dictionary is expected."}"#, .refused),
        (400, #"{"code":1,"error":"The iOS certificate file is expired or disabled."}"#, .refused),
        (400, #"{"error":"no code"}"#, .refused), (403, #"{"code":403,"error":"Forbidden"}"#, .refused),
        (404, #"{"code":404,"error":"x"}"#, .refused), (413, #"{"code":413,"error":"Payload Too Large."}"#, .refused),
        (400, "", .unknown), (403, "<html>blocked</html>", .unknown), (400, #"{"code":107}"#, .unknown),
        (401, #"{"code":401,"error":"Unauthorized."}"#, .unauthorized), (401, "", .unknown),
        (429, #"{"code":429,"error":"Too many requests."}"#, .deferred), (429, "", .deferred),
        (400, #"{"code":429,"error":"Too many requests."}"#, .deferred),
        (400, #"{"code":124,"error":"The request timed out on the server."}"#, .unknown),
        (429, #"{"code":124,"error":"The request timed out on the server."}"#, .unknown),
        (408, #"{"code":1,"error":"Request timeout"}"#, .unknown), (408, "", .unknown),
        (500, #"{"code":1,"error":"Internal server error."}"#, .unknown), (502, "<html>", .unknown),
        (503, "", .unknown),
        (301, "", .unknown), (302, #"{"objectId":"x"}"#, .unknown),
        (200, #"{"code":107,"error":"Malformed"}"#, .refused), (200, #"{"code":124,"error":"timeout"}"#, .unknown),
        (200, #"{"code":1,"error":"x","objectId":"i4OcyCnyjckJOtzz"}"#, .unknown), (200, #"{"error":"x"}"#, .unknown),
        (200, #"{"error":null,"objectId":"i4OcyCnyjckJOtzz"}"#, .accepted),
    ])
    func anAnswerIsOneOfTheTable(_ status: Int, _ body: String, _ expected: Kind) async {
        let service = FakeService()
        service.script(.post, "/push", .answer(status, body))
        let outcome = await service.writer.send(LedgerEntry.example().request!)
        #expect(kind(outcome) == expected)
        #expect(service.seen.count == 1)
        #expect(service.pauses.isEmpty)
    }

    static let failures: [(TransportError.Code, TransportError.Sent, Kind)] = [
        (.couldNotConnect, .nothing, .deferred), (.couldNotResolve, .nothing, .deferred), (.tls, .nothing, .deferred),
        (.timedOut, .nothing, .deferred), (.timedOut, .possibly, .unknown), (.connectionLost, .possibly, .unknown),
        (.rewindRefused, .possibly, .unknown), (.responseTooLarge, .possibly, .unknown),
        (.protocolError, .possibly, .unknown), (.cancelled, .possibly, .unknown), (.refusedURL, .nothing, .refused),
        (.refusedHeader, .nothing, .refused),
    ]

    @Test(arguments: failures)
    func aFailureIsUnknownUnlessNothingWasSent(
        _ code: TransportError.Code, _ sent: TransportError.Sent, _ expected: Kind
    ) {
        #expect(kind(SendOutcome(TransportError(code, sent: sent, request: "POST x", detail: "d"))) == expected)
    }

    @Test(arguments: [("2026-11-20T12:00:00Z", 61), ("2026-11-20T12:00:45Z", 16), ("2026-11-20T12:00:59Z", 2)])
    func aRateLimitLastsUntilTheServersMinuteIsOver(_ now: String, _ seconds: Int) async {
        let service = FakeService(now: now)
        service.script(.post, "/push", .answer(429, #"{"code":429,"error":"Too many requests."}"#))
        let outcome = await service.writer.send(LedgerEntry.example().request!)
        guard case .deferred(_, let after, let isRateLimit) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(after == .seconds(seconds))
        #expect(isRateLimit)
    }

    @Test func theStoredBodyGoesOutByteForByte() async {
        let service = FakeService()
        service.script(.post, "/push/devices", .answer(200, #"{"objectId":"x"}"#))
        let body: JSONValue = ["b": 1.5, "a": ["device_ids": ["赢"]]]
        let outcome = await service.writer.send(PushRequest(endpoint: .devices, body: body))
        #expect(outcome == .accepted(objectID: "x"))
        #expect(service.seen.map(\.path) == ["/1.1/push/devices"])
        #expect(service.seen.first?.body == body)
    }

    @Test func aReasonIsShortHoweverLongTheAnswer() async {
        let service = FakeService()
        let long = String(repeating: "x", count: 100_000)
        service.script(.post, "/push", .answer(400, #"{"code":1,"error":"\#(long)"}"#))
        guard case .refused(let reason) = await service.writer.send(LedgerEntry.example().request!) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.count <= 300)
        #expect(reason.hasPrefix("LeanCloud answered 400, code 1: xxx"))
    }

    @Test(arguments: [
        (200, "{}"), (404, #"{"code":101,"error":"none"}"#), (400, #"{"code":1,"error":"unknown id"}"#),
    ])
    func aCancelIsMadeWhateverTheServiceThinksOfTheId(_ status: Int, _ body: String) async throws {
        let service = FakeService()
        service.script(.delete, "/scheduledPushMessages", .answer(status, body))
        try await service.writer.cancel(ScheduledPush(id: 7, notificationID: nil, at: service.now))
        #expect(service.seen.map(\.path) == ["/1.1/scheduledPushMessages/7"])
    }

    @Test func aCancelWhoseAnswerIsLostIsMadeAgain() async throws {
        let service = FakeService()
        service.script(.delete, "/scheduledPushMessages", .loseAnswer, .answer(500, ""), .answer(200, "{}"))
        try await service.writer.cancel(ScheduledPush(id: 7, notificationID: nil, at: service.now))
        #expect(service.seen.count == 3)
    }

    @Test func aCancelWithRefusedCredentialsIsAnError() async {
        let service = FakeService()
        service.script(.delete, "/scheduledPushMessages", .answer(401, #"{"code":401,"error":"Unauthorized."}"#))
        let error = await failure { () throws(RemoteError) in
            try await service.writer.cancel(ScheduledPush(id: 7, notificationID: nil, at: service.now))
        }
        #expect(error?.kind == .credentials)
    }
}
