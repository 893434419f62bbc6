package import Push

/// The locks, records and deliveries of a registry: what an apply and a server write.
///
/// A write with a lease only happens if the lock's row still has that run and fence, checked in the same transaction:
/// otherwise nothing is written, and the error is ``RegistryError/lockLost``. A nil lease is for the server, whose
/// registry has no second writer. What is written is durable when a method returns.
package struct Journal: JournalReading {
    package let reader: JournalReader
    package var database: any RegistryDatabase { reader.database }
    /// The clock in place of the database's own; nil for that.
    package var clock: (@Sendable () -> Instant)? { reader.clock }

    /// The journal in a registry, under a clock; nil for the database's own.
    package init(_ database: any RegistryDatabase, clock: (@Sendable () -> Instant)? = nil) {
        reader = JournalReader(database: database, clock: clock)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await database.write { [clock] db in try body(db.at(clock)) }
    }

    /// Writes about a delivery; without a lock only as the single process that does so.
    func write<Value: Sendable>(
        under lease: Lease?, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        if lease == nil { try database.own() }
        return try await write(body)
    }
}

/// What planning knows of a registry: it cannot name what writes.
package struct JournalReader: JournalReading {
    let database: any RegistryDatabase
    let clock: (@Sendable () -> Instant)?

    package var reader: JournalReader { self }
}

/// The queries of planning, whose results are the same in every database.
package protocol JournalReading: Sendable {
    /// The connection that answers them.
    var reader: JournalReader { get }
}

extension JournalReading {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await reader.database.read(.journal) { [clock = reader.clock] db in try body(db.at(clock)) }
    }

    /// Returns the database's clock.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be queried, like all methods here.
    package func now() async throws(RegistryError) -> Instant { try await read { db in db.now } }

    /// Returns the id of the database: random, assigned at its creation, and shared by its copies.
    package func identity() async throws(RegistryError) -> String { try await read { db in try db.identity() } }

    /// Returns all records of a kind, sorted by key.
    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await read { db in try db.records(kind, of: workspace) }
    }

    /// Returns the number of a kind's records by workspace.
    package func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int] {
        try await read { db in
            try db.counts(
                "SELECT workspace, COUNT(*) FROM deployRecord WHERE kind = ? GROUP BY workspace", [kind.rawValue])
        }
    }

    /// Returns the workspace's lock; nil when it was never taken.
    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await read { db in try db.lock(of: workspace, .free) }
    }

    /// Returns the number of devices that a delivery to this audience would reach now, and of those left out.
    package func count(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceCount {
        try await read { db in try db.count(audience, at: now) }
    }

    /// Returns the breakdown of an audience now, for as many devices as ``count(_:at:)`` returns.
    package func explain(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceCount {
        try await read { db in try db.explain(audience, at: now) }
    }

    /// Returns the journal of a delivery; nil when it was never started.
    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await read { db in try db.figures(of: delivery) }
    }

    /// Returns the number of devices that a delivery's services accepted, by profile.
    package func accepted(of delivery: String) async throws(RegistryError) -> [String: Int] {
        try await read { db in try db.accepted(of: delivery) }
    }

    /// True if a delivery was sent to the installation with an `objectId`, or its answer was lost; false after that was
    /// forgotten.
    package func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool {
        try await read { db in
            guard let number = try db.number(ofInstallation: installation) else { return false }
            return try db.reached(by: delivery, since: nil, holding: number).contains { row in
                try row.numbers().contains(number)
            }
        }
    }

    /// Returns the number of an audience's devices by the number of `deliveries` that were sent to them at `since` or
    /// later, or at any time.
    ///
    /// The devices are those that ``count(_:at:)`` counts. A part of a delivery that was closed counts from its last
    /// outcome.
    package func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int] {
        try await read { db in
            let counts = try db.reachCounts(of: deliveries, since: since)
            var devices: [Int: Int] = [:]
            try db.eachNumber(of: audience, at: now) { devices[counts[$0], default: 0] += 1 }
            return devices
        }
    }

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    package func events(of delivery: String) async throws(RegistryError) -> EventFigures? {
        try await read { db in try db.eventFigures(of: delivery) }
    }

    /// Closes the connection, after which nothing works any more.
    package func close() async { await reader.database.close() }
}

/// A delivery whose audience is to be frozen.
package struct DeliveryFreeze: Hashable, Sendable {
    /// The delivery's id, which identifies its journal: 16 letters and digits.
    package var delivery: String
    /// The workspace; ``ofServer`` for the server's own pushes.
    package var workspace: String
    package var audience: DeliveryAudience
    /// The number of devices per batch, 1 to 1,000.
    package var batchSize: Int
    /// True to raise each device's badge by one.
    package var raisesBadges: Bool
    /// The environment for which tokens are proven: `production` or `development`.
    package var environment: String
    /// The numbers of devices that it may have: an audience of any other size is not frozen.
    package var allowed: Range<Int>
    /// The division into parts.
    package var division: AudienceDivision
    /// The retention of its events; nil when it counts none.
    package var events: EventRetention?

    package init(
        delivery: String, workspace: String, audience: DeliveryAudience, batchSize: Int = 1000,
        raisesBadges: Bool = false, environment: String, allowed: Range<Int> = 0..<Int.max,
        division: AudienceDivision = .whole, events: EventRetention? = nil
    ) {
        self.delivery = delivery
        self.workspace = workspace
        self.audience = audience
        self.batchSize = batchSize
        self.raisesBadges = raisesBadges
        self.environment = environment
        self.allowed = allowed
        self.division = division
        self.events = events
    }

    /// The properties of devices that decide on their parts, or whether they are left out.
    package var traits: DeviceTraits.Kinds { division.traits.union(audience.traits) }

    /// The workspace of the server's own pushes, which no workspace of files can be.
    package static let ofServer = ""
}

