internal import HTTPTesting
internal import Push
internal import Synchronization
internal import Testing

@testable internal import Delivery

/// What a sender sends, and what it answers.
@Suite(.timeLimit(.minutes(10)))
struct SenderTests {
    @Test
    func everyDeviceGetsItsRequestAndItsAnswerInOrder() async throws {
        let script = Script { seen in
            seen.number % 3 == 1 ? SenderSample.refuse(400, "BadTopic") : SenderSample.accept(seen)
        }
        let gate = TestGate()
        let answers = try await withSender(script) { sender in
            let notification = SenderSample.notification(
                collapseID: "c", body: .filled([Array("[".utf8), Array("]".utf8)]))
            return await sender.send(notification, to: SenderSample.targets(300), through: gate)
        }
        for (number, answer) in answers.enumerated() {
            #expect(answer == (number % 3 == 1 ? .refused(.service(.apple(.badTopic), since: nil)) : .accepted))
        }
        #expect(Set(script.seen.map(\.number)) == Set(0..<300))
        #expect(script.seen.count == 300 && script.connections == 1)
        #expect(gate.answers.count == 300)
        let seen = try #require(script.seen.first { $0.number == 17 })
        #expect(seen.method == "POST")
        #expect(seen.path == "/3/device/" + SenderSample.targets(18)[17].token)
        #expect(seen.body == Array("[17]".utf8))
        var headers = seen.headers.filter { !$0.key.hasPrefix(":") }
        #expect(headers.removeValue(forKey: "apns-id") == SenderSample.targets(18)[17].id.text)
        #expect(
            headers == [
                "authorization": "bearer t1", "apns-topic": "com.example.app", "apns-push-type": "alert",
                "apns-priority": "10", "apns-expiration": "1800000000", "apns-collapse-id": "c",
            ])
    }

    @Test
    func aFreshTokenConnectionHasOneRequestUntilItsAnswer() async throws {
        let (answers, seen) = try await withPatience(until: { $0.0.count { $0 == Verdict.accepted } == 49 }) {
            limit -> ([Verdict], [Seen]) in
            let script = Script { seen in seen.connection == 1 ? .hold : SenderSample.accept(seen) }
            return (try await verdicts(50, script) { $0.requestTimeout = limit }, script.seen)
        }
        #expect(seen.filter { $0.connection == 1 }.count == 1)
        guard case .unknown = answers[0] else { return #expect(answers[0] == .unknown("")) }
        #expect(answers.dropFirst().allSatisfy { $0 == .accepted })
        #expect(seen.count == 50)
    }

    @Test
    func aBroadcastGoesToItsChannelOnce() async throws {
        let script = Script { seen in
            .answer(200, headers: [("apns-request-id", seen.headers["apns-request-id"] ?? "")])
        }
        let target = SendTarget(token: "dHN0LXNyY2gtY2hubA==", id: APNsID(delivery: "d", token: "channel"))
        let notification = PushNotification(
            to: .broadcastChannels, topic: "com.example.app", pushType: .liveactivity, priority: 10,
            expiration: 0, body: .same(Array("{}".utf8)))
        let answers = try await withSender(script) { sender in
            await sender.send(notification, to: [target], through: TestGate())
        }
        #expect(answers == [.accepted])
        let seen = try #require(script.seen.first)
        #expect(seen.path == "/4/broadcasts/apps/com.example.app" && script.seen.count == 1)
        #expect(
            seen.headers.filter { !$0.key.hasPrefix(":") } == [
                "authorization": "bearer t1", "apns-channel-id": "dHN0LXNyY2gtY2hubA==",
                "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0",
                "apns-request-id": target.id.text,
            ])
    }

    @Test
    func theServersNumberOfStreamsIsFollowed() async throws {
        let script = Script { SenderSample.accept($0) }
        let answers = try await verdicts(300, script, maximumStreams: 7) { $0.streams = 50 }
        #expect(answers.allSatisfy { $0 == .accepted })
        #expect(script.seen.count == 300 && script.connections == 1)
    }

    @Test
    func severalConnectionsAndBatchesAtATime() async throws {
        let script = Script { SenderSample.accept($0) }
        try await withSender(script, change: { ($0.connections, $0.streams) = (3, 5) }) { sender in
            await withTaskGroup(of: Bool.self) { group in
                for batch in 0..<3 {
                    group.addTask {
                        let targets = SenderSample.targets(200, from: 1000 * batch)
                        let answers = await sender.send(SenderSample.notification(), to: targets, through: TestGate())
                        return answers.count == 200 && answers.allSatisfy { $0 == .accepted }
                    }
                }
                for await isAccepted in group { #expect(isAccepted) }
            }
        }
        #expect(Set(script.seen.map(\.number)).count == 600 && script.seen.count == 600)
        #expect(script.connections > 1 && script.connections <= 3)
    }

    @Test
    func onlyDocumentedReasonsAreRefusals() async throws {
        let bodies = [
            #"{"reason":"Unregistered","timestamp":1764000000123}"#, #"{"reason":"SomethingNew"}"#, "<html>", "",
            #"{"reason":7}"#, String(repeating: "x", count: 100_000),
        ]
        let script = Script { seen in
            .answer(seen.number == 0 ? 410 : 400 + seen.number, body: Array(bodies[seen.number].utf8))
        }
        let answers = try await verdicts(bodies.count, script)
        #expect(
            answers == [
                .refused(.service(.apple(.unregistered), since: 1_764_000_000_123)),
                .unknown("Apple answered 401 with the reason SomethingNew, which this version does not know"),
            ] + (402...405).map { .unknown("Apple answered \($0) without a reason") })
    }

    @Test
    func anAnswerWithAnotherIDIsInDoubt() async throws {
        let script = Script { seen in
            switch seen.number {
            case 0: .answer(200, headers: [("apns-id", "00000000-0000-0000-0000-000000000000")])
            case 1: .answer(200, headers: [("apns-id", (seen.headers["apns-id"] ?? "").uppercased())])
            case 2:
                .answer(
                    400, headers: [("apns-id", "00000000-0000-0000-0000-000000000000")],
                    body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
            default: .answer(200)
            }
        }
        let answers = try await verdicts(4, script)
        let doubt = Verdict.unknown("the answer has a different apns-id")
        #expect(answers == [doubt, .accepted, doubt, .accepted])
    }

    @Test(arguments: ["a\nb", "a\u{0}b", "a\u{7f}"])
    func whatCannotBeAHeaderIsNotSent(_ text: String) async throws {
        let script = Script { SenderSample.accept($0) }
        try await withSender(script) { sender in
            for notification in [SenderSample.notification(topic: text), SenderSample.notification(collapseID: text)] {
                let answers = await sender.send(notification, to: SenderSample.targets(2), through: TestGate())
                #expect(answers.count == 2)
                for answer in answers {
                    guard case .notSent(.noBodyGiven(let why)) = answer else { return #expect(answer == .accepted) }
                    #expect(why.contains("control character"))
                }
            }
        }
        #expect(script.connections == 0)
    }

    @Test
    func aTokenThatIsNotHexadecimalIsNeverSent() async throws {
        let script = Script { SenderSample.accept($0) }
        let answers = try await withSender(script) { sender in
            let targets = ["../../1/apps", "", "ab cd", "ab"].map {
                SendTarget(token: $0, id: APNsID(delivery: "d", token: $0))
            }
            return await sender.send(SenderSample.notification(), to: targets, through: TestGate())
        }
        let bad = Verdict.notSent(.service(.apple(.badDeviceToken), since: nil))
        #expect(answers == [bad, bad, bad, .accepted])
        #expect(script.seen.map(\.path) == ["/3/device/ab"])
    }

    @Test
    func aClosedGateHoldsTheRestBack() async throws {
        let script = Script { SenderSample.accept($0) }
        let gate = TestGate(closesAfter: 10)
        let answers = try await verdicts(100, script, through: gate) { $0.streams = 1 }
        #expect(answers.count { $0 == .accepted } == 10)
        #expect(answers.count { $0 == .notSent(.noBodyGiven("the delivery was stopped")) } == 90)
        #expect(script.seen.count == 10)
    }

    @Test
    func aClosedGateEndsTheWaitForAConnection() async throws {
        try await DeafPort.with { port in
            let sender = try PushSender(
                .init(
                    endpoint: "127.0.0.1:\(port)", credential: .token(TestTokens()),
                    retries: .init(pause: .seconds(60))))
            let answers = await sender.send(
                SenderSample.notification(), to: SenderSample.targets(3), through: TestGate(closesAfter: 0))
            #expect(answers.allSatisfy { $0 == .notSent(.noBodyGiven("the delivery was stopped")) })
            await sender.close()
        }
    }

    @Test
    func closingLetsBatchesEndAndTakesNoMore() async throws {
        let script = Script { SenderSample.accept($0) }
        try await withSender(script, change: { $0.streams = 2 }) { sender in
            async let answers = sender.send(
                SenderSample.notification(), to: SenderSample.targets(200), through: TestGate())
            await script.requests(1)
            await sender.close()
            #expect(await answers.allSatisfy { $0 == .accepted })
            let late = await sender.send(SenderSample.notification(), to: SenderSample.targets(1), through: TestGate())
            #expect(late == [.notSent(.noBodyGiven("the sender is closed"))])
        }
        #expect(script.seen.count == 200)
    }
}
