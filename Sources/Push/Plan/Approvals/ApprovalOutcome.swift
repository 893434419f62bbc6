/// What a plan leaves to its apply about approvals.
package struct ApprovalOutcome: Hashable, Sendable {
    /// What later applies must know; nil: nothing.
    package var memory: ApprovalMemory?
    /// The most devices that a campaign may be sent to without further approvals, by name; others have no such limit.
    package var ceilings: [String: Int] = [:]
}
