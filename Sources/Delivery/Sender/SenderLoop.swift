internal import Base
internal import HTTP
internal import Push

/// Decides, on the sender's thread, when each request is sent.
final class SenderLoop {
    let configuration: PushSender.Configuration
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
    private let sharedPath: [UInt8]

    /// Creates a loop; `run` is called once, on the thread that then owns it.
    init(
        _ configuration: PushSender.Configuration, _ tokens: (any ProviderTokenProviding)?, _ client: HTTP2Client,
        _ inbox: SendInbox
    ) {
        self.configuration = configuration
        sharedPath = Array(configuration.path.utf8)
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
        guard batch.notification.write(pathFor: target.token, or: sharedPath, to: &path) else {
            // Apple would answer the same, and the text must not become part of a path.
            return flight.answer(.notSent(.service(.apple(.badDeviceToken), since: nil)))
        }
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
        id.removeAll(keepingCapacity: true)
        if batch.notification.destination == .fcm {
            id.append(contentsOf: String(request.body.count).utf8)
        } else {
            target.id.append(to: &id)
        }
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

// MARK: - Answers

extension SenderLoop {
    /// Handles a service's answer.
    func settle(_ flight: Flight, _ status: Int, _ request: HTTP2Request) {
        connectFailures = 0
        trust.noteAnswer()
        flight.lane?.window.note(status: status)
        // Whatever else the answer says, the token or certificate was checked and accepted.
        if status != 403, status != 401 { flight.lane?.isProven = true }
        let verdict =
            flight.batch.notification.destination == .fcm
            ? FCMAnswer.verdict(status: status, body: request.answer) : Self.appleVerdict(status, request)
        guard case .refused(.service(let reason, _)) = verdict else { return flight.answer(verdict) }
        switch reason {
        case .apple(.expiredProviderToken) where tokens != nil, .fcm(.unauthenticated) where tokens != nil:
            settleExpired(flight, verdict)
        case .apple(.tooManyProviderTokenUpdates) where tokens != nil: settleTooMany(flight, verdict)
        case .apple(.shutdown), .apple(.idleTimeout):
            flight.lane?.connection.retire()
            repeatOrAnswer(flight, verdict)
        case _: flight.answer(verdict)
        }
    }

    /// Apple echoes the apns-id (docs/background/apple/requests.md#answer); servers that send none are not Apple's.
    private static func appleVerdict(_ status: Int, _ request: HTTP2Request) -> Verdict {
        guard request.echo != .other else { return .unknown("the answer has a different apns-id") }
        return status == 200 ? .accepted : Refusal(status: status, body: request.answer).verdict
    }

    /// Handles a request whose outcome is unknown.
    func lost(_ flight: Flight, _ why: String) {
        flight.answer(.unknown(why))
        guard let lane = flight.lane else { return }
        if !lane.hasLost {
            lane.hasLost = true
            trust.noteLoss()
        }
        // Otherwise each connection that ends this way would leave another request in doubt.
        if !lane.isProven { failed(why, isFinal: false) }
    }

    /// The token has expired: the first time the request is sent with another token, the second time on another
    /// connection, because a connection can get stuck calling every token expired
    /// (docs/background/apple/service.md#connections); then it is answered.
    private func settleExpired(_ flight: Flight, _ refusal: Verdict) {
        var flight = flight
        flight.expiries += 1
        guard flight.expiries <= 2, let tokens, let token else {
            return flight.answer(tokens?.outage.map { .notSent(.noBodyGiven($0)) } ?? refusal)
        }
        if flight.generation == generation { use(tokens.renewedToken(insteadOf: token)) }
        let isRenewed = flight.generation != generation
        if !isRenewed, let outage = tokens.outage { return flight.answer(.notSent(.noBodyGiven(outage))) }
        if flight.expiries == 2 || !isRenewed { flight.lane?.connection.retire() }
        again.append(flight)
    }

    /// Tokens change too often: go back to the previous one, after a pause for all requests.
    private func settleTooMany(_ flight: Flight, _ refusal: Verdict) {
        if flight.generation == generation, let tokens, let token { use(tokens.earlierToken(insteadOf: token)) }
        let pause = configuration.retries.pause(after: flight.attempts + 1)
        heldUntil = max(heldUntil, .now + pause)
        repeatOrAnswer(flight, refusal)
    }

    /// Retries a request that certainly left nothing behind, after a growing pause, or answers it.
    func repeatOrAnswer(_ flight: Flight, _ answer: Verdict) {
        var flight = flight
        flight.attempts += 1
        guard flight.attempts < configuration.retries.attempts else { return flight.answer(answer) }
        // The first retry is immediate: another connection is the remedy.
        guard flight.attempts > 1 else { return again.append(flight) }
        later.append((.now + configuration.retries.pause(after: flight.attempts - 1), flight))
    }
}

// MARK: - Connections

extension SenderLoop {
    /// Opens a connection when there is work for it: one at a time, and spaced.
    func connect(_ now: ContinuousClock.Instant) {
        for lane in lanes {
            // One that ended before says nothing of a limit: it was idle, or the server went away.
            guard let lasted = lane.connection.lasted, lasted >= configuration.streams else { continue }
            longestLife = min(longestLife ?? lasted, lasted)
        }
        lanes.removeAll { $0.connection.phase == .retired || $0.connection.phase == .closed }
        // When the server closes connections after a number of requests, the next one is opened before that.
        let lasting = lanes.filter { $0.connection.begun < (longestLife.map { $0 - $0 / 4 } ?? .max) }
        guard lasting.count < configuration.connections, lanes.count < 2 * configuration.connections,
            now >= nextConnect, now >= heldUntil, !lanes.contains(where: { $0.connection.phase == .opening })
        else { return }
        let room = lasting.reduce(0) { $0 + $1.room(of: trust.streams) }
        // A connection that became useless just now does not keep another from opening.
        guard readyCount > room else { return }
        do throws(TransportError) {
            lanes.append(Lane(try client.connect(at: now), streams: configuration.streams))
            nextConnect = now + configuration.retries.spacing
        } catch {
            failed(error.brief, isFinal: true)
        }
    }

    /// Notes that a connection could not be made, or was lost with its first request: the pause grows. After too many
    /// failures, or one that would recur, and with no open connection left, everything waiting is given up.
    func failed(_ why: String, isFinal: Bool) {
        connectFailures += 1
        nextConnect = .now + configuration.retries.pause(after: connectFailures)
        guard isFinal || connectFailures >= configuration.retries.connectAttempts,
            !lanes.contains(where: { $0.connection.phase == .open })
        else { return }
        connectFailures = 0
        giveUp(why)
    }
}

extension TransportError {
    /// The error without the address.
    var brief: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
