package import JSONValue

/// Everything a plan is made from that a remote told.
package struct RemoteState: Sendable {
    /// The server's clock when it was asked.
    package var now: Instant
    /// What was delivered: of several entries of one delivery, the one that counts.
    package var ledger: [LedgerEntry]
    /// Whether `ledger start` or an apply has said that this ledger's beginning is known.
    package var ledgerStarted: Bool
    /// The resources that were deployed.
    package var resources: [ResourceRecord]
    /// The pushes that the remote keeps for later, ours and others'.
    package var scheduled: [ScheduledPush]
    /// What was found of deliveries whose outcome is open, by the id of their request.
    package var evidence: [DeliveryID: Evidence]
    /// The audiences that were counted, by the hash of their condition.
    package var audiences: [Digest: AudienceCount]
    /// What the audiences that were asked about are made of, by the hash of their condition.
    package var explanations: [Digest: AudienceExplanation] = [:]
    /// What a review asked and the remote did not answer, by the hash of the condition, with the reason.
    package var unanswered: [Digest: String] = [:]
    /// What a sample of installations says; nil: not asked.
    package var installations: InstallationSample?
    /// The lock's record; nil: no apply ever ran.
    package var lock: LockRecord?

    /// Makes a state; without more, that of an empty remote.
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
    /// Which kind; never a campaign.
    package var kind: ResourceKind
    /// Its name.
    package var name: String
    /// Its fields, as a plan shows them; always an object.
    package var fields: JSONValue
    /// Whether its removal is refused.
    package var isProtected: Bool

    /// Joins them.
    package init(kind: ResourceKind, name: String, fields: JSONValue, isProtected: Bool = false) {
        self.kind = kind
        self.name = name
        self.fields = fields
        self.isProtected = isProtected
    }
}

/// A push that the remote keeps for later.
package struct ScheduledPush: Hashable, Sendable {
    /// The id to cancel it with.
    package var id: Int64
    /// The id that its request bore.
    package var notificationID: String?
    /// When it fires.
    package var at: Instant

    /// Joins them.
    package init(id: Int64, notificationID: String?, at: Instant) {
        self.id = id
        self.notificationID = notificationID
        self.at = at
    }
}

/// What a look-up of an open delivery found.
package enum Evidence: Hashable, Sendable {
    /// A record.
    case found(PushRecord)
    /// Nothing, and the look-up is believed.
    case none
    /// The look-up cannot be believed, and why.
    case failed(String)
    /// The remote's own journal.
    case journal(JournalState)
}

/// What a remote's journal says of a delivery, in devices.
package struct JournalState: Hashable, Sendable {
    /// Devices in the audience, which was frozen when the delivery began; 0 before that.
    package var targets: Int
    /// Devices whose answer is known: accepted or refused.
    package var answered: Int
    /// Devices among them that were refused.
    package var refused: Int
    /// Devices whose answer was lost.
    package var inDoubt: Int
    /// Devices that are still to be sent to.
    package var waiting: Int
    /// When the last answers were recorded; nil: there are none.
    package var lastOutcomeAt: Instant?

    /// Joins them.
    package init(
        targets: Int, answered: Int, inDoubt: Int, waiting: Int, lastOutcomeAt: Instant?, refused: Int = 0
    ) {
        self.targets = targets
        self.answered = answered
        self.refused = refused
        self.inDoubt = inDoubt
        self.waiting = waiting
        self.lastOutcomeAt = lastOutcomeAt
    }

    /// Nothing was begun.
    package static let unbegun = JournalState(targets: 0, answered: 0, inDoubt: 0, waiting: 0, lastOutcomeAt: nil)

    /// Whether a device got it or may have.
    package var hasSent: Bool { answered > refused || inDoubt > 0 }

    /// Whether it was closed before any device got it: those that were not refused count as missed.
    package var isClosedUnsent: Bool { targets > refused && waiting == 0 && !hasSent }
}

/// How many devices a condition reaches.
package struct AudienceCount: Hashable, Sendable {
    /// Devices that the service would push to now.
    package var devices: Int
    /// The largest count of an inner query; nil: there is none.
    package var innerQuery: Int?
    /// What the condition names and the remote has not.
    package var doubts: [AudienceDoubt]

    /// Joins them.
    package init(devices: Int, innerQuery: Int? = nil, doubts: [AudienceDoubt] = []) {
        self.devices = devices
        self.innerQuery = innerQuery
        self.doubts = doubts
    }
}

/// What a sample of the installations says about profiles and channels.
package struct InstallationSample: Hashable, Sendable {
    /// How many installations were looked at.
    package var size: Int
    /// Channels, with the number of sampled devices that subscribe to each.
    package var channels: [String: Int]
    /// Profiles, with the number of sampled devices that bear each.
    package var deviceProfiles: [String: Int]
    /// Devices, of all, that subscribe to a channel that was asked for.
    package var subscribers: [String: Int]
    /// Devices, of all, that bear a profile that was asked for.
    package var bearers: [String: Int]

    /// Joins them.
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

/// What a plan needs to know besides ledger, resources and the list of scheduled pushes.
package struct PlanQuestions: Sendable {
    /// Requests whose fate is open.
    package var lookUps: [DeliveryID]
    /// Conditions to count, by their hash.
    package var counts: [Digest: JSONValue]
    /// Audiences to explain, by the hash of their condition.
    package var explanations: [Digest: JSONValue] = [:]
    /// What two audiences have in common, to count, by the hash of the condition.
    package var shared: [Digest: JSONValue] = [:]
    /// Channels whose subscribers count.
    package var channels: [String]
    /// Profiles whose bearers count.
    package var deviceProfiles: [String]

    /// Joins them.
    package init(
        lookUps: [DeliveryID] = [], counts: [Digest: JSONValue] = [:], channels: [String] = [],
        deviceProfiles: [String] = []
    ) {
        self.lookUps = lookUps
        self.counts = counts
        self.channels = channels
        self.deviceProfiles = deviceProfiles
    }
}
