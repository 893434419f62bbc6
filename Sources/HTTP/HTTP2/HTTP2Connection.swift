/// One connection of an HTTP/2 client and the requests on it.
///
/// It must be used on its client's thread only.
package final class HTTP2Connection {
    /// The phases of a connection's life.
    package enum Phase: Hashable, Sendable {
        /// The connection is being made and accepts no requests.
        case opening
        /// The connection is ready for requests.
        case open
        /// No more requests are accepted; those in flight may still be answered.
        case retired
        /// The connection and every request on it have ended.
        case closed
    }

    /// The current phase.
    package private(set) var phase = Phase.opening
    /// The reason the connection could not be made or used, and whether another would fail the same way.
    private(set) var failure: HTTP2Failure?
    /// The number of requests started on the connection.
    package private(set) var begun = 0
    /// The number of requests after which the server announced a close without an error; nil: it did not.
    package private(set) var lasted: Int?
    /// Requests whose first body bytes were framed but not offered to the connection yet.
    var framed: [HTTP2Request] = []
    /// Ended requests that were not taken yet.
    var ended: [HTTP2Request] = []
    /// The protocol error of the server.
    var fault = ""

    private let setup: HTTP2Setup
    private let isWanted: (HTTP2Request) -> Bool
    private let link: any HTTP2Carrier
    private(set) var session: HTTP2Session?
    private var requests: [HTTP2Request] = []
    /// The next time to check the requests' timeouts.
    private var nextLook: ContinuousClock.Instant
    /// Bytes on their way; offered at most one TLS record at a time.
    private var output: [UInt8] = []
    private var outputStart = 0
    /// True while the connection takes no bytes, the deadline of the waiting bytes, and true once it takes none at all.
    private var isBlocked = false
    private var tooLate: ContinuousClock.Instant
    private var isDeaf = false
    /// True when reading was interrupted: there may be more input, of which the socket knows nothing.
    private(set) var hasMore = false
    /// The time of the last input, and whether a PING was sent since.
    private var lastHeard: ContinuousClock.Instant
    private var isAsked = false
    private let opened: ContinuousClock.Instant

    /// The size of a TLS record: a failed call with at most so many bytes has sent none of them.
    private static let recordSize = 16384
    /// The number of reads after which other connections, timeouts and gates are seen to.
    private static let mostReads = 64
    /// The interval between timeout checks.
    private static let timeGrain = Duration.milliseconds(100)
    /// A connection's last stream ids are left unused.
    private static let lastStream: Int32 = .max - 1000

    /// Starts connecting; `isWanted` is called for each request when its body is about to be framed.
    convenience init(
        _ setup: HTTP2Setup, at now: ContinuousClock.Instant, isWanted: @escaping (HTTP2Request) -> Bool
    ) throws(LibcurlFailure) {
        self.init(setup, over: try HTTP2Link(setup), at: now, isWanted: isWanted)
    }

    /// Starts over this link.
    init(
        _ setup: HTTP2Setup, over link: any HTTP2Carrier, at now: ContinuousClock.Instant,
        isWanted: @escaping (HTTP2Request) -> Bool
    ) {
        self.setup = setup
        self.isWanted = isWanted
        self.link = link
        (opened, lastHeard, nextLook, tooLate) = (now, now, now, now)
    }

    /// The number of requests in flight.
    package var inFlight: Int { requests.count }
    /// The number of further requests that the server allows now.
    package var room: Int { phase == .open ? max(0, (session?.streams ?? 0) - requests.count) : 0 }
    /// The descriptors and events to wait for.
    var entries: [Platform.Entry] {
        guard session != nil else { return link.watched }
        let interest = Platform.Entry.readable | (isBlocked ? Platform.Entry.writable : 0)
        return [Platform.Entry(descriptor: link.socket, interest: interest)]
    }
    /// The time of the next check when no event comes before.
    var due: ContinuousClock.Instant {
        guard session != nil else { return min(link.due ?? end, end) }
        if phase == .opening { return end }
        let asked = lastHeard + setup.configuration.keepAlive + (isAsked ? setup.configuration.pingTimeout : .zero)
        return requests.isEmpty ? asked : min(asked, nextLook)
    }
    private var end: ContinuousClock.Instant { opened + setup.configuration.connectTimeout }

    /// Takes a request that has been begun; the next ``transmit(at:)`` sends it. False when the connection accepts
    /// none.
    func add(_ request: HTTP2Request, at now: ContinuousClock.Instant) -> Bool {
        guard phase == .open, let stream = session?.submit(request) else {
            retire()
            return false
        }
        (request.stream, request.place) = (stream, requests.count)
        requests.append(request)
        begun += 1
        request.deadline = now + setup.configuration.requestTimeout
        if stream >= Self.lastStream { retire() }
        return true
    }

    /// Stops accepting requests.
    package func retire() {
        if phase == .open { phase = .retired }
    }

    /// Ends every request and the connection.
    func close(_ why: String) {
        guard phase != .closed else { return }
        // A connection that the server closes before its first request counts as failed.
        if begun == 0, failure == nil { failure = HTTP2Failure(.connectionLost, fault.isEmpty ? why : fault) }
        phase = .closed
        while let request = requests.last { finish(request, ending(of: request, why)) }
        session = nil
    }

    /// True when a request's body may be framed; otherwise it is held back for good.
    func mayGive(_ request: HTTP2Request) -> Bool {
        request.isKeptBack = !request.isGiven && !isWanted(request)
        return !request.isKeptBack
    }
}

