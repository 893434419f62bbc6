package import Base

/// One line of a plan: the change to one resource or delivery.
package struct Change: Hashable, Sendable {
    /// The kind of resource.
    package var kind: ResourceKind
    /// The resource's name.
    package var name: String
    /// The action.
    package var action: Action
    /// The reason, in one clause.
    package var reason: Reason
    /// The file that declares it, relative to the workspace; nil when no file does any more.
    package var file: String?
    /// The line of its document.
    package var line: Int?
    /// The delivery of a campaign.
    package var delivery: PlannedDelivery?
    /// The audience.
    package var audience: PlannedAudience?
    /// The size of the request.
    package var payload: PlannedPayload?
    /// The state on the remote; nil when there is none.
    package var before: JSONValue?
    /// The state after the change; nil when there is none.
    package var after: JSONValue?
    /// The request, with device tokens replaced by their number and hash.
    package var request: PushRequest?
    /// The text of the message, for people.
    package var preview: String?
    /// The looks of a delivery on each platform it can reach.
    package var looks: [NotificationLook]
    /// The rules that block it; empty when none does.
    package var blocked: [Block]
    /// The approvals that it needs; empty when none are.
    package var requires: [ApprovalRequirement] = []
    /// What is ahead of a recurring campaign; nil for every other line.
    package var occurrences: PlannedOccurrences?

    /// Creates a change.
    package init(
        kind: ResourceKind, name: String, action: Action, reason: Reason, file: String? = nil, line: Int? = nil,
        delivery: PlannedDelivery? = nil, audience: PlannedAudience? = nil, payload: PlannedPayload? = nil,
        before: JSONValue? = nil, after: JSONValue? = nil, request: PushRequest? = nil, preview: String? = nil,
        blocked: [Block] = [], looks: [NotificationLook] = []
    ) {
        self.kind = kind
        self.name = name
        self.action = action
        self.reason = reason
        self.file = file
        self.line = line
        self.delivery = delivery
        self.audience = audience
        self.payload = payload
        self.before = before
        self.after = after
        self.request = request
        self.preview = preview
        self.blocked = blocked
        self.looks = looks
    }

    /// True if a delivery waits, rather than a recurring campaign for its next day.
    package var isHeldUp: Bool { action == .wait && occurrences == nil }

    /// True if rules block the change.
    package var isBlocked: Bool { !blocked.isEmpty }

    /// The order of changes in plan and apply; a total order over a plan.
    package static func precedes(_ lhs: Change, _ rhs: Change) -> Bool {
        if lhs.action.rank != rhs.action.rank { return lhs.action.rank < rhs.action.rank }
        if lhs.action.rank == Action.send.rank {
            let (left, right) = (lhs.delivery?.at?.instant, rhs.delivery?.at?.instant)
            if left != right { return (left ?? .distantPast) < (right ?? .distantPast) }
        }
        if lhs.kind != rhs.kind { return lhs.kind.order < rhs.kind.order }
        if lhs.name != rhs.name { return lhs.name < rhs.name }
        if lhs.delivery?.revision != rhs.delivery?.revision {
            return (lhs.delivery?.revision ?? 0) < (rhs.delivery?.revision ?? 0)
        }
        return (lhs.delivery?.occurrence.text ?? "") < (rhs.delivery?.occurrence.text ?? "")
    }
}

/// A delivery in a plan.
package struct PlannedDelivery: Hashable, Sendable {
    /// The id.
    package var id: DeliveryID
    /// The number of pushes of it that were started before.
    package var generation: Int
    /// The campaign's revision.
    package var revision: Int
    /// The occurrence.
    package var occurrence: Occurrence
    /// The time of sending; nil to send when applied.
    package var at: OffsetInstant?
    /// The expiration; nil for none, or when it depends on the start.
    package var expiresAt: Instant?
    /// The expiration as written: `after 7d`.
    package var expires: Reason?
    /// The rules by which it is divided, for a delivery that is sent, scheduled or rescheduled.
    package var divisions: [Division: Reason] = [:]

    /// The rules by which a delivery is divided.
    package enum Division: String, Hashable, Sendable, CaseIterable {
        /// Each device's own clock.
        case localTime
        /// Stages.
        case rollout
        /// A share that gets nothing.
        case holdout
        /// Variants of its message.
        case variants
    }

    package init(
        id: DeliveryID, generation: Int, revision: Int, occurrence: Occurrence, at: OffsetInstant?,
        expiresAt: Instant?, expires: Reason?
    ) {
        self.id = id
        self.generation = generation
        self.revision = revision
        self.occurrence = occurrence
        self.at = at
        self.expiresAt = expiresAt
        self.expires = expires
    }
}

/// An audience in a plan.
package struct PlannedAudience: Hashable, Sendable {
    /// The number of devices; nil when not counted.
    package var devices: Int?
    /// Devices that match and are not among them, by reason.
    package var leftOut: [AudienceExplanation.Skip: Int] = [:]
    /// The time after which a device that was not seen is one of those.
    package var staleAfter = AudienceCount.threeMonths
    /// What the audience is.
    package var description: Reason
    /// Further details for reviewers.
    package var review: AudienceReview

    /// Creates the audience of a count; nil when it was not counted.
    package init(_ count: AudienceCount?, _ description: Reason) {
        self.init(devices: count?.devices, description)
        guard let count else { return }
        (leftOut, staleAfter) = (count.leftOut, count.staleAfter)
    }

    package init(devices: Int?, _ description: Reason, review: AudienceReview = AudienceReview()) {
        self.devices = devices
        self.description = description
        self.review = review
    }

    /// True if it is everyone, or everyone of a platform or profile.
    package var isEveryone: Bool { description.has(Reason.Setting.everyone) }
}

/// The size of a request.
package struct PlannedPayload: Hashable, Sendable {
    /// Bytes that count against the limit.
    package var bytes: Int
    /// The service's limit.
    package var limit: Int

    package init(bytes: Int, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}

extension ResourceKind {
    var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Instant {
    static let distantPast = Instant(milliseconds: .min)
}
