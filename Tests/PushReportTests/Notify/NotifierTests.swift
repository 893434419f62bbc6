internal import Base
internal import HTTP
internal import Push
internal import PushReport
internal import Synchronization
internal import Testing

/// How rooms are told: answers, tries, the time, and what is said of a failure.
@Suite struct NotifierTests {
    private static let address = "https://hooks.example.com/services/T0/B0/SECRETPATH?access_token=SECRETTOKEN"

    /// A service that gives these answers, each after a time.
    private final class Room: HTTPExchanging {
        enum Answer: Sendable {
            case status(Int, String)
            case fault(TransportError.Code, TransportError.Sent)
        }

        let state: Mutex<(answers: [Answer], requests: [HTTPRequest], elapsed: Duration)>
        let delay: Duration

        init(_ answers: [Answer], after delay: Duration = .zero) {
            state = Mutex((answers, [], .zero))
            self.delay = delay
        }

        var requests: [HTTPRequest] { state.withLock { $0.requests } }
        var elapsed: Duration { state.withLock { $0.elapsed } }

        func advance(_ duration: Duration) { state.withLock { $0.elapsed += duration } }

        func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let answer = state.withLock { state in
                state.requests.append(request)
                return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            }
            advance(min(delay, request.timeout))
            let name = "POST " + request.url
            if delay > request.timeout {
                throw TransportError(.timedOut, sent: .possibly, request: name, detail: request.url)
            }
            switch answer {
            case .status(let status, let body): return HTTPResponse(status: status, body: Array(body.utf8))
            case .fault(let code, let sent): throw TransportError(code, sent: sent, request: name, detail: request.url)
            }
        }
    }

    private struct RoomPause: Pausing {
        let room: Room
        func pause(for duration: Duration) async throws(CancellationError) { room.advance(duration) }
    }

    private static func tell(_ service: NotifyService, _ room: Room, secret: Secret? = nil) async -> [String] {
        let notifier = Notifier(
            room, pausing: RoomPause(room: room), now: { NotifyMessageTests.now }, elapsed: { room.elapsed })
        return await notifier.tell(
            NotifyMessageTests.message,
            to: [NotifyRoom(service, address: Secret(address), secret: secret, language: .english)])
    }

    @Test(arguments: [
        (NotifyService.feishu, #"{"code":0,"msg":"success","data":{}}"#),
        (.feishu, #"{"StatusCode":0,"StatusMessage":"success"}"#), (.dingtalk, #"{"errcode":0,"errmsg":"ok"}"#),
        (.wecom, #"{"errcode":0,"errmsg":"ok"}"#), (.slack, "ok"), (.json, ""), (.json, "whatever"),
    ])
    func aRoomThatSaysSoWasTold(_ service: NotifyService, _ answer: String) async {
        let room = Room([.status(200, answer)])
        #expect(await Self.tell(service, room) == [])
        #expect(room.requests.count == 1 && room.requests[0].url == Self.address)
        #expect(room.requests[0].timeout == .seconds(5))
    }

    @Test(arguments: [
        (NotifyService.feishu, 200, #"{"code":9499,"msg":"Bad Request"}"#, "refused it with code 9499"),
        (.feishu, 200, #"{"code":19021,"StatusCode":0}"#, "refused it with code 19021"),
        (.feishu, 200, "<html>", "answered 200 without a 'code'"),
        (.dingtalk, 200, #"{"errcode":310000,"errmsg":"sign not match"}"#, "refused it with errcode 310000"),
        (.wecom, 200, #"{"errcode":93000}"#, "refused it with errcode 93000"),
        (.wecom, 200, #"{"errmsg":"ok"}"#, "answered 200 without a 'errcode'"),
        (.slack, 200, "no", "answered 200, but not 'ok'"), (.slack, 404, "no_service", "answered 404"),
        (.json, 302, "", "redirects (302), which is not followed"), (.json, 404, "ok", "answered 404"),
    ])
    func aRoomThatLiesOrRefusesIsAWarningAndIsAskedOnce(
        _ service: NotifyService, _ status: Int, _ answer: String, _ warning: String
    ) async {
        let room = Room([.status(status, answer + " ")])
        #expect(await Self.tell(service, room) == ["notify: \(service.rawValue) \(warning)"])
        #expect(room.requests.count == 1)
    }

    /// An answer may repeat what it was sent.
    @Test(arguments: NotifyService.allCases)
    func noWarningSaysAnythingOfTheAddress(_ service: NotifyService) async {
        let echo = "{\"errcode\":1,\"code\":1,\"msg\":\"\(Self.address)\",\"errmsg\":\"SECRETTOKEN\"}"
        let faults: [Room.Answer] = [
            .status(200, echo), .status(500, Self.address), .status(400, Self.address),
            .fault(.couldNotResolve, .nothing), .fault(.tls, .nothing), .fault(.refusedURL, .nothing),
            .fault(.timedOut, .possibly), .fault(.connectionLost, .possibly),
        ]
        for fault in faults {
            let warnings = await Self.tell(service, Room([fault]), secret: Secret("SECRETKEY"))
            #expect(warnings.count == (service == .json && warnings.isEmpty ? 0 : 1))
            #expect(!warnings.joined().contains("SECRET"), "\(warnings)")
            #expect(!warnings.joined().contains("hooks.example.com"), "\(warnings)")
        }
    }

    @Test(arguments: [Room.Answer.status(500, ""), .status(429, ""), .fault(.couldNotConnect, .nothing)])
    private func whatMayPassIsTriedThreeTimes(_ fault: Room.Answer) async {
        let room = Room([fault])
        #expect(await Self.tell(.slack, room).count == 1)
        #expect(room.requests.count == 3)
        #expect(room.elapsed <= .seconds(5))
        let late = Room([fault, fault, .status(200, "ok")])
        #expect(await Self.tell(.slack, late) == [])
        #expect(late.requests.count == 3)
    }

    @Test func whatMayHaveArrivedIsNotSentAgain() async {
        let room = Room([.fault(.connectionLost, .possibly), .status(200, "ok")])
        let warning = "notify: slack may not have got it: the connection ended before the whole answer"
        #expect(await Self.tell(.slack, room) == [warning])
        #expect(room.requests.count == 1)
    }

    @Test func aRoomThatIsSlowEndsAfterFiveSeconds() async {
        let slow = Room([.status(200, "ok")], after: .seconds(30))
        #expect(await Self.tell(.slack, slow) == ["notify: slack may not have got it: timed out"])
        #expect(slow.elapsed == .seconds(5) && slow.requests.count == 1)
        let faulty = Room([.status(503, "")], after: .seconds(3))
        #expect(await Self.tell(.slack, faulty).count == 1)
        #expect(faulty.elapsed <= .seconds(5))
    }

    @Test func aSignatureIsMadeWithTheAddress() async throws {
        let room = Room([.status(200, #"{"errcode":0}"#)])
        _ = await Self.tell(.dingtalk, room, secret: Secret("SECRETKEY"))
        let url = try #require(room.requests.first?.url)
        #expect(url.hasPrefix(Self.address + "&timestamp=1795176000000&sign="))
        #expect(!url.contains("SECRETKEY"))
        let program = Room([.status(204, "")])
        _ = await Self.tell(.json, program, secret: Secret("SECRETKEY"))
        let header = try #require(program.requests.first?.headers.first { $0.0 == "Bugle-Signature" })
        #expect(header.1.hasPrefix("t=1795176000,v1="))
    }
}
