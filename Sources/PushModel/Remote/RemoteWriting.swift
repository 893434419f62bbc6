/// What only an apply may do to a remote.
///
/// Every write that depends on the lock bears its lease, so that a run that lost the lock cannot write any more.
package protocol RemoteWriting: Sendable {
    /// Tries once to take the lock.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt

    /// Prolongs the lock; nil when it is lost.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked: the old lease then still counts until it ends.
    func renew(_ lease: Lease) async throws(RemoteError) -> Lease?

    /// Frees the lock, and remembers the apply when one is given.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked; the lock then ends by itself.
    func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError)

    /// Frees the lock that bears this fence; false when it bears another, or none is held.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked.
    func unlock(fence: Int) async throws(RemoteError) -> Bool

    /// Adds a ledger entry for a delivery that has none.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Replaces the ledger entries of a delivery.
    ///
    /// - Throws: ``RemoteError`` with `conditionFailed` when a later fence wrote it, or when it is not certain that it
    ///   was written.
    func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Says that the ledger of the workspace begins here.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func startLedger() async throws(RemoteError)

    /// Records a resource as deployed.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError)

    /// Forgets a resource.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError)

    /// Makes the push of a delivery whose intent is recorded; what became of it is the answer, never an error.
    ///
    /// Before each request it asks ``Sending/permission`` and keeps to it. A remote that keeps a journal goes on where an
    /// earlier run was interrupted.
    func send(_ sending: Sending) async -> SendOutcome

    /// Asks the remote to drop a push that it keeps for later; whether it is gone, the list says.
    ///
    /// - Throws: ``RemoteError`` when the remote could not be asked.
    func cancel(_ push: ScheduledPush) async throws(RemoteError)

    /// What only a remote with a journal can do; nil: it keeps none.
    var journaling: (any DeliveryJournaling)? { get }
}

extension RemoteWriting {
    /// No journal.
    package var journaling: (any DeliveryJournaling)? { nil }
}

/// What only a remote with a journal of every device can do.
package protocol DeliveryJournaling: Sendable {
    /// Ends a delivery that was begun: devices that were not sent to count as missed.
    ///
    /// Ending it once more gives the same figures.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func conclude(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) -> DeliveryFigures

    /// Makes the devices in doubt of a delivery ready to be sent to: a person has found that they got nothing.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func reopenDoubtful(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Helps with the deliveries that the holder of the lock has under way, until nothing of them is left.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be asked, or others cannot help it.
    func join(_ help: Joining) async throws(RemoteError) -> DeliveryProgress?
}

/// What became of a delivery that was to be made.
package enum SendOutcome: Hashable, Sendable {
    /// It was one request, or nothing of it was sent.
    case answered(SendAnswer)
    /// Every device has its answer, or counts as in doubt or missed.
    case delivered(DeliveryFigures)
    /// Some devices are still to be sent to, which the next apply does.
    ///
    /// The second value says from when on, where it is only a matter of time: nothing is wrong then.
    case interrupted(reason: String, until: Instant? = nil)
}

/// What one request that sends came to.
package struct SendAnswer: Hashable, Sendable {
    /// What became of it.
    package var verdict: Verdict
    /// The service's id of the push, where it was accepted.
    package var objectID: String?
    /// What the service said, or what went wrong, for people; empty when it was accepted.
    package var reason: String
    /// What helps.
    package var remedy: Remedy

    /// Joins them.
    package init(_ verdict: Verdict, objectID: String? = nil, reason: String = "", remedy: Remedy = .none) {
        self.verdict = verdict
        self.objectID = objectID
        self.reason = reason
        self.remedy = remedy
    }
}

/// The answer to one try to take the lock.
package enum LockAttempt: Hashable, Sendable {
    /// It is ours.
    case acquired(Lease)
    /// Somebody holds it; the second value is the server's clock.
    case held(LockRecord, now: Instant)
}

/// The right to write, until it expires.
package struct Lease: Hashable, Sendable {
    /// The workspace whose lock it is.
    package var workspace: String
    /// The run that holds it.
    package var run: String
    /// Its fence.
    package var fence: Int
    /// Until when, on the server's clock.
    package var expiresAt: Instant

    /// Joins them.
    package init(workspace: String, run: String, fence: Int, expiresAt: Instant) {
        self.workspace = workspace
        self.run = run
        self.fence = fence
        self.expiresAt = expiresAt
    }
}
