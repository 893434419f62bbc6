internal import Synchronization

/// What other threads leave for a loop: new jobs, cancellations, the wish to end.
final class Inbox: Sendable {
    /// Everything left since the last look.
    struct Content: Sendable {
        /// New jobs, in order.
        var jobs: [Job] = []
        /// Jobs whose tasks were cancelled, new or old.
        var cancelled: [Ticket] = []
        /// Whether the loop is to end everything and return.
        var isClosed = false

        /// Whether the loop has been woken for it already.
        fileprivate var isNews: Bool { !jobs.isEmpty || !cancelled.isEmpty || isClosed }
    }

    private let content = Mutex(Content())
    /// Used under the lock and not after closing: the loop's handle is freed only after it has seen `isClosed`.
    private let waker: MultiHandle.Waker

    /// Makes the inbox of the loop that the waker wakes.
    init(_ waker: MultiHandle.Waker) { self.waker = waker }

    /// Leaves a job, or refuses it when the client is closed.
    func submit(_ job: Job) {
        if !leave({ $0.jobs.append(job) }) { job.refuse(.cancelled, "the client is closed") }
    }

    /// Asks for a job to be ended, whether it is already here or not.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        leave { $0.cancelled.append(ticket) }
    }

    /// Asks the loop to end everything.
    func close() {
        leave { $0.isClosed = true }
    }

    /// Takes what was left.
    func take() -> Content {
        content.withLock { content in
            defer { content = Content(isClosed: content.isClosed) }
            return content
        }
    }

    /// Adds to the content and wakes the loop; false when it is closed.
    @discardableResult
    private func leave(_ change: (inout Content) -> Void) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            let isFirst = !content.isNews
            change(&content)
            if isFirst { waker.wake() }
            return true
        }
    }
}
