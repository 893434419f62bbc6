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
    /// The delivery's state.
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
    /// The age of an open delivery counts from here, its window from ``intendedAt``.
    package var attemptedAt: Instant
    /// The time the remote is to send the push; nil: at once.
    package var scheduledAt: Instant?
    /// The delay within which the delivery may still start.
    package var window: Duration
    /// The time the push expires.
    package var expiresAt: Instant?
    /// The share of devices that was held out, and by which word; nil: none.
    package var holdout: Holdout?
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

    /// Creates an entry; without `attemptedAt`, it was attempted at `intendedAt`.
    package init(
        delivery: DeliveryID, generation: Int, notificationID: DeliveryID, workspace: String, campaign: String,
        revision: Int, occurrence: Occurrence = .once, state: DeliveryState, request: PushRequest?,
        fingerprint: Digest, content: Digest, document: Digest? = nil, encoder: Int, intendedAt: Instant,
        attemptedAt: Instant? = nil,
        scheduledAt: Instant? = nil,
        window: Duration, expiresAt: Instant? = nil, objectID: String? = nil, scheduledID: Int64? = nil,
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
        self.attemptedAt = attemptedAt ?? intendedAt
        self.scheduledAt = scheduledAt
        self.window = window
        self.expiresAt = expiresAt
        self.objectID = objectID
        self.scheduledID = scheduledID
        self.figures = figures
        self.reason = reason
        self.isMissed = isMissed
        self.fence = fence
        self.provenance = provenance
    }

    /// The command with which a person records the outcome of the delivery.
    package var resolveCommand: String {
        "bugle resolve \(title) --as \(state.isStopped ? "proceed|abandoned" : "sent|unsent") --reason TEXT"
    }

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
    /// A later generation counts; within one, the strongest state does (the response to an insert may have been lost),
    /// then the highest fence.
    package func outranks(_ other: LedgerEntry) -> Bool {
        (generation, state.strength, fence) > (other.generation, other.state.strength, other.fence)
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
    package var leftOut: [AudienceExplanation.Skip: Int]
    /// Simulated devices on the remote: for them nothing left it.
    package var simulated: Int
    /// The verdicts on the stages of a rollout, in their order.
    package var verdicts: [StageVerdict]
    /// The answers of those who tested variants, by variant.
    package var variants: [VariantAnswers] = []

    package init(
        devices: Int, successes: Int, invalidTokens: Int, inDoubt: Int = 0, missed: Int = 0, simulated: Int = 0,
        verdicts: [StageVerdict] = [], leftOut: [AudienceExplanation.Skip: Int] = [:]
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
    package var isUntried: Bool { audience == missed && successes + inDoubt == 0 }

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
