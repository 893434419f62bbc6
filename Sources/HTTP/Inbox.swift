internal import Synchronization

/// The queue through which other threads reach a loop: new jobs, cancellations, the request to close.
final class Inbox: Sendable {
    /// Everything submitted since the last look.
    struct Content: Sendable {
        /// New jobs, in order.
        var jobs: [Job] = []
        /// Jobs whose tasks were cancelled, new or old.
        var cancelled: [Ticket] = []
        /// True when the loop must end everything and return.
        var isClosed = false

        /// True when the loop has already been woken for this content.
        fileprivate var isNews: Bool { !jobs.isEmpty || !cancelled.isEmpty || isClosed }
    }

    private let content = Mutex(Content())
    /// Used under the lock and not after closing: the loop's handle is freed only after it has seen `isClosed`.
    private let waker: MultiHandle.Waker

    /// Creates the inbox of the loop that the waker wakes.
    init(_ waker: MultiHandle.Waker) { self.waker = waker }

    /// Submits a job, or refuses it when the client is closed.
    func submit(_ job: Job) {
        if !leave({ $0.jobs.append(job) }) { job.refuse(.cancelled, "the client is closed") }
    }

    /// Requests that a job be ended, submitted already or not.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        leave { $0.cancelled.append(ticket) }
    }

    /// Asks the loop to end everything.
    func close() {
        leave { $0.isClosed = true }
    }

    /// Takes the submitted content.
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
