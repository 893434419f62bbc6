internal import Diagnostics
internal import JSONValue
internal import PushModel
package import Records

extension Plan {
    /// A plan file but for what seals it.
    package static let record = Record<Plan>(
        Member(group: ReportHead.record) { _ in ReportHead() },
        Member("desired", .digest, "Hash of the desired state that the plan was made from.") { $0.desired },
        Member("lastApplied", orNull: .record(LastApplied.record, definedAs: "lastApplied")) { $0.lastApplied },
        ReportHead.workspace { $0.workspace },
        Member(group: RemoteDescription.record) { $0.remote },
        Member("createdAt", .time, "When the plan was made.") { $0.createdAt },
        Member("expiresAt", .time, "From when on it is not applied any more.") { $0.expiresAt },
        // What is left out at its usual value leaves other plans as they are.
        Member(optional: "language", .language, "The language in which people read it.", unless: nil) { $0.language },
        Member(optional: "simulated", .simulated, "Made with --now or --against: never applied.", unless: false) {
            $0.isSimulated
        },
        Member(
            optional: "targets", .list(of: .text, "KIND/NAME or label=VALUE.", minimum: 1),
            "What --target restricts it to.", unless: []
        ) { $0.targets },
        Member("changes", .list(of: .record(Change.record, definedAs: "change")), "What would happen, in order.") {
            $0.changes
        },
        Member(
            "diagnostics", .list(of: .record(Diagnostic.record, definedAs: "diagnostic")),
            "What there is to say, by place."
        ) { $0.diagnostics },
        Member("summary", .summary, "How many changes there are; blocked ones count as blocked only.") { $0.summary },
        Member(optional: "calendar", .record(PlanCalendar.record, definedAs: "calendar"), unless: PlanCalendar()) {
            $0.calendar
        },
        Member(
            optional: "certificates",
            .list(of: .record(PlannedCertificate.record, definedAs: "certificate"), minimum: 1),
            "The certificate or key of every DeviceProfile.", unless: []
        ) { $0.certificates }
    ) {
        _, desired, lastApplied, workspace, remote, createdAt, expiresAt, language, isSimulated, targets, changes,
        diagnostics, _, calendar, certificates in
        var plan = Plan(
            workspace: workspace, remote: remote, desired: desired, lastApplied: lastApplied, createdAt: createdAt,
            expiresAt: expiresAt, isSimulated: isSimulated, targets: targets, changes: changes,
            diagnostics: diagnostics)
        plan.language = language
        plan.calendar = calendar
        plan.certificates = certificates
        return plan
    }
}

/// What every document for programs begins with.
package struct ReportHead: Sendable {
    /// Its members.
    package static let record = Record<ReportHead>(
        version,
        Member("tool", .text, "The program with its version.") { _ in BugleVersion.tool },
        make: { _, _ in ReportHead() })

    /// The only one that a document of diagnostics has.
    package static let version = Member<ReportHead, String>(
        "formatVersion", .text(pattern: "^\(BugleVersion.majorFormat)[.][0-9]+$"),
        "The version of the format: a minor one adds members, a major one is another format."
    ) { _ in BugleVersion.format }

    /// The workspace's name.
    package static func workspace<Root>(_ get: @escaping @Sendable (Root) -> String) -> Member<Root, String> {
        Member("workspace", .text, "The workspace's name.", get)
    }

    /// The remote's name.
    package static func remote<Root>(_ get: @escaping @Sendable (Root) -> String) -> Member<Root, String> {
        Member("remote", .text, "The remote's name in the workspace.", get)
    }

    package init() {}
}

extension RemoteDescription {
    fileprivate static let record = Record<RemoteDescription>(
        ReportHead.remote { $0.name },
        Member("remoteType", .choice(RemoteType.self), "Which service it is.") { $0.type },
        Member("remoteTitle", .text, "The remote for people.") { $0.title },
        Member("remoteFingerprint", .digest, "What makes it this remote and no other.") { $0.fingerprint },
        make: RemoteDescription.init)
}

extension JSONForm<Language?> {
    /// It only says how a plan is shown: one that this version lacks is shown in that of the environment.
    fileprivate static var language: Self {
        JSONForm(
            schema: { SchemaPart.choice($0, of: Language.self, orNull: $1) }, write: { .string($0?.rawValue) },
            read: { $0.string.flatMap { Language(rawValue: $0) } })
    }
}

extension JSONForm<Bool> {
    /// Only said where it is so.
    fileprivate static var simulated: Self {
        JSONForm(
            schema: { sentence, _ in ["description": .string(sentence), "const": .value(true)] },
            write: JSONForm.flag.write, read: JSONForm.flag.read)
    }
}

extension JSONForm<PlanSummary> {
    /// What follows from the changes is written for programs, and not read.
    fileprivate static var summary: Self {
        JSONForm(
            schema: { sentence, _ in
                SchemaPart.object(
                    sentence,
                    (Action.allCases.map { ($0.rawValue, "Changes with this action.") } + [
                        ("blocked", "Changes that rules hold back."), ("devices", "Devices that the deliveries reach."),
                    ]).map { RecordProperty(name: $0.0, schema: SchemaPart.integer($0.1), isRequired: true) })
            },
            write: { summary in
                .object(
                    Action.allCases.map { ($0.rawValue, .integer(summary[$0])) } + [
                        ("blocked", .integer(summary.blocked)), ("devices", .integer(summary.devices)),
                    ])
            }, read: { _ in PlanSummary(of: []) })
    }
}
