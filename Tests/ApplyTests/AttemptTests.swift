import Apply
import BaseTesting
import Push
import RemoteTesting
import Testing

/// What is looked at before every request: the lock, the window, the expiration, the quiet hours.
@Suite struct AttemptTests {
    private let service = FakeService()

    private func workspace(
        quietFrom: Int? = nil, change: (inout Campaign) -> Void = { _ in }
    ) -> Workspace {
        Sample.workspace([Sample.campaign("score", change: change)]) { workspace in
            workspace.policy.quietHours = quietFrom.flatMap { QuietHours(from: $0, to: 13 * 60, timeZone: "UTC") }
        }
    }

    /// An applier whose process stands still at a point, while everybody else's clock runs.
    private func standing(still duration: Duration, _ name: String) -> Applier {
        let times = Counter()
        return Applier { [service] point, _ in
            if point.name == name, point.phase == .before, times.next() == 1 { service.advance(duration) }
            return .live
        }
    }

    /// A record is looked for by the age of the intent: one that the request follows much later is taken for absent.
    @Test func aRequestWhoseIntentIsOldHasANewOneFirst() async throws {
        service.with { world in
            world.answers = [.unreachable]
            world.failingWrites["update sending"] = [.slow(.seconds(90))]
        }
        await Applier().apply(workspace(), to: service)
        #expect(service.received == ["score@1": 1])
        let sent = try #require(service.with { $0.sentAt.last })
        let intent = try #require(service.entry("score")?.attemptedAt)
        #expect(sent >= intent && sent - intent <= .seconds(60), "\(sent), \(intent)")
    }

