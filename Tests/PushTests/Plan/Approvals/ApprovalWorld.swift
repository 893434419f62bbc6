import RemoteTesting

@testable import Push

/// A campaign, the rules it is judged by, and the approvals of the change that brought it.
struct ApprovalWorld {
    static let tree = String(repeating: "a", count: 40)
    static let promo = ApprovalRule(when: .init(labels: ["kind": "promo"]), need: 2)
    static let many = ApprovalRule(when: .init(devices: 50_000), need: 2)

    /// The rules of the first parent.
    var base = ApprovalInput.Base.rules([promo])
    /// The rules in the files themselves.
    var own = [promo]
    var authors = ["carol"]
    /// Nil: no file.
    var approvals: [ApprovalFile.Approval]?
    var state = ApprovalInput.State.tree(tree)
    var commit = "c1"
    var devices: Int? = 3
    var campaigns = [Self.campaign()]
    var canSchedule = true
    var selection = Selection()
    var isReview = false
    /// What earlier applies left.
    var memory: ApprovalMemory?
    var lastCommit: String? = "c0"
    var now = Sample.start
    var ledger: [LedgerEntry] = []

    static func campaign(
        _ name: String = "sale", labels: [String: String] = ["kind": "promo"], at: Instant? = nil, revision: Int = 1
    ) -> Campaign {
        Sample.campaign(name, revision: revision, at: at) { $0.labels = labels }
    }

    static func approval(
        _ person: String, teams: [String] = [], tree: String? = tree, after seconds: Int = 0, dismissed: Bool = false
    ) -> ApprovalFile.Approval {
        ApprovalFile.Approval(
            approver: Approver(person: person, teams: teams), tree: tree, at: Sample.start + .seconds(seconds),
            isDismissed: dismissed)
    }

    var result: Planner.Result {
        var state = RemoteState(
            now: now, ledger: ledger, ledgerStarted: true, installations: InstallationSample(size: 0))
        state.lock = LockRecord(
            holder: "", run: "", fence: 1, expiresAt: now,
            lastApplied: LastApplied(commit: lastCommit, committedAt: nil, at: now, run: nil, approvals: memory))
        var input = Sample.input(
            Sample.workspace(campaigns) { $0.policy.approvals = own }, state, canSchedule: canSchedule,
            selection: selection)
        input.explainsAudiences = isReview
        input.approvals = ApprovalInput(
            base: base, file: approvals.map { ApprovalFile(authors: authors, approvals: $0) }, state: self.state,
            commit: commit)
        for digest in Planner.questions(input).counts.keys {
            if let devices { input.state.audiences[digest] = AudienceCount(devices: devices) }
        }
        return Planner.plan(input)
    }

    /// The sentences that hold the campaign back because of approvals.
    func sentences(_ name: String = "sale") -> [String] {
        result.plan.changes.first { $0.name == name }?.blocked.filter { $0.rule == .approvals }.map(\.message.text)
            ?? []
    }

    /// Plans as an apply would, and keeps what it leaves; true when the campaign may be sent.
    mutating func apply() -> Bool {
        let result = result
        memory = result.approvals
        lastCommit = commit
        return result.plan.changes.contains { $0.action.isSending && !$0.isBlocked }
    }
}
