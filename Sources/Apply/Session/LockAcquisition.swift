package import Base
package import Push

/// Takes the lock of a workspace at a remote.
package struct LockAcquisition: Sendable {
    private let writer: any RemoteWriting
    private let pausing: any Pausing
    private let options: ApplyOptions
    private let elapsed: @Sendable () -> Duration
    private let report: @Sendable (ApplyEvent) -> Void

    package init(
        writer: any RemoteWriting, pausing: any Pausing, options: ApplyOptions,
        elapsed: @escaping @Sendable () -> Duration, report: @escaping @Sendable (ApplyEvent) -> Void
    ) {
        self.writer = writer
        self.pausing = pausing
        self.options = options
        self.elapsed = elapsed
        self.report = report
    }

    /// The outcome of trying to take the lock.
    package enum Outcome: Sendable {
        /// The lock is ours.
        case taken(LeaseKeeper)
        /// Another run holds the lock; the second value is the server's time.
        case held(LockRecord, now: Instant)
        /// The apply was asked to stop while it waited.
        case stopped
    }

    /// Tries until the lock is ours or the wait times out.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried.
    package func take() async throws(RemoteError) -> Outcome {
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
