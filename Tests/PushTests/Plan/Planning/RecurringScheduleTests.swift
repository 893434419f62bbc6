import Base
import Push
import RemoteTesting
import Testing

/// Recurring campaigns on a service that keeps the clock: the next occurrence only is scheduled ahead.
@Suite struct RecurringScheduleTests {
    private func scheduled() -> RecurringWorld {
        var world = RecurringWorld("2026-11-20T12:00:00Z", canSchedule: true)
        world.apply()
        return world
    }

    @Test func onlyTheNextIsScheduledAndASentOneFreesTheNext() throws {
        var world = RecurringWorld("2026-11-20T12:00:00Z", canSchedule: true)
        #expect(world.lines() == ["create", "schedule 2026-12-01"])
        let series = try #require(world.result().plan.changes.first?.occurrences)
        #expect(series.mustRun?.from.text == "2026-12-01T09:00:00+08:00")
        #expect(series.mustRun?.until.text == "2026-12-02T10:00:00+08:00")
        world.apply()
        #expect(world.lines() == ["wait"] && !world.result().plan.hasChanges)
        #expect(world.apply("2026-12-01T00:59:00Z") == ["wait"])
        #expect(world.apply("2026-12-01T01:00:00Z") == ["schedule 2026-12-02", "wait"])
        #expect(world.apply("2026-12-02T12:00:00Z") == ["schedule 2026-12-03", "wait"])
        #expect(world.days == ["2026-12-01", "2026-12-02"])
        #expect(world.sent.map(\.at) == world.sent.compactMap { $0.entry.scheduledAt })
    }

    @Test func anApplyMustRunWithinTheWindowOfADayThatARuleKeepsFromBeingScheduled() throws {
        var world = RecurringWorld("2026-11-20T12:00:00Z", canSchedule: true)
        world.campaign.maxAudience = 2
        let plan = world.result().plan
        #expect(plan.changes.contains { $0.action == .schedule && $0.isBlocked })
        let series = try #require(plan.changes.first?.occurrences)
        #expect(series.mustRun?.from.text == "2026-12-01T09:00:00+08:00")
        #expect(series.mustRun?.until.text == "2026-12-01T10:00:00+08:00")
        // The push that is pending is sent at its time, whatever becomes of the change.
        var pending = scheduled()
        pending.say("Another text.")
        pending.campaign.maxAudience = 2
        let changed = pending.result().plan
        #expect(changed.changes.contains { $0.action == .reschedule && $0.isBlocked })
        #expect(changed.changes.first?.occurrences?.mustRun?.until.text == "2026-12-02T10:00:00+08:00")
    }

    @Test func aDayThatIsDueIsSentAndTheNextOneScheduledByTheApplyAfterIt() {
        var world = RecurringWorld("2026-12-01T01:10:00Z", canSchedule: true)
        #expect(world.apply() == ["create", "send 2026-12-01"])
        #expect(world.apply("2026-12-01T01:11:00Z") == ["schedule 2026-12-02", "wait"])
    }

    @Test func aChangedTextOrHourReschedulesTheSameDay() {
        var world = scheduled()
        world.say("Another text.")
        #expect(world.apply() == ["update", "reschedule 2026-12-01"])
        world.change { $0.minute = 10 * 60 }
        #expect(world.apply() == ["update", "reschedule 2026-12-01"])
        #expect(world.lines() == ["wait"])
        world.apply("2026-12-01T02:00:00Z")
        #expect(world.days == ["2026-12-01"] && world.sent.first?.at.text == "2026-12-01T02:00:00Z")
        #expect(world.sent.first?.entry.generation == 2)
    }

    @Test func aLongerRuleIsNoChangeOfWhatIsPending() {
        var world = scheduled()
        world.change { $0.until = CivilDate("2027-12-20") }
        #expect(world.apply() == ["update"])
    }

    @Test func aRaisedRevisionLeavesWhatIsPendingAndIsThatOfTheNext() {
        var world = scheduled()
        world.campaign.revision = 2
        #expect(world.apply() == ["update"])
        world.apply("2026-12-01T02:00:00Z")
        world.apply("2026-12-02T02:00:00Z")
        #expect(world.days == ["2026-12-01", "2026-12-02"])
        #expect(world.sent.map(\.entry.revision) == [1, 2])
    }

