internal import HTTP
internal import Synchronization

/// The queue through which callers reach the sender's thread.
final class SendInbox: Sendable {
    private struct Content {
        var jobs: [SendJob] = []
        var isClosed = false
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let content = Mutex(Content())
    private let waker: Waker

    /// Creates the inbox of the thread that the waker wakes.
    init(_ waker: Waker) { self.waker = waker }

    /// Submits a batch; false when the sender is closed.
    func submit(_ job: SendJob) -> Bool {
        let isTaken = content.withLock { content in
            if !content.isClosed { content.jobs.append(job) }
            return !content.isClosed
        }
        waker.wake()
        return isTaken
    }

    /// Asks the thread to end after its batches.
    func close() {
        content.withLock { $0.isClosed = true }
        waker.wake()
    }

    /// Returns when the thread has finished its work.
    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = content.withLock { content in
                if !content.hasEnded { content.waiters.append(continuation) }
                return content.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Takes the submitted batches, and tells whether the inbox is closed.
    func take() -> (jobs: [SendJob], isClosed: Bool) {
        content.withLock { content in
            defer { content.jobs = [] }
            return (content.jobs, content.isClosed)
        }
    }

    /// Reports that the thread has finished its work.
    func end() {
        let waiters = content.withLock { content in
            content.hasEnded = true
            defer { content.waiters = [] }
            return content.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
