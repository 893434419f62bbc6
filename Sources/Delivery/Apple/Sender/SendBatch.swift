internal import HTTP
internal import Base
internal import Push

/// A batch on its way to the sender's thread, with the caller that waits for its answers.
struct SendJob: Sendable {
    /// The notification to send.
    let notification: PushNotification
    /// The targets to send to.
    let targets: [SendTarget]
    /// The gate that requests pass through.
    let gate: any SendGate
    /// The waiting caller; resumed once.
    let continuation: CheckedContinuation<[Verdict], Never>
}

/// A batch in flight, on the sender's thread.
final class SendBatch {
    /// The notification to send.
    let notification: PushNotification
    /// The targets to send to.
    let targets: [SendTarget]
    /// The gate that requests pass through.
    let gate: any SendGate
    /// The index of the first target not started.
    private(set) var next = 0
    /// The number of targets without an answer.
    private(set) var left: Int

    private var answers: [Verdict]
    private let continuation: CheckedContinuation<[Verdict], Never>
    /// The headers last built, and the generation of the token in them.
    private var headers: (generation: Int, headers: HTTP2Headers)?

    /// Starts a batch.
    init(_ job: SendJob) {
        notification = job.notification
        targets = job.targets
        gate = job.gate
        continuation = job.continuation
        left = job.targets.count
        answers = Array(repeating: .accepted, count: left)
    }

    /// The number of targets not started.
    var waiting: Int { targets.count - next }

    /// Takes the next target; nil when all are started.
    func takeNext() -> Int? {
        guard next < targets.count else { return nil }
        defer { next += 1 }
        return next
    }

    /// The headers of a target's request with a token; devices share one set, built once per token.
    func headers(_ index: Int, bearing token: Secret?, generation: Int) throws(TransportError) -> HTTP2Headers {
        guard notification.destination == .devices else {
            return try notification.shared(bearing: token, to: targets[index].token)
        }
        if let headers, headers.generation == generation { return headers.headers }
        let made = try notification.shared(bearing: token, to: nil)
        headers = (generation, made)
        return made
    }

    /// Writes a target's request body over the previous content.
    func write(_ index: Int, to body: inout [UInt8]) {
        switch notification.body {
        case .same(let bytes): body = bytes
        case .filled(let pieces):
            body.removeAll(keepingCapacity: true)
            let fillings = targets[index].fillings
            for (place, piece) in pieces.enumerated() {
                if place > 0 { body.append(contentsOf: fillings[place - 1]) }
                body.append(contentsOf: piece)
            }
        }
    }

    /// Records a target's answer and tells the gate; the last answer resumes the caller with all of them.
    func answer(_ index: Int, _ answer: Verdict) {
        answers[index] = answer
        gate.note(answer)
        left -= 1
        if left == 0 { continuation.resume(returning: answers) }
    }
}

/// One request for a target of a batch, in flight or waiting for a retry.
struct Flight {
    /// The batch.
    let batch: SendBatch
    /// The target's index in the batch.
    let index: Int
    /// The number of attempts that left nothing behind.
    var attempts = 0
    /// The number of times its token was called expired.
    var expiries = 0
    /// The generation of the token it bears.
    var generation = 0
    /// The connection it was sent on.
    var lane: Lane?

    /// Answers the request.
    func answer(_ answer: Verdict) { batch.answer(index, answer) }
}

/// A connection with the sender's own bookkeeping.
final class Lane {
    /// The connection.
    let connection: HTTP2Connection
    /// The limit on its concurrent requests.
    var window: StreamWindow
    /// True once Apple has accepted our identity. Until then it allows one request at a time with a token
    /// (docs/background/apple/service.md#connections); and with TLS 1.3 a certificate is refused only after the first
    /// request was written, whose outcome is then unknown.
    var isProven = false

    /// True once a request on it was left without an answer.
    var hasLost = false

    /// Starts with a connection that is not made yet.
    init(_ connection: HTTP2Connection, streams: Int) {
        self.connection = connection
        window = StreamWindow(maximum: streams)
    }

    /// The number of further requests it takes now, given the limit that applies to every connection.
    func room(of most: Int) -> Int {
        let inFlight = connection.inFlight
        guard isProven else { return inFlight == 0 ? min(1, connection.room) : 0 }
        return min(connection.room, max(0, min(window.limit, most) - inFlight))
    }
}
