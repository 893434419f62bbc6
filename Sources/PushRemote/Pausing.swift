/// Waits between tries; a protocol, so that tests do not wait.
package protocol Pausing: Sendable {
    /// Waits so long, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func pause(for duration: Duration) async throws(CancellationError)

    /// How long to wait before another try, after so many.
    func backoff(_ tries: Int) -> Duration
}

extension Pausing {
    /// 1 s, doubled each time up to 30 s, half of it by chance.
    package func backoff(_ tries: Int) -> Duration {
        let whole = min(30_000, 500 << min(tries, 8))
        return .milliseconds(whole / 2 + Int.random(in: 0...whole / 2))
    }
}

/// Waits for real.
package struct TaskPause: Pausing {
    /// Makes one.
    package init() {}

    package func pause(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CancellationError()
        }
    }
}
