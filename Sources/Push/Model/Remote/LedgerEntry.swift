package import Base

/// The durable record of one delivery.
package struct LedgerEntry: Hashable, Sendable {
    /// The delivery's id, the same for all its generations.
    package var delivery: DeliveryID
    /// The number of pushes begun for the delivery before this one.
    package var generation: Int
    /// The id in the request of this generation.
    package var notificationID: DeliveryID
    /// The workspace of the delivery.
    package var workspace: String
    /// The campaign's name, as last recorded.
    package var campaign: String
    /// The names that the campaign had before, the oldest first; the delivery's ids may be made of any of them.
    package var formerly: [String] = []
    /// The campaign's revision.
    package var revision: Int
    /// The campaign's occurrence.
    package var occurrence: Occurrence
    package var state: DeliveryState
    /// The whole request; nil in a recorded snapshot.
    package var request: PushRequest?
    /// Hash of the request without its ids.
    package var fingerprint: Digest
    /// Hash of the campaign as the files declared it, independent of any encoder.
    package var content: Digest
    /// Hash of the campaign's own document; nil when an older version wrote the entry.
    package var document: Digest?
    /// The version of the encoder that made the request.
    package var encoder: Int
    /// The time this generation was first intended, on the server's clock.
    package var intendedAt: Instant
    /// The time the request was last repeated because the remote was found not to have it; otherwise ``intendedAt``.
    ///
    /// The age of an open delivery counts from here, its window from ``windowStart``.
    package var attemptedAt: Instant
    /// The time the remote is to send the push; nil: at once.
    package var scheduledAt: Instant?
    /// The time that had come when it was begun; nil: the files named none, or the remote keeps the push until then.
    package var dueAt: Instant?
    /// The delay within which the delivery may still start.
    package var window: Duration
    /// The time the push expires.
    package var expiresAt: Instant?
    /// The share of devices that was held out, and by which word; nil: none.
    package var holdout: Holdout?
    /// The most devices that its audience may have when it is frozen, by the approvals that it was begun with; nil: any
    /// number.
    package var mostDevices: Int?
    /// The service's id of the push.
    package var objectID: String?
    /// The push's id in the service's list of scheduled pushes, used to cancel it; nil until a list has shown it.
    package var scheduledID: Int64?
    /// The figures that the service counted.
    package var figures: DeliveryFigures?
    /// The reason for the state: the service's refusal, or a person's word.
    package var reason: Reason?
    /// True when the delivery is `unsent` because its window had passed: only a raised revision sends it.
    package var isMissed: Bool
    /// The fence of the apply that last wrote the entry.
    package var fence: Int
    /// The origin of the last write.
    package var provenance: Provenance
    /// The stop that it is under, which the ledger itself does not have; nil: none.
    package var stopped: Stopped?
    /// What a team was told of the delivery; nil: it is not told of it.
    package var told: [String]?

    /// Creates an entry, attempted at `intendedAt`.
    package init(
        delivery: DeliveryID, generation: Int, notificationID: DeliveryID, workspace: String, campaign: String,
        revision: Int, occurrence: Occurrence = .once, state: DeliveryState, request: PushRequest?,
        fingerprint: Digest, content: Digest, document: Digest? = nil, encoder: Int, intendedAt: Instant,
        scheduledAt: Instant? = nil, window: Duration, expiresAt: Instant? = nil, objectID: String? = nil,
        figures: DeliveryFigures? = nil, reason: Reason? = nil, isMissed: Bool = false, fence: Int,
        provenance: Provenance
    ) {
        self.delivery = delivery
        self.generation = generation
        self.notificationID = notificationID
        self.workspace = workspace
        self.campaign = campaign
        self.revision = revision
        self.occurrence = occurrence
        self.state = state
        self.request = request
        self.fingerprint = fingerprint
        self.content = content
        self.document = document
        self.encoder = encoder
        self.intendedAt = intendedAt
        attemptedAt = intendedAt
        self.scheduledAt = scheduledAt
        self.window = window
        self.expiresAt = expiresAt
        self.objectID = objectID
        self.figures = figures
        self.reason = reason
        self.isMissed = isMissed
        self.fence = fence
        self.provenance = provenance
    }

    /// The command with which a person records the outcome of the delivery.
    package var resolveCommand: String {
        "bugle resolve \(title) --as \(isStopped ? "proceed|abandoned" : "sent|unsent") --reason TEXT"
    }

    /// True when a person stopped it, or its rollout waits for a decision.
    package var isStopped: Bool { stopped != nil || state.isStopped }

    /// True when its time passed, or a person gave it up, before it reached anybody: only a raised revision sends it.
    package var isMissedForGood: Bool { state == .unsent && isMissed }

    /// Every name that the campaign had.
    package var names: [String] { [campaign] + formerly }

    /// The entry once its campaign has this name.
    package func renamed(to name: String) -> LedgerEntry {
        var entry = self
        entry.formerly = (formerly + [campaign]).filter { $0 != name }
        entry.campaign = name
        return entry
    }

    /// The campaign with the revision, or the day of an occurrence: `score@2`, `weekly@2026-12-07`.
    package var title: String { "\(campaign)@\(occurrence.date?.text ?? String(revision))" }

    /// True when this entry counts rather than another of the same delivery.
    ///
    /// One that was sent counts, then one that may be: what was copied from another service does not know what was sent
    /// here. Of others a later generation does; within one, the strongest state (the response to an insert may have
    /// been lost), then the highest fence.
    package func outranks(_ other: LedgerEntry) -> Bool {
        func rank(_ entry: LedgerEntry) -> (Int, Int, Int, Int) {
            let delivered = entry.state == .sent ? 2 : entry.mayHaveBeenDelivered ? 1 : 0
            return (delivered, entry.generation, entry.state.strength, entry.fence)
        }
        return rank(self) > rank(other)
    }
}

