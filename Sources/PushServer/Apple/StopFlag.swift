internal import PushRemote
internal import Synchronization

/// Signals that the server is stopping, and ends the waits of deliveries.
final class StopFlag: Pausing {
    private let raised = Atomic(false)

    /// The interval at which a wait checks the flag.
    private static let step: Duration = .milliseconds(100)

    /// True once the flag was raised.
    var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Raises the flag for good.
    func raise() {
        raised.store(true, ordering: .releasing)
    }

    /// Waits for a duration, or until the flag is raised.
    ///
    /// - Throws: `CancellationError` once the flag is raised or the task is cancelled.
    func pause(for duration: Duration) async throws(CancellationError) {
        let end = ContinuousClock.now + duration
        while !isRaised {
            let left = end - .now
            guard left > .zero else { return }
            do {
                try await Task.sleep(for: min(left, Self.step))
            } catch {
                throw CancellationError()
            }
        }
        throw CancellationError()
    }
}
