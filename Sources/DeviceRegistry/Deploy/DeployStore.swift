package import JSONValue
package import PushModel

/// What planning may ask of the database of an `apns` remote; behind it stands a connection that cannot write.
package protocol DeployReading: Sendable {
    /// The database's clock.
    ///
    /// - Throws: ``RegistryError`` when it cannot be asked, as everything here.
    func now() async throws(RegistryError) -> Instant

    /// What tells this database from every other: drawn by lot when it was made, and borne by its copies too.
    func identity() async throws(RegistryError) -> String

    /// Every record of a kind, in the order of their keys.
    func records(_ kind: DeployRecord.Kind, of workspace: String) async throws(RegistryError) -> [DeployRecord]

    /// The workspace's lock; nil when it was never taken.
    func lock(of workspace: String) async throws(RegistryError) -> DeployLock?

    /// How many devices a delivery to this audience would reach now, and how many it would leave out.
    func count(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceFigures

    /// What a delivery to this audience would reach now, taken apart; as many devices as ``count(_:at:)`` says.
    func explain(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceBreakdown

    /// What the installations say of channels and profiles.
    ///
    /// - Parameters:
    ///   - channels: channels whose subscribers are counted over all installations.
    ///   - profiles: profiles whose bearers are counted over all installations.
    func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey

    /// What conditions on installations may name here.
    func names() async throws(RegistryError) -> RegistryNames

    /// What the journal of a delivery says; nil when it was never begun.
    func journal(of delivery: String) async throws(RegistryError) -> JournalFigures?

    /// Closes the connection. Nothing works after it.
    func close() async
}

/// What an apply does to the database of an `apns` remote.
///
/// A write that bears a lease happens only where the lock's row still bears that run and fence, in one statement or
/// transaction with the write: no row, no write, and the error is ``RegistryError/lockLost``.
/// A nil lease is for the server, whose registry has no second writer.
package protocol DeployWriting: DeployReading {
    /// Tries once to take the lock for two minutes.
    func acquireLock(
        of workspace: String, holder: String, run: String
    ) async throws(RegistryError) -> DeployLockAttempt

    /// Prolongs the lock to two minutes from now; nil when it is lost.
    func renew(_ lease: Lease) async throws(RegistryError) -> Lease?

    /// Frees the lock, and remembers the apply when one is given; nothing when it is not ours any more.
    func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError)

    /// Frees the lock that bears this fence; false when it bears another, or none is held.
    func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool

    /// Writes a record over the former one of its kind and key, if there is one.
    func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError)

    /// Removes a record; one that is not there does no harm.
    func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError)

    /// Freezes the audience of a delivery, or goes on where an earlier run was interrupted; a frozen one stays as it is.
    ///
    /// One row per distinct token and topic, in batches of one topic each, made in steps that each last under a second.
    /// An audience of more than its ``DeliveryFreeze/mostDevices`` is refused, and nothing of it can be claimed.
    func freeze(_ delivery: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> JournalFigures

    /// Declares the batches that an earlier fence, or another sender before `before`, left open to be in doubt.
    ///
    /// - Parameter before: batches claimed earlier under this fence are given up too; nil: only earlier fences'.
    func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError)

    /// Takes a batch: its intent is durable when this returns.
    ///
    /// Of several senders each gets another batch. With a delivery that raises badges the registry's badges are raised
    /// in the same transaction, once a delivery.
    ///
    /// - Parameter claimant: the run that sends it, which need not be the lock's.
    func claim(
        from delivery: String, by claimant: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim

    /// Records what became of a batch, and what Apple said of its tokens; false when it was given up meanwhile.
    func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool

    /// Makes the tokens in doubt ready to be sent again.
    func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError)

    /// Ends a delivery: what was not sent counts as missed, and the rows of accepted tokens go.
    func close(_ delivery: String, under lease: Lease?) async throws(RegistryError) -> JournalFigures
}
