import Apply
import Base
import BaseTesting
import Push
import RemoteTesting
import Testing

/// Every row of "answer to the first push" of the contract.
@Suite struct AnswerTests {
    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("score")])

    private func applied(_ answers: [FakeAnswer]) async -> Applied {
        service.with { $0.answers = answers }
        return await Applier().apply(workspace, to: service)
    }

    @Test func anAcceptedSendIsSent() async throws {
        let applied = await applied([.accept])
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.result("score")?.objectID == "push1")
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
        #expect(try await service.plan(workspace).changes.isEmpty)
    }

    @Test func anAcceptedScheduleIsScheduledAndFiresByItself() async throws {
        let workspace = Sample.workspace([Sample.campaign("score", at: Sample.start + .seconds(3600))])
        await Applier().apply(workspace, to: service)
        #expect(service.state("score") == .scheduled)
        #expect(service.received.isEmpty)
        #expect(try await service.plan(workspace).changes.isEmpty)
        service.advance(.seconds(3600))
        #expect(service.received == ["score@1": 1])
        #expect(try await service.plan(workspace).changes.isEmpty)
    }

    @Test func aRefusalIsRecordedAndTheNextApplyTriesAgainUnderANewID() async throws {
        #expect(await applied([.refuse]).result("score")?.outcome == .refused)
        #expect(service.state("score") == .refused)
        #expect(service.entry("score")?.reason?.text == "the service refused it")
        await Applier().apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.entry("score")?.notificationID == Sample.delivery("score", generation: 1))
        #expect(service.entry("score")?.delivery == Sample.delivery("score"))
        #expect(service.received == ["score@1": 1])
    }

    @Test func refusedCredentialsAreTold() async {
        let applied = await applied([.unauthorized])
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.result("score")?.cause == .credentials)
        #expect(service.state("score") == .refused)
    }

    @Test func aDeferredSendIsRetriedAfterWhatTheServiceSaid() async {
        let applied = await applied([.putOff(after: .seconds(42)), .putOff(after: .seconds(42)), .accept])
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.waited >= .seconds(84))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aSendDeferredTooOftenIsUnsentAndTheNextApplySendsIt() async throws {
        let applied = await applied(Array(repeating: .putOff(after: nil), count: 6))
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.result("score")?.cause == .rateLimit)
        #expect(applied.remote.writes.count { $0 == "send" } == 6)
        #expect(service.state("score") == .unsent)
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aDeferralIsNotWaitedForPastTheWindow() async {
        let workspace = Sample.workspace([Sample.campaign("score") { $0.window = .seconds(60) }])
        service.with { $0.answers = [.putOff(after: .seconds(61))] }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.waited == .zero)
        #expect(service.state("score") == .unsent)
    }

    @Test func theAgeOfADeferredSendCountsFromItsLastRequest() async {
        service.with {
            $0.answers = [.putOff(after: .seconds(300)), .accept]
            $0.recordDelay = .seconds(400)
        }
        let sends = Counter()
        await Applier { point, _ in point.name == "send" && point.phase == .after && sends.next() == 2 ? .die : .live }
            .apply(workspace, to: service)
        #expect(service.entry("score")?.intendedAt == Sample.start)
        #expect(service.entry("score")?.attemptedAt == Sample.start + .seconds(300))
        // 640 s after the intent but 340 s after the request: no record yet, and a new request would be a second push.
        service.advance(.seconds(340))
        await Applier(name: "bob").apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aLostAnswerIsLookedUpAndAdopted() async {
        let applied = await applied([.lostAnswer])
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.remote.writes.count { $0 == "send" } == 1)
        #expect(service.state("score") == .sent)
        #expect(service.entry("score")?.objectID == "push1")
        #expect(service.received == ["score@1": 1])
    }

    @Test func aLostRequestIsRepeatedOnceAfterTenSeconds() async {
        let applied = await applied([.lostRequest])
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.waited == .seconds(10))
        #expect(applied.remote.writes.count { $0 == "send" } == 2)
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [
        [FakeAnswer.lostAnswer, .refuse], [.lostAnswer, .lostRequest], [.lostAnswer, .lostAnswer],
        [.lostAnswer, .putOff(after: nil)], [.lostAnswer, .unauthorized], [.lostAnswer, .accept],
    ])
    func whateverARepeatIsAnsweredTheRecordDecides(answers: [FakeAnswer]) async {
        service.with { $0.recordDelay = .seconds(120) }
        let applied = await applied(answers)
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.remote.writes.count { $0 == "send" } == 2)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [30, 90, 250, 290])
    func aRequestThatArrivesAfterItsTimeoutIsOnePush(delay: Int) async {
        #expect(await applied([.late(.seconds(delay)), .lostRequest]).result("score")?.outcome == .done)
        service.advance(.seconds(3600))
        #expect(service.received == ["score@1": 1])
    }

    @Test func twoLostRequestsAreSentAnewAfterTenMinutesUnderTheSameID() async {
        let applied = await applied([.lostRequest, .lostRequest])
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.waited >= .seconds(600))
        #expect(applied.remote.writes.contains("renew"))
        #expect(service.entry("score")?.notificationID == Sample.delivery("score"))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aRequestSentAnewAndRefusedIsRefused() async {
        #expect(await applied([.lostRequest, .lostRequest, .refuse]).result("score")?.outcome == .refused)
        #expect(service.state("score") == .refused)
    }

    @Test func withoutLookUpsTheOutcomeIsUnknownAfterTenMinutes() async throws {
        service.with {
            $0.recordDelay = .seconds(86_400)
            $0.failingReads[.record] = 1_000_000
        }
        #expect(await applied([.lostAnswer, .lostAnswer]).result("score")?.outcome == .unknown)
        #expect(service.state("score") == .unknown)
        let plan = try await service.plan(workspace)
        #expect(plan.changes.map(\.action) == [.none])
        #expect(plan.hasUnknown && !plan.hasChanges)
        let again = await Applier().apply(workspace, to: service)
        #expect(again.result("score")?.outcome == .unknown)
        #expect(again.remote.writes == ["acquireLock", "release"])
        #expect(service.received == ["score@1": 1])
    }

    @Test func aFailureInTheRecordMakesItRefused() async throws {
        service.with { $0.recordStanding = .refused(.massiveDevelopmentPush) }
        let applied = await applied([])
        #expect(applied.result("score")?.outcome == .refused)
        #expect(applied.result("score")?.detail?.text.contains("dev profile disabled") == true)
        #expect(service.state("score") == .refused)
    }

    @Test(arguments: [FakeAnswer.refuse, .unauthorized])
    func afterAFailedSendTheNextOneIsNotStarted(answer: FakeAnswer) async {
        let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with {
            $0.answers = [answer]
            $0.resources = [ResourceRecord(kind: .channel, name: "Mets", fields: [:])]
        }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("b")?.outcome == .skipped)
        #expect(applied.result("b")?.detail?.text == "a was to go first and was not delivered")
        // Resources do not depend on it.
        #expect(service.with { $0.resources.map(\.name) } == ["Giants"])
        #expect(service.received.isEmpty)
    }

    @Test func keepGoingSendsOn() async {
        let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])
        service.with { $0.answers = [.refuse] }
        let applied = await Applier(keepGoing: true).apply(workspace, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.refused, .done])
        #expect(service.received == ["b@1": 1])
    }
}
