internal import HTTP
internal import Base
internal import Push

/// Decides, on the sender's thread, when each request is sent.
final class SenderLoop {
    let configuration: APNsSender.Configuration
    let client: HTTP2Client
    /// The source of tokens; nil with a certificate.
    let tokens: (any ProviderTokenProviding)?
    /// The token in use, and the number of tokens before it.
    var token: Secret?
    var generation = 0
    /// The connections.
    var lanes: [Lane] = []
    /// The earliest time to open the next connection.
    var nextConnect = ContinuousClock.now
    /// The fewest requests after which the server closed a connection.
    var longestLife: Int?
    /// The number of consecutive connection failures.
    var connectFailures = 0
    /// No request starts before this time.
    var heldUntil = ContinuousClock.now
    /// Requests to retry: immediately, and not before a given time.
    var again: ArraySlice<Flight> = []
    var later: [(due: ContinuousClock.Instant, flight: Flight)] = []
    /// The limit on concurrent requests of any connection.
    var trust: StreamTrust

    private let inbox: SendInbox
    private var batches: [SendBatch] = []
    /// Requests in flight, by number.
    private var flights: [Flight?] = []
    private var inFlight = 0
    private var throttle: Throttle?
    private var nextTokenCheck = ContinuousClock.now
    private var path: [UInt8] = []
    private var id: [UInt8] = []

    /// Creates a loop; `run` is called once, on the thread that then owns it.
    init(
        _ configuration: APNsSender.Configuration, _ tokens: (any ProviderTokenProviding)?, _ client: HTTP2Client,
        _ inbox: SendInbox
    ) {
        self.configuration = configuration
        self.tokens = tokens
        self.client = client
        self.inbox = inbox
        trust = StreamTrust(maximum: configuration.streams)
        throttle = configuration.perSecond.map { Throttle(perSecond: $0, at: .now) }
        client.isWanted = { [unowned self] number in flights[number]?.batch.gate.isOpen ?? false }
    }

    /// Works until the inbox is closed and every batch has its answers.
    func run() {
        while true {
            let news = inbox.take()
            for job in news.jobs { batches.append(SendBatch(job)) }
            let now = ContinuousClock.now
            awaken(now)
            holdBack()
            batches.removeAll { $0.left == 0 }
            if news.isClosed && batches.isEmpty { break }
            if hasWaiting {
                renewToken(now)
                connect(now)
                start(now)
            }
            let failures = client.run(milliseconds: patience(now))
            for request in client.takeEnded() { settle(request) }
            for failure in failures { failed(failure.error.brief, isFinal: failure.isFinal) }
        }
        client.close()
        inbox.end()
    }

    /// True when any request waits for its turn.
    private var hasWaiting: Bool { !again.isEmpty || !later.isEmpty || batches.contains { $0.waiting > 0 } }

    /// The number of waiting requests that may start now.
    var readyCount: Int { again.count + batches.reduce(0) { $0 + $1.waiting } }

    /// Answers every waiting request as not sent.
    func giveUp(_ why: String) {
        let answer = Verdict.notSent(.noBodyGiven(why))
        for flight in again { flight.answer(answer) }
        for item in later { item.flight.answer(answer) }
        again = []
        later = []
        for batch in batches {
            while let index = batch.takeNext() { batch.answer(index, answer) }
        }
    }

    /// Makes the retries that are due ready to start.
    private func awaken(_ now: ContinuousClock.Instant) {
        guard later.contains(where: { $0.due <= now }) else { return }
        for item in later where item.due <= now { again.append(item.flight) }
        later.removeAll { $0.due <= now }
    }

    /// Answers the waiting requests of batches whose gate is closed.
    private func holdBack() {
        for batch in batches where !batch.gate.isOpen {
            for flight in again where flight.batch === batch { flight.answer(Self.stopped) }
            for item in later where item.flight.batch === batch { item.flight.answer(Self.stopped) }
            again.removeAll { $0.batch === batch }
            later.removeAll { $0.flight.batch === batch }
            while let index = batch.takeNext() { batch.answer(index, Self.stopped) }
        }
    }