extension [LedgerEntry] {
    /// The entry that counts of each delivery.
    package var strongest: [DeliveryID: LedgerEntry] {
        Dictionary(map { ($0.delivery, $0) }) { $0.outranks($1) ? $0 : $1 }
    }
}

/// The figures that the service counted for a push.
package struct DeliveryFigures: Hashable, Sendable {
    /// Devices that matched when the push was sent, and to which it was sent.
    package var devices: Int
    /// Devices for which Apple or the vendor accepted the push.
    package var successes: Int
    /// Tokens that Apple reports as invalid.
    package var invalidTokens: Int
    /// Devices whose response was lost and that nobody has looked into; only for pushes straight to Apple.
    package var inDoubt: Int
    /// Devices that were never sent to because the time was over; only for pushes straight to Apple.
    package var missed: Int
    /// Devices that matched but were left out when the audience was frozen, by reason.
    package var leftOut: [LeftOut: Int]
    /// Simulated devices on the remote: for them nothing left it.
    package var simulated: Int
    /// The verdicts on the stages of a rollout, in their order.
    package var verdicts: [StageVerdict]
    /// The answers of those who tested variants, by variant.
    package var variants: [VariantAnswers] = []

    package init(
        devices: Int, successes: Int, invalidTokens: Int, inDoubt: Int = 0, missed: Int = 0, simulated: Int = 0,
        verdicts: [StageVerdict] = [], leftOut: [LeftOut: Int] = [:]
    ) {
        self.leftOut = leftOut
        self.devices = devices
        self.successes = successes
        self.invalidTokens = invalidTokens
        self.inDoubt = inDoubt
        self.missed = missed
        self.simulated = simulated
        self.verdicts = verdicts
    }

    /// The number of devices in the audience, real and simulated.
    package var audience: Int { devices + simulated }

    /// True when no device of the audience was sent to: there were none, or the time of all was over.
    package var isUntried: Bool { audience == missed && !hasSent }

    /// True when a device got the push straight from here, or may have.
    package var hasSent: Bool { successes + inDoubt > 0 }

    /// True when the push reached a device, real or simulated.
    package var hasReached: Bool { successes + simulated > 0 }
}

/// The origin of a write, from CI's variables.
package struct Provenance: Hashable, Sendable {
    /// The commit that was applied.
    package var commit: String?
    /// The actor that started the run.
    package var actor: String?
    /// The run's URL or name.
    package var run: String?

    package init(commit: String? = nil, actor: String? = nil, run: String? = nil) {
        self.commit = commit
        self.actor = actor
        self.run = run
    }
}

