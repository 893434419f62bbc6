package import Base

/// A plan: the changes that an apply would make, ordered, printable, hashable, and bound to its inputs.
package struct Plan: Hashable, Sendable {
    package var workspace: String
    package var remote: RemoteDescription
    /// The language for people, set by the workspace; nil for that of the environment.
    package var language: Language?
    /// The app in pictures; nil when it is just called as the workspace.
    package var app: ShownApp?
    /// Hash of the canonical desired state.
    package var desired: Digest
    /// The last apply.
    package var lastApplied: LastApplied?
    /// The time of its creation.
    package var createdAt: Instant
    /// The time from which it is stale; 24 hours after its creation.
    package var expiresAt: Instant
    /// The maximum lifetime of a plan, whatever its file says.
    package static let lifetime = Duration.seconds(86_400)
    /// True if it was made with `--now` or `--against`; such a plan is never applied.
    package var isSimulated: Bool
    /// The `--target` options as written; an apply of the plan is restricted likewise.
    package var targets: [String]
    /// The changes, in order.
    package var changes: [Change]
    package var diagnostics: [PlanDiagnostic]
    /// The orders by which people stopped deliveries, the oldest first.
    package var stops: [StopOrder] = []
    /// The calendar of pushes.
    package var calendar = PlanCalendar()
    /// The certificate or key of each DeviceProfile, by name.
    package var certificates: [PlannedCertificate] = []

    /// Creates a plan and sorts its changes.
    package init(
        workspace: String, remote: RemoteDescription, desired: Digest, lastApplied: LastApplied?, createdAt: Instant,
        expiresAt: Instant? = nil, isSimulated: Bool = false, targets: [String] = [], changes: consuming [Change],
        diagnostics: [PlanDiagnostic] = []
    ) {
        self.workspace = workspace
        self.remote = remote
        self.desired = desired
        self.lastApplied = lastApplied
        self.createdAt = createdAt
        self.expiresAt = expiresAt ?? createdAt + Self.lifetime
        self.isSimulated = isSimulated
        self.targets = targets
        changes.sort(by: Change.precedes)
        self.changes = changes
        self.diagnostics = diagnostics.sortedForPrinting()
    }

    /// The app in pictures.
    package var shownApp: ShownApp { app ?? ShownApp(name: workspace) }

    /// True if an apply would do anything.
    package var hasChanges: Bool { changes.contains { $0.action.isChange && !$0.isBlocked } }

    /// True if anything waits: it is on hold, goes on when its time comes, or is left to a later apply.
    package var isWaiting: Bool { changes.contains(where: \.isHeldUp) }

    /// True if rules block any change.
    package var isBlocked: Bool { changes.contains(where: \.isBlocked) }

    /// True if anything needs a person: an outcome is unknown or in doubt, or something was stopped.
    package var hasUnknown: Bool { !stops.isEmpty || changes.contains { $0.action == .none } }

    /// The counts of changes.
    package var summary: PlanSummary { PlanSummary(of: changes) }
}

/// The counts of a plan's changes by action; blocked changes only count as blocked.
package struct PlanSummary: Hashable, Sendable {
    /// The number of changes that are not blocked, by action.
    package var counts: [Action: Int] = [:]
    /// The number of blocked changes.
    package var blocked = 0
    /// The devices reached by sends, schedules and reschedules, each counted as often as it is reached.
    package var devices = 0

    /// Counts changes.
    package init(of changes: [Change]) {
        for change in changes {
            if change.isBlocked {
                blocked += 1
            } else {
                counts[change.action, default: 0] += 1
                if change.action.isSending { devices += change.audience?.devices ?? 0 }
            }
        }
    }

    /// The number of changes with this action that are not blocked.
    package subscript(action: Action) -> Int { counts[action] ?? 0 }
}

// MARK: - Record

