import Base
import RemoteTesting
import Testing

@testable import Push

/// The approvals of a merge, for runs after it.
@Suite struct ApprovalMemoryTests {
    private typealias World = ApprovalWorld
    private static let soon = Sample.start + .seconds(3600)

    /// A remote that cannot keep a push, and a campaign that is due in an hour.
    private static func waiting(_ approvals: [ApprovalFile.Approval]?) -> World {
        var world = World()
        world.approvals = approvals
        world.canSchedule = false
        world.campaigns = [World.campaign(at: soon)]
        return world
    }

    /// The run of a timer an hour later, without a file.
    private static func later(_ world: World) -> World {
        var world = world
        world.now = soon
        world.approvals = nil
        world.selection.onlyDue = true
        return world
    }

    @Test func whatAMergeApprovedIsSentWhenItsTimeComes() {
        var world = Self.waiting([World.approval("alice"), World.approval("bob")])
        let sent1 = world.apply()
        #expect(!sent1, "it waits")
        var timer = Self.later(world)
        let sent2 = timer.apply()
        #expect(sent2)
        #expect(timer.memory == world.memory, "the timer forgets nothing")
    }

    @Test func whatNobodyApprovedIsHeldBackLaterToo() {
        var world = Self.waiting([World.approval("alice")])
        _ = world.apply()
        #expect(
            Self.later(world).sentences() == [
                "needs 2 approvals, has 1 (alice); no approvals were given with --approvals"
            ])
    }

    @Test func anApprovalIsOfThisVeryCampaign() {
        var world = Self.waiting([World.approval("alice"), World.approval("bob")])
        _ = world.apply()
        var timer = Self.later(world)
        timer.campaigns = [World.campaign(at: Self.soon, revision: 2)]
        #expect(timer.sentences().count == 1, "another revision is another delivery")
        timer.campaigns[0].revision = 1
        timer.campaigns[0].window = .seconds(7200)
        #expect(timer.sentences().count == 1)
    }

    @Test func theRulesThatItWasPlannedUnderHold() {
        var world = Self.waiting(nil)
        world.own = []
        _ = world.apply()
        var timer = Self.later(world)
        // Meanwhile another merge was made on top of the one that dropped the rule.
        (timer.base, timer.commit) = (.rules([]), "c3")
        #expect(timer.sentences().count == 1)
        timer.base = .unreadable("the files are in no git checkout")
        #expect(
            timer.sentences() == ["needs 2 approvals, has none; no approvals were given with --approvals"],
            "a machine without git knows them from the apply")
    }

    @Test func whoWroteACampaignDoesNotApproveItThroughAnotherChange() {
        var world = World()
        world.approvals = [World.approval("alice")]
        world.authors = ["bob"]
        let sent3 = world.apply()
        #expect(!sent3)
        // Bob approves another change, in which the campaign stands as it is.
        world.approvals = [World.approval("bob")]
        world.authors = ["carol"]
        world.commit = "c2"
        #expect(world.sentences() == ["needs 2 approvals, has 1 (alice); bob is an author"])
        world.approvals = [World.approval("Dave"), World.approval("carol")]
        #expect(world.sentences() == [], "alice has approved the same before")
    }

    @Test func whoApprovedItMayWriteAnotherChange() {
        var world = Self.waiting([World.approval("alice"), World.approval("bob")])
        _ = world.apply()
        world.approvals = [World.approval("carol")]
        (world.authors, world.commit) = (["alice"], "c2")
        _ = world.apply()
        var timer = Self.later(world)
        let sent4 = timer.apply()
        #expect(sent4)
    }

    @Test func whatCameWithoutApprovalsIsNotApprovedThroughAnotherChange() {
        var world = World()
        let sent5 = world.apply()
        #expect(!sent5)
        world.approvals = [World.approval("alice"), World.approval("bob")]
        #expect(world.sentences() == [], "the same commit again, with its approvals")
        world.commit = "c2"
        #expect(
            world.sentences() == [
                "needs 2 approvals, has none; it came with an earlier commit, whose authors are not known: "
                    + "change it, and have that approved"
            ])
    }

    @Test func anApprovalThatIsTakenBackDoesNotStay() {
        var world = World()
        world.approvals = [World.approval("alice")]
        let sent6 = world.apply()
        #expect(!sent6)
        world.approvals = [World.approval("alice", after: 5, dismissed: true), World.approval("bob")]
        #expect(world.sentences() == ["needs 2 approvals, has 1 (bob); alice's was dismissed"])
    }

    @Test func laterMergesDoNotMakeItForgetTheRules() {
        var world = Self.waiting(nil)
        world.own = []
        _ = world.apply()
        for commit in ["c2", "c3", "c4"] {
            (world.base, world.commit) = (.rules([]), commit)
            _ = world.apply()
        }
        #expect(Self.later(world).sentences().count == 1)
    }

    @Test func whatIsGoneFromTheFilesIsForgotten() {
        var world = Self.waiting([World.approval("alice"), World.approval("bob")])
        _ = world.apply()
        #expect(world.memory?.campaigns.map(\.campaign) == ["sale"])
        world.campaigns = []
        world.approvals = nil
        _ = world.apply()
        #expect(world.memory?.campaigns == [])
    }

    @Test func aRecurringCampaignIsApprovedOnce() {
        var world = World()
        world.approvals = [World.approval("alice"), World.approval("bob")]
        world.canSchedule = false
        var rule = Recurrence()
        (rule.minute, rule.timeZone) = (13 * 60, "UTC")
        (rule.from, rule.count) = (CivilDate("2026-11-20"), 5)
        world.campaigns[0].recurrence = rule
        _ = world.apply()
        var timer = Self.later(world)
        let sent7 = timer.apply()
        #expect(sent7)
        timer.now = timer.now + .seconds(86_400)
        let sent8 = timer.apply()
        #expect(sent8, "the next day is the same campaign")
        timer.memory = nil
        let sent9 = timer.apply()
        #expect(!sent9)
    }

    @Test func whatAPersonMustLookAtKeepsItsApprovals() {
        var world = World()
        world.approvals = [World.approval("alice"), World.approval("bob")]
        let sent10 = world.apply()
        #expect(sent10)
        let sent = world.memory
        world.approvals = nil
        world.ledger = [Ledger.entry(world.campaigns[0], .unknown, now: world.now, age: .seconds(60))]
        _ = world.apply()
        #expect(world.memory == sent, "its outcome is unknown: it may have to be sent again")
        world.ledger[0].state = .sent
        _ = world.apply()
        #expect(world.memory?.campaigns == [])
    }

    @Test func whereNoRuleIsUsedNothingIsLeft() {
        var world = World()
        (world.base, world.own) = (.rules([]), [])
        _ = world.apply()
        #expect(world.memory == nil)
    }

    @Test func itIsKeptInTheLocksRecord() throws {
        var world = Self.waiting([World.approval("alice", teams: ["marketing"])])
        world.base = .rules([World.promo, World.many, ApprovalRule(when: .init(devices: 1), need: 3, from: ["x"])])
        _ = world.apply()
        var last = LastApplied(
            commit: "c", committedAt: nil, at: Sample.start, run: nil, approvals: world.memory, told: ["a/approval"])
        last.wholeAt = Sample.start - .seconds(60)
        let value = LockFields.value(of: last)
        #expect(LockFields.lastApplied(value) == last)
        // What cannot be read is no permission.
        for member in ["rules", "heldTo", "campaigns"] {
            var broken = value
            broken["approvals"]?[member] = ["x"]
            #expect(LockFields.lastApplied(broken) == nil, "\(member)")
        }
    }
}