/// The state of a delivery in the ledger.
package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
    /// The intent is recorded; the outcome of the request is not.
    case sending
    /// The remote keeps the push and will send it at its time.
    case scheduled
    /// The remote accepted the push.
    case sent
    /// The remote refused the push; it may be retried.
    case refused
    /// The cancellation has begun.
    case cancelling
    /// The push was cancelled before it was sent.
    case cancelled
    /// The push is known never to have been sent.
    case unsent
    /// It is unknown whether the push was sent; a person must resolve it.
    case unknown
    /// A person stopped it, or a stage of a rollout passed a limit; a person decides about the rest.
    case halted
    /// There is too little to judge a stage of a rollout; a person decides about the rest.
    case holding

    /// The rank among entries of one delivery: sent over scheduled over cancelling over stopped over sending over the
    /// rest.
    package var strength: Int {
        switch self {
        case .sent: 9
        case .scheduled: 8
        case .cancelling: 7
        case .halted: 6
        case .holding: 5
        case .sending: 4
        case .unknown: 3
        case .unsent: 2
        case .cancelled: 1
        case .refused: 0
        }
    }

    /// True when a journal has figures that the ledger does not: sending began, and no apply has ended it.
    package var isUnderWay: Bool { self == .sending || isStopped }

    /// True when the rest waits for a person's decision.
    package var isStopped: Bool { self == .halted || self == .holding }
}

/// The devices that reported events of a delivery.
package struct EventFigures: Hashable, Sendable {
    /// The parts of the delivery that reported anything, in their order; together they are the delivery.
    package var parts: [Part]

    /// The devices of one part and form of the message.
    package struct Part: Hashable, Sendable {
        /// The part; 0 for an undivided audience.
        package var number: Int
        /// The form of the message: 0 for the message itself, else the number of a language.
        package var form: Int
        /// The devices on which the notification arrived.
        package var received = 0
        /// The devices whose app was opened by it.
        package var opened = 0
        /// The devices on which it was removed.
        package var dismissed = 0

        package init(number: Int, form: Int, received: Int = 0, opened: Int = 0) {
            self.number = number
            self.form = form
            self.received = received
            self.opened = opened
        }
    }

    package init(parts: [Part] = []) { self.parts = parts }

    /// The devices on which the notification arrived.
    package var received: Int { parts.reduce(0) { $0 + $1.received } }
    /// The devices whose app was opened by it.
    package var opened: Int { parts.reduce(0) { $0 + $1.opened } }
    /// The devices of a part whose app was opened by it.
    package func opened(inPart number: Int) -> Int { parts.reduce(0) { $0 + ($1.number == number ? $1.opened : 0) } }
    /// The devices on which it was removed.
    package var dismissed: Int { parts.reduce(0) { $0 + $1.dismissed } }
}

// MARK: - Record

extension LedgerEntry {
    private static let blank = LedgerEntry(
        delivery: DeliveryID(workspace: "", campaign: "", revision: 0), generation: 0,
        notificationID: DeliveryID(workspace: "", campaign: "", revision: 0), workspace: "", campaign: "", revision: 0,
        state: .unknown, request: nil, fingerprint: Digest(of: []), content: Digest(of: []), encoder: 0,
        intendedAt: Instant(milliseconds: 0), window: .zero, fence: 0, provenance: Provenance())

