internal import Diagnostics
package import JSONValue
internal import PushModel
internal import PushPlan

/// The JSON Schemas (draft 2020-12) of what bugle writes for programs.
///
/// Members that a minor version of the format adds are allowed; what is known of the values comes from the very enums
/// that the program writes them by.
package enum ReportSchema: String, CaseIterable, Sendable {
    /// What `plan --format json` and `plan --out` write.
    case plan
    /// What is written instead where the configuration is invalid, and by `validate`.
    case diagnostics
    /// What `apply --json-result` writes.
    case apply
    /// What `status --format json` writes.
    case status

    /// The schema.
    package var json: OrderedJSON {
        switch self {
        case .plan: document("What bugle plan would do", PlanSchema.members, PlanSchema.definitions)
        case .diagnostics:
            document(
                "What bugle says of a configuration", [Self.version, Self.findings],
                [("diagnostic", DiagnosticSchema.diagnostic), ("related", DiagnosticSchema.related)])
        case .apply: document("What bugle apply did", ResultSchema.applyMembers, ResultSchema.applyDefinitions)
        case .status:
            document(
                "What bugle has delivered", ResultSchema.statusMembers,
                [("lastApplied", Self.lastApplied), ("delivery", ResultSchema.statusRow)])
        }
    }

    private func document(
        _ title: String, _ members: [SchemaPart.Member], _ definitions: [(String, OrderedJSON)]
    ) -> OrderedJSON {
        guard case .object(let body) = SchemaPart.object(title + ".", members) else { return .null }
        return .object(
            [
                ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
                ("$id", .string("urn:bugle:schema:\(rawValue):\(BugleVersion.format)")), ("title", .string(title)),
            ] + body + [("$defs", .object(definitions))])
    }

    // MARK: What several documents have

    static let version = SchemaPart.Member(
        "formatVersion",
        SchemaPart.text(
            "The version of the format: a minor one adds members, a major one is another format.",
            pattern: "^\(BugleVersion.format.prefix { $0 != "." })[.][0-9]+$"))

    /// The first members of every document but that of diagnostics.
    static let head = [version, SchemaPart.Member("tool", SchemaPart.text("The program with its version."))]

    static let workspace = SchemaPart.Member("workspace", SchemaPart.text("The workspace's name."))

    static let remote = SchemaPart.Member("remote", SchemaPart.text("The remote's name in the workspace."))

    static let findings = SchemaPart.Member(
        "diagnostics",
        SchemaPart.list("What there is to say, by place.", of: SchemaPart.reference("diagnostic")))

    /// What was applied last, as a definition; `null` where nothing was, or it is not known.
    static let lastApplied = SchemaPart.object(
        "What was applied last; null: nothing, or it is not known.",
        [
            .init("commit", SchemaPart.text("The commit.", orNull: true)),
            .init("committedAt", SchemaPart.time("When it was committed.", orNull: true)),
            .init("at", SchemaPart.time("When it was applied.")),
            .init("run", SchemaPart.text("The run that applied it.", orNull: true)),
        ], orNull: true)
}

/// Diagnostics, in any document.
enum DiagnosticSchema {
    static let diagnostic = SchemaPart.object(
        "One thing to say.",
        [
            .init("severity", SchemaPart.choice("How grave it is.", of: Severity.self)),
            .init("code", SchemaPart.choice("Its stable identifier.", of: DiagnosticCode.self)),
            .init("message", SchemaPart.text("What is wrong, in one sentence.")),
        ] + place(orNull: true) + [
            .init("help", SchemaPart.text("What to do about it.", orNull: true)),
            .init(
                optional: "related",
                SchemaPart.list("Other places that matter.", of: SchemaPart.reference("related"), minimum: 1)),
        ])

    static let related = SchemaPart.object(
        "Another place.",
        [.init("message", SchemaPart.text("What is there."))] + place(orNull: false))

    private static func place(orNull: Bool) -> [SchemaPart.Member] {
        let none = orNull ? "; null: it has no place in a file" : ""
        return [
            .init("file", SchemaPart.text("The file" + none + ".", orNull: orNull)),
            .init("line", SchemaPart.integer("The line, from 1.", orNull: orNull, minimum: 1)),
            .init(
                "column", SchemaPart.integer("The column in characters, from 1.", orNull: orNull, minimum: 1)),
            .init("endLine", SchemaPart.integer("The line of its end.", orNull: orNull, minimum: 1)),
            .init(
                "endColumn", SchemaPart.integer("The column after its last character.", orNull: orNull, minimum: 1)),
        ]
    }
}