@available(*, unavailable, message: "a connection belongs to the thread of its client")
extension HTTP2Connection: Sendable {}

// MARK: - Session events

extension HTTP2Connection {
    /// Handles the server's SETTINGS; the first confirm that it speaks HTTP/2.
    func hearSettings() {
        if phase == .opening { phase = .open }
    }

    /// Handles GOAWAY: the server will close the connection and acts on no stream above this one.
    func hearGoAway(lastStream: Int32, isError: Bool, _ words: String) {
        if !isError, lasted == nil { lasted = begun }
        if !words.isEmpty { fault = "GOAWAY \(words)" }
        for request in requests where request.stream > lastStream { request.isRefused = true }
        retire()
    }

    /// Handles the end of a request's stream.
    func hearEnd(of request: HTTP2Request, _ code: String) {
        finish(request, ending(of: request, "the stream was reset: \(code)"))
    }

    /// The certain outcome of a request that ends now: an answer that came counts first, then what the protocol proves.
    private func ending(of request: HTTP2Request, _ why: String) -> HTTP2Ending {
        if request.status >= 200 { return .answered(status: request.status) }
        if request.isRefused { return .streamRefused }
        if request.isKeptBack { return .notGiven("it was held back") }
        return request.isGiven ? .unanswered(why) : .notGiven(why)
    }

    private func finish(_ request: HTTP2Request, _ ending: HTTP2Ending) {
        let last = requests.removeLast()
        if last !== request {
            requests[request.place] = last
            last.place = request.place
        }
        request.ending = ending
        ended.append(request)
    }
}

// MARK: - Moving bytes

extension HTTP2Connection {
    /// Sends the pending bytes, as many as the connection takes.
    func transmit(at now: ContinuousClock.Instant) {
        guard let session, !isDeaf else { return }
        // A process that was suspended must not send what was framed before.
        if isBlocked, now >= tooLate { return close("the connection accepted no data for too long") }
        while true {
            if outputStart == output.count {
                output.removeAll(keepingCapacity: true)
                outputStart = 0
                session.write(to: &output, size: Self.recordSize - 1024)
                if output.isEmpty { break }
                tooLate = now + setup.configuration.requestTimeout
            }
            guard offer() else { break }
        }
        if session.hasEnded { close(fault.isEmpty ? "the connection ended" : fault) }
    }