    @Test func holdRemovalAndExceptionsCancelWhatIsPending() {
        var held = scheduled()
        held.campaign.hold = true
        #expect(held.apply() == ["update", "cancel 2026-12-01"])
        #expect(held.lines() == ["wait"])
        held.campaign.hold = false
        #expect(held.apply() == ["update", "schedule 2026-12-01"])
        #expect(held.state.scheduled.count == 1)
        var gone = scheduled()
        let other = Sample.campaign("other") { $0.remotes = ["elsewhere"] }
        #expect(gone.apply(files: [other]) == ["cancel 2026-12-01", "delete"])
        #expect(gone.state.scheduled.isEmpty && gone.lines(files: [other]) == [])
        var excepted = scheduled()
        excepted.change { $0.except = ["2026-12-01"].compactMap { CivilDate($0) } }
        #expect(excepted.apply() == ["update", "cancel 2026-12-01", "schedule 2026-12-02"])
        #expect(excepted.apply() == ["wait"])
    }

    /// The cancelled push may fire all the same: its moment must not be given to another day at once.
    @Test func aMomentThatBecomesAnotherDaysIsCancelledFirst() {
        var world = RecurringWorld("2026-12-07T12:00:00Z", canSchedule: true) { rule in
            (rule.every, rule.on, rule.minute) = (.week, [.weekday(1)], 30)
        }
        world.apply()
        world.change { ($0.on, $0.minute, $0.timeZone) = ([.weekday(0)], 16 * 60 + 30, "UTC") }
        #expect(world.apply() == ["update", "cancel 2026-12-08"])
        #expect(world.apply() == ["schedule 2026-12-07", "wait"])
        world.apply("2026-12-07T17:00:00Z")
        #expect(world.days == ["2026-12-07"])
    }

    @Test func anHourMovedIntoThePastCancelsTheDay() {
        var world = RecurringWorld("2026-12-01T03:00:00Z", canSchedule: true) { $0.minute = 20 * 60 }
        world.apply()
        world.change { $0.minute = 8 * 60 }
        #expect(world.apply() == ["update", "cancel 2026-12-01", "schedule 2026-12-02"])
        #expect(world.apply("2026-12-01T04:00:00Z") == ["wait"])
    }

    @Test func listedDevicesAreSentToWhenDue() {
        var world = RecurringWorld("2026-11-20T12:00:00Z", canSchedule: true)
        world.campaign.audience = Audience(platforms: [.ios], devices: ["aa"])
        #expect(world.apply() == ["create"])
        #expect(world.apply("2026-12-01T01:10:00Z") == ["send 2026-12-01", "wait"])
    }

    @Test func aTimerSchedulesNothing() {
        var world = scheduled()
        #expect(world.apply("2026-12-01T01:00:00Z", onlyDue: true) == ["wait"])
        #expect(world.apply("2026-12-02T01:10:00Z", onlyDue: true) == ["send 2026-12-02", "wait"])
    }

    /// Random edits and random times: a day is one delivery, and no moment is two.
    @Test(arguments: 0..<24)
    func whateverIsEditedNoDayIsSentTwice(seed: Int) {
        var state = UInt64(seed) &* 7_046_029_254_386_353_131 &+ 99
        func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
        var world = RecurringWorld("2026-11-30T00:00:00Z", canSchedule: seed % 2 == 0)
        world.campaign.window = .seconds(3 * 3600)
        for _ in 0..<120 {
            world.pass(to: world.now + .seconds(Int64(60 * (1 + roll(600)))))
            switch roll(9) {
            case 0: world.change { $0.minute = 30 * roll(48) }
            case 1:
                world.change { $0.timeZone = ["Asia/Shanghai", "UTC", "America/Los_Angeles", "Pacific/Apia"][roll(4)] }
            case 2:
                world.change {
                    $0.except = (0..<roll(4)).map { _ in CivilDate(year: 2026, month: 12, day: 1 + roll(20)) }
                }
            case 3: world.campaign.revision = 1 + roll(3)
            case 4: world.campaign.hold.toggle()
            case 5: world.say("Text \(roll(5))")
            case 6:
                world.campaign.formerly.append(world.campaign.name)
                world.campaign.name = "name\(world.campaign.formerly.count)"
            default: break
            }
            world.apply(onlyDue: roll(3) == 0)
        }
        #expect(Set(world.days).count == world.days.count, "\(world.days)")
        #expect(Set(world.sent.map(\.at)).count == world.sent.count)
        #expect(world.days.count > 1)
        #expect(world.sent.map(\.at) == world.sent.map(\.at).sorted())
    }
}
