internal import Base

/// A plan: the changes that an apply would make, ordered, printable, hashable, and bound to its inputs.
package struct Plan: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
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
    /// The diagnostics.
    package var diagnostics: [PlanDiagnostic]
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

    /// True if any delivery needs a person: its outcome is unknown or in doubt, or its rollout was stopped.
    package var hasUnknown: Bool { changes.contains { $0.action == .none } }

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
