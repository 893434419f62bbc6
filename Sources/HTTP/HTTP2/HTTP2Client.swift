/// Sends many small POST requests to one HTTP/2 server, fast; the caller decides what to send when.
///
/// libcurl makes the connections, nghttp2 does the framing. Everything happens on the owner's thread: `start` assigns
/// requests to connections, `run` sends and receives, `takeEnded` returns the requests that have ended. The client
/// never sends anything twice, and each ending states what is certain.
package final class HTTP2Client {
    /// Interrupts the wait in `run` from any thread.
    package let waker: Waker
    /// Open and opening connections, and those with requests left.
    package private(set) var connections: [HTTP2Connection] = []
    /// Called with a request's number when its body is about to be framed; false holds the body back. True by default.
    package var isWanted: (Int) -> Bool = { _ in true }

    private let setup: HTTP2Setup
    private var requests: [HTTP2Request] = []
    private var free: [HTTP2Request] = []
    private var ended: [HTTP2Request] = []
    private var entries: [Platform.Entry] = []
    private var room = [UInt8](repeating: 0, count: 1 << 16)

    /// Prepares libcurl without connecting.
    ///
    /// - Throws: `TransportError` with `refusedURL`, or with `internalFailure` when the system is out of descriptors.
    package init(_ configuration: HTTP2Configuration) throws(TransportError) {
        func failure(_ code: TransportError.Code, _ detail: String) -> TransportError {
            TransportError(code, sent: .nothing, request: "POST", detail: detail)
        }
        guard Libcurl.isReady else { throw failure(.internalFailure, "curl_global_init failed") }
        do throws(RequestTarget.Refusal) {
            setup = try HTTP2Setup(configuration)
        } catch {
            throw failure(.refusedURL, error.reason)
        }
        guard let waker = Waker() else { throw failure(.internalFailure, "no descriptor is left for a pipe") }
        self.waker = waker
    }

    deinit { close() }

    /// Starts a new connection.
    package func connect(at now: ContinuousClock.Instant) throws(TransportError) -> HTTP2Connection {
        do throws(LibcurlFailure) {
            let connection = try HTTP2Connection(setup, at: now) { [unowned self] in isWanted($0.number) }
            connections.append(connection)
            return connection
        } catch {
            throw failure(HTTP2Failure(.internalFailure, error.detail))
        }
    }

    /// A reusable request: set its body, then start it; one that is not started must be given back.
    package func place() -> HTTP2Request {
        if let used = free.popLast() { return used }
        let request = HTTP2Request(number: requests.count)
        // Kept, because sessions hold unowned pointers to them.
        requests.append(request)
        return request
    }

    /// Assigns a request to a connection; the next `run` sends it.
    ///
    /// - Parameters:
    ///   - request: A request from ``place()`` with its body.
    ///   - path: The path, percent-encoded.
    ///   - own: The value of its individual header, printable ASCII.
    ///   - headers: The headers it shares with other requests.
    ///   - connection: A connection with room.
    ///   - now: The current time.
    /// - Returns: False when the connection accepts none.
    package func start(
        _ request: HTTP2Request, path: [UInt8], own: [UInt8], headers: HTTP2Headers, on connection: HTTP2Connection,
        at now: ContinuousClock.Instant
    ) -> Bool {
        request.begin(path: path, own: own, headers: headers)
        return connection.add(request, at: now)
    }

    /// Sends, waits for events up to a time limit, and handles them.
    ///
    /// - Returns: the connection failures, and for each whether another connection would fail the same way.
    package func run(milliseconds: Int) -> [(error: TransportError, isFinal: Bool)] {
        entries.removeAll(keepingCapacity: true)
        entries.append(Platform.Entry(descriptor: waker.reading, interest: Platform.Entry.readable))
        var patience = milliseconds
        let before = ContinuousClock.now
        for connection in connections {
            connection.transmit(at: before)
            if !connection.ended.isEmpty { patience = 0 }
            patience = min(patience, before.duration(to: connection.due).wholeMilliseconds)
            entries.append(contentsOf: connection.entries)
        }
        Platform.wait(for: &entries, milliseconds: Int32(clamping: max(0, patience)))
        if entries[0].found != 0 { waker.drain() }
        return work(at: .now)
    }

    private func work(at now: ContinuousClock.Instant) -> [(error: TransportError, isFinal: Bool)] {
        var failures: [(error: TransportError, isFinal: Bool)] = []
        var next = 1
        for connection in connections {
            let found = entries[next..<(next + connection.entries.count)]
            next += found.count
            connection.work(found, at: now, &room)
            if connection.phase == .retired && connection.inFlight == 0 { connection.close("it was retired") }
            ended.append(contentsOf: connection.ended)
            connection.ended.removeAll(keepingCapacity: true)
            if let failure = connection.failure { failures.append((self.failure(failure), failure.isFinal)) }
        }
        connections.removeAll { $0.phase == .closed }
        return failures
    }

    /// Takes the requests that have ended, in order; each must be given back.
    package func takeEnded() -> [HTTP2Request] {
        defer { ended.removeAll(keepingCapacity: true) }
        return ended
    }

    /// Returns a request for reuse.
    package func giveBack(_ request: HTTP2Request) { free.append(request) }

    /// Ends every request and closes the connections.
    package func close() {
        for connection in connections {
            connection.close("cancelled")
            ended.append(contentsOf: connection.ended)
        }
        connections = []
    }

    private func failure(_ failure: HTTP2Failure) -> TransportError {
        TransportError(failure.code, sent: .nothing, request: "POST \(setup.target.name)", detail: failure.detail)
    }
}

@available(*, unavailable, message: "a client belongs to the thread of its owner")
extension HTTP2Client: Sendable {}
