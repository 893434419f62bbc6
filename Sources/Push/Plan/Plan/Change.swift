package import Base

/// One line of a plan: the change to one resource or delivery.
package struct Change: Hashable, Sendable {
    package var kind: ResourceKind
    /// The resource's name.
    package var name: String
    package var action: Action
    /// The reason, in one clause.
    package var reason: Reason
    /// The file that declares it, relative to the workspace; nil when no file does any more.
    package var file: String?
    /// The line of its document.
    package var line: Int?
    /// The delivery of a campaign.
    package var delivery: PlannedDelivery?
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
    /// The rules that block it; empty when none does.
    package var blocked: [Block] = []
    /// The looks of a delivery on each platform it can reach.
    package var looks: [NotificationLook] = []
    /// The approvals that it needs; empty when none are.
    package var requires: [ApprovalRequirement] = []
    /// What is ahead of a recurring campaign; nil for every other line.
    package var occurrences: PlannedOccurrences?

    /// True if a delivery waits, or a recurring campaign is on hold, rather than for its next day.
    package var isHeldUp: Bool { action == .wait && (occurrences == nil || reason.isOnHold) }

    /// True if rules block the change.
    package var isBlocked: Bool { !blocked.isEmpty }

    /// True for days of a recurring campaign that were missed since the last apply: later plans do not list them.
    package var isMissedDay: Bool {
        action == .missed && !isBlocked && delivery?.occurrence.date != nil && !reason.has(Reason.Planned.lastDay)
    }

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
    package var id: DeliveryID
    /// The number of pushes of it that were started before.
    package var generation: Int
    /// The campaign's revision.
    package var revision: Int
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
        case rollout
        /// A share that gets nothing.
        case holdout
        case variants
    }
}

