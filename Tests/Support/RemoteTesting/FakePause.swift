internal import Base
internal import Push

/// Lets the service's clock run instead of waiting.
package struct FakePause: Pausing {
    private let service: FakeService
    private let isOver: @Sendable () -> Bool

    /// Waits on the clock of a service; `isOver` says whether the apply was asked to end, or was killed.
    package init(_ service: FakeService, isOver: @escaping @Sendable () -> Bool = { false }) {
        self.service = service
        self.isOver = isOver
    }

    package func pause(for duration: Duration) async throws(CancellationError) {
        if isOver() { throw CancellationError() }
        service.advance(duration)
    }
}

/// Ends at once, as a task that was cancelled does: a run without a heartbeat.
package struct NoPause: Pausing {
    /// Makes one.
    package init() {}

    package func pause(for duration: Duration) async throws(CancellationError) { throw CancellationError() }
}
