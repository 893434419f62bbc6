/// The durable record of one delivery.
package struct LedgerEntry: Hashable, Sendable {
    /// The delivery's id, the same for all its generations.
    package var delivery: DeliveryID
    /// How many pushes were begun for it before this one.
    package var generation: Int
    /// The id that the request of this generation bears.
    package var notificationID: DeliveryID
    /// The workspace it belongs to.
    package var workspace: String
    /// The campaign, by the name it had.
    package var campaign: String
    /// The campaign's revision.
    package var revision: Int
    /// Which occurrence.
    package var occurrence: Occurrence
    /// Where it stands.
    package var state: DeliveryState
    /// The whole request; nil in a recorded snapshot.
    package var request: PushRequest?
    /// Hash of the request without its ids.
    package var fingerprint: Digest
    /// Hash of the campaign as the files declared it, independent of any encoder.
    package var content: Digest
    /// Hash of what the campaign's own document said; nil: an older version wrote the entry.
    package var document: Digest?
    /// The version of the encoder that made the request.
    package var encoder: Int
    /// When this generation was first intended, on the server's clock.
    package var intendedAt: Instant
    /// When the request was last made anew after the remote was found not to have it; else ``intendedAt``.
    ///
    /// The age of an open delivery counts from here, its window from ``intendedAt``.
    package var attemptedAt: Instant
    /// When the remote shall send it; nil: at once.
    package var scheduledAt: Instant?
    /// How late it may start.
    package var window: Duration
    /// When it stops being worth delivering.
    package var expiresAt: Instant?
    /// The service's id of the push.
    package var objectID: String?
    /// The id by which the service's list of scheduled pushes names it, once a list showed it: what it is cancelled with.
    package var scheduledID: Int64?
    /// What the service counted.
    package var figures: DeliveryFigures?
    /// Why it is as it is: the service's refusal, or a person's word.
    package var reason: String?
    /// Whether it is `unsent` because its window had passed: only a raised revision sends it.
    package var isMissed: Bool
    /// The fence of the apply that wrote it last.
    package var fence: Int
    /// Who wrote it last.
    package var provenance: Provenance

    /// Makes an entry.
    package init(
        delivery: DeliveryID, generation: Int, notificationID: DeliveryID, workspace: String, campaign: String,
        revision: Int, occurrence: Occurrence = .once, state: DeliveryState, request: PushRequest?,
        fingerprint: Digest, content: Digest, document: Digest? = nil, encoder: Int, intendedAt: Instant,
        attemptedAt: Instant? = nil,
        scheduledAt: Instant? = nil,
        window: Duration, expiresAt: Instant? = nil, objectID: String? = nil, scheduledID: Int64? = nil,
        figures: DeliveryFigures? = nil, reason: String? = nil, isMissed: Bool = false, fence: Int,
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

    /// The command by which a person says what became of it.
    package var resolveCommand: String { "bugle resolve \(campaign)@\(revision) --as sent|unsent --reason TEXT" }

    /// Whether this entry, rather than another of the same delivery, says what became of it.
    ///
    /// A later generation counts; within one, the strongest state does (an answer to an insert may have been lost).
    package func outranks(_ other: LedgerEntry) -> Bool {
        (generation, state.strength, fence) > (other.generation, other.state.strength, other.fence)
    }
}

/// What the service counted for a push.
package struct DeliveryFigures: Hashable, Sendable {
    /// Devices that matched when it was sent, and that it left for.
    package var devices: Int
    /// Devices for which Apple or the vendor accepted it.
    package var successes: Int
    /// Tokens that Apple calls invalid.
    package var invalidTokens: Int
    /// Devices whose answer was lost and that nobody has looked into; straight to Apple only.
    package var inDoubt: Int
    /// Devices that were never sent to because the time was over; straight to Apple only.
    package var missed: Int
    /// Devices that stood in for real ones on the remote: for them nothing left it.
    package var simulated: Int

    /// Joins them.
    package init(
        devices: Int, successes: Int, invalidTokens: Int, inDoubt: Int = 0, missed: Int = 0, simulated: Int = 0
    ) {
        self.devices = devices
        self.successes = successes
        self.invalidTokens = invalidTokens
        self.inDoubt = inDoubt
        self.missed = missed
        self.simulated = simulated
    }

    /// Devices that it was made for, real and simulated.
    package var audience: Int { devices + simulated }

    /// Whether a device, real or simulated, has it.
    package var hasReached: Bool { successes + simulated > 0 }
}

/// Where a write came from, as CI's variables tell.
package struct Provenance: Hashable, Sendable {
    /// The commit that was applied.
    package var commit: String?
    /// Who started it.
    package var actor: String?
    /// The run's address or name.
    package var run: String?

    /// Joins them.
    package init(commit: String? = nil, actor: String? = nil, run: String? = nil) {
        self.commit = commit
        self.actor = actor
        self.run = run
    }
}
