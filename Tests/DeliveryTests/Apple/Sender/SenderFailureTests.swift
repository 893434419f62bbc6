internal import BaseTesting
internal import HTTPTesting
internal import NIOHTTP2
internal import Push
internal import Testing

@testable internal import Delivery

/// What is tried again, what is in doubt, and that nothing in doubt is ever tried again.
@Suite(.timeLimit(.minutes(10)))
struct SenderFailureTests {
    private func isInDoubt(_ answer: Verdict) -> Bool {
        if case .unknown = answer { true } else { false }
    }

    @Test
    func aConnectionThatEndedIdleLetsNoOthersBeMadeThanAreNeeded() async throws {
        let script = Script {
            $0.connection == 1 && $0.place == 3 ? .goAway(lastStream: 5) : SenderSample.accept($0)
        }
        try await withSender(script, change: { $0.streams = 5 }) { sender in
            for batch in 0..<40 {
                _ = await sender.send(
                    SenderSample.notification(), to: SenderSample.targets(50, from: 50 * batch), through: TestGate())
            }
        }
        #expect(script.connections <= 3)
    }

    @Test
    func aRefusedStreamIsSentAgain() async throws {
        let refused = Counter()
        let script = Script { seen in
            seen.number % 10 == 5 && refused.next() <= 6 ? .reset(.refusedStream) : SenderSample.accept(seen)
        }
        let answers = try await verdicts(100, script)
        #expect(answers.allSatisfy { $0 == .accepted })
        #expect(script.seen.count == 106)
    }

    @Test
    func aStreamThatIsAlwaysRefusedIsNotSentInTheEnd() async throws {
        let script = Script { seen in seen.number == 1 ? .reset(.refusedStream) : SenderSample.accept(seen) }
        let answers = try await verdicts(3, script) { $0.retries.attempts = 3 }
        #expect(answers[0] == .accepted && answers[2] == .accepted)
        #expect(answers[1] == .notSent(.streamRefused))
        // Not each try gets as far as the server: a connection that is given up takes others with it.
        #expect((1...3).contains(script.seen.count { $0.number == 1 }))
    }

    @Test(arguments: [HTTP2ErrorCode.cancel, .internalError, .noError, .http11Required, .enhanceYourCalm])
    func aStreamThatIsResetIsInDoubt(_ code: HTTP2ErrorCode) async throws {
        let script = Script { seen in seen.number == 5 ? .reset(code) : SenderSample.accept(seen) }
        let answers = try await verdicts(20, script)
        #expect(isInDoubt(answers[5]))
        #expect(answers.count { $0 == .accepted } == 19)
        #expect(script.seen.count == 20)
    }

    @Test
    func aConnectionThatEndsLeavesWhatWasWrittenInDoubt() async throws {
        let script = Script { seen in seen.place == 20 && seen.connection == 1 ? .close : SenderSample.accept(seen) }
        let answers = try await verdicts(200, script)
        #expect(answers.allSatisfy { $0 == .accepted || isInDoubt($0) })
        #expect(answers.contains(where: isInDoubt))
        #expect(Set(script.seen.map(\.number)).count == script.seen.count)
    }

    @Test(arguments: [true, false])
    func afterAGoAwayOnlyWhatItsLastStreamCoversIsInDoubt(_ closes: Bool) async throws {
        let (answers, seen) = try await withPatience(until: { $0.0.count(where: isInDoubt) == 10 }) {
            limit -> ([Verdict], [Seen]) in
            // Requests 2 to 20 wait; the 21st brings a GOAWAY that names the eleventh as the last.
            let script = Script { seen in
                guard seen.connection == 1, seen.place > 1 else { return SenderSample.accept(seen) }
                guard seen.place == 21 else { return .hold }
                return closes ? .goAway(lastStream: 21) : .leave(lastStream: 21)
            }
            return (try await verdicts(21, script) { $0.requestTimeout = limit }, script.seen)
        }
        #expect(answers.allSatisfy { $0 == .accepted || isInDoubt($0) })
        let again = Dictionary(grouping: seen, by: \.number).filter { $0.value.count > 1 }
        #expect(again.allSatisfy { seen in seen.value.allSatisfy { $0.connection == 2 || $0.place > 11 } })
        #expect(answers.count(where: isInDoubt) == 10)
    }

    @Test
    func silenceIsInDoubt() async throws {
        let (answers, seen) = try await withPatience(until: { $0.0.count { $0 == Verdict.accepted } == 29 }) {
            limit -> ([Verdict], [Seen]) in
            let script = Script { seen in seen.number == 3 ? .hold : SenderSample.accept(seen) }
            return (try await verdicts(30, script) { $0.requestTimeout = limit }, script.seen)
        }
        #expect(isInDoubt(answers[3]))
        #expect(answers.count { $0 == .accepted } == 29)
        #expect(seen.count == 30)
    }

    @Test
    func aPortWhereNobodyListensIsNotSent() async throws {
        try await DeafPort.with { port in
            let sender = try PushSender(
                .init(
                    endpoint: "127.0.0.1:\(port)", credential: .token(TestTokens()),
                    retries: .init(pause: .milliseconds(2), spacing: .milliseconds(1))))
            let answers = await sender.send(
                SenderSample.notification(), to: SenderSample.targets(500), through: TestGate())
            #expect(answers.count == 500)
            for answer in answers {
                guard case .notSent(.noBodyGiven(let why)) = answer else { return #expect(answer == .accepted) }
                #expect(why.hasPrefix("no connection"), "\(why)")
            }
            await sender.close()
        }
    }

    @Test
    func anotherCertificateIsRefusedBeforeAnythingIsSent() async throws {
        let script = Script { SenderSample.accept($0) }
        let answers = try await withSender(script, certificate: try .unknown) { sender in
            await sender.send(SenderSample.notification(), to: SenderSample.targets(2), through: TestGate())
        }
        for answer in answers {
            guard case .notSent(.noBodyGiven(let why)) = answer else { return #expect(answer == .accepted) }
            #expect(why.hasPrefix("no secure connection"))
        }
        #expect(script.seen.isEmpty && script.connections == 1)
    }

    @Test
    func aServerWithoutHTTP2IsRefusedBeforeAnythingIsSent() async throws {
        let script = Script { SenderSample.accept($0) }
        let answers = try await withSender(script, .http1) { sender in
            await sender.send(SenderSample.notification(), to: SenderSample.targets(2), through: TestGate())
        }
        for answer in answers {
            guard case .notSent(.noBodyGiven(let why)) = answer else { return #expect(answer == .accepted) }
            #expect(why.hasPrefix("no HTTP/2"))
        }
        #expect(script.seen.isEmpty && script.connections == 1)
    }

    @Test
    func anIdleConnectionThatTheServerClosedIsReplaced() async throws {
        let script = Script { seen in
            seen.number == 1 ? .goAway(lastStream: 2 * seen.place - 1) : SenderSample.accept(seen)
        }
        try await withSender(script) { sender in
            func send(_ number: Int) async -> Verdict {
                let targets = SenderSample.targets(1, from: number)
                return await sender.send(SenderSample.notification(), to: targets, through: TestGate())[0]
            }
            #expect(await send(0) == .accepted)
            #expect(isInDoubt(await send(1)))
            await script.ended(1)
            #expect(await send(2) == .accepted)
        }
        #expect(script.seen.map(\.number) == [0, 1, 2])
    }
}
