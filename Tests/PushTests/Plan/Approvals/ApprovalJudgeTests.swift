import RemoteTesting
import Testing

@testable import Push

/// Who must have approved what, and who does not count.
@Suite struct ApprovalJudgeTests {
    private typealias World = ApprovalWorld

    private static func world(_ approvals: [ApprovalFile.Approval]?) -> World {
        var world = World()
        world.approvals = approvals
        return world
    }

    @Test func enoughPeopleLetItGo() throws {
        let world = Self.world([World.approval("alice"), World.approval("bob")])
        #expect(world.sentences() == [])
        let change = try #require(world.result.plan.changes.first)
        #expect(change.requires == [ApprovalRequirement(rule: World.promo, approvedBy: ["alice", "bob"])])
        #expect(change.requires.map(\.isMet) == [true])
    }

    @Test func withoutAFileOnlyWhatNeedsApprovalsIsHeldBack() {
        var world = Self.world(nil)
        world.campaigns.append(World.campaign("score", labels: ["kind": "score"]))
        #expect(world.sentences() == ["needs 2 approvals, has none; no approvals were given with --approvals"])
        #expect(world.sentences("score") == [])
        #expect(world.result.plan.changes.filter(\.isBlocked).map(\.name) == ["sale"])
    }

    /// The approvals, and why they are too few.
    static let lacking: [([ApprovalFile.Approval], String)] = [
        ([], "needs 2 approvals, has none"),
        ([World.approval("alice")], "needs 2 approvals, has 1 (alice)"),
        (
            [World.approval("alice"), World.approval("Carol")],
            "needs 2 approvals, has 1 (alice); Carol is an author"
        ),
        (
            [World.approval("alice"), World.approval("bob", tree: String(repeating: "b", count: 40))],
            "needs 2 approvals, has 1 (alice); bob's is of an older state"
        ),
        (
            [World.approval("alice"), World.approval("bob", tree: nil)],
            "needs 2 approvals, has 1 (alice); bob's is of an older state"
        ),
        (
            [World.approval("alice"), World.approval("bob", dismissed: true)],
            "needs 2 approvals, has 1 (alice); bob's was dismissed"
        ),
        // Clocks may differ by five minutes.
        ([World.approval("alice"), World.approval("bob", after: 300)], ""),
        (
            [World.approval("alice"), World.approval("bob", after: 301), World.approval("bob")],
            "needs 2 approvals, has 1 (alice); bob's is dated in the future"
        ), ([World.approval("alice"), World.approval("ALICE", after: 1)], "needs 2 approvals, has 1 (ALICE)"),
        // Of one person the newest counts, wherever it stands.
        (
            [World.approval("bob", after: 9, dismissed: true), World.approval("Bob"), World.approval("alice")],
            "needs 2 approvals, has 1 (alice); bob's was dismissed"
        ),
    ]

    @Test(arguments: lacking) func whoIsMissingIsSaid(_ approvals: [ApprovalFile.Approval], _ sentence: String) {
        #expect(Self.world(approvals).sentences() == (sentence.isEmpty ? [] : [sentence]))
    }

