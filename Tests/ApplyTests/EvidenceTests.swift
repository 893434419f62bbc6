import Apply
import BaseTesting
import Push
import RemoteTesting
import Testing

/// Every row of the evidence table: an entry found in `sending`, and what the remote knows of it.
@Suite struct EvidenceTests {
    private let service = FakeService()
    private let campaign = Sample.campaign("score")
    private var workspace: Workspace { Sample.workspace([campaign]) }

    /// What a row of the table comes to.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var age: Duration
        var isMade = false
        var failsLookUps = false
        var hasControl = false
        var controlIsFound = true
        var state: DeliveryState
        var messages: Int
        var sends: Int
    }

    static let rows: [Row] = [
        Row(
            testDescription: "found, young: adopted", age: .seconds(60), isMade: true, state: .sent, messages: 1,
            sends: 0),
        Row(
            testDescription: "found, old: adopted", age: .seconds(700), isMade: true, state: .sent, messages: 1,
            sends: 0),
        Row(
            testDescription: "none, under 4 minutes: repeated", age: .seconds(239), state: .sent, messages: 1, sends: 1),
        Row(
            testDescription: "failed look-up, under 4 minutes: repeated", age: .seconds(60), failsLookUps: true,
            state: .sent, messages: 1, sends: 1),
        Row(
            testDescription: "none, 4 to 10 minutes: waits, then sends", age: .seconds(240), state: .sent, messages: 1,
            sends: 1),
        Row(testDescription: "none, 10 minutes: sent", age: .seconds(600), state: .sent, messages: 1, sends: 1),
        Row(
            testDescription: "none with a control that is found: sent", age: .seconds(600), hasControl: true,
            state: .sent, messages: 1, sends: 1),
        Row(
            testDescription: "none with a control that is not found: unknown", age: .seconds(600), hasControl: true,
            controlIsFound: false, state: .unknown, messages: 0, sends: 0),
        Row(
            testDescription: "failed look-up, 10 minutes: unknown", age: .seconds(600), failsLookUps: true,
            state: .unknown, messages: 0, sends: 0),
        Row(
            testDescription: "failed look-up, 4 minutes: waits, then unknown", age: .seconds(240), failsLookUps: true,
            state: .unknown, messages: 0, sends: 0),
        Row(
            testDescription: "none, older than 6 days: unknown", age: .seconds(6 * 86_400 + 1), state: .unknown,
            messages: 0, sends: 0),
    ]

    @Test(arguments: rows)
    func aRowOfTheTable(row: Row) async throws {
        var campaign = campaign
        campaign.window = .seconds(7 * 86_400)
        campaign.expiration = .never
        if row.hasControl {
            service.leave(Sample.campaign("control"), .sent, age: .seconds(7200))
            if row.controlIsFound { service.make("control") }
        }
        service.leave(campaign, .sending, age: row.age)
        if row.isMade { service.make("score") }
        if row.failsLookUps { service.with { $0.failingReads[.record] = 1_000_000 } }
        let applied = await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(service.state("score") == row.state)
        #expect(service.received["score@1"] ?? 0 == row.messages)
        #expect(applied.remote.writes.count { $0 == "send" } == row.sends)
        #expect((applied.result("score")?.outcome == .unknown) == (row.state == .unknown))
        service.with { $0.failingReads = [:] }
        let plan = try await service.plan(Sample.workspace([campaign]))
        #expect(plan.hasUnknown == (row.state == .unknown))
        #expect(!plan.hasChanges)
    }

    @Test func aFoundScheduledPushIsScheduled() async throws {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(3600))
        service.leave(campaign, .sending, age: .seconds(700))
        service.make("score")
        await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(service.state("score") == .scheduled)
        service.advance(.seconds(3600))
        #expect(service.received == ["score@1": 1])
        #expect(try await service.plan(Sample.workspace([campaign])).changes.isEmpty)
    }

    @Test func aRepeatWaitsUntilTenSecondsAfterTheIntent() async {
        service.leave(campaign, .sending, age: .seconds(3))
        #expect(await Applier().apply(workspace, to: service).waited == .seconds(7))
        #expect(service.received == ["score@1": 1])
    }

    @Test func anAdoptedRecordOfADocumentedRefusalIsRefused() async {
        service.leave(campaign, .sending, age: .seconds(700))
        service.with { $0.recordStanding = .refused(.massiveDevelopmentPush) }
        service.make("score")
        #expect(await Applier().apply(workspace, to: service).result("score")?.outcome == .refused)
        #expect(service.state("score") == .refused)
    }

    @Test func aWindowThatEndedIsMissedForGood() async throws {
        service.leave(campaign, .sending, age: .seconds(3601))
        await Applier().apply(workspace, to: service)
        #expect(service.state("score") == .unsent)
        #expect(service.entry("score")?.isMissed == true)
        #expect(service.received.isEmpty)
        #expect(try await service.plan(workspace).changes.map(\.action) == [.missed])
        await Applier().apply(workspace, to: service)
        #expect(service.received.isEmpty)
    }

    @Test func aScheduledTimeStartsTheWindow() async {
        let campaign = Sample.campaign("score", at: Sample.start - .seconds(3000))
        service.leave(campaign, .sending, age: .seconds(4000))
        await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func anExpiredDeliveryIsMissed() async {
        var campaign = campaign
        campaign.expiration = .at(OffsetInstant(Sample.start - .seconds(1)))
        service.leave(campaign, .sending, age: .seconds(700))
        await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(service.state("score") == .unsent)
        #expect(service.received.isEmpty)
    }

    @Test func nothingIsSentAnewInQuietHours() async throws {
        service.leave(campaign, .sending, age: .seconds(700))
        let quiet = try #require(QuietHours(from: 0, to: 24 * 60, timeZone: "UTC"))
        await Applier().apply(Sample.workspace([campaign]) { $0.policy.quietHours = quiet }, to: service)
        #expect(service.state("score") == .unsent)
        #expect(service.received.isEmpty)
    }

    @Test(arguments: [false, true])
    func aDeliveryThatIsGoneFromTheFilesIsOnlyLookedUp(isMade: Bool) async throws {
        service.leave(campaign, .sending, age: .seconds(60))
        if isMade { service.make("score") }
        let workspace = Sample.workspace([Sample.campaign("other", text: "Another.") { $0.hold = true }])
        let applied = await Applier().apply(workspace, to: service)
        #expect(!applied.remote.writes.contains("send"))
        #expect(service.state("score") == (isMade ? .sent : .unsent))
        #expect(service.received == (isMade ? ["score@1": 1] : [:]))
        #expect(try await !service.plan(workspace).hasChanges)
    }

    @Test(arguments: [60, 300, 900])
    func aHeldDeliveryStaysAsItIsAndIsSentOnceReleased(age: Int) async throws {
        service.leave(campaign, .sending, age: .seconds(age))
        var held = campaign
        held.hold = true
        #expect(try await service.plan(Sample.workspace([held])).changes.map(\.action) == [.wait])
        let applied = await Applier().apply(Sample.workspace([held]), to: service)
        #expect(applied.outcome?.results.isEmpty == true)
        #expect(applied.remote.writes == ["acquireLock", "release"])
        #expect(service.state("score") == .sending)
        await Applier().apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aHeldDeliveryThatTheRemoteHasIsAdopted() async throws {
        service.leave(campaign, .sending, age: .seconds(60))
        service.make("score")
        var held = campaign
        held.hold = true
        await Applier().apply(Sample.workspace([held]), to: service)
        #expect(service.state("score") == .sent)
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    /// Words that a record may say and nobody documents.
    static let words = ["sending", "error", "expired", "failed", "waiting", "", "Done", "IN-QUEUE", "第一"]

    @Test(arguments: words, [60, 300, 900])
    func aRecordWithAnUndocumentedWordIsUnknownAndNothingIsSentAgain(word: String, age: Int) async throws {
        var campaign = campaign
        campaign.window = .seconds(7 * 86_400)
        service.with { $0.recordStanding = .unknown(word) }
        service.leave(campaign, .sending, age: .seconds(age))
        service.make("score")
        service.with { $0.recordStanding = nil }
        for _ in 0..<3 {
            let applied = await Applier().apply(Sample.workspace([campaign]), to: service)
            #expect(applied.result("score")?.outcome == .unknown)
            #expect(!applied.remote.writes.contains("send"))
            #expect(service.state("score") == .unknown)
            service.advance(.seconds(3600))
        }
    }

    @Test(arguments: words)
    func aRecordWithSuccessesWasSentWhateverItsWord(word: String) async throws {
        service.with {
            $0.recordStanding = .unknown(word)
            $0.recordFigures = DeliveryFigures(devices: 250, successes: 200, invalidTokens: 0)
        }
        service.leave(campaign, .sending, age: .seconds(900))
        service.make("score")
        #expect(await Applier().apply(workspace, to: service).result("score")?.outcome == .done)
        #expect(service.state("score") == .sent)
        #expect(service.entry("score")?.figures?.successes == 200)
        #expect(try await service.plan(workspace).changes.isEmpty)
    }

    @Test func whatWasFoundOnceIsNotSentAgainThoughALaterLookFindsNothing() async {
        service.with { $0.recordStanding = .unknown("sending") }
        service.leave(campaign, .sending, age: .seconds(300))
        service.make("score")
        var applier = Applier()
        let looks = Counter()
        applier.afterRead = { [service] read in
            if read == .record, looks.next() == 3 { service.with { $0.records = [] } }
        }
        let applied = await applier.apply(workspace, to: service)
        #expect(!applied.remote.writes.contains("send"))
        #expect(service.state("score") == .unknown)
    }

    @Test(arguments: [false, true])
    func oneLookThatFindsNothingDoesNotMakeItUnsent(isExpired: Bool) async {
        var campaign = campaign
        if isExpired { campaign.expiration = .at(OffsetInstant(Sample.start - .seconds(1))) }
        service.leave(campaign, .sending, age: .seconds(900))
        var applier = Applier()
        let looks = Counter()
        applier.afterRead = { [service] read in
            if read == .record, looks.next() == 3 { service.make("score") }
        }
        let other = Sample.campaign("other", text: "Another.") { $0.hold = true }
        await applier.apply(Sample.workspace(isExpired ? [campaign] : [other]), to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func anUnknownResumeDoesNotHoldOthersBack() async throws {
        var stale = Sample.campaign("a")
        stale.window = .seconds(7 * 86_400)
        stale.expiration = .never
        service.leave(stale, .sending, age: .seconds(700))
        service.with { $0.failingReads[.record] = 1_000_000 }
        let applied = await Applier().apply(Sample.workspace([stale, Sample.campaign("b")]), to: service)
        #expect(applied.result("a")?.outcome == .unknown)
        #expect(applied.result("b")?.outcome == .done)
        #expect(service.received == ["b@1": 1])
    }

    @Test func aSlowRenewalDoesNotStretchTheTimeOfARepeat() async {
        service.with { $0.recordDelay = .seconds(500) }
        service.leave(campaign, .sending, age: .zero)
        service.make("score")
        service.advance(.seconds(155))
        // When the repeat's turn comes the lock must be renewed, and that takes until after five minutes.
        service.with { $0.failingWrites["renew"] = [.slow(.seconds(80))] }
        var applier = Applier()
        let looks = Counter()
        applier.afterRead = { read in
            if read == .record, looks.next() == 2 { service.advance(.seconds(82)) }
        }
        #expect(await applier.apply(workspace, to: service).remote.writes.contains("renew"))
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aSlowObservationDoesNotMakeEntriesYounger() async {
        service.leave(campaign, .sending, age: .seconds(200))
        service.with { $0.recordDelay = .seconds(3600) }
        var applier = Applier()
        let looks = Counter()
        applier.afterRead = { read in
            if read == .record, looks.next() == 1 { service.advance(.seconds(110)) }
        }
        await applier.apply(workspace, to: service)
        // At 310 s a repeat would be a second push: it is not repeated, but sent anew after ten minutes.
        #expect((service.entry("score")?.attemptedAt).map { $0 >= Sample.start + .seconds(400) } == true)
    }
}
