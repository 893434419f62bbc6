package import Base
package import Push

/// Keeps the lock: renews it, and knows how long it certainly lasts.
package actor LeaseKeeper {
    /// The term of the lock after a renewal; docs/background/lock.md#lifetime.
    package static let length = Duration.seconds(120)
    /// The interval between renewals.
    package static let interval = Duration.seconds(30)

    private let writer: any RemoteWriting
    private let elapsed: @Sendable () -> Duration
    /// The lock as last confirmed.
    package private(set) var lease: Lease
    /// True once the lock is no longer ours.
    package private(set) var isLost = false
    /// The reason that nobody will find what was recorded under it, if that is so.
    package private(set) var loss: RemoteError?
    private var confirmed: Duration
    private var isRenewing = false

    /// Keeps a lock whose acquisition started at the elapsed time `began`.
    package init(
        _ lease: Lease, writer: any RemoteWriting, began: Duration, elapsed: @escaping @Sendable () -> Duration
    ) {
        self.lease = lease
        self.writer = writer
        self.elapsed = elapsed
        confirmed = began
    }

    /// Renews when the interval has passed; after a failed renewal the old end still applies.
    package func renewIfDue() async {
        guard !isLost, !isRenewing, elapsed() - confirmed >= Self.interval else { return }
        await renew()
    }

    /// True when an operation that takes at most `timeout` may start.
    package func hasTime(for timeout: Duration) async -> Bool { await leeway(for: timeout) != nil }

    /// The time for which an operation that takes at most `timeout` may still start: the last confirmed renewal must
    /// leave the timeout and 10 s. Nil when it may not start.
    ///
    /// Before returning nil, one renewal is attempted.
    func leeway(for timeout: Duration) async -> Duration? {
        if isLost { return nil }
        if remaining < timeout + .seconds(10) { await renew() }
        let leeway = remaining - timeout - .seconds(10)
        return isLost || leeway < .zero ? nil : leeway
    }

    /// Checks whether the lock is still ours, whatever its term: a person may have released it by hand.
    package func confirm() async {
        if !isLost { await renew() }
    }

    /// Frees the lock, with what the next apply must know of this one.
    ///
    /// - Throws: `RemoteError` that says until when the lock is kept; with `ledgerLost` when it is gone with the ledger.
    package func free(_ last: LastApplied? = nil) async throws(RemoteError) {
        do throws(RemoteError) {
            try await writer.release(lease, lastApplied: last)
        } catch {
            if error.kind == .ledgerLost { throw error }
            throw RemoteError(
                error.kind,
                "the lock was not freed (\(error.description)): this run, \(lease.run), keeps it until "
                    + "\(lease.expiresAt.text), or until 'bugle unlock \(lease.fence)'")
        }
    }

    private var remaining: Duration { confirmed + Self.length - elapsed() }

    private func renew() async {
        isRenewing = true
        defer { isRenewing = false }
        let began = elapsed()
        do throws(RemoteError) {
            if let renewed = try await writer.renew(lease) {
                lease = renewed
                confirmed = began
            } else {
                isLost = true
            }
        } catch {
            // An unknown result does not mean a lost lock: the remaining time decides.
            if error.kind == .ledgerLost { (isLost, loss) = (true, error) }
        }
    }
}

// MARK: - Taking

extension LeaseKeeper {
    /// The outcome of trying to take the lock.
    package enum Taking: Sendable {
        case taken(LeaseKeeper)
        /// Another run holds the lock; the second value is the server's time.
        case held(LockRecord, now: Instant)
        /// The apply was asked to stop while it waited.
        case stopped
    }

    /// Takes the lock of a workspace at a remote: tries until it is ours or the wait times out.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried.
    package static func take(
        _ writer: any RemoteWriting, pausing: any Pausing, options: ApplyOptions,
        elapsed: @escaping @Sendable () -> Duration, report: @Sendable (ApplyEvent) -> Void
    ) async throws(RemoteError) -> Taking {
        let start = elapsed()
        while true {
            let began = elapsed()
            switch try await writer.acquireLock(holder: options.holder, run: options.run) {
            case .acquired(let lease):
                return .taken(LeaseKeeper(lease, writer: writer, began: began, elapsed: elapsed))
            case .held(let record, let now):
                guard elapsed() - start < options.lockTimeout else { return .held(record, now: now) }
                report(.waitingForLock(record))
                do throws(CancellationError) {
                    try await pausing.pause(for: min(.seconds(2), options.lockTimeout))
                } catch {
                    return .stopped
                }
            }
        }
    }
}
