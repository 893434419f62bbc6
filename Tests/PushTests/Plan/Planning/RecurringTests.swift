import Base
import Push
import RemoteTesting
import Testing

/// Recurring campaigns straight to Apple: an occurrence is sent when it is due.
@Suite struct RecurringTests {
    @Test func aNewOneIsOneLineWithWhatIsAhead() throws {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        let plan = world.result(explains: true).plan
        #expect(plan.changes.count == 1)
        let change = try #require(plan.changes.first)
        #expect(change.action == .create && change.delivery == nil && change.file == "campaigns/daily.yaml")
        let ahead = try #require(change.occurrences)
        #expect(ahead.ahead == 20 && ahead.following == 15 && ahead.last?.text == "2026-12-20")
        #expect(
            ahead.next.map { "\($0.date.text) \($0.at.text)" }.first == "2026-12-01 2026-12-01T09:00:00+08:00"
                && ahead.next.map(\.date.text).last == "2026-12-05")
        #expect(ahead.next[0].latestStart.text == "2026-12-01T10:00:00+08:00")
        #expect(ahead.mustRun?.from == ahead.next[0].at && ahead.mustRun?.until == ahead.next[0].latestStart)
        #expect(
            ahead.next[0].delivery
                == DeliveryID(
                    workspace: "giants", campaign: "daily", revision: 1,
                    occurrence: .on(CivilDate(year: 2026, month: 12, day: 1))))
        #expect(change.audience?.devices == 3 && change.payload != nil && !change.looks.isEmpty)
        #expect(plan.calendar.entries.map { $0.at.text.prefix(10) }.count == 5)
        #expect(plan.summary[.create] == 1)
        world.apply()
        #expect(world.lines() == ["wait"])
        #expect(!world.result().plan.hasChanges)
        #expect(
            world.result().plan.changes.first?.reason.text.contains("an apply must run between 2026-12-01 09:00")
                == true)
    }

    @Test func eachDayIsSentOnceWhenItIsDue() {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.apply()
        #expect(world.apply("2026-12-01T00:58:59Z") == ["wait"])
        #expect(world.apply("2026-12-01T00:59:59Z") == ["wait"], "nothing before its time")
        #expect(world.apply("2026-12-01T01:00:00Z") == ["send 2026-12-01", "wait"])
        #expect(world.apply("2026-12-01T01:30:00Z") == ["wait"])
        #expect(world.apply("2026-12-02T02:00:00Z") == ["send 2026-12-02", "wait"], "the last moment of its window")
        #expect(world.apply("2026-12-02T02:00:01Z") == ["wait"])
        #expect(world.days == ["2026-12-01", "2026-12-02"])
        #expect(world.sent[0].entry.delivery != world.sent[1].entry.delivery)
    }

    @Test func whatWasMissedIsListedOnceAndNeverCaughtUp() {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.apply()
        world.pass(to: Instant("2026-12-03T02:00:01Z") ?? world.now)
        let plan = world.result().plan
        #expect(world.lines() == ["wait", "missed 2026-12-03"])
        #expect(plan.changes.last?.reason.text == "the windows of 3 occurrences ended, 2026-12-01 to 2026-12-03")
        let diagnostic = plan.diagnostics.first { $0.code == .missed }
        #expect(diagnostic?.severity == .warning)
        #expect(!plan.hasChanges && !plan.isBlocked)
        world.apply()
        #expect(world.lines() == ["wait"])
        #expect(world.days.isEmpty)
    }

    @Test func aDayThatIsHeldBackToTheLastMomentOfItsWindowIsMissed() {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.apply()
        world.campaign.maxAudience = 2
        #expect(world.apply("2026-12-01T02:00:00Z") == ["blocked send 2026-12-01", "wait"])
        #expect(world.apply("2026-12-01T02:00:01Z") == ["wait", "missed 2026-12-01"])
        #expect(world.apply("2026-12-01T02:00:02Z") == ["wait"])
    }

    @Test func aDayBeforeItWasFirstAppliedIsNotMissed() {
        var world = RecurringWorld("2026-12-05T12:00:00Z")
        #expect(world.apply() == ["create"])
        #expect(world.apply("2026-12-05T12:30:00Z") == ["wait"])
    }

    @Test func aChangeIsOneLineAndHoldsForTheDaysThatAreNotDelivered() throws {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.apply()
        world.apply("2026-12-01T01:00:00Z")
        world.say("Another text.")
        #expect(world.lines() == ["update"])
        let change = try #require(world.result().plan.changes.first)
        #expect(change.before?["content"] != change.after?["content"] && change.occurrences?.ahead == 19)
        #expect(world.result().plan.diagnostics.allSatisfy { $0.code != .editedAfterDelivery })
        world.apply()
        #expect(world.lines() == ["wait"])
        world.apply("2026-12-02T01:00:00Z")
        #expect(
            world.sent.map { $0.entry.request?.body["data"]?["alert"]?.string } == ["It's now 2-2.", "Another text."])
    }

    // MARK: On a day already served, nothing twice

    private func served() -> RecurringWorld {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.apply()
        world.apply("2026-12-01T01:10:00Z")
        return world
    }

    @Test func anHourMovedLaterOnAServedDaySendsNothingThatDay() {
        var world = served()
        world.change { $0.minute = 20 * 60 }
        #expect(world.apply() == ["update"])
        #expect(world.apply("2026-12-01T12:00:00Z") == ["wait"])
        #expect(world.apply("2026-12-02T01:10:00Z") == ["wait"])
        #expect(world.apply("2026-12-02T12:00:00Z") == ["send 2026-12-02", "wait"])
    }

    @Test func anHourMovedEarlierOnAServedDaySendsNothingThatDay() {
        var world = served()
        world.change { $0.minute = 9 * 60 - 10 }
        #expect(world.apply("2026-12-01T01:20:00Z") == ["update"])
        #expect(world.days == ["2026-12-01"])
    }

    /// Half past midnight in Shanghai is half past four on the day before in UTC: the same moment, another day.
    @Test func aZoneThatGivesTheSameMomentAnotherDaySendsItOnce() {
        var world = RecurringWorld("2026-11-20T12:00:00Z") { rule in
            (rule.every, rule.on, rule.minute) = (.week, [.weekday(1)], 30)
            (rule.from, rule.until) = (CivilDate("2026-12-05"), CivilDate("2026-12-31"))
        }
        world.apply()
        #expect(world.apply("2026-12-07T16:35:00Z") == ["send 2026-12-08", "wait"])
        world.change { ($0.on, $0.minute, $0.timeZone) = ([.weekday(0)], 16 * 60 + 30, "UTC") }
        #expect(world.apply("2026-12-07T16:40:00Z") == ["update"])
        #expect(world.apply("2026-12-08T16:40:00Z") == ["wait", "missed 2026-12-07"], "said, and not sent")
        #expect(world.apply("2026-12-14T16:40:00Z") == ["send 2026-12-14", "wait"])
    }

    @Test func aZoneThatShiftsTheDayKeepsEachDayToOneDelivery() {
        var world = served()
        world.change { $0.timeZone = "America/Los_Angeles" }
        #expect(world.apply("2026-12-01T02:00:00Z") == ["update"])
        #expect(world.apply("2026-12-01T17:00:00Z") == ["wait"], "09:00 of 1 December, which was served")
        #expect(world.apply("2026-12-02T17:00:00Z") == ["send 2026-12-02", "wait"])
    }

    @Test func anExceptionOfAServedDayChangesNothingOfItAndOneAheadTakesItAway() {
        var world = served()
        world.change { $0.except = ["2026-12-01", "2026-12-02"].compactMap { CivilDate($0) } }
        #expect(world.apply() == ["update"])
        #expect(world.apply("2026-12-02T01:10:00Z") == ["wait"])
        #expect(world.apply("2026-12-03T01:10:00Z") == ["send 2026-12-03", "wait"])
    }

    @Test func aRaisedRevisionRepeatsNothingAndIsThatOfTheNextDay() {
        var world = served()
        world.campaign.revision = 2
        #expect(world.apply() == ["update"])
        #expect(world.apply("2026-12-01T01:30:00Z") == ["wait"])
        #expect(world.apply("2026-12-02T01:10:00Z") == ["send 2026-12-02", "wait"])
        #expect(world.sent.map(\.entry.revision) == [1, 2])
        world.campaign.revision = 1
        #expect(world.apply("2026-12-02T01:20:00Z") == ["update"], "lowered, and nothing is repeated either")
        #expect(world.result().plan.diagnostics.allSatisfy { $0.code != .revisionLowered })
    }

    @Test func aRenamedOneKeepsItsDaysAndItsRecord() {
        var world = served()
        world.campaign.name = "weekdays"
        world.campaign.formerly = ["daily"]
        world.campaign.origin = Sample.origin("weekdays")
        #expect(world.lines() == ["update", "delete"])
        world.apply("2026-12-01T01:20:00Z")
        #expect(world.lines() == ["wait"])
        #expect(world.apply("2026-12-02T01:10:00Z") == ["send 2026-12-02", "wait"])
        #expect(
            world.sent.map(\.entry.delivery)
                == ["2026-12-01", "2026-12-02"].compactMap { CivilDate($0) }.map {
                    DeliveryID(workspace: "giants", campaign: "daily", revision: 1, occurrence: .on($0))
                })
    }

    @Test func aChainOfRenamesHoldsAndFormerlyMayGoAfterOneApply() {
        var world = served()
        (world.campaign.name, world.campaign.formerly) = ("second", ["daily"])
        world.apply("2026-12-01T01:15:00Z")
        (world.campaign.name, world.campaign.formerly) = ("third", ["second"])
        #expect(world.apply("2026-12-01T01:20:00Z") == ["update", "delete"])
        world.campaign.formerly = []
        #expect(world.apply("2026-12-01T01:25:00Z") == ["wait"])
        #expect(world.days == ["2026-12-01"])
        #expect(world.state.ledger.map(\.names) == [["third", "daily", "second"]])
    }

    @Test func oneRenamedWithoutSayingSoIsBlockedAlsoAfterAnApply() {
        var world = served()
        world.campaign.name = "second"
        #expect(world.apply("2026-12-01T01:15:00Z") == ["blocked create", "blocked send 2026-12-01", "blocked delete"])
        #expect(world.lines() == ["blocked create", "blocked send 2026-12-01", "blocked delete"])
        world.campaign.formerly = ["daily"]
        world.apply("2026-12-01T01:20:00Z")
        #expect(world.days == ["2026-12-01"])
    }

    @Test func renamingAndRaisingAndMovingAtOnceSendsNothingTwice() {
        var world = served()
        (world.campaign.name, world.campaign.formerly, world.campaign.revision) = ("other", ["daily"], 5)
        world.change { ($0.minute, $0.timeZone) = (10 * 60, "Asia/Tokyo") }
        world.apply("2026-12-01T01:15:00Z")
        #expect(world.days == ["2026-12-01"])
    }

    // MARK: Other states of the ledger

    @Test func aDayWhoseRestIsSentTheNextDayTakesNothingFromThatOne() throws {
        var world = served()
        var entry = try #require(world.state.ledger.first)
        entry.attemptedAt = try #require(Instant("2026-12-02T01:00:21Z"))
        world.record(entry, .sending)
        world.pass(to: try #require(Instant("2026-12-02T01:01:00Z")))
        #expect(world.lines().contains("send 2026-12-02"))
    }

    @Test func aDayThatWasTriedAgainWithinItsWindowBeganThen() throws {
        var world = RecurringWorld("2026-12-01T12:00:00Z")
        world.apply()
        world.apply("2026-12-02T01:10:00Z")
        var entry = try #require(world.state.ledger.first)
        entry.attemptedAt = try #require(Instant("2026-12-02T01:50:00Z"))
        world.record(entry, .sending)
        // 01:30 in UTC, on the day before.
        world.change { ($0.timeZone, $0.minute) = ("America/Los_Angeles", 17 * 60 + 30) }
        world.pass(to: try #require(Instant("2026-12-02T01:55:00Z")))
        #expect(!world.lines().contains { $0.hasPrefix("send") })
    }

    @Test(arguments: [DeliveryState.unknown, .sending, .sent])
    func aDayThatMayHaveBeenSentUnderAnotherRevisionIsNotSent(_ state: DeliveryState) throws {
        var world = served()
        world.record(try #require(world.state.ledger.first), state)
        world.campaign.revision = 2
        world.now = world.now + .seconds(700)
        #expect(!world.lines().contains("send 2026-12-01"))
    }

    @Test func aRefusedDayIsTriedAgainWhileItsWindowIsOpenUnderItsOwnId() throws {
        var world = served()
        let entry = try #require(world.state.ledger.first)
        world.record(entry, .refused)
        world.campaign.revision = 2
        #expect(world.apply("2026-12-01T01:30:00Z") == ["update", "send 2026-12-01"])
        #expect(world.sent.last?.entry.delivery == entry.delivery && world.sent.last?.entry.generation == 1)
        var late = served()
        late.record(entry, .refused)
        #expect(late.lines() == ["send 2026-12-01", "wait"])
        late.pass(to: Instant("2026-12-01T02:00:01Z") ?? late.now)
        #expect(late.lines() == ["wait", "missed 2026-12-01"])
    }

    @Test func aDayThatWasRecordedAsMissedStaysSo() throws {
        var world = served()
        var entry = try #require(world.state.ledger.first)
        entry.isMissed = true
        world.record(entry, .unsent)
        world.change { $0.minute = 11 * 60 }
        #expect(world.apply("2026-12-01T03:10:00Z") == ["update"])
    }

    @Test func aDayThatIsTakenOutWhileItIsSentIsEnded() throws {
        var world = served()
        world.record(try #require(world.state.ledger.first), .sending)
        world.change { $0.except = ["2026-12-01"].compactMap { CivilDate($0) } }
        let steps = world.result().steps
        let wish = steps.compactMap { step -> ResumeContext.Wish? in
            if case .resume(_, let context) = step.operation { context.wish } else { nil }
        }
        #expect(wish == [.ended])
    }

    // MARK: Hold, end, removal

    @Test func oneOnHoldWaitsAndNothingOfItIsMissed() {
        var world = served()
        world.campaign.hold = true
        #expect(world.apply() == ["update"])
        #expect(world.apply("2026-12-02T01:10:00Z") == ["wait"])
        #expect(world.result().plan.changes.first?.reason.text == "on hold")
        let verdict = PlanVerdict(of: world.result().plan)
        #expect(verdict.code == .waits && verdict.onHold == 1, "the remote does not match the workspace")
        #expect(world.apply("2026-12-03T12:00:00Z") == ["wait"])
        world.campaign.hold = false
        #expect(world.apply("2026-12-04T01:10:00Z") == ["update", "send 2026-12-04"])
        #expect(world.days == ["2026-12-01", "2026-12-04"])
    }

    @Test func oneThatEndedIsSilentAndOneThatIsGoneIsForgotten() {
        var world = served()
        world.change { $0.until = CivilDate("2026-12-01") }
        #expect(world.apply() == ["update"])
        #expect(world.lines() == [])
        #expect(world.apply(files: []) == ["delete"])
        #expect(world.state.resources.isEmpty && world.lines(files: []) == [])
    }

    @Test func oneThatNoLongerNamesTheRemoteIsForgotten() {
        var world = served()
        world.campaign.remotes = ["elsewhere"]
        #expect(world.apply() == ["delete"])
    }

    @Test func aNewOneWhoseDaysAreAllPastIsAnErrorAtItsEnd() throws {
        var world = RecurringWorld("2027-01-20T12:00:00Z")
        world.state.ledger = [
            Ledger.entry(Sample.campaign("older"), .sent, now: Sample.start, age: .seconds(60))
        ]
        #expect(world.lines(files: [world.campaign]) == ["blocked missed 2026-12-20"])
        let diagnostic = try #require(world.result().plan.diagnostics.first { $0.code == .missed })
        #expect(diagnostic.severity == .error)
        var recorded = world
        recorded.apply()
        #expect(recorded.lines() == ["missed 2026-12-20"])
        #expect(recorded.result().plan.diagnostics.first { $0.code == .missed }?.severity == .note)
        world.state.ledger = []
        #expect(world.lines() == ["missed 2026-12-20"])
    }

    @Test func aCampaignThatBeginsOrStopsRecurringKeepsThePastsApart() {
        var world = served()
        let recurring = world.campaign
        var once = recurring
        (once.recurrence, once.scheduledAt) = (nil, OffsetInstant(world.now + .seconds(600)))
        #expect(world.apply(files: [once]) == ["delete", "wait"])
        #expect(world.apply("2026-12-01T01:25:00Z", files: [once]) == ["send"])
        #expect(world.apply("2026-12-01T01:26:00Z", files: [recurring]) == ["create"])
        #expect(world.apply("2026-12-02T01:10:00Z", files: [recurring]) == ["send 2026-12-02", "wait"])
    }

    // MARK: Limits and selections

    @Test func aTimerSendsWhatIsDueAndRecordsNothing() {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        #expect(world.apply(onlyDue: true) == [])
        #expect(world.apply("2026-12-01T01:10:00Z", onlyDue: true) == ["send 2026-12-01"])
        #expect(world.state.resources.isEmpty)
    }

    @Test func theLimitOfSendsCountsWhatIsSentNow() {
        let world = RecurringWorld("2026-12-01T01:10:00Z")
        let files = (0..<6).map { number in
            var campaign = world.campaign
            campaign.name = "daily\(number)"
            return campaign
        }
        #expect(world.lines(files: Array(files.prefix(5))).filter { $0 == "send 2026-12-01" }.count == 5)
        #expect(world.lines(files: files).filter { $0 == "blocked send 2026-12-01" }.count == 6)
        var before = world
        before.now = before.now - .seconds(86_400)
        #expect(before.lines(files: files) == Array(repeating: "create", count: 6))
    }

    @Test func expirationCountsFromEachDayAndQuietHoursHoldEach() throws {
        var world = RecurringWorld("2026-11-20T12:00:00Z")
        world.campaign.expiration = .after(.seconds(7200))
        world.apply()
        world.apply("2026-12-01T01:00:00Z")
        world.apply("2026-12-02T01:30:00Z")
        #expect(world.sent.map { $0.entry.expiresAt } == world.sent.map { $0.at + .seconds(7200) })
        let quiet = try #require(QuietHours(from: 8 * 60, to: 10 * 60, timeZone: "Asia/Shanghai"))
        let workspace = Sample.workspace([world.campaign]) { $0.policy.quietHours = quiet }
        #expect(Checker.policyFindings(workspace).map(\.code) == [.policyQuietHours])
        var state = world.state
        state.now = Instant("2026-12-03T01:30:00Z") ?? world.now
        let plan = Planner.plan(Ledger.answered(Sample.input(workspace, state, canSchedule: false))).plan
        #expect(plan.changes.first { $0.action == .send }?.blocked.map(\.rule) == [.quietHours])
    }

    @Test func aMonthWithoutTheDayIsSaid() throws {
        let world = RecurringWorld("2027-01-20T12:00:00Z") {
            ($0.every, $0.on) = (.month, [.dayOfMonth(30)])
            $0.until = CivilDate("2027-12-31")
        }
        let ahead = try #require(world.result().plan.changes.first?.occurrences)
        #expect(ahead.next.map(\.date.text).prefix(2) == ["2027-01-30", "2027-03-30"])
        #expect(ahead.absent == ["2027-02-30"])
    }

    // MARK: Reviewed plans

    private func differences(_ reviewed: Plan, _ now: Plan) -> [String] {
        PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: true)
    }

    @Test func aReviewedPlanStaysValidWhileItsDaysPass() {
        var world = RecurringWorld("2026-11-30T12:00:00Z")
        world.apply()
        world.say("Another text.")
        let reviewed = world.result(explains: true).plan
        world.pass(to: Instant("2026-12-01T01:10:00Z") ?? world.now)
        #expect(world.lines() == ["update", "send 2026-12-01"])
        #expect(differences(reviewed, world.result().plan) == [], "the send was listed with its day")
        let atItsTime = world.result(explains: true).plan
        world.apply(onlyDue: true)
        #expect(world.lines() == ["update"])
        #expect(differences(atItsTime, world.result().plan) == [], "a timer sent it meanwhile")
        world.apply()
        #expect(differences(reviewed, world.result().plan) == [], "another apply recorded the same files")
    }

    @Test func aDayThatNoReviewedPlanListedIsADifference() {
        var world = RecurringWorld("2026-11-30T12:00:00Z")
        world.apply()
        let reviewed = world.result(explains: true).plan
        world.change { $0.minute = 8 * 60 }
        world.pass(to: Instant("2026-12-01T00:10:00Z") ?? world.now)
        var now = world.result().plan
        now.desired = reviewed.desired
        #expect(differences(reviewed, now).isEmpty == false)
        var grown = reviewed
        world.change { $0.minute = 9 * 60 }
        world.pass(to: Instant("2026-12-01T01:10:00Z") ?? world.now)
        grown.changes[0].audience?.devices = 0
        var many = world.result().plan
        many.changes[0].audience?.devices = 1000
        #expect(differences(grown, many) == ["campaign daily: its audience grew from 0 to 1,000 devices"])
    }

    @Test func fewerDevicesThanADayNeedsAreToldOnTheCampaignsOwnLine() throws {
        var campaign = RecurringWorld("2026-11-20T12:00:00Z").campaign
        campaign.minAudience = 100
        var input = Sample.input(
            Sample.workspace([campaign]), RemoteState(now: Sample.start, ledgerStarted: true), canSchedule: false,
            keepsJournal: true)
        for (devices, isTold) in [(40, true), (100, false)] {
            for digest in Planner.questions(input).counts.keys {
                input.state.audiences[digest] = AudienceCount(devices: devices)
            }
            let plan = Planner.plan(input).plan
            let line = try #require(plan.changes.first { $0.occurrences != nil })
            // More may come until then.
            #expect(line.blocked == [])
            let remark = plan.diagnostics.first { $0.code == .emptyAudience }
            #expect((remark != nil) == isTold)
            if isTold { #expect(remark?.message.text.hasPrefix("40 devices are in the audience of daily now") == true) }
            input.state.audiences = [:]
        }
    }
}
