package import Base

/// The state of a remote that a plan is made from.
package struct RemoteState: Sendable {
    /// The server's time when it was read.
    package var now: Instant
    /// The entries of the ledger, possibly several of one delivery.
    package var ledger: [LedgerEntry]
    /// True when `ledger start` or an apply has marked the beginning of this ledger as known.
    package var ledgerStarted: Bool
    /// The other workspaces with deliveries in the same storage, with the number of them; nil: nobody asked.
    package var neighbours: [String: Int]?
    /// The deployed resources.
    package var resources: [ResourceRecord]
    /// The scheduled pushes on the remote, ours and others'.
    package var scheduled: [ScheduledPush]
    /// The evidence for deliveries whose outcome is open, by the id of their request.
    package var evidence: [DeliveryID: Evidence]
    /// The counts of audiences, by the hash of their condition.
    package var audiences: [Digest: AudienceCount]
    /// The breakdowns of audiences, by the hash of their condition.
    package var explanations: [Digest: AudienceCount] = [:]
    /// The reasons the remote did not answer a review's question, by the hash of the condition.
    package var unanswered: [Digest: String] = [:]
    /// The sample of installations; nil when none was taken.
    package var installations: InstallationSample?
    /// The lock's record; nil when no apply ever ran.
    package var lock: LockRecord?
    /// The orders by which something is stopped, the oldest first; the entries of the ledger show what.
    package var stops: [StopOrder] = []
    /// True if a bugle-server answers, which takes its credentials from the files of a workspace.
    package var isBugleServer = false

    /// Creates a state; the defaults are those of an empty remote.
    package init(
        now: Instant, ledger: [LedgerEntry] = [], ledgerStarted: Bool = false, resources: [ResourceRecord] = [],
        scheduled: [ScheduledPush] = [], evidence: [DeliveryID: Evidence] = [:],
        audiences: [Digest: AudienceCount] = [:], installations: InstallationSample? = nil, lock: LockRecord? = nil
    ) {
        self.now = now
        self.ledger = ledger
        self.ledgerStarted = ledgerStarted
        self.resources = resources
        self.scheduled = scheduled
        self.evidence = evidence
        self.audiences = audiences
        self.installations = installations
        self.lock = lock
    }
}

/// A resource as it was last deployed.
package struct ResourceRecord: Hashable, Sendable {
    /// The resource's kind; a campaign when it is a recurring one.
    package var kind: ResourceKind
    package var name: String
    /// The resource's fields, as a plan shows them; always an object.
    package var fields: JSONValue
    /// True when removing the resource is refused.
    package var isProtected: Bool

    package init(kind: ResourceKind, name: String, fields: JSONValue, isProtected: Bool = false) {
        self.kind = kind
        self.name = name
        self.fields = fields
        self.isProtected = isProtected
    }
}

/// A scheduled push on the remote.
package struct ScheduledPush: Hashable, Sendable {
    /// The id to cancel it with.
    package var id: Int64
    /// The id in its request.
    package var notificationID: String?
    package var at: Instant

    package init(id: Int64, notificationID: String?, at: Instant) {
        self.id = id
        self.notificationID = notificationID
        self.at = at
    }

    /// The id in its request, if it is one of bugle's.
    package var notification: DeliveryID? { notificationID.flatMap { DeliveryID($0) } }
}

extension [ScheduledPush] {
    /// The pushes whose requests bear one of the ids.
    package func pushes(of ids: Set<DeliveryID>) -> [ScheduledPush] {
        filter { $0.notification.map(ids.contains) ?? false }
    }

    /// The ids to cancel these pushes with, and the `known` ones that an earlier list had: lists can be late. One that
    /// the service uses for another push by now is not ours.
    package func handles(of ids: Set<DeliveryID>, known: [Int64] = []) -> Set<Int64> {
        Set(pushes(of: ids).map(\.id)).union(known.filter { id in !contains { $0.id == id } })
    }
}

/// The result of looking up an open delivery.
package enum Evidence: Hashable, Sendable {
    case found(PushRecord)
    /// No record was found, and the look-up can be trusted.
    case none
    /// The look-up cannot be trusted; the value says why.
    case failed(Reason)
    case journal(JournalState)
}