extension Plan {
    /// The record of a plan file without its seal.
    package static let record = Record<Plan>(
        Plan(
            workspace: "", remote: .blank, desired: Digest(of: []), lastApplied: nil, createdAt: .distantPast,
            changes: []),
        [
            Field(group: ReportHead.record, { _ in ReportHead() }, { _, _ in }),
            Field(
                "desired", .digest, "Hash of the desired state that the plan was made from.", { $0.desired },
                { $0.desired = $1 }),
            Field(
                "lastApplied", orNull: .record(LastApplied.record, definedAs: "lastApplied"), "", { $0.lastApplied },
                { $0.lastApplied = $1 }),
            ReportHead.workspace({ $0.workspace }, { $0.workspace = $1 }),
            Field(group: RemoteDescription.record, { $0.remote }, { $0.remote = $1 }),
            Field("createdAt", .time, "The time when the plan was made.", { $0.createdAt }, { $0.createdAt = $1 }),
            Field(
                "expiresAt", .time, "The time after which it is no longer applied.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            // Members that are omitted at their usual value do not change other plans.
            Field(
                optional: "language", .language, "The language of its texts for people.", unless: nil, { $0.language },
                { $0.language = $1 }),
            Field(
                optional: "app", .record(ShownApp.record), "The app in pictures.", { $0.app },
                { $0.app = $1 }),
            Field(
                optional: "simulated", .simulated, "Made with --now or --against: never applied.", unless: false,
                { $0.isSimulated }, { $0.isSimulated = $1 }),
            Field(
                optional: "targets", .list(of: .text, "KIND/NAME or label=VALUE.", minimum: 1),
                "The targets of --target.", unless: [], { $0.targets }, { $0.targets = $1 }),
            Field(
                optional: "stops", .list(of: .record(StopOrder.record), minimum: 1),
                "The orders by which people stopped deliveries.", unless: [], { $0.stops }, { $0.stops = $1 }),
            Field(
                "changes", .list(of: .record(Change.record, definedAs: "change")), "The changes, in order.",
                { $0.changes }, { $0.changes = $1 }),
            Field(
                "diagnostics", .list(of: .record(DiagnosticRecord.ofPlan, definedAs: "diagnostic")),
                "The findings, by place.", { $0.diagnostics }, { $0.diagnostics = $1 }),
            Field(
                "summary", .summary, "The counts of changes; blocked ones count as blocked only.", { $0.summary },
                { _, _ in }),
            Field(
                optional: "verdict", .verdict, "What carrying it out does, in numbers.", { PlanVerdict(of: $0) },
                { _, _ in }),
            Field(
                optional: "calendar", .record(PlanCalendar.record, definedAs: "calendar"), "", unless: PlanCalendar(),
                { $0.calendar }, { $0.calendar = $1 }),
            Field(
                optional: "certificates",
                .list(of: .record(PlannedCertificate.record, definedAs: "certificate"), minimum: 1),
                "The certificate or key of every DeviceProfile.", unless: [], { $0.certificates },
                { $0.certificates = $1 }),
        ])
}

extension ShownApp {
    static let record = Record<ShownApp>(
        ShownApp(name: ""),
        [
            Field("name", .text, "The name under its icon.", { $0.name }, { $0.name = $1 }),
            Field(
                optional: "icon", .text(pattern: "^[A-Za-z0-9+/]+=*$"), "A square PNG in base64.", { $0.icon },
                { $0.icon = $1 }),
        ])
}

/// The first members of every machine-readable document.
package struct ReportHead: Sendable {
    package static let record = Record<ReportHead>(
        ReportHead(),
        [
            version,
            Field("tool", .text, "The program with its version.", { _ in BugleVersion.tool }, { _, _ in }),
        ])

    /// The format version, the only such member in a document of diagnostics.
    package static let version = Field<ReportHead>(
        "formatVersion", .text(pattern: "^\(BugleVersion.majorFormat)[.][0-9]+$"),
        "The version of the format: a minor one adds members, a major one is another format.",
        { _ in BugleVersion.format }, { _, _ in })

    /// The workspace's name.
    package static func workspace<Root>(
        _ get: @escaping @Sendable (Root) -> String,
        _ set: (@Sendable (inout Root, String) throws(RecordError) -> Void)? = nil
    ) -> Field<Root> {
        Field("workspace", .text, "The workspace's name.", get, set)
    }

    /// The remote's name.
    package static func remote<Root>(
        _ get: @escaping @Sendable (Root) -> String,
        _ set: (@Sendable (inout Root, String) throws(RecordError) -> Void)? = nil
    ) -> Field<Root> {
        Field("remote", .text, "The remote's name in the workspace.", get, set)
    }

    package init() {}
}

extension RemoteDescription {
    static let blank = RemoteDescription(name: "", type: .leancloud, title: "", fingerprint: Digest(of: []))

    static let record = Record<RemoteDescription>(
        .blank,
        [
            ReportHead.remote({ $0.name }, { $0.name = $1 }),
            Field("remoteType", .choice(RemoteType.self), "The type of the service.", { $0.type }, { $0.type = $1 }),
            Field("remoteTitle", .text, "The remote's title, for people.", { $0.title }, { $0.title = $1 }),
            Field(
                "remoteFingerprint", .digest, "The fingerprint that identifies the remote.", { $0.fingerprint },
                { $0.fingerprint = $1 }),
        ])
}

extension JSONForm<Language?> {
    /// A language that only affects display: one unknown to this version is replaced by the environment's.
    fileprivate static var language: Self {
        JSONForm(
            schema: { SchemaPart.choice($0, of: Language.self, orNull: $1) }, write: { .string($0?.rawValue) },
            read: { $0.string.flatMap { Language(rawValue: $0) } })
    }
}

extension JSONForm<Bool> {
    /// A flag that is only written when true.
    fileprivate static var simulated: Self {
        JSONForm(
            schema: { sentence, _ in ["description": .string(sentence), "const": .value(true)] },
            write: JSONForm.flag.write, read: JSONForm.flag.read)
    }
}

extension JSONForm<PlanSummary> {
    /// The summary of the changes, which is written for programs and not read back.
    fileprivate static var summary: Self {
        JSONForm(
            schema: { sentence, _ in
                SchemaPart.object(
                    sentence,
                    (Action.allCases.map { ($0.rawValue, "Changes with this action.") } + [
                        ("blocked", "Changes that rules block."), ("devices", "Devices that the deliveries reach."),
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
