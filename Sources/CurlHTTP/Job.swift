internal import Synchronization

/// A request on its way through the client, and who waits for its outcome.
struct Job: Sendable {
    /// Which one it is.
    let ticket: Ticket
    /// What to send.
    let request: HTTPRequest
    /// Where to.
    let target: RequestTarget
    /// When its time is over.
    let deadline: ContinuousClock.Instant
    /// Who waits; resumed once, by whoever takes the job out of the last table that held it.
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

/// Identifies a job, and says whether its task was cancelled: before, while or after it is in the client's hands.
final class Ticket: Sendable {
    private let cancelled = Atomic<Bool>(false)

    /// Whether the task was cancelled.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Notes that the task was cancelled.
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// The identity: unique among tickets that are held.
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}
