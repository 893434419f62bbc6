package import PushModel
package import PushPlan

/// What an apply did, change by change.
package struct ApplyReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// Every change of the plan, in its order, with what became of it.
    package var results: [Row]
    /// The code that the program ends with.
    package var exitCode: Int

    /// What became of one change.
    package struct Row: Hashable, Sendable {
        /// Which kind of resource.
        package var kind: ResourceKind
        /// Its name.
        package var name: String
        /// What was to happen.
        package var action: Action
        /// What happened.
        package var result: ChangeOutcome
        /// Why, or what to do, in one clause.
        package var detail: String?
        /// The delivery, of a campaign.
        package var delivery: DeliveryID?
        /// The service's id of the push.
        package var objectID: String?
        /// What the service counted.
        package var figures: DeliveryFigures?

        /// Makes a result.
        package init(
            kind: ResourceKind, name: String, action: Action, result: ChangeOutcome, detail: String? = nil,
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

        /// The result of a change of a plan.
        package init(
            of change: Change, _ result: ChangeOutcome, detail: String? = nil, objectID: String? = nil,
            figures: DeliveryFigures? = nil
        ) {
            self.init(
                kind: change.kind, name: change.name, action: change.action, result: result, detail: detail,
                delivery: change.delivery?.id, objectID: objectID, figures: figures)
        }
    }

    /// Joins them.
    package init(workspace: String, remote: RemoteDescription, results: [Row], exitCode: Int) {
        self.workspace = workspace
        self.remote = remote
        self.results = results
        self.exitCode = exitCode
    }

    /// How many changes ended so.
    package func count(_ outcome: ChangeOutcome) -> Int { results.count { $0.result == outcome } }
}