    /// The stored form of an entry on remotes and in snapshots: unknown values are omitted, times are ISO text in UTC.
    package static let record = Record<LedgerEntry>(
        blank,
        [
            Field("delivery", .id, "The delivery.", { $0.delivery }, { $0.delivery = $1 }),
            Field(
                "generation", .natural, "The number of its pushes that were begun before.", { $0.generation },
                { $0.generation = $1 }),
            Field(
                "notificationId", .id, "The id under which the service knows the push.", { $0.notificationID },
                { $0.notificationID = $1 }),
            Field("workspace", .text, "The workspace.", { $0.workspace }, { $0.workspace = $1 }),
            Field("campaign", .text, "The campaign, by its last recorded name.", { $0.campaign }, { $0.campaign = $1 }),
            Field(
                optional: "formerly", .list(of: .text), "The names that it had before, the oldest first.", unless: [],
                { $0.formerly }, { $0.formerly = $1 }),
            Field("revision", .natural, "Its revision.", { $0.revision }, { $0.revision = $1 }),
            Field("occurrence", .occurrence, "The occurrence.", { $0.occurrence }, { $0.occurrence = $1 }),
            Field("state", .choice(DeliveryState.self), "The state.", { $0.state }, { $0.state = $1 }),
            Field(
                optional: "request", .request, "Canonical JSON: keys such as $in may not be stored as keys.",
                { $0.request }, { $0.request = $1 }),
            Field("fingerprint", .digest, "Hash of the request.", { $0.fingerprint }, { $0.fingerprint = $1 }),
            Field("content", .digest, "Hash of what is delivered.", { $0.content }, { $0.content = $1 }),
            Field(
                optional: "document", .digest, "Hash of the campaign's own document.", { $0.document },
                { $0.document = $1 }),
            Field("encoder", .natural, "The version of what made the request.", { $0.encoder }, { $0.encoder = $1 }),
            Field("intendedAt", .instant, "The time when it was begun.", { $0.intendedAt }, { $0.intendedAt = $1 }),
            Field(
                "attemptedAt", .instant, "The time of the last attempt.", { $0.attemptedAt }, { $0.attemptedAt = $1 }),
            Field(
                optional: "scheduledAt", .instant, "The time when the service sends it.", { $0.scheduledAt },
                { $0.scheduledAt = $1 }),
            Field(
                optional: "dueAt", .instant, "The time that had come when it was begun.", { $0.dueAt },
                { $0.dueAt = $1 }),
            Field(
                "window", .seconds, "The delay within which it may still start, in seconds.", { $0.window },
                { $0.window = $1 }),
            Field(
                optional: "expiresAt", .instant, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field(
                optional: "holdout", .record(holdout), "The share of devices that was held out.", { $0.holdout },
                { $0.holdout = $1 }),
            Field(
                optional: "mostDevices", .natural, "The most devices that it had approvals for.", { $0.mostDevices },
                { $0.mostDevices = $1 }),
            Field(
                optional: "pushId", .text, "The service's objectId of the push.", { $0.objectID }, { $0.objectID = $1 }),
            Field(
                optional: "scheduledId", .id, "Its id in the list of scheduled pushes.", { $0.scheduledID },
                { $0.scheduledID = $1 }),
            Field(
                group: StoredFigures.record, { StoredFigures($0.figures) },
                { entry, stored throws(RecordError) in entry.figures = try stored.figures() }),
            .reason("reason", orNull: "The reason for the state.", isOptional: true, { $0.reason }, { $0.reason = $1 }),
            Field("missed", .flag, "True when its time passed unsent.", { $0.isMissed }, { $0.isMissed = $1 }),
            Field("fence", .natural, "The lock under which it was written.", { $0.fence }, { $0.fence = $1 }),
            Field(group: provenance, { $0.provenance }, { $0.provenance = $1 }),
            Field(optional: "told", .list(of: .text), "What a team was told of it.", { $0.told }, { $0.told = $1 }),
        ])

    private static let holdout = Record<Holdout>(
        Holdout(share: .whole, salt: ""),
        [
            Field("share", .share, "The share.", { $0.share }, { $0.share = $1 }),
            Field("salt", .text, "The word that decided which devices these were.", { $0.salt }, { $0.salt = $1 }),
        ])

    private static let provenance = Record<Provenance>(
        Provenance(),
        [
            Field(optional: "commit", .text, "The commit that was applied.", { $0.commit }, { $0.commit = $1 }),
            Field(optional: "actor", .text, "The person or job that applied it.", { $0.actor }, { $0.actor = $1 }),
            Field(optional: "run", .text, "The run that applied it.", { $0.run }, { $0.run = $1 }),
        ])
}

/// The stored figures of a delivery; unknown ones are nil.
private struct StoredFigures {
    var devices: Int?
    var successes: Int?
    var invalidTokens: Int?
    var others = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)

    init(_ figures: DeliveryFigures?) {
        devices = figures?.devices
        successes = figures?.successes
        invalidTokens = figures?.invalidTokens
        if let figures { others = figures }
    }

