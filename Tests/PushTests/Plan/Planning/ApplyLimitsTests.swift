import Push
import RemoteTesting
import Testing

@Suite struct ApplyLimitsTests {
    private func campaigns(_ count: Int, _ prefix: String = "c") -> [Campaign] {
        (0..<count).map { Sample.campaign("\(prefix)\($0)") }
    }

    private func blocks(_ plan: Plan, _ rule: Block.Rule) -> Int {
        plan.changes.count { $0.blocked.contains { $0.rule == rule } }
    }

    @Test func asManySendsAsAllowedAreNotHeldBack() {
        #expect(blocks(Ledger.plan(Sample.workspace(campaigns(5))), .maxSendsPerApply) == 0)
    }

    @Test func oneSendMoreBlocksAll() {
        let plan = Ledger.plan(Sample.workspace(campaigns(6)))
        #expect(blocks(plan, .maxSendsPerApply) == 6)
        #expect(plan.changes.first?.blocked.first?.message.text == "6 sends exceed maxSendsPerApply 5")
        #expect(plan.summary.blocked == 6 && plan.summary[.send] == 0)
        #expect(plan.isBlocked && !plan.hasChanges)
    }

    @Test func aLimitRaisedInTheFilesIsRaised() {
        let plan = Ledger.plan(Sample.workspace(campaigns(6)) { $0.policy.maxSendsPerApply = 6 })
        #expect(!plan.isBlocked)
    }

    @Test func fiftyOldCampaignsOnAFreshLedgerAreAllBlocked() {
        let plan = Ledger.plan(Sample.workspace(campaigns(50)), RemoteState(now: Sample.start))
        #expect(blocks(plan, .maxSendsPerApply) == 50)
        #expect(!plan.hasChanges)
    }

    @Test func whatIsBlockedAlreadyDoesNotCount() {
        let blocked = (0..<5).map { Sample.campaign("b\($0)") { $0.expiration = nil } }
        let plan = Ledger.plan(Sample.workspace(campaigns(5) + blocked))
        #expect(blocks(plan, .maxSendsPerApply) == 0)
        #expect(plan.summary[.send] == 5)
    }

    @Test(arguments: [60, 300, 700])
    func schedulesReschedulesAndSendingResumesCountToo(age: Int) {
        let now = Sample.start
        let pending = Sample.campaign("pending", at: now + .seconds(7200))
        let entries = [
            Ledger.entry(pending, .scheduled, now: now, age: .seconds(60)),
            Ledger.entry(Sample.campaign("open"), .sending, now: now, age: .seconds(age)),
        ]
        let state = RemoteState(
            now: now, ledger: entries,
            scheduled: [
                ScheduledPush(id: 1, notificationID: Sample.delivery("pending").text, at: now + .seconds(7200))
            ])
        let workspace = Sample.workspace(
            campaigns(3) + [
                Sample.campaign("later", at: now + .seconds(3600)), Sample.campaign("open"),
                Sample.campaign("pending", at: now + .seconds(9000)),
            ])
        let plan = Ledger.plan(workspace, state)
        #expect(Set(plan.changes.map(\.action)) == [.reschedule, .resume, .schedule, .send])
        #expect(blocks(plan, .maxSendsPerApply) == 6)
    }

    @Test func aResumeThatOnlyAdoptsDoesNotCount() throws {
        let now = Sample.start
        let entry = Ledger.entry(Sample.campaign("open"), .sending, now: now, age: .seconds(60))
        let record = PushRecord(
            objectID: "push1", .done,
            figures: DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))
        let state = RemoteState(
            now: now, ledger: [entry], evidence: [entry.notificationID: .found(record)])
        let plan = Ledger.plan(Sample.workspace(campaigns(5) + [Sample.campaign("open")]), state)
        #expect(!plan.isBlocked)
        #expect(plan.summary[.resume] == 1 && plan.summary[.send] == 5)
    }

    // MARK: Cancels

    private func pending(_ count: Int) -> RemoteState {
        let at = Sample.start + .seconds(7200)
        let entries = (0..<count).map {
            Ledger.entry(Sample.campaign("p\($0)", at: at), .scheduled, now: Sample.start, age: .seconds(60))
        }
        return RemoteState(
            now: Sample.start, ledger: entries,
            scheduled: entries.enumerated().map {
                ScheduledPush(id: Int64($0), notificationID: $1.notificationID.text, at: at)
            })
    }

    @Test(arguments: [(5, 0), (6, 6)])
    func moreCancelsThanAllowedBlockAll(count: Int, blocked: Int) {
        let held = Sample.campaign("held") { $0.hold = true }
        let plan = Ledger.plan(Sample.workspace([held]), pending(count))
        #expect(plan.changes.count { $0.action == .cancel } == count)
        #expect(blocks(plan, .maxCancelsPerApply) == blocked)
    }

    /// Lists can lag behind.
    @Test(arguments: [299, 300], [true, false])
    func aPushDueWithinFiveMinutesIsNotCancelledWhetherOrNotItIsListed(seconds: Int, isListed: Bool) {
        let at = Sample.start + .seconds(seconds)
        let entry = Ledger.entry(Sample.campaign("score", at: at), .scheduled, now: Sample.start, age: .seconds(60))
        let push = ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: at)
        let state = RemoteState(now: Sample.start, ledger: [entry], scheduled: isListed ? [push] : [])
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("held") { $0.hold = true }]), state)
        let cancel = plan.changes.first { $0.action == .cancel }
        #expect(cancel?.blocked.map(\.rule) == (seconds < 300 ? [.tooLateToChange] : []))
    }

    @Test(arguments: [(0, Duration.seconds(7200), Block.Rule.maxCancelsPerApply), (5, .seconds(240), .tooLateToChange)])
    func nothingIsPlannedBesideAPushThatARuleKeepsFromBeingCancelled(most: Int, ahead: Duration, rule: Block.Rule) {
        let at = Sample.start + ahead
        let old = Ledger.entry(Sample.campaign("score", at: at), .scheduled, now: Sample.start, age: .seconds(60))
        let state = RemoteState(
            now: Sample.start, ledger: [old],
            scheduled: [ScheduledPush(id: 1, notificationID: old.notificationID.text, at: at)])
        let raised = Sample.workspace([Sample.campaign("score", revision: 2), Sample.campaign("zoo")]) {
            $0.policy.maxCancelsPerApply = most
        }
        let plan = Ledger.plan(raised, state)
        #expect(plan.changes.map(\.action) == [.cancel, .send, .send])
        #expect(plan.changes.map { $0.blocked.map(\.rule) } == [[rule], [rule], []])
        #expect(plan.changes[1].blocked.first?.message.text == "another push of it was not cancelled")
        #expect(plan.summary[.send] == 1)
    }

    @Test func aWorkspaceWithoutAnyCampaignCancelsNothing() {
        let plan = Ledger.plan(Sample.workspace(), pending(1))
        #expect(
            plan.changes.first?.blocked.first?.message.text
                == "the workspace has no campaign at all while deliveries are pending")
    }
}
