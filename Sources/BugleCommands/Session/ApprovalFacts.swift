internal import Push

/// Finds out in git what approvals are judged by: the rules of the first parent, and the state of the files.
///
/// Source: docs/features/approvals.md#rules, docs/features/approvals.md#the-state.
struct ApprovalFacts: Sendable {
    private let git: GitCheckout

    /// Creates the question for a workspace's folder.
    init(folder: String) { git = GitCheckout(folder: folder) }

    /// The facts. `base` names the commit whose rules hold; nil: the first parent of the one that is checked out.
    func input(base: String? = nil) async -> ApprovalInput {
        guard let head = await line("rev-parse", "--verify", "HEAD^{commit}") else {
            let reason = "the files are in no git checkout"
            return ApprovalInput(base: .unreadable(reason), state: .unknown(reason))
        }
        let isClean = await git.output(
            "status", "--porcelain", "--untracked-files=all", "--ignored", "--", "*.yaml", "*.yml")?.isEmpty
        // What is not committed yet would be a commit on top of this one.
        let rules = isClean == true ? await rules(before: head, named: base) : await rules(at: head)
        guard isClean == true else {
            return ApprovalInput(base: rules, state: .unknown("they differ from commit \(head.prefix(7))"))
        }
        let tree = await line("rev-parse", "--verify", "HEAD:./")
        return ApprovalInput(
            base: rules,
            state: tree.map(ApprovalInput.State.tree) ?? .unknown("commit \(head.prefix(7)) has no such folder"),
            commit: head)
    }

    private func rules(before head: String, named base: String?) async -> ApprovalInput.Base {
        if let base, let commit = await line("rev-parse", "--verify", "\(base)^{commit}") {
            return await rules(at: commit)
        }
        // A shallow clone hides the parents in what `rev-list` says, but not in the commit itself.
        guard let commit = await git.output("cat-file", "commit", head) else {
            return .unreadable("commit \(head.prefix(7)) cannot be read")
        }
        let lines = commit.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        guard let parent = lines.first(where: { $0.hasPrefix("parent ") })?.dropFirst("parent ".count) else {
            return .own
        }
        return await rules(at: String(parent))
    }

    private func rules(at commit: String) async -> ApprovalInput.Base {
        let short = commit.prefix(7)
        guard let listed = await git.output("ls-tree", commit, "--", WorkspaceLoader.marker) else {
            return .unreadable(
                "commit \(short) is not here; let the checkout have at least two commits (fetch-depth: 2)")
        }
        if listed.isEmpty { return .own }
        guard let text = await git.output("cat-file", "blob", "\(commit):./\(WorkspaceLoader.marker)"),
            let policy = WorkspaceLoader.policy(in: text, folder: git.folder)
        else { return .unreadable("\(WorkspaceLoader.marker) of commit \(short) cannot be read") }
        return .rules(policy.approvals)
    }

    private func line(_ command: String, _ arguments: String...) async -> String? {
        switch arguments.count {
        case 1: await git.output(command, arguments[0])?.trimmingSpaces
        default: await git.output(command, arguments[0], arguments[1])?.trimmingSpaces
        }
    }
}
