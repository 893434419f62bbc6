import Apply
import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct SendOutcomeTests {
    private let service = FakeService()

    /// A verdict and what helps, in one word.
    enum Kind: Hashable, Sendable {
        case accepted, unknown, notSent, notSentForGood
        case refused(LeanCloudReason)
        case putOff, unauthorized(LeanCloudReason)
    }

    private static func kind(_ answer: SendAnswer) -> Kind? {
        switch (answer.verdict, answer.remedy) {
        case (.accepted, .none): .accepted
        case (.unknown, .none): .unknown
        case (.notSent(.noBodyGiven), .again(nil)): .notSent
        case (.notSent(.noBodyGiven), .none): .notSentForGood
        case (.refused(.leanCloud(.tooManyRequests, _)), .slowDown): .putOff
        case (.refused(.leanCloud(let reason, _)), .credentials): .unauthorized(reason)
        case (.refused(.leanCloud(let reason, _)), .none): .refused(reason)
        default: nil
        }
    }

    @Test(
        arguments: [
            (200, #"{"objectId":"i4OcyCnyjckJOtzz","createdAt":"2021-11-23T08:05:54.921Z"}"#, Kind.accepted),
            (201, #"{"objectId":"i4OcyCnyjckJOtzz"}"#, .accepted),
            (200, #"{"createdAt":"2021-11-23T08:05:54.921Z"}"#, .unknown),
            (200, #"{"objectId":""}"#, .unknown), (200, #"{"objectId":7}"#, .unknown), (200, "{}", .unknown),
            (200, "", .unknown), (200, "<html>", .unknown), (204, "", .unknown), (200, "[]", .unknown),
            (
                400, #"{"code":107,"error":"Malformed json object. A json dictionary is expected."}"#,
                .refused(.malformed)
            ),
            (400, #"{"code":1,"error":"The iOS certificate file is expired or disabled."}"#, .refused(.parameter)),
            (403, #"{"code":403,"error":"Forbidden"}"#, .refused(.forbidden)),
            (413, #"{"code":413,"error":"Payload Too Large."}"#, .refused(.payloadTooLarge)),
            (401, #"{"code":401,"error":"Unauthorized."}"#, .unauthorized(.unauthorized)),
            (401, #"{"code":403,"error":"Forbidden"}"#, .unauthorized(.forbidden)),
            (400, #"{"code":401,"error":"Unauthorized."}"#, .unauthorized(.unauthorized)),
            (429, #"{"code":429,"error":"Too many requests."}"#, .putOff),
            (400, #"{"code":429,"error":"Too many requests."}"#, .putOff),
            (200, #"{"error":null,"objectId":"i4OcyCnyjckJOtzz"}"#, .accepted),
            // No documented code.
            (400, #"{"error":"no code"}"#, .unknown), (404, #"{"code":404,"error":"x"}"#, .unknown),
            (400, #"{"code":"107","error":"x"}"#, .unknown), (400, #"{"code":1.5,"error":"x"}"#, .unknown),
            (400, #"{"code":-1,"error":"x"}"#, .unknown), (400, #"{"code":152,"error":"x"}"#, .unknown),
            (400, "", .unknown), (403, "<html>blocked</html>", .unknown), (400, #"{"code":107}"#, .unknown),
            (401, "", .unknown), (429, "", .unknown), (429, "<html>", .unknown),
            // A code that says that the service failed, under any status.
            (400, #"{"code":124,"error":"The request timed out on the server."}"#, .unknown),
            (429, #"{"code":124,"error":"The request timed out on the server."}"#, .unknown),
            (200, #"{"code":124,"error":"timeout"}"#, .unknown), (400, #"{"code":502,"error":"x"}"#, .unknown),
            (400, #"{"code":503,"error":"x"}"#, .unknown), (400, #"{"code":504,"error":"x"}"#, .unknown),
            (400, #"{"code":511,"error":"x"}"#, .unknown),
            // A documented code under a status that does not fit it.
            (408, #"{"code":107,"error":"Request timeout"}"#, .unknown), (408, "", .unknown),
            (429, #"{"code":107,"error":"x"}"#, .unknown), (500, #"{"code":107,"error":"x"}"#, .unknown),
            (500, #"{"code":1,"error":"Internal server error."}"#, .unknown), (502, "<html>", .unknown),
            (503, #"{"code":429,"error":"Too many requests."}"#, .unknown), (503, "", .unknown),
            (504, "<html>", .unknown),
            (301, "", .unknown), (302, #"{"objectId":"x"}"#, .unknown), (302, #"{"code":107,"error":"x"}"#, .unknown),
            (200, #"{"code":1,"error":"x"}"#, .unknown), (200, #"{"error":"x"}"#, .unknown),
            (200, #"{"code":107,"error":"Malformed"}"#, .unknown),
            (200, #"{"code":429,"error":"Too many requests."}"#, .unknown),
            // A refusal and a push at once.
            (200, #"{"code":1,"error":"x","objectId":"i4OcyCnyjckJOtzz"}"#, .unknown),
            (200, #"{"code":107,"error":"x","objectId":"i4OcyCnyjckJOtzz"}"#, .unknown),
            (400, #"{"code":107,"error":"x","objectId":"i4OcyCnyjckJOtzz"}"#, .unknown),
        ] as [(Int, String, Kind)])
    func anAnswerIsOneOfTheTable(_ status: Int, _ body: String, _ expected: Kind) async {
        service.script(.post, "/push", .answer(status, body))
        #expect(await service.send().flatMap(Self.kind) == expected)
        #expect(service.writes.count == 1)
        #expect(service.pauses.isEmpty)
    }

    @Test(arguments: LeanCloudReason.allCases)
    func everyDocumentedCodeUnderA4xxIsARefusalWithItsProof(_ reason: LeanCloudReason) async throws {
        service.script(.post, "/push", .answer(400, #"{"code":\#(reason.rawValue),"error":"why"}"#))
        #expect(await service.send()?.verdict == .refused(.leanCloud(reason, "why")))
    }

    static let failures: [(TransportError.Code, TransportError.Sent, Kind)] = [
        (.couldNotConnect, .nothing, .notSent), (.couldNotResolve, .nothing, .notSent), (.tls, .nothing, .notSent),
        (.timedOut, .nothing, .notSent), (.tooLate, .nothing, .notSent), (.timedOut, .possibly, .unknown),
        (.tooLate, .possibly, .unknown), (.connectionLost, .possibly, .unknown), (.rewindRefused, .possibly, .unknown),
        (.responseTooLarge, .possibly, .unknown), (.protocolError, .possibly, .unknown),
        (.cancelled, .possibly, .unknown), (.refusedURL, .nothing, .notSentForGood),
        (.refusedHeader, .nothing, .notSentForGood),
    ]

    @Test(arguments: failures)
    func aFailureIsUnknownUnlessNothingWasSent(
        _ code: TransportError.Code, _ sent: TransportError.Sent, _ expected: Kind
    ) {
        let answer = SendAnswer(TransportError(code, sent: sent, request: "POST x", detail: "d"))
        #expect(Self.kind(answer) == expected)
    }

    @Test func aRequestIsWrittenNoLaterThanItIsAllowed() async throws {
        let before = ContinuousClock.now
        await service.send(permission: .granted(for: .seconds(30)))
        let last = try #require(service.writes.first?.notAfter)
        #expect(before + .seconds(30) <= last)
        #expect(last <= .now + .seconds(30))
    }

    @Test func withoutPermissionNothingIsRequested() async {
        let answer = await service.send(permission: .denied(.over(.verbatim("it expired"))))
        #expect(answer?.verdict == .notSent(.noBodyGiven("it expired")))
        #expect(service.writes.isEmpty)
    }

    @Test(arguments: [("2026-11-20T12:00:00Z", 61), ("2026-11-20T12:00:45Z", 16), ("2026-11-20T12:00:59Z", 2)])
    func aRateLimitLastsUntilTheServersMinuteIsOver(_ now: String, _ seconds: Int) async {
        let service = FakeService(now: now)
        service.script(.post, "/push", .answer(429, #"{"code":429,"error":"Too many requests."}"#))
        #expect(await service.send()?.remedy == .slowDown(.seconds(seconds)))
    }

    @Test func theStoredBodyGoesOutByteForByte() async {
        service.script(.post, "/push/devices", .answer(200, #"{"objectId":"x"}"#))
        let body: JSONValue = ["b": 1.5, "a": ["device_ids": ["赢"]]]
        let answer = await service.send(PushRequest(endpoint: .devices, body: body))
        #expect(answer == SendAnswer(.accepted, objectID: "x"))
        #expect(service.writes.map(\.path) == ["/1.1/push/devices"])
        #expect(service.writes.first?.body == body)
    }

    @Test func aReasonIsShortHoweverLongTheAnswer() async throws {
        let long = String(repeating: "x", count: 100_000)
        service.script(.post, "/push", .answer(400, #"{"code":1,"error":"\#(long)"}"#))
        let reason = try #require(await service.send()).reason
        #expect(reason.count <= 300)
        #expect(reason.hasPrefix("LeanCloud answered 400, code 1: xxx"))
    }

    @Test(arguments: [
        (200, "{}"), (404, #"{"code":101,"error":"none"}"#), (400, #"{"code":1,"error":"unknown id"}"#),
    ])
    func aCancelIsMadeWhateverTheServiceThinksOfTheId(_ status: Int, _ body: String) async throws {
        service.script(.delete, "/scheduledPushMessages", .answer(status, body))
        try await service.writer.cancel(7)
        #expect(service.seen.map(\.path) == ["/1.1/scheduledPushMessages/7"])
    }

    @Test func aCancelWhoseAnswerIsLostIsMadeAgain() async throws {
        service.script(.delete, "/scheduledPushMessages", .loseAnswer, .answer(500, ""), .answer(200, "{}"))
        try await service.writer.cancel(7)
        #expect(service.seen.count == 3)
    }

    @Test func aCancelWithRefusedCredentialsIsAnError() async {
        service.script(.delete, "/scheduledPushMessages", .answer(401, #"{"code":401,"error":"Unauthorized."}"#))
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.cancel(7)
        }
        #expect(error?.kind == .credentials)
    }
}