/// The state of a delivery in a remote's journal, in devices.
package struct JournalState: Hashable, Sendable {
    /// Devices in the audience, which was frozen when the delivery began; 0 before that.
    package var targets: Int
    /// Devices whose response is known: accepted or refused.
    package var answered: Int
    /// Answered devices that were refused.
    package var refused: Int
    /// Devices whose response was lost.
    package var inDoubt: Int
    /// Devices still to be sent to.
    package var waiting: Int
    /// Devices in batches that a sender has open, or that a killed one left so; ``inDoubt`` has them, too.
    package var underWay = 0
    /// The time the last responses were recorded; nil when there are none.
    package var lastOutcomeAt: Instant?
    /// The time from which the window of the devices that wait counts; nil: ``lastOutcomeAt``.
    package var windowFrom: Instant?
    /// The time before which none of the devices that wait may be sent to; nil: now.
    package var opensAt: Instant?
    /// The stage of a rollout that is sent to next; nil: it is no rollout, or has not begun.
    package var stage: Int?
    /// The part that was sent last, when only time opens or judges the next; nil: it is in no parts, or has work to do.
    package var part: PartStanding?
    /// The test of variants that waits for a winner; nil: there is none, or the others have theirs.
    package var standing: VariantStanding?
    /// The variant that those who tested none get; nil: it is no test, none was chosen yet, or they get nothing.
    package var winner: String?

    package init(
        targets: Int, answered: Int, inDoubt: Int, waiting: Int, lastOutcomeAt: Instant?, refused: Int = 0,
        windowFrom: Instant? = nil, opensAt: Instant? = nil, stage: Int? = nil
    ) {
        self.targets = targets
        self.answered = answered
        self.refused = refused
        self.inDoubt = inDoubt
        self.waiting = waiting
        self.lastOutcomeAt = lastOutcomeAt
        self.windowFrom = windowFrom
        self.opensAt = opensAt
        self.stage = stage
    }

    /// The state of a delivery that has not begun.
    package static let unbegun = JournalState(targets: 0, answered: 0, inDoubt: 0, waiting: 0, lastOutcomeAt: nil)

    /// True when a device got the push or may have.
    package var hasSent: Bool { answered > refused || inDoubt > 0 }

    /// What is done: `500 of 1,000 devices are done, 12 in doubt`.
    package var reason: Reason {
        guard hasSent else { return Reason(.nothingSent) }
        return inDoubt > 0
            ? Reason(.devicesDoneInDoubt, .count(answered), .count(targets), .count(inDoubt))
            : Reason(.devicesDone, .count(answered), .count(targets))
    }

    /// True when the delivery was closed before any device got the push: those that were not refused count as missed.
    package var isClosedUnsent: Bool { targets > refused && waiting == 0 && !hasSent }
}

/// The profiles and channels of a sample of installations.
package struct InstallationSample: Hashable, Sendable {
    /// The number of installations in the sample.
    package var size: Int
    /// Channels, with the number of sampled devices that subscribe to each.
    package var channels: [String: Int]
    /// Profiles, with the number of sampled devices that have each.
    package var deviceProfiles: [String: Int]
    /// The requested channels, with the number of subscribers among all devices.
    package var subscribers: [String: Int]
    /// The requested profiles, with the number of devices that have each, among all devices.
    package var bearers: [String: Int]

    package init(
        size: Int, channels: [String: Int] = [:], deviceProfiles: [String: Int] = [:],
        subscribers: [String: Int] = [:], bearers: [String: Int] = [:]
    ) {
        self.size = size
        self.channels = channels
        self.deviceProfiles = deviceProfiles
        self.subscribers = subscribers
        self.bearers = bearers
    }
}

/// The questions of a plan beyond ledger, resources and the list of scheduled pushes.
package struct PlanQuestions: Sendable {
    /// The ids of requests whose outcome is open.
    package var lookUps: [DeliveryID] = []
    /// Conditions to count, by their hash.
    package var counts: [Digest: JSONValue] = [:]
    /// Audiences to explain, by the hash of their condition.
    package var explanations: [Digest: JSONValue] = [:]
    /// Conditions to count for comparison, by their hash: the devices that two audiences share, or those that an audience
    /// has without its fence.
    package var comparisons: [Digest: JSONValue] = [:]
    /// True to ask which other workspaces have deliveries.
    package var neighbours = false
    /// Channels whose subscribers to count.
    package var channels: [String] = []
    /// Profiles whose devices to count.
    package var deviceProfiles: [String] = []
}

/// The lock of a workspace on a remote, with the last apply.
package struct LockRecord: Hashable, Sendable {
    /// The current or last holder: a user, a host and a process.
    package var holder: String
    /// The random name of the run that holds the lock; empty when it is free.
    package var run: String
    /// The fence, raised by every apply that takes the lock.
    package var fence: Int
    /// The time the lock was taken.
    package var acquiredAt: Instant?
    /// The time the lock expires, on the server's clock.
    package var expiresAt: Instant
    /// The last apply that finished.
    package var lastApplied: LastApplied?

    package init(
        holder: String, run: String, fence: Int, acquiredAt: Instant? = nil, expiresAt: Instant,
        lastApplied: LastApplied? = nil
    ) {
        self.holder = holder
        self.run = run
        self.fence = fence
        self.acquiredAt = acquiredAt
        self.expiresAt = expiresAt
        self.lastApplied = lastApplied
    }

    /// True when the lock is held at this instant of the server's clock.
    package func isHeld(at now: Instant) -> Bool { !run.isEmpty && expiresAt > now }
}

/// The last apply, with the commit it was made from.
package struct LastApplied: Hashable, Sendable {
    /// The commit that was applied.
    package var commit: String?
    /// The time of the commit.
    package var committedAt: Instant?
    /// The time of the apply's plan, on the server's clock.
    package var at: Instant
    /// The run's URL or name.
    package var run: String?
    /// What later applies must know of approvals; nil: nothing.
    package var approvals: ApprovalMemory?
    /// The ids of the events that a team was told of what waits, the last ones.
    package var told: [String]
    /// The time of the last apply that looked at every campaign, if this one looked at its targets only.
    package var wholeAt: Instant?

    package init(
        commit: String?, committedAt: Instant?, at: Instant, run: String?, approvals: ApprovalMemory? = nil,
        told: [String] = []
    ) {
        self.commit = commit
        self.committedAt = committedAt
        self.at = at
        self.run = run
        self.approvals = approvals
        self.told = told
    }

    /// The same without what applies tell each other, as people see it.
    package var withoutApprovals: LastApplied {
        LastApplied(commit: commit, committedAt: committedAt, at: at, run: run)
    }
}
