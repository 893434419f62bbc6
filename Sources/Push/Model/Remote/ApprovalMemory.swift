/// The approvals that an apply leaves for later ones, so that what a merge has approved may be sent when its time
/// comes.
///
/// Source: docs/features/approvals.md#what-later-runs-know.
package struct ApprovalMemory: Hashable, Sendable {
    /// The rules in the files that were applied last.
    package var rules: [ApprovalRule]
    /// The rules that this apply itself was held to.
    package var heldTo: [ApprovalRule]
    /// The campaigns that were planned and may be sent later, sorted by name.
    package var campaigns: [Planned]

    package init(rules: [ApprovalRule] = [], heldTo: [ApprovalRule] = [], campaigns: [Planned] = []) {
        self.rules = rules
        self.heldTo = heldTo
        self.campaigns = campaigns
    }

    /// A campaign with the rules it was planned under, and the people who wrote and approved it.
    package struct Planned: Hashable, Sendable {
        /// The campaign's name.
        package var campaign: String
        /// The hash of everything that the files declare of it; another one is another campaign.
        package var declaration: Digest
        /// The commit that it was first planned from; nil: nobody knows.
        package var commit: String?
        /// The rules that it was planned under.
        package var rules: [ApprovalRule]
        /// The people who wrote the change that brought it; empty: nobody knows.
        package var authors: [String]
        /// The people who approved it, authors not among them.
        package var approvers: [Approver]

        package init(
            campaign: String, declaration: Digest, commit: String? = nil, rules: [ApprovalRule] = [],
            authors: [String] = [], approvers: [Approver] = []
        ) {
            self.campaign = campaign
            self.declaration = declaration
            self.commit = commit
            self.rules = rules
            self.authors = authors
            self.approvers = approvers
        }
    }
}

/// A person who approved a change.
package struct Approver: Hashable, Sendable {
    /// The person's name at the forge, as it is written there.
    package var person: String
    /// The teams that the person is in.
    package var teams: [String]

    package init(person: String, teams: [String] = []) {
        self.person = person
        self.teams = teams
    }

    /// The teams in lower case: names of people and teams are compared without regard to case.
    package var teamKeys: Set<String> { Set(teams.map { $0.lowercased() }) }
}
