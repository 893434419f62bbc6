/// Waits between tries; a protocol, so that tests do not wait.
package protocol Pausing: Sendable {
    /// Waits so long, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func pause(for duration: Duration) async throws(CancellationError)
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