    @Test func whoeverRepeatsARequestKeepsItsFirstSenderFromSayingHowItEnded() async throws {
        service.with { $0.answers = [.refuse, .accept] }
        let (service, workspace, sleeps) = (service, workspace(), Counter())
        // Ann knows that hers was refused, and sleeps before she writes it; Bob repeats it, and dies before he does.
        let ann = Applier { point, _ in
            guard point.name == "update refused", point.phase == .before, sleeps.next() == 1 else { return .live }
            service.advance(.seconds(130))
            let bob = Applier(name: "bob") { point, _ in
                point.name == "update sent" && point.phase == .before ? .die : .live
            }
            await bob.apply(workspace, to: service)
            return .live
        }
        await ann.apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
        #expect(service.state("score") == .sending)
        service.advance(.seconds(130))
        await Applier(name: "eve").apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aSendThatWasPutOffDoesNotStartInQuietHours() async throws {
        service.with { $0.answers = [.putOff(after: .seconds(120))] }
        let workspace = workspace(quietFrom: 12 * 60 + 1)
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.result("score")?.detail?.text.contains("quiet hours") == true)
        #expect(applied.result("score")?.cause == .rateLimit)
        #expect(service.with { $0.sentAt } == [Sample.start])
        #expect(service.state("score") == .unsent)
        service.advance(.seconds(3600))
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aSendWhosePutOffTookLongerThanItSaidDoesNotStartInQuietHours() async throws {
        service.with { $0.answers = [.putOff(after: .seconds(50))] }
        // The ledger's write takes so long that the quiet hours have begun when the request's turn comes.
        service.with { $0.failingWrites["update sending"] = [.slow(.seconds(15))] }
        let applied = await Applier().apply(workspace(quietFrom: 12 * 60 + 1), to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(service.with { $0.sentAt } == [Sample.start])
        #expect(service.state("score") == .unsent)
    }

    @Test(arguments: [FakeAnswer.putOff(after: .seconds(61)), .unreachable])
    func nothingIsTriedAgainPastTheExpiration(answer: FakeAnswer) async throws {
        service.with { $0.answers = Array(repeating: answer, count: 3) }
        let end = OffsetInstant(Sample.start + .seconds(2))
        let applied = await Applier().apply(workspace { $0.expiration = .at(end) }, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.result("score")?.detail?.text.contains("it expired at") == true)
        #expect(service.with { $0.sentAt.allSatisfy { $0 < Sample.start + .seconds(2) } })
        #expect(service.state("score") == .unsent)
        #expect(service.received.isEmpty)
    }

    @Test func aConnectionThatFailsIsTriedAgainAndThenTheSendIsUnsent() async throws {
        service.with { $0.answers = Array(repeating: .unreachable, count: 6) }
        let applied = await Applier().apply(workspace(), to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.result("score")?.cause == nil)
        #expect(service.with { $0.sentAt.count } == 6)
        #expect(service.state("score") == .unsent)
        await Applier().apply(workspace(), to: service)
        #expect(service.received == ["score@1": 1])
    }

    /// Between the last look and the write of the request the process stands still.
    @Test(arguments: [50, 81, 119])
    func aProcessThatStoodStillSendsNothingLateUnderItsLock(seconds: Int) async throws {
        let applied = await standing(still: .seconds(seconds), "send").apply(workspace(), to: service)
        // 120 s of the lock, less the 30 s of a request and 10 s.
        let first = service.with { $0.sentAt.first }
        #expect(first.map { $0 - Sample.start <= .seconds(80) || applied.remote.writes.contains("renew") } == true)
        #expect(applied.result("score")?.outcome == .done)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aProcessThatStoodStillUntilItLostItsLockSendsNothing() async throws {
        let workspace = workspace()
        let times = Counter()
        let applied = await Applier { [service] point, _ in
            guard point.name == "send", point.phase == .before, times.next() == 1 else { return .live }
            service.advance(.seconds(700))
            service.with { $0.recordDelay = .seconds(3600) }
            await Applier(name: "bob").apply(workspace, to: service)
            return .live
        }
        .apply(workspace, to: service)
        #expect(applied.ending == "lockLost")
        // Only bob's.
        #expect(service.with { $0.sentAt.count } == 1)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aProcessThatStoodStillPastTheWindowSendsNothing() async throws {
        let workspace = workspace { $0.window = .seconds(30) }
        let applied = await standing(still: .seconds(31), "send").apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(service.with { $0.sentAt.isEmpty })
        #expect(service.state("score") == .unsent)
    }

    /// Its turn comes five seconds after the plan, and its window ends ten seconds after it.
    @Test func aProcessThatStoodStillPastTheWindowOfItsTimeSendsNothing() async throws {
        let due = Sample.workspace([Sample.campaign("score", at: Sample.start - .seconds(3590))]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with { $0.failingWrites["save Giants"] = [.slow(.seconds(5))] }
        let applied = await standing(still: .seconds(6), "send").apply(due, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(service.with { $0.sentAt.isEmpty })
        #expect(service.state("score") == .unsent)
    }

    @Test func aProcessThatStoodStillUntilQuietHoursSendsNothing() async throws {
        let applied = await standing(still: .seconds(60), "send").apply(workspace(quietFrom: 12 * 60 + 1), to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(service.with { $0.sentAt.isEmpty })
    }

    @Test func aRepetitionThatStoodStillForFiveMinutesIsNotMade() async throws {
        service.with {
            $0.recordDelay = .seconds(500)
            $0.answers = [.lostAnswer]
        }
        let sends = Counter()
        let applier = Applier { [service] point, _ in
            if point.name == "send", point.phase == .before, sends.next() == 2 { service.advance(.seconds(300)) }
            return .live
        }
        await applier.apply(workspace(), to: service)
        service.advance(.seconds(130))
        await Applier().apply(workspace(), to: service)
        #expect(service.with { $0.sentAt } == [Sample.start])
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [FakeAnswer.refuse, .putOff(after: .seconds(1)), .unreachable, .unauthorized])
    func whatARepetitionIsAnsweredOtherThanAcceptedIsNotBelieved(answer: FakeAnswer) async throws {
        service.with {
            $0.recordDelay = .seconds(120)
            $0.answers = [.lostAnswer, answer]
        }
        #expect(await Applier().apply(workspace(), to: service).result("score")?.outcome == .done)
        #expect(service.with { $0.sentAt.count } == 2)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func inQuietHoursNothingIsRepeated() async throws {
        service.leave(Sample.campaign("score"), .sending, age: .seconds(30))
        let applied = await Applier().apply(workspace(quietFrom: 11 * 60), to: service)
        #expect(!applied.remote.writes.contains("send"))
        #expect(service.state("score") == .unsent)
    }
}
