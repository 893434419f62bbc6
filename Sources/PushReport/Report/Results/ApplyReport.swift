package import Push

/// The results of an apply, change by change.
package struct ApplyReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// The results of the plan's changes, in the plan's order.
    package var results: [Row]
    /// The number of deliveries that waited, and about which nothing was to be done.
    package var waiting: Int
    /// The program's exit code.
    package var exitCode: Int
    /// The language for people, set by the workspace; nil for that of the environment.
    package var language: Language?
    /// What is due next, as far as the apply knows.
    package var next: Next?

    /// The delivery that is due next.
    package struct Next: Hashable, Sendable {
        /// The campaign.
        package var campaign: String
        /// The time at which it is sent, or goes on.
        package var at: OffsetInstant

        package init(campaign: String, at: OffsetInstant) {
            self.campaign = campaign
            self.at = at
        }
    }

    /// The result of one change.
    package struct Row: Hashable, Sendable {
        /// The kind of resource.
        package var kind: ResourceKind
        /// The name.
        package var name: String
        /// The planned action.
        package var action: Action
        /// The outcome.
        package var result: ChangeOutcome
        /// The reason or the next step, in one clause.
        package var detail: Reason?
        /// The id of a campaign's delivery.
        package var delivery: DeliveryID?
        /// The day of a recurring campaign's occurrence.
        package var occurrence: CivilDate?
        /// The service's id of the push.
        package var objectID: String?
        /// The service's figures.
        package var figures: DeliveryFigures?
        /// The address of the page on which the remote shows the push.
        package var page: String?

        /// Creates a result.
        package init(
            kind: ResourceKind, name: String, action: Action, result: ChangeOutcome, detail: Reason? = nil,
            delivery: DeliveryID? = nil, objectID: String? = nil, figures: DeliveryFigures? = nil
        ) {
            self.kind = kind
            self.name = name
            self.action = action
            self.result = result
            self.detail = detail
            self.delivery = delivery
            self.objectID = objectID
            self.figures = figures
        }

        /// Creates the result of a planned change.
        package init(
            of change: Change, _ result: ChangeOutcome, detail: Reason? = nil, objectID: String? = nil,
            figures: DeliveryFigures? = nil
        ) {
            self.init(
                kind: change.kind, name: change.name, action: change.action, result: result, detail: detail,
                delivery: change.delivery?.id, objectID: objectID, figures: figures)
            occurrence = change.delivery?.occurrence.date
        }
    }

    package init(workspace: String, remote: RemoteDescription, results: [Row], waiting: Int = 0, exitCode: Int) {
        self.workspace = workspace
        self.remote = remote
        self.results = results
        self.waiting = waiting
        self.exitCode = exitCode
    }

    /// The number of changes with an outcome.
    package func count(_ outcome: ChangeOutcome) -> Int { results.count { $0.result == outcome } }
}
