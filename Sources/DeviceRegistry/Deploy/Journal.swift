package import PushModel

/// A delivery whose audience is to be frozen.
package struct DeliveryFreeze: Hashable, Sendable {
    /// The delivery's id, by which its journal is found: 16 letters and digits.
    package var delivery: String
    /// The workspace; empty for the server's own pushes.
    package var workspace: String
    /// Whom it reaches.
    package var audience: DeliveryAudience
    /// Devices a batch, 1 to 1,000.
    package var batchSize: Int
    /// Whether each device's badge is raised by one.
    package var raisesBadges: Bool
    /// The environment that tokens are proven for: `production` or `development`.
    package var environment: String
    /// More devices than this are not frozen; nil: any number.
    package var mostDevices: Int?

    /// Joins them.
    package init(
        delivery: String, workspace: String, audience: DeliveryAudience, batchSize: Int = 1000,
        raisesBadges: Bool = false, environment: String, mostDevices: Int? = nil
    ) {
        self.delivery = delivery
        self.workspace = workspace
        self.audience = audience
        self.batchSize = batchSize
        self.raisesBadges = raisesBadges
        self.environment = environment
        self.mostDevices = mostDevices
    }

    /// Checks a whole audience.
    ///
    /// - Throws: ``RegistryError`` with code 154 that says both numbers.
    func check(devices: Int) throws(RegistryError) {
        guard let mostDevices, devices > mostDevices else { return }
        throw RegistryError(
            .thresholdExceeded,
            "the audience has \(devices) devices by now, more than the \(mostDevices) that were allowed when it was planned"
        )
    }
}

/// What a delivery has come to, in devices.
///
/// Once frozen, `targets` = `waiting` + `underWay` + `accepted` + all of `refused` + `inDoubt` + `missed`.
package struct JournalFigures: Hashable, Sendable {
    /// Devices in the frozen audience.
    package var targets: Int
    /// Those that no request was made to yet, or that will be tried again.
    package var waiting: Int
    /// Those in batches that were claimed and not settled.
    package var underWay: Int
    /// Those that Apple accepted.
    package var accepted: Int
    /// Those that Apple refused, by its reasons.
    package var refused: [String: Int]
    /// Those whose answer was lost.
    package var inDoubt: Int
    /// Those that were never sent to before the delivery was closed.
    package var missed: Int
    /// Selected devices that were left out when the audience was frozen, by reason.
    package var leftOut: [AudienceFigures.LeftOut: Int]
    /// Whether the audience is frozen; until then nothing can be claimed.
    package var isFrozen: Bool
    /// Whether the delivery was closed.
    package var isClosed: Bool
    /// When the last batch was settled, or doubtful tokens were reopened; nil: never.
    package var lastOutcomeAt: Instant?

    /// Joins them.
    package init(
        targets: Int, waiting: Int = 0, underWay: Int = 0, accepted: Int = 0, refused: [String: Int] = [:],
        inDoubt: Int = 0, missed: Int = 0, leftOut: [AudienceFigures.LeftOut: Int] = [:], isFrozen: Bool = true,
        isClosed: Bool = false, lastOutcomeAt: Instant? = nil
    ) {
        self.targets = targets
        self.waiting = waiting
        self.underWay = underWay
        self.accepted = accepted
        self.refused = refused
        self.inDoubt = inDoubt
        self.missed = missed
        self.leftOut = leftOut
        self.isFrozen = isFrozen
        self.isClosed = isClosed
        self.lastOutcomeAt = lastOutcomeAt
    }
}

/// What a sender that asks for work gets.
package enum JournalClaim: Hashable, Sendable {
    /// A batch that nobody else has.
    case batch(JournalBatch)
    /// Nothing yet: tokens wait for another try, not before then.
    case waitUntil(Instant)
    /// Nothing, but another sender has batches open, the oldest claimed then.
    case othersAtWork(since: Instant)
    /// Nothing any more.
    case finished
}

/// A batch that was claimed: at most 1,000 devices of one topic.
package struct JournalBatch: Hashable, Sendable {
    /// The delivery.
    package var delivery: String
    /// The batch's number within it, from 1.
    package var number: Int
    /// The run that claimed it.
    package var claimant: String
    /// The route's profile.
    package var profile: String
    /// The devices.
    package var targets: [JournalTarget]
}

/// One device of a batch.
package struct JournalTarget: Hashable, Sendable {
    /// The device token.
    package var token: String
    /// The badge after it was raised; nil when the delivery raises none.
    package var badge: Int?
    /// How often it was tried before.
    package var attempts: Int

    /// Joins them.
    package init(token: String, badge: Int? = nil, attempts: Int = 0) {
        self.token = token
        self.badge = badge
        self.attempts = attempts
    }
}

/// A device of a batch that was not accepted.
package struct TargetFailure: Hashable, Sendable {
    /// Its place in the batch, from 0.
    package var index: Int
    /// How it ended.
    package var ending: Ending
    /// Apple's reason, or ours.
    package var reason: String

    /// How a device that was not accepted ended.
    package enum Ending: Hashable, Sendable {
        /// Refused; the token stays.
        case refused
        /// Refused, and the token is dead: the registry marks it invalid unless the app registered it after `since`.
        case dead(since: Instant?)
        /// Refused; the token is marked invalid only if this environment accepted it in an earlier batch or delivery.
        case deadIfProven
        /// It is tried again, not before then.
        case again(after: Instant)
        /// Nobody knows.
        case inDoubt
    }

    /// Joins them.
    package init(index: Int, ending: Ending, reason: String) {
        self.index = index
        self.ending = ending
        self.reason = reason
    }
}