    /// - Throws: `RecordError` that names what should stand beside the devices.
    func figures() throws(RecordError) -> DeliveryFigures? {
        guard let devices else { return nil }
        guard let successes else { throw RecordError(.missing).under("successes") }
        guard let invalidTokens else { throw RecordError(.missing).under("invalidTokens") }
        var figures = others
        (figures.devices, figures.successes, figures.invalidTokens) = (devices, successes, invalidTokens)
        return figures
    }

    static let record = Record<StoredFigures>(
        StoredFigures(nil),
        [
            Field(
                optional: "devices", .natural, "Devices that matched, without simulated ones.", { $0.devices },
                { $0.devices = $1 }),
            Field(
                optional: "successes", .natural, "Devices for which it was accepted.", { $0.successes },
                { $0.successes = $1 }),
            Field(
                optional: "invalidTokens", .natural, "Tokens that Apple calls invalid.", { $0.invalidTokens },
                { $0.invalidTokens = $1 }),
            Field(
                optional: "inDoubt", .natural, "Devices whose answer was lost.", unless: 0, { $0.others.inDoubt },
                { $0.others.inDoubt = $1 }),
            Field(
                optional: "missedDevices", .natural, "Devices that were not sent to in time.", unless: 0,
                { $0.others.missed }, { $0.others.missed = $1 }),
            Field(
                optional: "leftOut", .leftOut, "Devices left out, by reason.",
                unless: [:], { $0.others.leftOut }, { $0.others.leftOut = $1 }),
            Field(
                optional: "simulated", .natural, "Devices that the remote only simulates.", unless: 0,
                { $0.others.simulated }, { $0.others.simulated = $1 }),
            Field(
                optional: "verdicts", .list(of: .record(StageVerdict.record)), "The verdicts on a rollout's stages.",
                unless: [], { $0.others.verdicts }, { $0.others.verdicts = $1 }),
            Field(
                optional: "variants", .list(of: .record(VariantAnswers.record)), "The answers by variant.",
                unless: [], { $0.others.variants }, { $0.others.variants = $1 }),
        ])
}

// MARK: The stored forms of values

extension JSONForm {
    /// A form that converts to and from a JSON value, without a schema: nobody describes a remote's records by one.
    fileprivate static func stored(
        _ write: @escaping @Sendable (Value) -> JSONValue, _ read: @escaping @Sendable (JSONValue) -> Value?
    ) -> JSONForm {
        JSONForm(schema: { _, _ in .null }, write: { .value(write($0)) }) { value throws(RecordError) in
            guard let result = read(value) else { throw RecordError(.type) }
            return result
        }
    }
}

extension JSONForm<Int> {
    fileprivate static var natural: JSONForm { stored({ .integer(Int64($0)) }, \.natural) }
}

extension JSONForm<Int64> {
    fileprivate static var id: JSONForm { stored({ .integer($0) }, \.integer) }
}

extension JSONForm<DeliveryID> {
    fileprivate static var id: JSONForm { stored({ .string($0.text) }) { $0.string.flatMap { DeliveryID($0) } } }
}

extension JSONForm<Share> {
    fileprivate static var share: JSONForm { stored({ .string($0.text) }) { $0.string.flatMap { Share($0) } } }
}

extension JSONForm<Instant> {
    fileprivate static var instant: JSONForm { stored({ .string($0.isoText) }, \.instant) }
}

extension JSONForm<Duration> {
    fileprivate static var seconds: JSONForm {
        stored({ .integer($0.wholeSeconds) }) { $0.natural.map { .seconds($0) } }
    }
}

extension JSONForm<PushRequest> {
    fileprivate static var request: JSONForm {
        stored({ request in
            let parts: JSONValue = ["endpoint": .string(request.endpoint.rawValue), "body": request.body]
            return .string(parts.canonicalText)
        }) { value in
            guard let text = value.string, let parts = try? JSONValue(parsing: text, limits: .anyMemory),
                let body = parts["body"], body.object != nil,
                let endpoint = parts["endpoint"]?.string.flatMap({ PushRequest.Endpoint(rawValue: $0) })
            else { return nil }
            return PushRequest(endpoint: endpoint, body: body)
        }
    }
}
