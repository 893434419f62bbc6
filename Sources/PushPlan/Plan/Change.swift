package import JSONValue
package import PushModel

/// One line of a plan, as a value: what would happen to one resource or delivery.
package struct Change: Hashable, Sendable {
    /// Which kind of resource.
    package var kind: ResourceKind
    /// The resource's name.
    package var name: String
    /// What happens.
    package var action: Action
    /// Why, in one clause.
    package var reason: String
    /// The file that declares it, relative to the workspace; nil when none does any more.
    package var file: String?
    /// The line of its document.
    package var line: Int?
    /// The delivery, of a campaign.
    package var delivery: PlannedDelivery?
    /// Whom it reaches.
    package var audience: PlannedAudience?
    /// How large it is.
    package var payload: PlannedPayload?
    /// What the remote has; nil when it has nothing.
    package var before: JSONValue?
    /// What it will have; nil when nothing.
    package var after: JSONValue?
    /// The request, with device tokens replaced by their number and hash.
    package var request: PushRequest?
    /// The text a device shows first; for people.
    package var preview: String?
    /// What it looks like on each platform that it can reach; of a delivery.
    package var looks: [NotificationLook]
    /// The rules that hold it back; empty: none.
    package var blocked: [Block]

    /// Makes a change.
    package init(
        kind: ResourceKind, name: String, action: Action, reason: String, file: String? = nil, line: Int? = nil,
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

    /// Whether rules hold it back.
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
        return (lhs.delivery?.revision ?? 0) < (rhs.delivery?.revision ?? 0)
    }
}

/// A delivery as a plan names it.
package struct PlannedDelivery: Hashable, Sendable {
    /// Its id.
    package var id: DeliveryID
    /// How many pushes of it were begun before.
    package var generation: Int
    /// The campaign's revision.
    package var revision: Int
    /// Which occurrence.
    package var occurrence: Occurrence
    /// When it is sent; nil: as soon as it is applied.
    package var at: OffsetInstant?
    /// When it stops being worth delivering; nil: never, or not known before it starts.
    package var expiresAt: Instant?
    /// The expiration as written, for people: `after 7d`.
    package var expires: String?

    /// Joins them.
    package init(
        id: DeliveryID, generation: Int, revision: Int, occurrence: Occurrence, at: OffsetInstant?,
        expiresAt: Instant?, expires: String?
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

/// An audience as a plan names it.
package struct PlannedAudience: Hashable, Sendable {
    /// How many devices; nil: not counted.
    package var devices: Int?
    /// Whom, for people.
    package var description: String
    /// What else a reviewer may want to know of it.
    package var review: AudienceReview

    /// Joins them.
    package init(devices: Int?, description: String, review: AudienceReview = AudienceReview()) {
        self.devices = devices
        self.description = description
        self.review = review
    }
}

/// The size of a request.
package struct PlannedPayload: Hashable, Sendable {
    /// Bytes that count against the limit.
    package var bytes: Int
    /// The service's limit.
    package var limit: Int

    /// Joins the two.
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
