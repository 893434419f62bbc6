/// Waits between attempts; a protocol so that tests do not wait.
package protocol Pausing: Sendable {
    /// Waits for the duration, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func pause(for duration: Duration) async throws(CancellationError)

    /// The wait before the next attempt, after this many.
    func backoff(_ tries: Int) -> Duration
}

extension Pausing {
    /// 1 s, doubled each time up to 30 s, half of it random.
    package func backoff(_ tries: Int) -> Duration {
        Backoff(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5...1).pause(after: tries + 1)
    }
}

/// Waits in real time.
package struct TaskPause: Pausing {
    /// Creates a pause.
    package init() {}

    package func pause(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CancellationError()
        }
    }
}