/// An audience in a plan.
package struct PlannedAudience: Hashable, Sendable {
    /// The number of devices; nil when not counted.
    package var devices: Int?
    /// Devices that match and are not among them, by reason.
    package var leftOut: [LeftOut: Int] = [:]
    /// The time after which a device that was not seen is one of those.
    package var staleAfter = AudienceCount.threeMonths
    /// What the audience is.
    package var description: Reason
    /// The fence of the remote, which is part of that; nil: none.
    package var fence: Reason?
    /// Further details for reviewers.
    package var review = AudienceReview()

    /// Creates the audience of a count; nil when it was not counted.
    package init(_ count: AudienceCount?, _ description: Reason) {
        self.init(devices: count?.devices, description)
        guard let count else { return }
        (leftOut, staleAfter) = (count.leftOut, count.staleAfter)
    }

    /// Creates the audience of a campaign with its count; nil when it was not counted.
    init(_ count: AudienceCount?, of campaign: Campaign) {
        self.init(count, campaign.audienceReason)
        fence = campaign.fence?.reason
    }

    package init(devices: Int?, _ description: Reason) {
        self.devices = devices
        self.description = description
    }

    /// True if it is everyone, or everyone of a platform or profile.
    package var isEveryone: Bool { fence == nil && description.has(Reason.Setting.everyone) }
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

/// The outcome of a planned change.
package enum ChangeOutcome: String, Hashable, Sendable, CaseIterable {
    case done
    /// What was due was carried out, and the rest goes on by design: its time has not come.
    case ongoing
    /// It was carried out for some devices: time ran out for the others, or they must be tried again.
    case partly
    /// The service refused it; nothing was sent.
    case refused
    case failed
    case unknown
    /// The change was not attempted.
    case skipped
}

// MARK: - Record

extension Change {
    package static let record = Record<Change>(
        Change(kind: .campaign, name: "", action: .none, reason: .verbatim("")),
        [
            Field("kind", .choice(ResourceKind.self), "The kind of the resource.", { $0.kind }, { $0.kind = $1 }),
            Field("name", .text, "Its name.", { $0.name }, { $0.name = $1 }),
            Field("action", .choice(Action.self), "The action.", { $0.action }, { $0.action = $1 }),
            .reason("reason", "The reason, in one clause.", { $0.reason }, { $0.reason = $1 }),
            Field(
                "file", orNull: .text, "The file that declares it; null: no longer declared.", { $0.file },
                { $0.file = $1 }),
            Field("line", orNull: .integer(minimum: 1), "The line of its document.", { $0.line }, { $0.line = $1 }),
            Field(
                "delivery", orNull: .record(PlannedDelivery.record, definedAs: "delivery"), "", { $0.delivery },
                { $0.delivery = $1 }),
            Field(
                "audience", orNull: .record(PlannedAudience.record, definedAs: "audience"), "", { $0.audience },
                { $0.audience = $1 }),
            Field(
                "payload", orNull: .record(PlannedPayload.record, definedAs: "payload"), "", { $0.payload },
                { $0.payload = $1 }),
            Field("before", orNull: .object, "The remote's state; null: nothing.", { $0.before }, { $0.before = $1 }),
            Field(
                "after", orNull: .object, "The state after the change; null: nothing.", { $0.after }, { $0.after = $1 }),
            Field(
                "request", orNull: .record(PushRequest.record, definedAs: "request"), "", { $0.request },
                { $0.request = $1 }),
            Field("preview", orNull: .text, "The text that a device shows first.", { $0.preview }, { $0.preview = $1 }),
            Field(
                "blocked", .list(of: .record(Block.record, definedAs: "block")), "The rules that block it.",
                { $0.blocked }, { $0.blocked = $1 }),
            Field(
                optional: "requires",
                .list(of: .record(ApprovalRequirement.record, definedAs: "requirement"), minimum: 1),
                "The approvals that it needs; 'apply' holds it back without them.", unless: [], { $0.requires },
                { $0.requires = $1 }),
            Field(
                optional: "occurrences", .record(PlannedOccurrences.record, definedAs: "occurrences"),
                "What is ahead of a recurring campaign.", { $0.occurrences }, { $0.occurrences = $1 }),
            // Far more than the number of platforms, and few enough to draw.
            Field(
                optional: "looks",
                .list(of: .record(NotificationLook.record, definedAs: "look"), minimum: 1, maximum: 64),
                "The appearance on devices, by platform.", unless: [], { $0.looks }, { $0.looks = $1 }),
        ])
}

extension PlannedDelivery {
    package static let record = Record<PlannedDelivery>(
        PlannedDelivery(
            id: DeliveryID(workspace: "", campaign: "", revision: 0), generation: 0, revision: 0, occurrence: .once,
            at: nil, expiresAt: nil, expires: nil),
        [
            Field("id", .delivery, "Its id.", { $0.id }, { $0.id = $1 }),
            Field(
                "generation", .integer(), "The number of its pushes that were begun before.", { $0.generation },
                { $0.generation = $1 }),
            Field("revision", .integer(minimum: 1), "The campaign's revision.", { $0.revision }, { $0.revision = $1 }),
            Field("occurrence", .occurrence, "The occurrence.", { $0.occurrence }, { $0.occurrence = $1 }),
            Field(
                "at", orNull: .time, "The time of sending; null: as soon as it is applied.", { $0.at }, { $0.at = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            .reason("expires", orNull: "The expiration as written.", { $0.expires }, { $0.expires = $1 }),
            Field(
                optional: "divisions", .list(of: .record(WrittenDivision.record), minimum: 1),
                "The rules by which it is divided.",
                unless: [], { WrittenDivision.list($0.divisions) }, { $0.divisions = WrittenDivision.divisions($1) }),
        ])
}

/// A rule by which a delivery is divided, as a plan file has it.
private struct WrittenDivision: Hashable, Sendable {
    var by: PlannedDelivery.Division
    var rule: Reason

    static func list(_ divisions: [PlannedDelivery.Division: Reason]) -> [WrittenDivision] {
        PlannedDelivery.Division.allCases.compactMap { by in divisions[by].map { WrittenDivision(by: by, rule: $0) } }
    }

    static func divisions(_ list: [WrittenDivision]) -> [PlannedDelivery.Division: Reason] {
        Dictionary(list.map { ($0.by, $0.rule) }) { first, _ in first }
    }

    static let record = Record<WrittenDivision>(
        WrittenDivision(by: .rollout, rule: .verbatim("")),
        [
            Field("by", .choice(PlannedDelivery.Division.self), "What divides it.", { $0.by }, { $0.by = $1 }),
            .reason("rule", "The rule, in words.", { $0.rule }, { $0.rule = $1 }),
        ])
}

extension PlannedPayload {
    package static let record = Record<PlannedPayload>(
        PlannedPayload(bytes: 0, limit: 0),
        [
            Field("bytes", .integer(), "Bytes that count against the limit.", { $0.bytes }, { $0.bytes = $1 }),
            Field("limit", .integer(), "The service's limit.", { $0.limit }, { $0.limit = $1 }),
        ])
}

extension PushRequest {
    package static let record = Record<PushRequest>(
        PushRequest(endpoint: .push, body: .null),
        [
            Field("endpoint", .choice(Endpoint.self), "The endpoint.", { $0.endpoint }, { $0.endpoint = $1 }),
            Field("body", .object, "The whole body.", { $0.body }, { $0.body = $1 }),
        ])
}

extension Block {
    package static let record = Record<Block>(
        Block(.missed, .verbatim("")),
        [
            Field("rule", .choice(Rule.self), "The rule.", { $0.rule }, { $0.rule = $1 }),
            .reason("message", "The reason, in words.", { $0.message }, { $0.message = $1 }),
        ])
}

extension LastApplied {
    package static let record = Record<LastApplied>(
        LastApplied(commit: nil, committedAt: nil, at: .distantPast, run: nil),
        [
            Field("commit", orNull: .text, "The commit.", { $0.commit }, { $0.commit = $1 }),
            Field("committedAt", orNull: .time, "The time of the commit.", { $0.committedAt }, { $0.committedAt = $1 }),
            Field("at", .time, "The time of the apply.", { $0.at }, { $0.at = $1 }),
            Field("run", orNull: .text, "The run that applied it.", { $0.run }, { $0.run = $1 }),
        ])
}
