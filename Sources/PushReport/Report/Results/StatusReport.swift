package import Push

/// The ledger of a workspace, with the remote's figures.
package struct StatusReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// The last apply, if known.
    package var lastApplied: LastApplied?
    /// The server's clock, for ages.
    package var now: Instant
    /// The clock of the times that people read; nil: UTC.
    package var zone: ZoneClock?
    /// The deliveries in display order.
    package var rows: [Row]

    /// One delivery.
    package struct Row: Hashable, Sendable {
        /// The campaign's name in the ledger.
        package var campaign: String
        /// Its revision.
        package var revision: Int
        /// The day of a recurring campaign's occurrence.
        package var occurrence: CivilDate?
        /// The state.
        package var state: DeliveryState
        /// The past or future time of sending.
        package var at: Instant?
        /// The service's figures.
        package var figures: DeliveryFigures?
        /// The part that was sent last, while only time goes on; nil: it is in no parts, or over.
        package var part: PartStanding?
        /// The share of devices that was held out, with its word: `5% by 2027-q1`.
        package var holdout: String?
        /// The devices that reported events; nil when none are counted.
        package var events: EventFigures?
        /// The service's id of the push.
        package var objectID: String?
        /// The commit that was applied.
        package var commit: String?
        /// The reason for the state.
        package var reason: Reason?
        /// The reason that the service has not handed the push on yet; nil when there is none.
        package var wait: Reason?
        /// The delivery's id; nil outside a ledger.
        package var delivery: DeliveryID?
        /// The time at which an apply began it.
        package var begunAt: Instant?
        /// The person or job that applied it.
        package var actor: String?
        /// The run that applied it.
        package var run: String?

        /// The campaign with the revision or the day, as the ledger calls it: `score@2`.
        package var title: String { "\(campaign)@\(occurrence?.text ?? String(revision))" }

        /// Creates a row.
        package init(
            campaign: String, revision: Int, occurrence: CivilDate? = nil, state: DeliveryState, at: Instant? = nil,
            figures: DeliveryFigures? = nil, objectID: String? = nil, commit: String? = nil, reason: Reason? = nil
        ) {
            self.campaign = campaign
            self.revision = revision
            self.occurrence = occurrence
            self.state = state
            self.at = at
            self.figures = figures
            self.objectID = objectID
            self.commit = commit
            self.reason = reason
        }

        /// Creates the row of a ledger entry, with the remote's current figures if they were requested.
        package init(of entry: LedgerEntry, figures: DeliveryFigures? = nil) {
            self.init(
                campaign: entry.campaign, revision: entry.revision, occurrence: entry.occurrence.date,
                state: entry.state,
                at: entry.scheduledAt ?? entry.intendedAt, figures: figures ?? entry.figures,
                objectID: entry.objectID, commit: entry.provenance.commit, reason: entry.reason)
            holdout = entry.holdout?.reason.text
            (delivery, begunAt) = (entry.delivery, entry.intendedAt)
            (actor, run) = (entry.provenance.actor, entry.provenance.run)
        }
    }

    package init(
        workspace: String, remote: RemoteDescription, lastApplied: LastApplied? = nil, now: Instant,
        zone: ZoneClock? = nil, rows: [Row]
    ) {
        self.zone = zone
        self.workspace = workspace
        self.remote = remote
        self.lastApplied = lastApplied
        self.now = now
        self.rows = rows
    }
}
