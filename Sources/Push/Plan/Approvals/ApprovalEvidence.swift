/// The approvals of a file that count for the state that is applied, and why others do not.
struct ApprovalEvidence {
    /// The people who wrote the change.
    let authors: [String]
    /// The approvals of this state that were not dismissed, the newest of each person.
    let approvers: [Approver]
    /// The approvals that do not count.
    let rejected: [Rejected]

    /// An approval that does not count.
    struct Rejected: Hashable {
        let person: String
        let reason: Reason
    }

    /// The reasons why an approval does not count.
    enum Reason: Hashable {
        case dismissed
        case outdated
        /// It is dated later than now.
        case ahead
    }

    /// The tolerated difference between the clocks of the forge and of the remote.
    static let clockSkew = Duration.seconds(300)

    init(_ file: ApprovalFile, of state: ApprovalInput.State, at now: Instant) {
        authors = file.authors
        var newest: [String: ApprovalFile.Approval] = [:]
        for approval in file.approvals {
            let key = approval.approver.person.identityKey
            // Of two at the same time the later one in the file counts.
            if let known = newest[key], known.at > approval.at { continue }
            newest[key] = approval
        }
        var approvers: [Approver] = []
        var rejected: [Rejected] = []
        for approval in newest.sorted(by: { $0.key < $1.key }).map(\.value) {
            if approval.isDismissed {
                rejected.append(Rejected(person: approval.approver.person, reason: .dismissed))
            } else if approval.at > now + Self.clockSkew {
                rejected.append(Rejected(person: approval.approver.person, reason: .ahead))
            } else if let tree = approval.tree, state == .tree(tree) {
                approvers.append(approval.approver)
            } else {
                rejected.append(Rejected(person: approval.approver.person, reason: .outdated))
            }
        }
        self.approvers = approvers
        self.rejected = rejected
    }
}

extension String {
    /// The name of a person or team as it is compared: forges do not tell letters' cases apart.
    var identityKey: String { lowercased() }
}
