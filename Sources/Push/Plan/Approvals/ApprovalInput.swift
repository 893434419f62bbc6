/// The planner's knowledge of approvals, besides the files and what the remote remembers.
package struct ApprovalInput: Hashable, Sendable {
    /// The rules by which the change is judged.
    package var base: Base
    /// The approvals of the change; nil: none were given.
    package var file: ApprovalFile?
    /// The state of the files that are applied.
    package var state: State
    /// The commit that is applied; nil: nobody knows.
    package var commit: String?

    /// Creates the input; without arguments the files are judged by their own rules, and nothing is approved.
    package init(
        base: Base = .own, file: ApprovalFile? = nil, state: State = .unknown("they are in no git checkout"),
        commit: String? = nil
    ) {
        self.base = base
        self.file = file
        self.state = state
        self.commit = commit
    }

    /// The rules by which a change is judged.
    package enum Base: Hashable, Sendable {
        /// Those of the files at the first parent of the commit.
        case rules([ApprovalRule])
        /// Those of the files themselves: the commit has no parent, or its parent no such workspace.
        case own
        /// They cannot be read; the value says why.
        case unreadable(String)
    }

    /// The state of the files that are applied.
    package enum State: Hashable, Sendable {
        /// That of a commit; the value is git's hash of the workspace's folder in it.
        case tree(String)
        /// Nobody can tell; the value says why.
        case unknown(String)
    }
}
