import Push
import RemoteTesting
import Testing

@Suite struct ResumptionTests {
    private static let intended = Sample.start
    private static let record = PushRecord(
        objectID: "push1", .done, figures: DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))

    private static func decide(
        _ evidence: Evidence, age: Duration, wish: ResumeContext.Wish = .delivered, quietHours: QuietHours? = nil,
        change: (inout LedgerEntry) -> Void = { _ in }
    ) -> Resumption {
        var entry = Ledger.entry(Sample.campaign("score"), .sending, now: intended, age: .zero)
        entry.expiresAt = nil
        entry.window = .seconds(7 * 86_400)
        change(&entry)
        return Resumption.decide(
            entry, evidence: evidence, context: ResumeContext(wish, quietHours: quietHours),
            now: intended + age)
    }

    @Test(arguments: [0, 239, 240, 600, 7 * 86_400], [ResumeContext.Wish.delivered, .held, .ended])
    func whatIsFoundIsAdoptedAtAnyAge(age: Int, wish: ResumeContext.Wish) {
        #expect(Self.decide(.found(Self.record), age: .seconds(age), wish: wish) == .adopt(Self.record))
    }

    /// What an apply that ended before any device got it could not write into the ledger.
    @Test(
        arguments: [
            (0, 0, 0, true), (1, 1, 0, true), (3, 3, 0, false), (1, 0, 0, false), (2, 1, 0, false), (1, 1, 1, false),
        ])
    func aJournalThatWasClosedBeforeAnyDeviceGotItStartsOver(
        answered: Int, refused: Int, inDoubt: Int, startsOver: Bool
    ) {
        let state = JournalState(
            targets: 3, answered: answered, inDoubt: inDoubt, waiting: 0, lastOutcomeAt: nil, refused: refused)
        let expected: Resumption = startsOver ? .startOver : .goOn(state)
        #expect(Self.decide(.journal(state), age: .seconds(1200)) == expected)
    }

    @Test(arguments: [Evidence.none, .failed(.verbatim("503"))], [0, 10, 239])
    func underFourMinutesTheRequestIsRepeatedTenSecondsAfterTheIntent(evidence: Evidence, age: Int) {
        #expect(
            Self.decide(evidence, age: .seconds(age)) == .repeatRequest(notBefore: Self.intended + .seconds(10)))
    }

    @Test(arguments: [Evidence.none, .failed(.verbatim("503"))], [240, 599])
    func fromFourToTenMinutesItIsLookedUpAgain(evidence: Evidence, age: Int) {
        #expect(Self.decide(evidence, age: .seconds(age)) == .lookAgain(until: Self.intended + .seconds(600)))
    }

    @Test(arguments: [600, 3600, 6 * 86_400])
    func fromTenMinutesToSixDaysWhatWasNotFoundIsSent(age: Int) {
        #expect(Self.decide(.none, age: .seconds(age)) == .send)
    }

    @Test func olderThanSixDaysNothingIsBelieved() {
        #expect(Self.decide(.none, age: .seconds(6 * 86_400 + 1)).isUnknown)
    }

    @Test(arguments: [600, 3600, 7 * 86_400])
    func aFailedLookUpAfterTenMinutesIsUnknown(age: Int) {
        #expect(Self.decide(.failed(.verbatim("503")), age: .seconds(age)) == .unknown(.verbatim("503")))
    }

    @Test(arguments: [0, 239, 240, 599])
    func whatIsNotWantedIsNeverRepeated(age: Int) {
        #expect(
            Self.decide(.none, age: .seconds(age), wish: .ended)
                == .lookAgain(until: Self.intended + .seconds(600)))
    }

    @Test func whatIsNotWantedIsLeftUnsent() {
        #expect(Self.decide(.none, age: .seconds(600), wish: .ended) == .leaveUnsent)
    }

    @Test(arguments: [Evidence.none, .failed(.verbatim("503"))], [0, 239, 240, 600, 7 * 86_400])
    func whatIsHeldStaysAtAnyAge(evidence: Evidence, age: Int) {
        #expect(Self.decide(evidence, age: .seconds(age), wish: .held) == .hold(Reason(.onHold)))
    }

    @Test(arguments: [0, 599])
    func aRecordThatSaysNothingDocumentedIsLookedAtAgain(age: Int) {
        #expect(
            Self.decide(.found(Self.strange(successes: 0)), age: .seconds(age))
                == .lookAgain(until: Self.intended + .seconds(600)))
    }

    @Test(arguments: [600, 7 * 86_400], [ResumeContext.Wish.delivered, .held, .ended])
    func afterTenMinutesItIsUnknownUnlessSomebodyGotIt(age: Int, wish: ResumeContext.Wish) {
        #expect(Self.decide(.found(Self.strange(successes: 0)), age: .seconds(age), wish: wish).isUnknown)
        let sent = Self.strange(successes: 1)
        #expect(Self.decide(.found(sent), age: .seconds(age), wish: wish) == .adopt(sent))
    }

    private static func strange(successes: Int) -> PushRecord {
        PushRecord(
            objectID: "push1", .unknown("sending"),
            figures: DeliveryFigures(devices: 9, successes: successes, invalidTokens: 0))
    }

    @Test func theWindowCountsFromTheIntent() {
        #expect(Self.decide(.none, age: .seconds(3600)) { $0.window = .seconds(3600) } == .send)
        #expect(Self.decide(.none, age: .seconds(3601)) { $0.window = .seconds(3600) }.isMissed)
    }

    @Test func theWindowOfAScheduledDeliveryCountsFromItsTime() {
        let at = Self.intended + .seconds(3600)
        let change = { (entry: inout LedgerEntry) in
            entry.scheduledAt = at
            entry.window = .seconds(60)
        }
        #expect(Self.decide(.none, age: .seconds(3660), change: change) == .send)
        #expect(Self.decide(.none, age: .seconds(3661), change: change).isMissed)
    }

    /// It began 58 minutes after its time, and has an hour.
    @Test func whatBeganLateInItsWindowHasTheWholeOneForItsRest() {
        let at = Sample.start - .seconds(3480)
        let input = Sample.input(
            Sample.workspace([Sample.campaign("score", at: at)]), RemoteState(now: Sample.start, ledgerStarted: true),
            canSchedule: false, keepsJournal: true)
        guard case .deliver(let entry, _)? = Planner.plan(Ledger.answered(input)).steps.last?.operation else {
            Issue.record("not a delivery")
            return
        }
        func decide(_ state: JournalState, after seconds: Int) -> Resumption {
            Resumption.decide(
                entry, evidence: .journal(state), context: ResumeContext(.delivered, quietHours: nil),
                now: Sample.start + .seconds(seconds))
        }
        let half = JournalState(targets: 2, answered: 1, inDoubt: 0, waiting: 1, lastOutcomeAt: Sample.start)
        #expect(decide(half, after: 900) == .goOn(half))
        #expect(decide(half, after: 3600) == .goOn(half))
        let end = Reason(.windowEnded, .instant(Sample.start + .seconds(3600)))
        #expect(decide(half, after: 3601) == .conclude(end, missed: 1))
        // Of which nothing was sent has what is left from its time.
        #expect(decide(.unbegun, after: 120) == .goOn(.unbegun))
        #expect(decide(.unbegun, after: 121).isMissed)
    }

    @Test func anExpiredDeliveryIsMissed() {
        #expect(Self.decide(.none, age: .seconds(700)) { $0.expiresAt = Self.intended + .seconds(701) } == .send)
        #expect(Self.decide(.none, age: .seconds(700)) { $0.expiresAt = Self.intended + .seconds(700) }.isMissed)
    }

    @Test func quietHoursMakeItMissedUnlessItIsScheduledOutsideThem() throws {
        let quiet = try #require(QuietHours(from: 12 * 60, to: 13 * 60, timeZone: "UTC"))
        #expect(Self.decide(.none, age: .seconds(700), quietHours: quiet).isMissed)
        #expect(
            Self.decide(.none, age: .seconds(700), quietHours: quiet) {
                $0.scheduledAt = Self.intended + .seconds(3600)
            } == .send)
    }

    @Test func aNewAttemptMakesTheAgeYoungButNotTheWindow() {
        let change = { (entry: inout LedgerEntry) in
            entry.attemptedAt = Self.intended + .seconds(1000)
            entry.window = .seconds(1500)
        }
        #expect(
            Self.decide(.none, age: .seconds(1100), change: change)
                == .repeatRequest(notBefore: Self.intended + .seconds(1010)))
        #expect(Self.decide(.none, age: .seconds(1600), change: change).isMissed)
    }

    @Test func whatMaySendIsCountedAsASend() {
        let wanted = ResumeContext(.delivered, quietHours: nil)
        let unwanted = ResumeContext(.ended, quietHours: nil)
        #expect(Resumption.send.maySend(wanted))
        #expect(Resumption.repeatRequest(notBefore: Self.intended).maySend(wanted))
        #expect(Resumption.lookAgain(until: Self.intended).maySend(wanted))
        #expect(!Resumption.lookAgain(until: Self.intended).maySend(unwanted))
        for resumption in [
            Resumption.adopt(Self.record), .missed(Reason(.windowOver)), .leaveUnsent, .unknown(Reason(.notLookedUp)),
        ] {
            #expect(!resumption.maySend(wanted))
        }
    }
}

extension Resumption {
    fileprivate var isMissed: Bool { if case .missed = self { true } else { false } }
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
