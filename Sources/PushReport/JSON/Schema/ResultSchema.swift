internal import JSONValue
internal import PushModel
internal import PushPlan

/// What an apply did, and what the ledger holds.
enum ResultSchema {
    static let applyMembers: [SchemaPart.Member] =
        ReportSchema.head + [
            ReportSchema.workspace, ReportSchema.remote,
            .init(
                "results",
                SchemaPart.list("Every change of the plan, in its order.", of: SchemaPart.reference("result"))),
            .init(
                "summary",
                SchemaPart.object(
                    "How many changes ended how.",
                    ChangeOutcome.allCases.map { .init($0.rawValue, SchemaPart.integer("Changes that ended so.")) })),
            .init("exitCode", SchemaPart.integer("The code that the program ends with.")),
        ]

    static let applyDefinitions: [(String, OrderedJSON)] = [("result", result), ("figures", figures)]

    static let statusMembers: [SchemaPart.Member] =
        ReportSchema.head + [
            ReportSchema.workspace, ReportSchema.remote,
            .init("lastApplied", SchemaPart.reference("lastApplied")),
            .init("deliveries", SchemaPart.list("Every delivery.", of: SchemaPart.reference("delivery"))),
        ]

    static let statusRow = SchemaPart.object(
        "A delivery.",
        [
            .init("campaign", SchemaPart.text("The campaign, by the name that the ledger has.")),
            .init("revision", SchemaPart.integer("Its revision.", minimum: 1)),
            .init("state", SchemaPart.choice("Where it stands.", of: DeliveryState.self)),
            .init("at", SchemaPart.time("When it was sent, or will be.", orNull: true)),
        ] + counts(orNull: true) + [
            .init("objectId", SchemaPart.text("The service's id of the push.", orNull: true)),
            .init("commit", SchemaPart.text("The commit that was applied.", orNull: true)),
            .init("reason", SchemaPart.text("Why it is as it is.", orNull: true)),
        ])

    private static let result = SchemaPart.object(
        "What became of a change.",
        [
            .init("kind", SchemaPart.choice("Which kind of resource.", of: ResourceKind.self)),
            .init("name", SchemaPart.text("Its name.")),
            .init("action", SchemaPart.choice("What was to happen.", of: Action.self)),
            .init("result", SchemaPart.choice("What happened.", of: ChangeOutcome.self)),
            .init("detail", SchemaPart.text("Why, or what to do.", orNull: true)),
            .init("delivery", SchemaPart.delivery("The delivery; null: of a resource.", orNull: true)),
            .init("objectId", SchemaPart.text("The service's id of the push.", orNull: true)),
            .init("figures", SchemaPart.reference("figures")),
        ])

    private static let figures = SchemaPart.object(
        "What the service counted; null: nothing.", counts(orNull: false), orNull: true)

    private static func counts(orNull: Bool) -> [SchemaPart.Member] {
        [
            ("devices", "Devices that matched, without simulated ones."),
            ("successes", "Devices for which it was accepted."),
            ("invalidTokens", "Tokens that Apple calls invalid."), ("inDoubt", "Devices whose answer was lost."),
            ("missed", "Devices that were never sent to because the time was over."),
            ("simulated", "Devices that the remote only simulates: nothing left it for them."),
        ].map { .init($0.0, SchemaPart.integer($0.1, orNull: orNull)) }
    }
}
