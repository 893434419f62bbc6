package import Diagnostics
package import PushModel

/// What an apply would do, as a value: ordered, printable, hashable, and bound to what it was made from.
package struct Plan: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// The language in which people read it, as the workspace says it; nil: that of their environment.
    package var language: Language?
    /// Hash of the canonical desired state.
    package var desired: Digest
    /// What the last apply was made from.
    package var lastApplied: LastApplied?
    /// When it was made.
    package var createdAt: Instant
    /// From when on it is stale; 24 hours after it was made.
    package var expiresAt: Instant
    /// The longest that a plan holds, whatever its file says.
    package static let lifetime = Duration.seconds(86_400)
    /// Whether it was made with `--now` or `--against`: such a plan is never applied.
    package var isSimulated: Bool
    /// What `--target` restricted it to, as written; an apply of the plan is restricted likewise.
    package var targets: [String]
    /// In order.
    package var changes: [Change]
    /// What there is to say besides.
    package var diagnostics: [Diagnostic]
    /// When pushes go out.
    package var calendar = PlanCalendar()
    /// Every DeviceProfile's certificate or key, by name.
    package var certificates: [PlannedCertificate] = []

    /// Makes a plan; changes are put in order.
    package init(
        workspace: String, remote: RemoteDescription, desired: Digest, lastApplied: LastApplied?, createdAt: Instant,
        expiresAt: Instant? = nil, isSimulated: Bool = false, targets: [String] = [], changes: consuming [Change],
        diagnostics: [Diagnostic] = []
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

    /// Whether an apply would do anything.
    package var hasChanges: Bool { changes.contains { $0.action.isChange && !$0.isBlocked } }

    /// Whether rules hold anything back.
    package var isBlocked: Bool { changes.contains(where: \.isBlocked) }

    /// Whether the outcome of any delivery is unknown.
    package var hasUnknown: Bool { changes.contains { $0.action == .none } }

    /// How many changes of each kind there are.
    package var summary: PlanSummary { PlanSummary(of: changes) }
}

/// How many changes of each kind a plan has; blocked ones are counted as blocked only.
package struct PlanSummary: Hashable, Sendable {
    /// The number of changes that are not blocked, by action.
    package var counts: [Action: Int] = [:]
    /// The number of blocked changes.
    package var blocked = 0
    /// The devices that the sends, schedules and reschedules reach, each counted as often as it is reached.
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

    /// How many changes have this action and are not blocked.
    package subscript(action: Action) -> Int { counts[action] ?? 0 }
}
