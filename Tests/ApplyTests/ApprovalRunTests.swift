import Apply
import RemoteTesting
import Testing

@testable import Push

/// Approvals over several applies: what is held back, what a merge leaves for the timer, and what was begun.
@Suite struct ApprovalRunTests {
    private static let rule = ApprovalRule(when: .init(labels: ["kind": "promo"]), need: 2)
    private static let tree = String(repeating: "a", count: 40)
    private static let soon = Sample.start + .seconds(3600)
    private let service = FakeService()

    private static func workspace(at: Instant? = nil) -> Workspace {
        Sample.workspace([
            Sample.campaign("sale", at: at) { $0.labels = ["kind": "promo"] }, Sample.campaign("score"),
        ]) { $0.policy.approvals = [rule] }
    }

    private static func approvals(_ people: [String]?, _ rules: [ApprovalRule] = [rule]) -> ApprovalInput {
        ApprovalInput(
            base: .rules(rules),
            file: people.map { people in
                ApprovalFile(
                    authors: ["carol"],
                    approvals: people.map { .init(approver: Approver(person: $0), tree: tree, at: Sample.start) })
            }, state: .tree(tree), commit: "c1")
    }

    private func applier(_ people: [String]?, onlyDue: Bool = false, canSchedule: Bool = true) -> Applier {
        Applier(canSchedule: canSchedule, approvals: Self.approvals(people), onlyDue: onlyDue)
    }

    @Test func whatIsNotApprovedIsBlockedAndTheOthersGoOn() async {
        let applied = await applier(nil).apply(Self.workspace(), to: service)
        #expect(service.received == ["score@1": 1])
        #expect(
            applied.result("sale")?.detail?.text
                == "blocked: approvals: needs 2 approvals, has none; no approvals were given with --approvals")
        await applier(["alice", "Alice"]).apply(Self.workspace(), to: service)
        #expect(service.received == ["score@1": 1], "one person is not two")
    }

    @Test func whatIsApprovedIsSentOnce() async {
        for _ in 0..<2 { await applier(["alice", "bob"]).apply(Self.workspace(), to: service) }
        await applier(nil).apply(Self.workspace(), to: service)
        #expect(service.received == ["score@1": 1, "sale@1": 1])
    }

    @Test(arguments: [["alice", "bob"], ["alice"]])
    func theApprovalOfAMergeHoldsForTheTimer(_ people: [String]) async {
        let workspace = Self.workspace(at: Self.soon)
        await applier(people, canSchedule: false).apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
        service.advance(.seconds(3600))
        await applier(nil, onlyDue: true, canSchedule: false).apply(workspace, to: service)
        #expect(service.received["sale@1"] == (people.count == 2 ? 1 : nil))
        await applier(nil, onlyDue: true, canSchedule: false).apply(workspace, to: service)
        #expect(service.received["sale@1"] == (people.count == 2 ? 1 : nil))
    }

    @Test func aDeliveryThatHasBegunWasApprovedThen() async {
        var killed = applier(["alice", "bob"])
        // The intent is in the ledger, and nothing was sent yet.
        killed.hook = { point, _ in point.phase == .before && point.name == "send" ? .die : .live }
        await killed.apply(Self.workspace(), to: service)
        #expect(service.received == [:])
        service.advance(.seconds(130))
        for _ in 0..<2 { await applier(nil).apply(Self.workspace(), to: service) }
        #expect(service.received == ["sale@1": 1, "score@1": 1])
    }

    // MARK: Between the intent and its freezing

    /// Applies a campaign that needs approvals from so many devices on, straight to Apple; when it is killed, after its
    /// intent, there are six.
    @discardableResult
    private func apply(from devices: Int, _ people: [String]?, isKilled: Bool = false) async -> Applied {
        let rules = [ApprovalRule(when: .init(devices: devices), need: 2)]
        var applier = Applier(canSchedule: false, keepsJournal: true, approvals: Self.approvals(people, rules))
        applier.hook = { [service] point, _ in
            guard isKilled, point.phase == .after, point.name == "insert sending" else { return .live }
            service.with { $0.inboxes = ["d1": [], "d2": [], "d3": [], "d4": [], "d5": [], "d6": []] }
            return .die
        }
        let applied = await applier.apply(
            Sample.workspace([Sample.campaign("sale")]) { $0.policy.approvals = rules }, to: service)
        service.advance(.seconds(130))
        return applied
    }

    @Test func whatHasBegunCannotGrowPastWhatWasApproved() async {
        await apply(from: 5, nil, isKilled: true)
        let applied = await apply(from: 5, nil)
        #expect(
            applied.result("sale")?.change.blocked
                == [Block(.approvals, Reason(.aboveApproved, .count(6), .count(4)))])
        #expect(service.received == [:] && service.state("sale") == .unsent)
        await apply(from: 5, nil)
        #expect(service.received == [:])
        await apply(from: 5, ["alice", "bob"])
        #expect(service.received == ["sale@1": 1])
    }

    @Test func whatHasBegunWithItsApprovalsGoesOnWithoutThem() async {
        await apply(from: 2, ["alice", "bob"], isKilled: true)
        await apply(from: 2, nil)
        #expect(service.received == ["sale@1": 1])
    }
}
