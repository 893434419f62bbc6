internal import JSONValue
internal import PushModel
internal import PushPlan

/// A plan.
enum PlanSchema {
    static let members: [SchemaPart.Member] =
        ReportSchema.head + [
            .init("desired", SchemaPart.digest("Hash of the desired state that the plan was made from.")),
            .init("lastApplied", SchemaPart.reference("lastApplied")),
            ReportSchema.workspace, ReportSchema.remote,
            .init("remoteType", SchemaPart.choice("Which service it is.", of: RemoteType.self)),
            .init("remoteTitle", SchemaPart.text("The remote for people.")),
            .init("remoteFingerprint", SchemaPart.digest("What makes it this remote and no other.")),
            .init("createdAt", SchemaPart.time("When the plan was made.")),
            .init("expiresAt", SchemaPart.time("From when on it is not applied any more.")),
            .init(
                optional: "language",
                [
                    "description": .string("The language in which people read it."),
                    "enum": .array(Language.allCases.map { .string($0.rawValue) }),
                ]),
            .init(
                optional: "simulated",
                [
                    "description": .string("Made with --now or --against: never applied."), "const": .value(true),
                ]),
            .init(
                optional: "targets",
                SchemaPart.list(
                    "What --target restricts it to.", of: SchemaPart.text("KIND/NAME or label=VALUE."), minimum: 1)),
            .init("changes", SchemaPart.list("What would happen, in order.", of: SchemaPart.reference("change"))),
            ReportSchema.findings,
            .init("summary", summary),
            .init(optional: "calendar", SchemaPart.reference("calendar")),
            .init(
                optional: "certificates",
                SchemaPart.list(
                    "The certificate or key of every DeviceProfile.", of: SchemaPart.reference("certificate"),
                    minimum: 1)),
            .init(
                optional: "signature",
                SchemaPart.text("HMAC-SHA-256 of every byte of the file before this member, with BUGLE_PLAN_KEY.")),
            .init("integrity", SchemaPart.digest("Hash of every byte of the file before this member.")),
        ]

    static let definitions: [(String, OrderedJSON)] = [
        ("lastApplied", ReportSchema.lastApplied), ("change", change), ("delivery", delivery),
        ("audience", AudienceSchema.audience), ("explanation", AudienceSchema.explanation), ("payload", payload),
        ("request", request), ("look", LookSchema.look),
        ("localizable", LookSchema.localizable), ("block", block), ("diagnostic", DiagnosticSchema.diagnostic),
        ("related", DiagnosticSchema.related), ("calendar", CalendarSchema.calendar),
        ("calendarEntry", CalendarSchema.entry), ("localTime", CalendarSchema.localTime),
        ("collision", CalendarSchema.collision), ("certificate", CalendarSchema.certificate),
    ]

    private static let summary = SchemaPart.object(
        "How many changes there are; blocked ones count as blocked only.",
        Action.allCases.map { .init($0.rawValue, SchemaPart.integer("Changes with this action.")) } + [
            .init("blocked", SchemaPart.integer("Changes that rules hold back.")),
            .init("devices", SchemaPart.integer("Devices that the deliveries reach.")),
        ])

    private static var change: OrderedJSON {
        let shape = SchemaPart.object(
            "One line of the plan.",
            [
                .init("kind", SchemaPart.choice("Which kind of resource.", of: ResourceKind.self)),
                .init("name", SchemaPart.text("Its name.")),
                .init("action", SchemaPart.choice("What happens.", of: Action.self)),
                .init("reason", SchemaPart.text("Why, in one clause.")),
                .init("file", SchemaPart.text("The file that declares it; null: none any more.", orNull: true)),
                .init("line", SchemaPart.integer("The line of its document.", orNull: true, minimum: 1)),
                .init("delivery", SchemaPart.reference("delivery")),
                .init("audience", SchemaPart.reference("audience")),
                .init("payload", SchemaPart.reference("payload")),
                .init("before", SchemaPart.anyObject("What the remote has; null: nothing.", orNull: true)),
                .init("after", SchemaPart.anyObject("What it will have; null: nothing.", orNull: true)),
                .init("request", SchemaPart.reference("request")),
                .init("preview", SchemaPart.text("The text that a device shows first.", orNull: true)),
                .init(
                    optional: "looks",
                    SchemaPart.list("What devices show, by platform.", of: SchemaPart.reference("look"), minimum: 1)),
                .init(
                    "blocked",
                    SchemaPart.list("The rules that hold it back.", of: SchemaPart.reference("block"))),
            ])
        guard case .object(let members) = shape else { return shape }
        // Only campaigns are delivered, and only resources are recorded.
        return .object(
            members + [
                ("if", ["properties": ["kind": ["const": .string(ResourceKind.campaign.rawValue)]]]),
                (
                    "then",
                    ["properties": ["action": actions(ofCampaigns: true), "delivery": ["type": .string("object")]]]
                ),
                (
                    "else",
                    [
                        "properties": [
                            "action": actions(ofCampaigns: false), "delivery": ["type": .string("null")],
                            "audience": ["type": .string("null")], "payload": ["type": .string("null")],
                            "request": ["type": .string("null")],
                        ]
                    ]
                ),
            ])
    }

    private static func actions(ofCampaigns: Bool) -> OrderedJSON {
        SchemaPart.choice(Action.allCases.filter { $0.isOfCampaigns == ofCampaigns }.map(\.rawValue))
    }

    private static let delivery = SchemaPart.object(
        "A delivery; null: of a resource.",
        [
            .init("id", SchemaPart.delivery("Its id.")),
            .init("generation", SchemaPart.integer("How many pushes of it were begun before.")),
            .init("revision", SchemaPart.integer("The campaign's revision.", minimum: 1)),
            .init(
                "occurrence",
                SchemaPart.text("Which occurrence.", pattern: "^(once|\(SchemaPart.timePattern))$")),
            .init("at", SchemaPart.time("When it is sent; null: as soon as it is applied.", orNull: true)),
            .init("expiresAt", SchemaPart.time("When it stops being worth delivering.", orNull: true)),
            .init("expires", SchemaPart.text("The expiration as written.", orNull: true)),
        ], orNull: true)

    private static let payload = SchemaPart.object(
        "How large it is.",
        [
            .init("bytes", SchemaPart.integer("Bytes that count against the limit.")),
            .init("limit", SchemaPart.integer("The service's limit.")),
        ], orNull: true)

    private static let request = SchemaPart.object(
        "The request, with device tokens replaced by their number and hash.",
        [
            .init("endpoint", SchemaPart.choice("Which call.", of: PushRequest.Endpoint.self)),
            .init("body", SchemaPart.anyObject("The whole body.")),
        ], orNull: true)

    private static let block = SchemaPart.object(
        "A rule that holds a change back.",
        [
            .init("rule", SchemaPart.choice("The rule.", of: Block.Rule.self)),
            .init("message", SchemaPart.text("What broke it.")),
        ])
}

extension Action {
    /// Whether campaigns have it, and not the resources that are only recorded.
    fileprivate var isOfCampaigns: Bool {
        switch self {
        case .create, .update, .delete: false
        case .send, .schedule, .reschedule, .cancel, .resume, .wait, .missed, .none: true
        }
    }
}
