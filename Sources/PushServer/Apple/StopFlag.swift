internal import Basics
internal import PushModel
internal import Synchronization

/// Says that the server stops, and ends the waits of deliveries.
final class StopFlag: Pausing {
    private let raised = Atomic(false)

    /// How often a wait looks at it.
    private static let step: Duration = .milliseconds(100)

    /// Whether it was raised.
    var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Raises it for good.
    func raise() {
        raised.store(true, ordering: .releasing)
    }

    /// Waits so long, or until it is raised.
    ///
    /// - Throws: `CancellationError` once it is raised, or the task cancelled.
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