/// The progress of a delivery, in devices.
///
/// Once frozen, `targets` = `waiting` + `underWay` + `accepted` + all of `refused` + `inDoubt` + `missed`.
package struct JournalFigures: Hashable, Sendable {
    /// Devices in the frozen audience.
    package var targets: Int
    /// Devices that were not sent to yet, or that will be retried.
    package var waiting: Int
    /// Devices in batches that are claimed but not settled.
    package var underWay: Int
    /// Devices that Apple accepted.
    package var accepted: Int
    /// Devices that Apple refused, by its reasons.
    package var refused: [String: Int]
    /// Devices whose response was lost.
    package var inDoubt: Int
    /// Devices that were not sent to before the delivery was closed.
    package var missed: Int
    /// Selected devices that were left out when the audience was frozen, by reason.
    package var leftOut: [LeftOut: Int]
    /// True if the audience is frozen; until then nothing can be claimed.
    package var isFrozen: Bool
    /// True if the delivery was closed.
    package var isClosed: Bool
    /// The time when the last batch was settled of which anything came, doubtful tokens were reopened, or a person let
    /// a stage or the whole proceed; nil when none of these has happened.
    package var lastOutcomeAt: Instant?
    /// When the last of the devices that were asked to wait may be sent to; nil: none was.
    package var waitsUntil: Instant?
    /// The waiting devices that an earlier attempt may have reached: its answer was lost.
    package var resent = 0
    /// The parts, in the order in which they open; empty for an undivided audience.
    package var parts: [JournalPart]

    package init(
        targets: Int, waiting: Int = 0, underWay: Int = 0, accepted: Int = 0, refused: [String: Int] = [:],
        inDoubt: Int = 0, missed: Int = 0, leftOut: [LeftOut: Int] = [:], isFrozen: Bool = true,
        isClosed: Bool = false, lastOutcomeAt: Instant? = nil, parts: [JournalPart] = []
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
        self.parts = parts
    }
}

/// The result of a sender's request for work.
package enum JournalClaim: Hashable, Sendable {
    /// A batch that no other sender has.
    case batch(JournalBatch)
    /// No batch yet: tokens wait to be retried, or a part opens, at this time or later. What another sender has open
    /// may come back before: its oldest batch was claimed at the second time; nil when nobody has any.
    case waitUntil(Instant, othersSince: Instant? = nil)
    /// No batch, but another sender has open ones, the oldest claimed at this time.
    case othersAtWork(since: Instant)
    /// No batch, since all are done, or since what is left waits for a verdict.
    case finished
    /// No batch, since a person stopped the delivery.
    case stopped(StopOrder)
}

/// A claimed batch: at most 1,000 devices of one topic.
package struct JournalBatch: Hashable, Sendable {
    /// The delivery's id, which identifies its journal: 16 letters and digits.
    package var delivery: String
    /// The batch's number within the delivery, from 1.
    package var number: Int
    /// The run that claimed it.
    package var claimant: String
    /// The route's profile.
    package var profile: String
    /// The devices' part; 0 for an undivided audience.
    package var part = 0
    /// The form of the message that they get: 0 for the message itself, else the number of a language.
    package var form = 0
    /// The time when the part opened; nil for an undivided audience.
    package var opensAt: Instant?
    /// The variant that was chosen for them after a test; nil when their form says it, or there are none.
    package var winner: String?
    /// The devices.
    package var targets: [JournalTarget]
}

/// One device of a batch.
package struct JournalTarget: Hashable, Sendable {
    /// The device token.
    package var token: String
    /// The badge after it was raised; nil when the delivery does not raise badges.
    package var badge: Int?
    /// What its earlier attempts count for, see ``TargetFailure/Ending/again(after:counting:)``.
    package var attempts: Int
    /// The device's own texts for the places of its form.
    package var texts: [String]

    package init(token: String, badge: Int? = nil, attempts: Int = 0, texts: [String] = []) {
        self.texts = texts
        self.token = token
        self.badge = badge
        self.attempts = attempts
    }
}

/// A device of a batch that Apple did not accept.
package struct TargetFailure: Hashable, Sendable {
    /// The index in the batch, from 0.
    package var index: Int
    /// The outcome.
    package var ending: Ending
    /// Apple's reason, or our own.
    package var reason: String

    /// The outcomes of a device that was not accepted.
    package enum Ending: Hashable, Sendable {
        /// The push was refused; the token stays valid.
        case refused
        /// The push was refused and the token is dead: the registry marks it invalid unless the app registered it after
        /// `since`.
        case dead(since: Instant?)
        /// The push was refused; the token is marked invalid only if this environment accepted it in an earlier batch
        /// or delivery.
        case deadIfProven
        /// The push is retried at this time or later; the attempt adds so much to ``JournalTarget/attempts``: 0 when it
        /// says nothing of the device. Nil: when it was due before, since nothing came of the attempt.
        case again(after: Instant?, counting: Int = 1)
        case inDoubt
    }

    package init(index: Int, ending: Ending, reason: String) {
        self.index = index
        self.ending = ending
        self.reason = reason
    }
}
