internal import CCurl

/// One connection of a pump and the requests on it: a multi handle that may open only one.
///
/// libcurl 7.88 neither says which connection a request goes to nor which requests a connection has; a handle for each
/// does. It belongs to its pump's thread.
@safe
package final class PumpConnection {
    /// Where a connection is in its life.
    package enum Phase: Hashable, Sendable {
        /// Not made yet: it takes one request, which makes it.
        case opening
        /// It stands.
        case open
        /// It takes no more requests; those under way may still be answered.
        case retired
    }

    /// Where it is in its life.
    package private(set) var phase = Phase.opening
    /// Whether it ever stood.
    package private(set) var hasStood = false
    /// When it last ended a request.
    var lastUsed = ContinuousClock.now
    /// One that was idle for so long is not used again: what is on the way may have forgotten it.
    static let longestIdle = Duration.seconds(55 * 60)

    private let setup: PumpSetup
    private var multi: MultiHandle?
    private(set) var requests: [PumpRequest] = []
    /// Sockets of its own that are open: several only while the first to answer is looked for.
    private var descriptors: [Int32] = []
    /// The socket of the connection once it stands.
    private(set) var socket: Int32 = -1
    /// What libcurl wants to hear of.
    private(set) var watched: [Platform.Entry] = []
    /// When libcurl wants to be called; nil: not at all.
    private(set) var due: ContinuousClock.Instant?
    /// Whether it wants to be called at once.
    private var isAsked = false
    /// Requests that libcurl was about to send again.
    private var interrupted: [PumpRequest] = []
    /// How many of the requests were given to the connection.
    private var begun = 0
    /// Whether it ended a request without an answer, other than by a reset of its stream.
    private var hasLost = false
    /// Whether the server said GOAWAY.
    var hasSaidGoAway = false
    /// Whether the server said that it would close.
    var isLeaving = false
    /// Whether the server has closed it: its socket or, before that, what is secured.
    var isPeerGone = false
    /// How often nothing more came of it since.
    private var fruitless = 0
    /// What libcurl has just ended; kept for its memory.
    private var finished: [(request: PumpRequest, code: CURLcode)] = []
    /// Requests that ended and were not taken out yet.
    var ended: [PumpRequest] = []

    /// Makes a connection that its first request opens.
    init(_ setup: PumpSetup) throws(LibcurlFailure) {
        self.setup = setup
        let multi = try MultiHandle(maximumConnections: 1, maximumStreams: setup.configuration.streams)
        self.multi = multi
        // Not retained: `close` frees the handle before this object goes.
        try unsafe multi.watch(
            sockets: noteInterest, timer: noteTime, context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether there is something to do without waiting.
    var isDue: Bool { isAsked || isPeerGone && !requests.isEmpty }

    /// How many requests are on it.
    package var inFlight: Int { requests.count }
    /// How many of them wait because the server allows no more at a time; one while it is being made.
    package var waiting: Int { requests.count - begun }
    /// How long a request that starts now may take.
    var time: Duration {
        let configuration = setup.configuration
        return isOpening ? configuration.connectTimeout + configuration.requestTimeout : configuration.requestTimeout
    }
    /// Whether it is being made.
    var isOpening: Bool { phase == .opening }

    /// Whether it can take a request: an idle one that the server has closed is found out here.
    package func isReady() -> Bool {
        switch phase {
        case .retired: return false
        case .opening: return requests.isEmpty
        case .open:
            guard requests.isEmpty else { return true }
            if socket < 0 || Platform.hasPeerClosed(socket) || lastUsed + Self.longestIdle < .now { retire() }
            return phase == .open
        }
    }

    /// Takes a request that has been begun.
    func add(_ request: PumpRequest) throws(LibcurlFailure) {
        guard let multi else { throw LibcurlFailure("a closed connection") }
        try multi.add(request.handle)
        request.place = requests.count
        requests.append(request)
    }

    /// Takes no more requests; those that were not given to the connection yet end as not sent.
    package func retire() {
        guard phase != .retired else { return }
        phase = .retired
        for request in requests where !request.isBodyGiven {
            finish(request, .ours(.connectionLost, "the connection was given up"))
        }
    }

    /// Does what events and time call for; `found` is what was found on its sockets, in the order of `watched`.
    func work(_ found: [Platform.Entry]) throws(LibcurlFailure) {
        guard let multi else { return }
        let corked = socket
        if corked >= 0 { Platform.cork(corked, true) }
        // A closed one is no socket of ours any more.
        defer { if corked >= 0 && corked == socket { Platform.cork(corked, false) } }
        let before = ended.count
        for entry in found where entry.found != 0 {
            if entry.descriptor == socket && entry.found & Platform.Entry.gone != 0 { isPeerGone = true }
            try multi.act(on: entry.descriptor, events: Self.events(entry.found))
        }
        if isAsked || due.map({ $0 <= .now }) == true {
            (isAsked, due) = (false, nil)
            try multi.act()
        }
        collect(multi)
        settle(hasProgress: ended.count > before)
    }

    /// Ends every request and the connection; nothing works after it.
    func close(_ code: TransportError.Code, _ detail: String) {
        phase = .retired
        while let request = requests.last { finish(request, .ours(code, detail)) }
        // Closes the sockets, which this object hears of.
        multi = nil
    }

    /// Takes what libcurl has ended.
    private func collect(_ multi: MultiHandle) {
        var isBad = false
        // Every handle that is added was made by a request.
        while let (context, code) = unsafe multi.nextFinished(), let request = unsafe PumpRequest.from(context) {
            finished.append((request, code))
            // Whatever ends without an answer, but for a stream that was reset, says that the connection is bad.
            if request.status < 200, code != CURLE_HTTP2_STREAM {
                isBad = true
                // What libcurl was about to send again is judged below, and says nothing about the others.
                if !request.isRetryAnnounced { hasLost = true }
            }
        }
        // Before anything ends: libcurl ends some of what it was about to send again in the same breath.
        judgeInterrupted()
        for (request, code) in finished { finish(request, .libcurl(code)) }
        finished.removeAll(keepingCapacity: true)
        guard isBad else { return }
        hasLost = true
        retire()
    }

    /// Decides whether the server refused what libcurl was about to send again.
    ///
    /// libcurl 7.88 says the same of a stream that was refused, of one whose reset it read after GOAWAY, and of what waits
    /// on a connection whose end it has read or could not write to: only where none of that can be was it refused.
    private func judgeInterrupted() {
        guard !interrupted.isEmpty else { return }
        let isGone = isPeerGone || socket >= 0 && Platform.hasPeerClosed(socket)
        guard hasSaidGoAway || hasLost || isGone else { return }
        for request in interrupted { request.isRefusedStream = false }
    }

    /// Deals with what the callbacks noted.
    private func settle(hasProgress: Bool) {
        if !interrupted.isEmpty {
            for request in interrupted where request.ending == nil {
                finish(request, .ours(.connectionLost, "the connection ended before the answer"))
            }
            interrupted.removeAll()
            // libcurl sends nothing more on a connection that refused a stream.
            retire()
        }
        if isLeaving { retire() }
        guard isPeerGone else { return }
        retire()
        fruitless = hasProgress ? 0 : fruitless + 1
        // libcurl 7.88 leaves requests on a closed connection until their time is over.
        if fruitless >= 3 { close(.connectionLost, "the server closed the connection") }
    }

    private func finish(_ request: PumpRequest, _ cause: PumpRequest.Cause) {
        multi?.remove(request.handle)
        if request.hasBegun { begun -= 1 }
        let last = requests.removeLast()
        if last !== request {
            requests[request.place] = last
            last.place = request.place
        }
        request.end(cause, setup)
        ended.append(request)
    }

    private static func events(_ found: Int16) -> Int32 {
        var events: Int32 = 0
        // What is gone is found out by reading, after the answers that are still there.
        if found & (Platform.Entry.readable | Platform.Entry.gone) != 0 { events |= CURL_CSELECT_IN }
        if found & Platform.Entry.writable != 0 { events |= CURL_CSELECT_OUT }
        return events
    }
}

@available(*, unavailable, message: "a connection belongs to the thread of its pump")
extension PumpConnection: Sendable {}

/// What the callbacks tell the connection.
extension PumpConnection {
    /// The connection behind a callback's context.
    @unsafe
    static func from(_ context: UnsafeMutableRawPointer?) -> PumpConnection? {
        // Every context is a live connection: it frees its handles before it goes.
        unsafe context.map { unsafe Unmanaged<PumpConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a socket may be used: not for a second connection.
    func opened(_ descriptor: Int32) -> Bool {
        guard phase == .opening else { return false }
        descriptors.append(descriptor)
        return true
    }

    /// Notes that a socket is being closed.
    func closed(_ descriptor: Int32) {
        descriptors.removeAll { $0 == descriptor }
        guard descriptor == socket else { return }
        socket = -1
        isLeaving = true
    }

    /// Whether a request may be sent on the connection that has this local port.
    func begins(_ request: PumpRequest, localPort: Int) -> Bool {
        switch phase {
        case .retired: return false
        case .open: break
        case .opening:
            phase = .open
            hasStood = true
            socket = descriptors.first { Platform.localPort(of: $0) == localPort } ?? -1
        }
        if !request.hasBegun { begun += 1 }
        return true
    }

    /// Notes a request that libcurl was about to send again.
    ///
    /// Nothing failed and the connection stands: then the server refused the stream, unless ``judgeInterrupted()`` finds
    /// that it may be otherwise.
    func interrupt(_ request: PumpRequest) {
        request.isRefusedStream =
            request.hasBegun && !request.handle.hasFailureText && socket >= 0 && !Platform.hasPeerClosed(socket)
        interrupted.append(request)
    }

    /// Notes which events of a socket libcurl wants to hear of.
    fileprivate func watch(_ descriptor: Int32, _ what: Int32) {
        let index = watched.firstIndex { $0.descriptor == descriptor }
        if what == CURL_POLL_REMOVE {
            if let index { watched.remove(at: index) }
            return
        }
        var interest = Platform.Entry.readingHangUp
        if what & CURL_POLL_IN != 0 { interest |= Platform.Entry.readable }
        if what & CURL_POLL_OUT != 0 { interest |= Platform.Entry.writable }
        if let index {
            watched[index].interest = interest
        } else {
            watched.append(Platform.Entry(descriptor: descriptor, interest: interest))
        }
    }

    /// Notes when libcurl wants to be called.
    fileprivate func setTimer(milliseconds: Int) {
        isAsked = milliseconds == 0
        due = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
    }
}

/// `CURLMOPT_SOCKETFUNCTION`: which events of a socket to report.
private let noteInterest: curl_socket_callback = { _, descriptor, what, context, _ in
    // The context is ours.
    unsafe PumpConnection.from(context)?.watch(descriptor, what)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`: when to come back.
private let noteTime: curl_multi_timer_callback = { _, milliseconds, context in
    // The context is ours.
    unsafe PumpConnection.from(context)?.setTimer(milliseconds: milliseconds)
    return 0
}
