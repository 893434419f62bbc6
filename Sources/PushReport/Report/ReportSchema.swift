package import Base
internal import Push

/// The JSON Schemas (draft 2020-12) of bugle's machine-readable documents, derived from the records that write and read them.
package enum ReportSchema: String, CaseIterable, Sendable {
    /// Output of `plan --format json` and `plan --out`.
    case plan
    /// Output of `validate`, and of a plan when the configuration is invalid.
    case diagnostics
    /// Output of `apply --json-result`.
    case apply
    /// Output of `status --format json`.
    case status
    /// Output of `history --format json`.
    case history
    /// Input of `apply --approvals`.
    case approvals

    package var json: OrderedJSON {
        switch self {
        case .plan: document("Plan of bugle", Plan.record.properties + Self.seal, Self.ofPlans)
        case .diagnostics:
            document("Findings about a configuration", Report.diagnostics.properties, Self.ofDiagnostics)
        case .apply:
            document(
                "Results of bugle apply", ApplyReport.record.properties,
                [
                    ("result", ApplyReport.Row.record.schema("The result of a change.")),
                    (
                        "figures",
                        DeliveryFigures.record.schema("The service's counts; null: none.", orNull: true)
                    ),
                ] + Self.ofReasons)
        case .status:
            document(
                "Deliveries of bugle", StatusReport.record.properties,
                [("lastApplied", Self.lastApplied), ("delivery", StatusReport.Row.record.schema("A delivery."))]
                    + Self.ofReasons)
        case .history:
            document(
                "History of bugle", HistoryReport.record.properties,
                [("applied", HistoryReport.row.schema("A delivery with who applied it."))] + Self.ofReasons)
        case .approvals:
            document(
                "Approvals of a change", ApprovalFile.record.properties,
                [("approval", ApprovalFile.Approval.record.schema("One approval."))])
        }
    }

    private func document(
        _ title: String, _ members: [RecordProperty], _ definitions: [(String, OrderedJSON)]
    ) -> OrderedJSON {
        guard case .object(let body) = SchemaPart.object(title + ".", members) else { return .null }
        return .object(
            [
                ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
                ("$id", .string("urn:bugle:schema:\(rawValue):\(BugleVersion.format)")), ("title", .string(title)),
            ] + body + [("$defs", .object(definitions))])
    }

    private static let lastApplied = LastApplied.record.schema("The last apply; null: none, or unknown.", orNull: true)

    private static let ofDiagnostics: [(String, OrderedJSON)] = [
        ("diagnostic", DiagnosticRecord.ofFiles.schema("One finding.")), related,
    ]

    private static let related = ("related", RelatedPlace.record.schema("Another place."))

    private static let ofReasons: [(String, OrderedJSON)] = [
        ("reason", Reason.form.schema("A reason within another.", false)), ("value", Reason.valueSchema),
    ]

    // MARK: Plans

    /// The last members of a plan file.
    private static let seal = [
        RecordProperty(
            name: "signature",
            schema: SchemaPart.text("HMAC-SHA-256 of every byte of the file before this member, with BUGLE_PLAN_KEY."),
            isRequired: false),
        RecordProperty(
            name: "integrity",
            schema: JSONForm<Digest>.digest.schema("Hash of every byte of the file before this member.", false),
            isRequired: true),
    ]

    private static let ofPlans: [(String, OrderedJSON)] =
        [
            ("lastApplied", lastApplied), ("change", change),
            ("delivery", PlannedDelivery.record.schema("A delivery; null: of a resource.", orNull: true)),
            ("audience", PlannedAudience.record.schema("The audience.", orNull: true)),
            (
                "explanation",
                AudienceCount.record.schema("The audience's current breakdown; unknown parts are left out.")
            ),
            ("payload", PlannedPayload.record.schema("The payload's size.", orNull: true)),
            (
                "request",
                PushRequest.record.schema(
                    "The request, with device tokens replaced by their number and hash.", orNull: true)
            ),
            (
                "look",
                NotificationLook.record.schema(
                    "The appearance on devices of one platform; only set fields are present.")
            ),
            ("localizable", JSONForm<LocalizableText>.localizableSchema),
            ("occurrences", PlannedOccurrences.record.schema("What is ahead of a recurring campaign.")),
            ("occurrence", PlannedOccurrences.Next.record.schema("One occurrence of a recurring campaign.")),
            ("span", PlannedOccurrences.Span.record.schema("A time with both its ends; null: none.", orNull: true)),
            ("block", Block.record.schema("A rule that blocks a change.")),
            ("requirement", ApprovalRequirement.record.schema("Approvals that a delivery needs by one rule.")),
            ("diagnostic", DiagnosticRecord.ofPlan.schema("One finding.")), related,
            ("calendar", PlanCalendar.record.schema("The times of pushes; left out when there are none.")),
            ("calendarEntry", PlanCalendar.Entry.record.schema("One delivery.")),
            ("localTime", PlanCalendar.LocalTime.record.schema("The local time in one zone.")),
            ("collision", PlanCalendar.Collision.record.schema("Two deliveries that come close to each other.")),
            ("certificate", PlannedCertificate.record.schema("The certificate or key of a DeviceProfile.")),
        ] + ofReasons

    /// The schema of a change: only campaigns are delivered, and only other resources and recurring campaigns are
    /// created, updated or deleted.
    private static var change: OrderedJSON {
        let nothing: OrderedJSON = ["type": .string("null")]
        return Change.record.schema("One line of the plan.")
            .adding("if", ["properties": ["kind": ["const": .string(ResourceKind.campaign.rawValue)]]])
            .adding("then", ofCampaigns)
            .adding(
                "else",
                [
                    "properties": [
                        "action": actions(ofCampaigns: false), "delivery": nothing, "audience": nothing,
                        "payload": nothing, "request": nothing,
                    ]
                ])
    }

    private static var ofCampaigns: OrderedJSON {
        let nothing: OrderedJSON = ["type": .string("null")]
        let recurring: [Action] = [.create, .update, .wait]
        return [
            "if": ["required": [.string("occurrences")]],
            "then": ["properties": ["action": SchemaPart.choice(recurring.map(\.rawValue)), "delivery": nothing]],
            "else": [
                "if": ["properties": ["action": ["const": .string(Action.delete.rawValue)]]],
                "then": ["properties": ["delivery": nothing]],
                "else": [
                    "properties": ["action": actions(ofCampaigns: true), "delivery": ["type": .string("object")]]
                ],
            ],
        ]
    }

    private static func actions(ofCampaigns: Bool) -> OrderedJSON {
        SchemaPart.choice(Action.allCases.filter { $0.isOfCampaigns == ofCampaigns }.map(\.rawValue))
    }
}

extension Action {
    /// True for actions of campaigns, false for those of other resources.
    fileprivate var isOfCampaigns: Bool {
        switch self {
        case .create, .update, .delete: false
        case .send, .schedule, .reschedule, .cancel, .resume, .wait, .missed, .none: true
        }
    }
}
