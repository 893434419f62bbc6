package import PushModel

/// What the ledger of a workspace holds, and what the remote counted.
package struct StatusReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// What was applied last, when that is known.
    package var lastApplied: LastApplied?
    /// The server's clock, for ages.
    package var now: Instant
    /// One row a delivery, in the order in which they are shown.
    package var rows: [Row]

    /// One delivery.
    package struct Row: Hashable, Sendable {
        /// The campaign, by the name that the ledger has.
        package var campaign: String
        /// Its revision.
        package var revision: Int
        /// Where it stands.
        package var state: DeliveryState
        /// When it was sent, or will be.
        package var at: Instant?
        /// What the service counted.
        package var figures: DeliveryFigures?
        /// The service's id of the push.
        package var objectID: String?
        /// The commit that was applied.
        package var commit: String?
        /// Why it is as it is.
        package var reason: String?

        /// Makes a row.
        package init(
            campaign: String, revision: Int, state: DeliveryState, at: Instant? = nil,
            figures: DeliveryFigures? = nil, objectID: String? = nil, commit: String? = nil, reason: String? = nil
        ) {
            self.campaign = campaign
            self.revision = revision
            self.state = state
            self.at = at
            self.figures = figures
            self.objectID = objectID
            self.commit = commit
            self.reason = reason
        }

        /// The row of a ledger entry, with the figures that the remote has now when they were asked for.
        package init(of entry: LedgerEntry, figures: DeliveryFigures? = nil) {
            self.init(
                campaign: entry.campaign, revision: entry.revision, state: entry.state,
                at: entry.scheduledAt ?? entry.intendedAt, figures: figures ?? entry.figures,
                objectID: entry.objectID, commit: entry.provenance.commit, reason: entry.reason)
        }
    }

    /// Joins them.
    package init(
        workspace: String, remote: RemoteDescription, lastApplied: LastApplied? = nil, now: Instant, rows: [Row]
    ) {
        self.workspace = workspace
        self.remote = remote
        self.lastApplied = lastApplied
        self.now = now
        self.rows = rows
    }
}