    private static let stopped = Verdict.notSent(.noBodyGiven("the delivery was stopped"))

    /// The next request whose gate is open.
    private func next() -> Flight? {
        while let flight = again.popFirst() {
            if flight.batch.gate.isOpen { return flight }
            flight.answer(Self.stopped)
        }
        for batch in batches {
            while let index = batch.takeNext() {
                if batch.gate.isOpen { return Flight(batch: batch, index: index) }
                batch.answer(index, Self.stopped)
            }
        }
        return nil
    }

    /// Starts as many requests as the connections take.
    private func start(_ now: ContinuousClock.Instant) {
        guard now >= heldUntil else { return }
        for lane in lanes {
            let room = lane.room(of: trust.streams)
            guard room > 0 else { continue }
            var granted = throttle?.take(room, at: now) ?? room
            while granted > 0, let flight = next() {
                granted -= 1
                start(flight, on: lane, now)
            }
            throttle?.giveBack(granted)
        }
    }

    private func start(_ flight: Flight, on lane: Lane, _ now: ContinuousClock.Instant) {
        let batch = flight.batch
        let target = batch.targets[flight.index]
        guard batch.notification.write(pathFor: target.token, to: &path) else {
            // Apple would answer the same, and the text must not become part of a path.
            return flight.answer(.notSent(.apple(.badDeviceToken, since: nil)))
        }
        id.removeAll(keepingCapacity: true)
        target.id.append(to: &id)
        var flight = flight
        flight.lane = lane
        flight.generation = generation
        let headers: HTTP2Headers
        do throws(TransportError) {
            headers = try batch.headers(flight.index, bearing: token, generation: generation)
        } catch {
            return flight.answer(.notSent(.noBodyGiven(error.brief)))
        }
        let request = client.place()
        batch.write(flight.index, to: &request.body)
        if request.number >= flights.count {
            flights.append(contentsOf: repeatElement(nil, count: request.number + 1 - flights.count))
        }
        flights[request.number] = flight
        guard client.start(request, path: path, own: id, headers: headers, on: lane.connection, at: now) else {
            flights[request.number] = nil
            client.giveBack(request)
            return again.append(flight)
        }
        inFlight += 1
    }

    /// Handles a request that has ended.
    private func settle(_ request: HTTP2Request) {
        defer { client.giveBack(request) }
        guard let flight = flights[request.number], let ending = request.ending else { return }
        flights[request.number] = nil
        inFlight -= 1
        switch ending {
        case .answered(let status): settle(flight, status, request)
        case .streamRefused: repeatOrAnswer(flight, .notSent(.streamRefused))
        case .notGiven(let why): repeatOrAnswer(flight, .notSent(.noBodyGiven(why)))
        case .unanswered(let why): lost(flight, why)
        }
    }

    /// Asks the provider for the current token, once a second.
    private func renewToken(_ now: ContinuousClock.Instant) {
        guard let tokens, now >= nextTokenCheck else { return }
        nextTokenCheck = now + .seconds(1)
        use(tokens.token())
    }

    /// Switches to a token.
    func use(_ new: Secret) {
        if new == token { return }
        token = new
        generation += 1
    }

    /// The time in milliseconds to wait for events, at most.
    private func patience(_ now: ContinuousClock.Instant) -> Int {
        guard hasWaiting else { return inFlight > 0 ? 1000 : 60_000 }
        // While requests wait, the gates are checked this often.
        var patience = Duration.milliseconds(100)
        for item in later { patience = min(patience, now.duration(to: item.due)) }
        if now < heldUntil { patience = min(patience, now.duration(to: heldUntil)) }
        if now < nextConnect { patience = min(patience, now.duration(to: nextConnect)) }
        if let throttle { patience = min(patience, throttle.patience) }
        return max(1, Int(patience / .milliseconds(1)))
    }
}

@available(*, unavailable, message: "a loop belongs to its thread")
extension SenderLoop: Sendable {}
