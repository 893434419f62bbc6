internal import Synchronization

/// A request on its way through the client, with the caller that waits for its outcome.
struct Job: Sendable {
    /// The job's identity.
    let ticket: Ticket
    /// The request to send.
    let request: HTTPRequest
    /// The address to send it to.
    let target: RequestTarget
    /// The time at which it times out.
    let deadline: ContinuousClock.Instant
    /// The waiting caller; resumed once, by whoever removes the job from the last table that held it.
    let continuation: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>

    /// Ends a request that was never started.
    func refuse(_ code: TransportError.Code, _ detail: String) {
        continuation.resume(returning: .failure(error(code, sent: .nothing, detail)))
    }

    /// An error about this request.
    func error(
        _ code: TransportError.Code, sent: TransportError.Sent, _ detail: String = ""
    ) -> TransportError {
        TransportError(code, sent: sent, request: "\(request.method.rawValue) \(target.name)", detail: detail)
    }
}

/// Identifies a job and records a cancellation of its task, before, while or after the client holds the job.
final class Ticket: Sendable {
    private let cancelled = Atomic<Bool>(false)

    /// True once the task was cancelled.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Records that the task was cancelled.
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// The identity, unique among live tickets.
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}
