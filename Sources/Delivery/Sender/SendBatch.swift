internal import Base
internal import HTTP
internal import Push

/// A batch on its way to the sender's thread, with the caller that waits for its answers.
struct SendJob: Sendable {
    let notification: PushNotification
    let targets: [SendTarget]
    /// The gate that requests pass through.
    let gate: any SendGate
    /// The waiting caller; resumed once.
    let continuation: CheckedContinuation<[Verdict], Never>
}

/// A batch in flight, on the sender's thread.
final class SendBatch {
    let notification: PushNotification
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
        guard notification.destination != .broadcastChannels else {
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
        // Another sender's.
        case .message: body = []
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

/// The limit on one connection's concurrent requests, besides the server's own.
///
/// Apple slows down clients that send bad requests, and says to adapt (docs/background/apple/service.md#connections):
/// each 4xx takes an eighth away, and eight other answers give one request back.
struct StreamWindow {
    private let maximum: Int
    private let minimum: Int
    /// Eight times the current limit.
    private var eighths: Int

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        minimum = max(1, maximum / 8)
        eighths = maximum * 8
    }

    /// The current limit.
    var limit: Int { eighths / 8 }

    /// Adapts the limit to an answer's status.
    mutating func note(status: Int) {
        // Apple does not treat 410 as an error; FCM says 404 for the same.
        if (400..<500).contains(status) && status != 410 && status != 404 {
            eighths = max(minimum * 8, eighths - eighths / 8)
        } else {
            eighths = min(maximum * 8, eighths + 1)
        }
    }
}

/// The adaptive limit on a connection's concurrent requests.
///
/// A connection that ends leaves every request on it in doubt. So each such end cuts the limit to a quarter, for all
/// connections, and steady answers raise it again: a network or server that keeps breaking off then leaves few requests
/// in doubt each time, and one that does so occasionally is soon used in full again.
struct StreamTrust {
    private let maximum: Int
    /// The current limit.
    private(set) var streams: Int
    /// Answers since the limit last changed.
    private var answers = 0

    /// The lowest limit, however often connections end.
    static let fewest = 4

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        streams = maximum
    }

    /// Records a connection that ended with unanswered requests.
    mutating func noteLoss() {
        streams = max(min(Self.fewest, maximum), streams / 4)
        answers = 0
    }

    /// Records an answer; sixteen for each stream double the limit.
    mutating func noteAnswer() {
        guard streams < maximum else { return }
        answers += 1
        guard answers >= streams * 16 else { return }
        streams = min(maximum, streams * 2)
        answers = 0
    }
}

/// An even rate limit per second: a token bucket that holds a tenth of a second's requests.
struct Throttle {
    private let perSecond: Double
    private let capacity: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant

    /// Starts with a full bucket.
    init(perSecond: Int, at now: ContinuousClock.Instant) {
        self.perSecond = Double(perSecond)
        capacity = max(1, Double(perSecond) / 10)
        tokens = capacity
        filled = now
    }

    /// Takes up to `wanted` requests from the bucket and returns how many may start now.
    mutating func take(_ wanted: Int, at now: ContinuousClock.Instant) -> Int {
        if now > filled {
            tokens = min(capacity, tokens + filled.duration(to: now) / .seconds(1) * perSecond)
            filled = now
        }
        let taken = min(wanted, Int(tokens))
        tokens -= Double(taken)
        return taken
    }

    /// Returns unused requests to the bucket.
    mutating func giveBack(_ count: Int) { tokens = min(capacity, tokens + Double(count)) }

    /// The time until the next request may start.
    var patience: Duration { .seconds(max(0, (1 - tokens) / perSecond)) }
}
