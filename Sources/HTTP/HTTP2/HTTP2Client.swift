/// Sends many small POST requests to one HTTP/2 server, fast; the caller decides what to send when.
///
/// libcurl makes the connections. Everything happens on the owner's thread: `start` assigns requests to connections,
/// `run` sends and receives, `takeEnded` returns the requests that have ended. The client never sends anything twice,
/// and each ending states what is certain.
package final class HTTP2Client {
    /// Interrupts the wait in `run` from any thread.
    package let waker: Waker
    /// Open and opening connections, and those with requests left.
    package private(set) var connections: [HTTP2Connection] = []
    /// Called with a request's number when its body is about to be framed; false holds the body back. True by default.
    package var isWanted: (Int) -> Bool = { _ in true }

    private let setup: HTTP2Setup
    private var places = 0
    private var free: [HTTP2Request] = []
    private var ended: [HTTP2Request] = []
    private var entries: [Platform.Entry] = []
    /// What is read at once.
    var room = [UInt8](repeating: 0, count: 1 << 16)

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
        defer { places += 1 }
        return HTTP2Request(number: places)
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
            if !connection.ended.isEmpty || connection.hasMore { patience = 0 }
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

/// The settings for connections to an HTTP/2 server.
package struct HTTP2Configuration: Sendable {
    /// The server: `https://host` or `https://host:port`.
    package var endpoint: String
    /// A PEM file of CAs to trust in addition to the system's; none by default.
    package var caFile: String?
    /// A client certificate with its key, both PEM; none by default.
    package var certificate: ClientCertificate?
    /// The connect timeout, including the server's first SETTINGS.
    package var connectTimeout: Duration
    /// The timeout of an exchange, from its start to the end of the answer.
    package var requestTimeout: Duration
    /// The silence after which a PING checks the connection; a minute by default.
    package var keepAlive: Duration
    /// The further silence after which the connection counts as lost; 15 s by default.
    package var pingTimeout: Duration

    package init(
        endpoint: String, caFile: String? = nil, certificate: ClientCertificate? = nil, connectTimeout: Duration,
        requestTimeout: Duration, keepAlive: Duration = .seconds(60), pingTimeout: Duration = .seconds(15)
    ) {
        self.endpoint = endpoint
        self.caFile = caFile
        self.certificate = certificate
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.keepAlive = keepAlive
        self.pingTimeout = pingTimeout
    }
}

/// The certificate that a client presents when a TLS connection is made.
package struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The certificate followed by its issuers, as PEM.
    package let chainPEM: [UInt8]
    /// The unencrypted private key, as PEM.
    package let keyPEM: [UInt8]

    package init(chainPEM: [UInt8], keyPEM: [UInt8]) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
    }

    /// The type's name only, never the content.
    package var description: String { "ClientCertificate" }

    /// Without children, so that `dump` and reflection do not reach the key.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