    @Test func onlyPeopleOfTheTeamsCount() {
        let rule = ApprovalRule(when: .init(labels: ["kind": "promo"]), need: 1, from: ["Marketing", "legal"])
        var world = Self.world([World.approval("alice", teams: ["sales"])])
        world.base = .rules([rule])
        #expect(
            world.sentences() == [
                "needs 1 approval from Marketing or legal, has none; alice is in none of these teams"
            ])
        world.approvals = [World.approval("alice", teams: ["sales", "marketing"])]
        #expect(world.sentences() == [])
    }

    @Test func everyAuthorOfTheChangeIsAnAuthor() {
        var world = Self.world([World.approval("alice"), World.approval("bob"), World.approval("dave")])
        world.authors = ["carol", "Bob", "dave"]
        #expect(
            world.sentences() == ["needs 2 approvals, has 1 (alice); bob is an author; dave is an author"])
    }

    // MARK: Which rules

    @Test func aChangeCannotDropTheRuleByWhichItIsJudged() {
        var world = Self.world(nil)
        world.own = []
        #expect(world.sentences().count == 1)
        world.base = .rules([])
        #expect(world.sentences() == [])
    }

    @Test func anAddedRuleCountsFromTheNextMerge() {
        var world = Self.world(nil)
        world.base = .rules([])
        let sent1 = world.apply()
        #expect(sent1)
        world.base = .rules([World.promo])
        world.commit = "c2"
        #expect(world.sentences().count == 1)
    }

    @Test func theFirstCommitIsJudgedByItsOwnRules() {
        var world = Self.world(nil)
        world.base = .own
        #expect(world.sentences().count == 1)
    }

    @Test func rulesThatCannotBeReadHoldEverythingBackWhereThereMayBeSome() {
        var world = Self.world([World.approval("alice"), World.approval("bob")])
        world.base = .unreadable("commit 1234567 is not here")
        world.campaigns.append(World.campaign("score", labels: [:]))
        let sentence = "the rules on approvals of the commit before cannot be read: commit 1234567 is not here"
        #expect(world.sentences() == [sentence] && world.sentences("score") == [sentence])
        // What was not judged is not remembered as if it had been.
        _ = world.apply()
        #expect(world.sentences("score") == [sentence])
        world.own = []
        #expect(world.sentences("score") == [sentence], "files that were applied had rules")
        world.memory = nil
        #expect(world.sentences("score") == [], "nobody has ever used rules here")
    }

    @Test func aMergeThatWasNeverAppliedCannotDropARule() {
        var world = Self.world(nil)
        world.campaigns = []
        _ = world.apply()
        // The commit before dropped the rule, and no apply ran between the two: as after a rebase of several commits.
        (world.base, world.own, world.commit) = (.rules([]), [], "c3")
        world.campaigns = [World.campaign()]
        let sent2 = world.apply()
        #expect(!sent2)
        let sent3 = world.apply()
        #expect(!sent3, "nor does applying it again")
        // A run of the timer does not count as an apply of the files.
        world.selection.onlyDue = true
        world.commit = "c4"
        _ = world.apply()
        world.selection.onlyDue = false
        #expect(world.memory?.rules == [])
    }

    @Test(arguments: [true, false]) func aTimersRunBeforeTheApplyDropsNoRule(_ isNewRule: Bool) {
        var world = Self.world(nil)
        world.campaigns = []
        // A commit is not held to a rule that it adds.
        if isNewRule { world.base = .rules([]) }
        _ = world.apply()
        (world.base, world.own, world.commit) = (.rules([]), [], "c3")
        world.campaigns = [World.campaign()]
        world.selection.onlyDue = true
        _ = world.apply()
        world.selection.onlyDue = false
        #expect(world.sentences().count == 1)
    }

    // MARK: Devices

    @Test(arguments: [(49_999, 0), (50_000, 1), (nil, 1)] as [(Int?, Int)])
    func anAudienceThatIsLargeOrNotCountedNeedsApprovals(_ devices: Int?, _ count: Int) throws {
        var world = Self.world(nil)
        (world.base, world.devices) = (.rules([World.many]), devices)
        #expect(world.sentences().count == count)
        let change = try #require(world.result.plan.changes.first)
        #expect(change.requires.map(\.isUncounted) == (count == 0 ? [] : [devices == nil]))
    }

    /// The delivery as its intent would be written.
    private static func intent(_ world: World) -> LedgerEntry? {
        guard case .deliver(let entry, _)? = world.result.steps.first?.operation else { return nil }
        return entry
    }

    @Test func anAudienceCannotGrowPastWhatNeedsNoApproval() throws {
        var world = Self.world(nil)
        (world.base, world.devices) = (.rules([World.many]), 49_990)
        let intent = try #require(Self.intent(world))
        #expect(intent.mostDevices == 49_999)
        let limits = AudienceLimits(Sample.workspace(world.campaigns))
        let change = try #require(world.result.plan.changes.first)
        #expect(limits.allowed(change, approved: intent.mostDevices) == 1..<50_000)
        #expect(
            limits.block(change, devices: 50_000, approved: intent.mostDevices)
                == Block(.approvals, Reason(.aboveApproved, .count(50_000), .count(49_999))))
        world.approvals = [World.approval("alice"), World.approval("bob")]
        let approved = try #require(Self.intent(world))
        #expect(approved.mostDevices == nil)
    }

    @Test func everythingThatARuleSaysMustHold() {
        var world = Self.world(nil)
        world.base = .rules([ApprovalRule(when: .init(devices: 2, labels: ["kind": "promo", "team": "a"]), need: 1)])
        #expect(world.sentences() == [])
        world.campaigns = [World.campaign(labels: ["kind": "promo", "team": "a", "more": "b"])]
        #expect(world.sentences().count == 1)
        world.devices = 1
        #expect(world.sentences() == [])
    }

    // MARK: The state

    @Test func filesOfNoCommitAreApprovedByNobody() {
        var world = Self.world([World.approval("alice"), World.approval("bob")])
        world.state = .unknown("they differ from commit 1234567")
        #expect(
            world.sentences() == [
                "needs 2 approvals, has none; alice's is of an older state; bob's is of an older state; "
                    + "which state the files have is not known: they differ from commit 1234567"
            ])
    }

    // MARK: Plans

    @Test func aPlanForReviewersSaysWhatIsNeededAndHoldsNothingBack() throws {
        var world = Self.world(nil)
        world.isReview = true
        let reviewed = world.result.plan
        let change = try #require(reviewed.changes.first)
        #expect(!change.isBlocked && change.requires == [ApprovalRequirement(rule: World.promo)])
        #expect(try Plan.read(saved: reviewed.savedBytes()) == reviewed)
        world.isReview = false
        let held = world.result.plan
        #expect(held.changes.first?.isBlocked == true)
        let differences = PlanDifference.between(reviewed: reviewed, now: held, growth: 0.2, isTrusted: true)
        #expect(differences == [], "\(differences)")
    }

    @Test func aPlanDoesNotTellWhatAppliesTellEachOther() {
        var world = Self.world([World.approval("alice")])
        _ = world.apply()
        #expect(world.memory != nil && world.result.plan.lastApplied?.approvals == nil)
    }
}
