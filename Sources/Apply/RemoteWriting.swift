package import Base
package import Push

/// The changes that only an apply makes on a remote.
///
/// Every write that depends on the lock bears its lease, so that a run that lost the lock cannot write any more.
package protocol RemoteWriting: Sendable {
    /// Tries once to take the lock.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be reached.
    func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt

    /// Extends the lock; nil when it is lost.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be reached: the old lease then stays valid until it expires.
    func renew(_ lease: Lease) async throws(RemoteError) -> Lease?

    /// Releases the lock, and records the apply if one is given.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be reached; the lock then expires by itself.
    func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError)

    /// Releases the lock with this fence; false when it has another fence, or none is held.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be reached.
    func unlock(fence: Int) async throws(RemoteError) -> Bool

    /// Adds a ledger entry for a delivery that has none.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the entry was written.
    func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Replaces the ledger entries of a delivery.
    ///
    /// - Throws: ``RemoteError`` with `conditionFailed` when a later fence wrote it, or when it is not certain that it
    ///   was written.
    func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Writes an order to stop a delivery, or all, unless there is one already. It needs no lock: every ``send(_:)``
    /// looks at the orders before each request or batch.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was written.
    func stop(_ order: StopOrder) async throws(RemoteError)

    /// Removes an order to stop.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that it was removed.
    func lift(_ order: StopOrder) async throws(RemoteError)

    /// Marks the ledger of the workspace as started.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the mark was written.
    func startLedger() async throws(RemoteError)

    /// Records a resource as deployed.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the record was written.
    func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError)

    /// Removes a resource's record.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the record was removed.
    func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError)

    /// Sends the push of a delivery whose intent is recorded; the outcome is the result, never an error.
    ///
    /// Before each request it asks ``OutgoingDelivery/permission`` and respects it. A remote that keeps a journal
    /// resumes where an earlier run was interrupted.
    func send(_ sending: OutgoingDelivery) async -> SendOutcome

    /// Asks the remote to drop the scheduled push with an id; the list of scheduled pushes shows whether it is gone.
    ///
    /// - Throws: ``RemoteError`` when the remote could not be reached.
    func cancel(_ id: Int64) async throws(RemoteError)

    /// The operations of a remote with a journal; nil when it keeps none.
    var journaling: (any DeliveryJournaling)? { get }
}

extension RemoteWriting {
    /// The default: no journal.
    package var journaling: (any DeliveryJournaling)? { nil }
}