    /// Offers the next bytes; false when no more can be offered now.
    private func offer() -> Bool {
        let end = min(output.count, outputStart + Self.recordSize)
        // Within the output.
        let moved = unsafe output.withUnsafeBytes { bytes in
            unsafe link.send(UnsafeRawBufferPointer(rebasing: bytes[outputStart..<end]))
        }
        switch moved {
        case .moved(let count):
            isBlocked = false
            outputStart += count
        case .blocked: isBlocked = true
        case .ended:
            // Nothing that was offered for the first time is on its way. Input received before still counts.
            for request in framed { request.isGiven = false }
            isDeaf = true
        }
        framed.removeAll(keepingCapacity: true)
        return !isBlocked && !isDeaf
    }

    /// Handles events and timeouts; `found` holds the events found for ``entries``.
    func work(_ found: ArraySlice<Platform.Entry>, at now: ContinuousClock.Instant, _ room: inout [UInt8]) {
        if phase == .closed { return }
        guard session != nil else { return connect(found, at: now) }
        if isDeaf || hasMore || found.contains(where: { $0.found != 0 }) { receive(at: now, &room) }
        guard phase != .closed else { return }
        if phase == .opening {
            if now >= end { fail(HTTP2Failure(.timedOut, "no SETTINGS frame arrived")) }
            return
        }
        expire(at: now)
        let silence = lastHeard.duration(to: now) - setup.configuration.keepAlive
        if isAsked, silence >= setup.configuration.pingTimeout { return close("the server does not answer a PING") }
        if !isAsked, silence >= .zero {
            isAsked = true
            session?.ping()
        }
    }

    private func connect(_ found: ArraySlice<Platform.Entry>, at now: ContinuousClock.Instant) {
        do throws(HTTP2Failure) {
            if try link.connect(found) {
                try greet(at: now)
            } else if now >= end {
                throw HTTP2Failure(.timedOut, "")
            }
        } catch {
            fail(error)
        }
    }

    /// Begins to speak HTTP/2 on the link.
    func greet(at now: ContinuousClock.Instant) throws(HTTP2Failure) {
        session = try HTTP2Session(of: self, authority: setup.authority)
        lastHeard = now
    }

    private func fail(_ failure: HTTP2Failure) {
        self.failure = failure
        close(failure.detail)
    }

    private func receive(at now: ContinuousClock.Instant, _ room: inout [UInt8]) {
        var why = isDeaf ? "the connection ended" : nil
        hasMore = false
        var reads = 0
        reading: while phase != .closed {
            // Others have their turn too.
            reads += 1
            if reads > Self.mostReads {
                hasMore = true
                break
            }
            // At most the size of the buffer.
            let moved = unsafe room.withUnsafeMutableBytes { unsafe link.receive(into: $0) }
            switch moved {
            case .moved(let count):
                (lastHeard, isAsked) = (now, false)
                // Within the room.
                let isUnderstood = unsafe room.withUnsafeBytes { bytes in
                    unsafe session?.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count])) ?? false
                }
                if !isUnderstood { why = "the server sent invalid data" }
                if !isUnderstood || session?.isBroken ?? true || session?.hasEnded ?? true { break reading }
            case .blocked: break reading
            case .ended(let detail):
                why = detail
                break reading
            }
        }
        guard !hasMore, let why else { return }
        let cause = fault.isEmpty ? why : "\(why): \(fault)"
        // A server that sends something else first speaks another protocol.
        if phase == .opening {
            fail(HTTP2Failure(fault.isEmpty ? .connectionLost : .noHTTP2, cause))
        } else {
            close(cause)
        }
    }

    /// Ends the requests that have timed out.
    private func expire(at now: ContinuousClock.Instant) {
        guard now >= nextLook else { return }
        nextLook = now + Self.timeGrain
        for request in requests where request.deadline <= now {
            session?.abandon(request)
            finish(request, ending(of: request, "timed out"))
            // A connection that is completely silent gets no more requests.
            if lastHeard + setup.configuration.requestTimeout <= now { retire() }
        }
    }
}
