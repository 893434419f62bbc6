package import JSONValue
package import PushModel
package import RegistryModel

/// The queries of planning to the database of an `apns` remote, over a connection that cannot write.
package protocol DeployReading: Sendable {
    /// Returns the database's clock.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be queried, like all methods here.
    func now() async throws(RegistryError) -> Instant

    /// Returns the id of the database: random, assigned at its creation, and shared by its copies.
    func identity() async throws(RegistryError) -> String

    /// Returns all records of a kind, sorted by key.
    func records(_ kind: DeployRecord.Kind, of workspace: String) async throws(RegistryError) -> [DeployRecord]

    /// Returns the number of a kind's records by workspace.
    func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int]

    /// Returns the workspace's lock; nil when it was never taken.
    func lock(of workspace: String) async throws(RegistryError) -> DeployLock?

    /// Returns the number of devices that a delivery to this audience would reach now, and of those left out.
    func count(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceFigures

    /// Returns the breakdown of an audience now, for as many devices as ``count(_:at:)`` returns.
    func explain(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceBreakdown

    /// Surveys the channels and profiles of the installations.
    ///
    /// Subscribers of `channels` and devices with one of `profiles` are counted over all installations.
    func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey

    /// Returns the names that conditions on installations may use.
    func names() async throws(RegistryError) -> RegistryNames

    /// Returns the journal of a delivery; nil when it was never started.
    func journal(of delivery: String) async throws(RegistryError) -> JournalFigures?

    /// True if a delivery was sent to the installation with an `objectId`, or its answer was lost; false after that was
    /// forgotten.
    func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool

    /// Returns the number of an audience's devices by the number of `deliveries` that were sent to them at `since` or
    /// later, or at any time.
    ///
    /// The devices are those that ``count(_:at:)`` counts. A part of a delivery that was closed counts from its last
    /// outcome.
    func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int]

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    func events(of delivery: String) async throws(RegistryError) -> EventFigures?

    /// Closes the connection, after which nothing works any more.
    func close() async
}

/// The operations of an apply on the database of an `apns` remote.
///
/// A write with a lease only happens if the lock's row still has that run and fence, checked in the same statement or
/// transaction: otherwise nothing is written, and the error is ``RegistryError/lockLost``. A nil lease is for the
/// server, whose registry has no second writer.
package protocol DeployWriting: DeployReading {
    /// Tries once to take the lock, for a time after which others may take it.
    func acquireLock(
        of workspace: String, holder: String, run: String, lasting length: Duration
    ) async throws(RegistryError) -> DeployLockAttempt

    /// Extends the lock to its length from now; nil when it is lost.
    func renew(_ lease: Lease) async throws(RegistryError) -> Lease?

    /// Releases the lock, and records the apply if one is given; does nothing when the lock is no longer held.
    func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError)

    /// Releases the lock with this fence; false when the fence differs or the lock is free.
    func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool

    /// Writes a record, replacing any with the same kind and key.
    func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError)

    /// Removes a record, if it exists.
    func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError)

    /// Freezes the audience of a delivery, or continues an interrupted attempt; a frozen audience does not change.
    ///
    /// There is one row per distinct token and topic, in batches of one topic each, written in steps that each take
    /// less than a second.
    ///
    /// - Returns: the figures; not frozen when the audience has a size that is not ``DeliveryFreeze/allowed``. Nothing is
    ///   left of such an attempt, so that a later one is made from the devices of its time.
    func freeze(_ delivery: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> JournalFigures

    /// Marks the batches that an earlier fence, or another sender before `before`, left open as in doubt.
    ///
    /// With nil for `before`, batches claimed under this fence stay open.
    func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError)

    /// Claims a batch: the intent is durable when this returns.
    ///
    /// Several senders get different batches. If the delivery raises badges, the registry's badges are raised in the
    /// same transaction, once per delivery. The run `claimant`, which sends the batch, need not hold the lock.
    func claim(
        from delivery: String, by claimant: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim

    /// Records the outcome of a batch, including Apple's responses about its tokens; false when the batch was given up
    /// meanwhile.
    func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool

    /// Schedules the tokens in doubt to be sent again.
    func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError)

    /// Records the verdict on a stage, with a lasting effect once: if it is `go` or `proceed`, the next stage opens.
    func judge(_ delivery: String, _ verdict: StageVerdict, under lease: Lease?) async throws(RegistryError)

    /// Ends one part of a delivery: its unsent devices count as missed.
    func close(part: Int, of delivery: String, under lease: Lease?) async throws(RegistryError)

    /// Ends a delivery: unsent devices count as missed, and the rows of accepted tokens are removed.
    func close(_ delivery: String, under lease: Lease?) async throws(RegistryError) -> JournalFigures

    /// Forgets which installations the workspace's deliveries reached before a time.
    func forgetReached(
        before: Instant, of workspace: String, under lease: Lease?
    ) async throws(RegistryError)
}

extension DeployWriting {
    /// Tries once to take the lock of an apply, for ``/PushModel/Lease/usualLength``.
    package func acquireLock(
        of workspace: String, holder: String, run: String
    ) async throws(RegistryError) -> DeployLockAttempt {
        try await acquireLock(of: workspace, holder: holder, run: run, lasting: Lease.usualLength)
    }
}