/// The operations of a remote that keeps a journal of every device.
package protocol DeliveryJournaling: Sendable {
    /// Ends a delivery that was begun: devices that were not sent to count as missed.
    ///
    /// Repeating it gives the same figures.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the end was recorded.
    func conclude(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) -> DeliveryFigures

    /// Makes a delivery's devices in doubt ready to be sent to: a person has found that they received nothing.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that the change was recorded.
    func reopenDoubtful(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Gives the rest of a delivery that a person stopped, and lets go on, its window from now; a wave by local time keeps
    /// its own.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that this was recorded.
    func renewWindow(of entry: LedgerEntry, under lease: Lease) async throws(RemoteError)

    /// Lets a rollout that was halted or held go on with its next stage, or with the rest of the halted one.
    ///
    /// Repeating it decides nothing anew.
    ///
    /// - Returns: the time at which the rest expires, since an expiration counts from each stage; nil: never.
    /// - Throws: ``RemoteError`` when it is not certain that the decision was recorded.
    func proceed(_ entry: LedgerEntry, reason: String, under lease: Lease) async throws(RemoteError) -> Instant?

    /// Forgets which devices the workspace's deliveries reached before a time.
    ///
    /// - Throws: ``RemoteError`` when it is not certain that they were forgotten.
    func forgetReached(before: Instant, under lease: Lease) async throws(RemoteError)

    /// Helps with the deliveries that the holder of the lock has in progress, until nothing is left of them.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be reached, or does not allow helpers.
    func join(_ help: DeliveryHelper) async throws(RemoteError) -> DeliveryProgress?
}

/// The outcome of sending a delivery.
package enum SendOutcome: Hashable, Sendable {
    /// The delivery was one request, or nothing of it was sent.
    case answered(SendAnswer)
    /// Every device has its answer, or counts as in doubt or missed.
    case delivered(DeliveryFigures)
    /// Some devices remain, which the next apply sends to.
    ///
    /// The second value is the earliest time to resume when waiting is all that is needed: nothing is wrong then. The
    /// third are the figures so far, if they are known.
    case interrupted(reason: String, until: Instant? = nil, DeliveryFigures? = nil)
    /// The audience that was to be frozen has a size that is not ``OutgoingDelivery/allowed``: nothing was sent, and
    /// nothing is left of it.
    case outsideLimits(DeliveryFigures)
    /// A stage was judged, and a person decides about the rest.
    case judged(StageVerdict, DeliveryFigures)
    /// A person stopped it, before or while it was sent; the figures so far, if anything was begun.
    case stopped(StopOrder, DeliveryFigures?)
}

extension SendOutcome {
    /// The outcome when nothing was sent, with the remedy; without a remedy, the delivery is refused.
    package static func nothingSent(_ reason: String, _ remedy: Remedy = .none) -> SendOutcome {
        let proof = Proof.noBodyGiven(reason)
        return .answered(
            SendAnswer(remedy == .none ? .refused(proof) : .notSent(proof), reason: reason, remedy: remedy))
    }

    /// The outcome of a failure before anything was sent.
    package init(_ error: RemoteError) {
        switch error.kind {
        case .credentials: self = .nothingSent(error.description, .credentials)
        case .refused: self = .nothingSent(error.description)
        case .conditionFailed, .unexpectedAnswer: self = .interrupted(reason: error.description)
        case .rateLimited, .unavailable, .ledgerLost, .unknownOutcome:
            self = .nothingSent(error.description, .again(after: nil))
        }
    }
}

/// The result of one send request.
package struct SendAnswer: Hashable, Sendable {
    /// The outcome.
    package var verdict: Verdict
    /// The service's id of the push, if accepted.
    package var objectID: String?
    /// The service's answer or the error, in words; empty when accepted.
    package var reason: String
    /// The remedy for a failure.
    package var remedy: Remedy

    package init(_ verdict: Verdict, objectID: String? = nil, reason: String = "", remedy: Remedy = .none) {
        self.verdict = verdict
        self.objectID = objectID
        self.reason = reason
        self.remedy = remedy
    }
}

/// The result of one attempt to take the lock.
package enum LockAttempt: Hashable, Sendable {
    case acquired(Lease)
    /// Another run holds the lock; the second value is the server's time.
    case held(LockRecord, now: Instant)
}

/// A delivery to send, with the callbacks for its progress and permission.
package struct OutgoingDelivery: Sendable {
    /// The delivery, with its request.
    package var entry: LedgerEntry
    /// The numbers of devices that an audience which the remote selects itself may have: one of any other size is sent
    /// nothing.
    package var allowed: Range<Int>
    /// The lock as last confirmed.
    package var lease: @Sendable () async -> Lease
    /// Called before each request, or batch of requests, to learn whether it may be written, and until when.
    package var permission: @Sendable () async -> Permission
    /// True once the apply was asked to stop: nothing new starts.
    package var isStopped: @Sendable () -> Bool
    /// Called with the delivery's progress.
    package var progress: @Sendable (DeliveryProgress) -> Void

    package init(
        entry: LedgerEntry, allowed: Range<Int> = 0..<Int.max,
        lease: @escaping @Sendable () async -> Lease,
        permission: @escaping @Sendable () async -> Permission = { .granted(for: .seconds(60)) },
        isStopped: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.entry = entry
        self.allowed = allowed
        self.lease = lease
        self.permission = permission
        self.isStopped = isStopped
        self.progress = progress
    }
}

/// A helper for a delivery in progress.
package struct DeliveryHelper: Sendable {
    /// The random name of the run that helps.
    package var run: String
    /// The hours in which it makes no requests.
    package var quietHours: QuietHours?
    /// The condition of the remote's fence in the helper's files; nil: none.
    package var fence: JSONValue?
    /// True once the helper was asked to stop.
    package var isStopped: @Sendable () -> Bool
    /// Called with the delivery's progress.
    package var progress: @Sendable (DeliveryProgress) -> Void

    package init(
        run: String, quietHours: QuietHours? = nil, fence: JSONValue? = nil, isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) {
        self.run = run
        self.quietHours = quietHours
        self.fence = fence
        self.isStopped = isStopped
        self.progress = progress
    }
}
