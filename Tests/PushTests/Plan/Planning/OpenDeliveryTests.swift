internal import Base
internal import RemoteTesting
internal import Testing

@testable internal import Push

/// What is planned for a delivery that is not over, or whose answers were lost.
struct OpenDeliveryTests {
    private static let now = Sample.start

    private static func planner(
        _ campaigns: [Campaign], _ ledger: [LedgerEntry], _ evidence: Evidence? = nil,
        change: (inout Workspace) -> Void = { _ in }
    ) -> CampaignPlanner {
        var state = RemoteState(now: now, ledger: ledger, installations: InstallationSample(size: 0))
        for entry in ledger { state.evidence[entry.notificationID] = evidence }
        var input = Ledger.answered(
            Sample.input(Sample.workspace(campaigns, change: change), state, keepsJournal: true))
        if evidence == nil { input.state.evidence = [:] }
        return CampaignPlanner(input, contents: input.desired.contentDigests)
    }

    private static func sending(_ change: (inout LedgerEntry) -> Void = { _ in }) -> LedgerEntry {
        var entry = Ledger.entry(Sample.campaign("score"), .sending, now: now, age: .seconds(60))
        change(&entry)
        return entry
    }

    // MARK: Held

    @Test func whatIsHeldIsLookedUpOnceAndThenWaits() {
        let (entry, held) = (Self.sending(), Sample.campaign("score") { $0.hold = true })
        func resumed(_ evidence: Evidence?) -> (step: Step, isSending: Bool) {
            Self.planner([held], [entry], evidence).resumption(of: entry, campaign: held, .held)
        }
        let unseen = resumed(nil)
        #expect(unseen.step.change.action == .wait && unseen.step.operation != .nothing)
        let waiting = resumed(Evidence.none)
        #expect(waiting.step.change.action == .wait && waiting.step.operation == .nothing && !waiting.isSending)
        // A record that was found is written down, held or not.
        let found = resumed(
            .found(
                PushRecord(
                    objectID: "push1", .done, figures: DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))))
        #expect(found.step.change.action == .resume && found.step.operation != .nothing)
    }

    @Test func whatIsHeldSaysUntilWhenItMayBeReleased() {
        let journal = JournalState(
            targets: 3, answered: 1, inDoubt: 0, waiting: 2, lastOutcomeAt: Self.now + .seconds(40))
        let entry = Self.sending { ($0.window, $0.expiresAt) = (.seconds(60), nil) }
        func decision(at seconds: Int) -> Resumption {
            Resumption.decide(
                entry, evidence: .journal(journal), context: ResumeContext(.held, quietHours: nil),
                now: Self.now + .seconds(seconds))
        }
        #expect(decision(at: 100) == .hold(Reason(.onHoldUntil, .instant(Self.now + .seconds(100)))))
        #expect(decision(at: 101) == .hold(Reason(.onHoldTooLate)))
    }

    // MARK: Going on

    @Test(arguments: [(answered: 1, isConcluded: true), (0, false)])
    func whatIsNotWantedAnyMoreIsConcludedOnceSomebodyGotIt(answered: Int, isConcluded: Bool) {
        let journal = JournalState(
            targets: 3, answered: answered, inDoubt: 0, waiting: 3 - answered, lastOutcomeAt: Self.now)
        let decision = Resumption.decide(
            Self.sending(), evidence: .journal(journal), context: ResumeContext(.ended, quietHours: nil), now: Self.now)
        #expect(decision == (isConcluded ? .conclude(Reason(.notWanted), missed: 2) : .leaveUnsent))
    }

    @Test func aPartIsSentToFromTheMomentItOpens() {
        let journal = JournalState(
            targets: 3, answered: 1, inDoubt: 0, waiting: 2, lastOutcomeAt: Self.now, opensAt: Self.now + .seconds(60))
        func decision(at seconds: Int) -> Resumption {
            Resumption.decide(
                Self.sending(), evidence: .journal(journal), context: ResumeContext(.delivered, quietHours: nil),
                now: Self.now + .seconds(seconds))
        }
        #expect(decision(at: 59) == .hold(Reason(.nextPartOpens, .instant(Self.now + .seconds(60)))))
        #expect(decision(at: 60) == .goOn(journal))
    }

    /// Before its audience was frozen a journal knows no number.
    @Test(arguments: [(targets: 0, devices: 10_000), (1, 1)])
    func whatIsLeftIsWhatTheJournalSaysOnceItsAudienceIsFrozen(targets: Int, devices: Int) throws {
        let campaign = Sample.campaign("score")
        let entry = Self.sending { $0.request = PushRequest(endpoint: .push, body: ["where": [:]]) }
        let journal = JournalState(targets: targets, answered: 0, inDoubt: 0, waiting: targets, lastOutcomeAt: nil)
        var planner = Self.planner([campaign], [entry], .journal(journal))
        let audience = try #require(entry.request.flatMap(planner.input.encoder.audience))
        var input = planner.input
        input.state.audiences[Digest(of: audience)] = AudienceCount(devices: 10_000)
        planner = CampaignPlanner(input, contents: input.desired.contentDigests)
        let step = planner.resumption(of: entry, campaign: campaign, .delivered).step
        #expect(step.change.audience?.devices == devices)
    }

    @Test func whatIsOutsideOfTheFenceMakesNoPush() {
        let campaign = Sample.campaign("score")
        let entry = Self.sending { $0.request = PushRequest(endpoint: .push, body: ["where": [:]]) }
        func isSending(under fence: Audience?) -> Bool {
            let remote = RemoteDeclaration(
                name: "production", origin: Sample.origin("bugle"), service: .apns(.init(registry: .sqlite("a"))),
                fence: fence, policy: nil)
            let planner = Self.planner([campaign], [entry], Evidence.none) { $0.remotes = ["production": remote] }
            return planner.resumption(of: entry, campaign: campaign, .delivered).isSending
        }
        #expect(isSending(under: nil))
        #expect(!isSending(under: Audience(channels: ["Giants"])))
    }

    @Test func aCertificateThatExpiresBeforeTheEndHoldsBackTheRestToo() {
        let campaign = Sample.campaign("score")
        let profile = DeviceProfile(
            name: "driver", origin: Sample.origin("driver"), environment: .production, topic: "com.example.driver",
            credential: .certificate(source: .environment("CERT"), key: nil, passphrase: nil),
            facts: CredentialFacts(
                fingerprint: "ab", expiresAt: Self.now - .seconds(1), topics: ["com.example.driver"]))
        let entry = Self.sending()
        let planner = Self.planner([campaign], [entry], Evidence.none) { $0.deviceProfiles = [profile] }
        let change = planner.resumption(of: entry, campaign: campaign, .delivered).step.change
        #expect(change.action == .resume && change.blocked.map(\.rule) == [.certificateExpiryWarning])
    }

    // MARK: A person decides

    @Test(arguments: [(DeliveryState.halted, Reason.Progress.rolloutHalted), (.holding, .rolloutHolds)])
    func aRolloutThatWasHaltedIsNotSaidToHold(state: DeliveryState, code: Reason.Progress) {
        var entry = Self.sending()
        entry.state = state
        let step = Self.planner([], [entry]).unknown(entry, campaign: nil)
        #expect(step.change.reason.code == Reason.Code(code))
    }

    @Test(arguments: [(expires: Int?.none, asks: true), (1, true), (0, false)])
    func oneDeviceInDoubtIsForAPersonUntilThePushExpires(expires: Int?, asks: Bool) {
        let campaign = Sample.campaign("score")
        var entry = Ledger.entry(campaign, .sent, now: Self.now, age: .seconds(60))
        entry.expiresAt = expires.map { Self.now + .seconds($0) }
        entry.figures = DeliveryFigures(devices: 9, successes: 8, invalidTokens: 0)
        entry.figures?.inDoubt = 1
        #expect(entry.isInDoubt(at: Self.now) == asks)
        let plan = Planner.plan(Self.planner([campaign], [entry]).input).plan
        #expect(plan.changes.map(\.action) == (asks ? [.none] : []))
        #expect(plan.diagnostics.contains { $0.code == .inDoubt } != asks)
    }

    // MARK: History

    @Test func deliveriesAreKeptByCampaignAndRevision() {
        var ledger: [LedgerEntry] = []
        for revision in [2, 1, 3] {
            for name in ["score", "other", "third"] {
                let campaign = Sample.campaign(name, revision: revision)
                ledger.append(Ledger.entry(campaign, .sent, now: Self.now, age: .seconds(60)))
            }
        }
        let history = CampaignHistory(ledger)
        #expect(Set(history.names) == ["score", "other", "third"])
        for name in history.names { #expect(history.entries(named: name).map(\.revision) == [1, 2, 3]) }
    }
}
