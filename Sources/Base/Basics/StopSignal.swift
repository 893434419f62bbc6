internal import Synchronization

/// Says that a run shall end: nothing new starts, what is in flight ends, a wait ends at once.
package final class StopSignal: Sendable {
    private let raised = Atomic<Bool>(false)

    /// Creates a signal that is not raised.
    package init() {}

    /// True if the run is to end.
    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Asks the run to end; asking again changes nothing.
    package func raise() { raised.store(true, ordering: .releasing) }
}

/// Waits in real time, but only until the signal is raised.
package struct StoppablePause: Pausing {
    private let stop: StopSignal

    /// Creates a pause that ends when the signal is raised.
    package init(_ stop: StopSignal) { self.stop = stop }

    package func pause(for duration: Duration) async throws(CancellationError) {
        let end = ContinuousClock.now + duration
        // A signal handler can only set a flag, so the flag is polled ten times a second.
        while ContinuousClock.now < end {
            if stop.isRaised { throw CancellationError() }
            do {
                try await Task.sleep(until: min(end, .now + .milliseconds(100)), clock: .continuous)
            } catch {
                throw CancellationError()
            }
        }
    }
}
