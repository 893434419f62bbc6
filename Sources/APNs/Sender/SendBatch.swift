internal import CurlHTTP
internal import Diagnostics
internal import PushModel

/// A batch on its way to the sender's thread, and who waits for its answers.
struct SendJob: Sendable {
    /// What is sent.
    let notification: PushNotification
    /// To whom.
    let targets: [SendTarget]
    /// What lets it through.
    let gate: any SendGate
    /// Who waits; resumed once.
    let continuation: CheckedContinuation<[Verdict], Never>
}

/// A batch under way, on the sender's thread.
final class SendBatch {
    /// What is sent.
    let notification: PushNotification
    /// To whom.
    let targets: [SendTarget]
    /// What lets it through.
    let gate: any SendGate
    /// The first target that was not begun.
    private(set) var next = 0
    /// How many targets have no answer.
    private(set) var left: Int

    private var answers: [Verdict]
    private let continuation: CheckedContinuation<[Verdict], Never>
    /// The headers last made, and the number of the token in them.
    private var headers: (generation: Int, headers: HTTP2Headers)?

    /// Begins a batch.
    init(_ job: SendJob) {
        notification = job.notification
        targets = job.targets
        gate = job.gate
        continuation = job.continuation
        left = job.targets.count
        answers = Array(repeating: .accepted, count: left)
    }

    /// How many targets were not begun.
    var waiting: Int { targets.count - next }

    /// Takes the next target.
    func takeNext() -> Int? {
        guard next < targets.count else { return nil }
        defer { next += 1 }
        return next
    }

    /// The headers of a target's request with a token; devices share them, made once for each token.
    func headers(_ index: Int, bearing token: Secret?, generation: Int) throws(TransportError) -> HTTP2Headers {
        guard notification.destination == .devices else {
            return try notification.shared(bearing: token, to: targets[index].token)
        }
        if let headers, headers.generation == generation { return headers.headers }
        let made = try notification.shared(bearing: token, to: nil)
        headers = (generation, made)
        return made
    }

    /// Writes a target's request body over what was there.
    func write(_ index: Int, to body: inout [UInt8]) {
        switch notification.body {
        case .same(let bytes): body = bytes
        case .counted(let before, let after):
            body.removeAll(keepingCapacity: true)
            body.append(contentsOf: before)
            body.append(contentsOf: "\(targets[index].badge ?? 0)".utf8)
            body.append(contentsOf: after)
        }
    }

    /// Notes a target's answer, tells the gate, and hands over all of them with the last.
    func answer(_ index: Int, _ answer: Verdict) {
        answers[index] = answer
        gate.note(answer)
        left -= 1
        if left == 0 { continuation.resume(returning: answers) }
    }
}

/// One request for a target of a batch: under way, or to be tried again.
struct Flight {
    /// The batch.
    let batch: SendBatch
    /// The target's place in it.
    let index: Int
    /// How often it was tried and left nothing behind.
    var attempts = 0
    /// How often its token was called expired.
    var expiries = 0
    /// The number of the token it bears.
    var generation = 0
    /// What it is on.
    var lane: Lane?

    /// Ends it.
    func answer(_ answer: Verdict) { batch.answer(index, answer) }
}

/// One connection as the sender sees it.
final class Lane {
    /// The connection.
    let connection: HTTP2Connection
    /// How many requests it may have.
    var window: StreamWindow
    /// Whether Apple has taken who we are: until then it allows one request at a time with a token
    /// (<doc:AppleService#Connections>); and with TLS 1.3 a certificate is refused only after the first request was
    /// written, which is then in doubt.
    var isProven = false

    /// Whether a request on it was left without an answer.
    var hasLost = false

    /// Begins with a connection that is yet to be made.
    init(_ connection: HTTP2Connection, streams: Int) {
        self.connection = connection
        window = StreamWindow(maximum: streams)
    }

    /// How many more requests it takes now, of so many that any connection may have.
    func room(of most: Int) -> Int {
        let inFlight = connection.inFlight
        guard isProven else { return inFlight == 0 ? min(1, connection.room) : 0 }
        return min(connection.room, max(0, min(window.limit, most) - inFlight))
    }
}
