internal import CCurl

/// What carries a connection's bytes; a protocol so that a connection can be driven without a network.
protocol HTTP2Carrier: AnyObject {
    /// The socket of the connection; -1 until it is made.
    var socket: Int32 { get }
    /// The descriptors and events to wait for while connecting.
    var watched: [Platform.Entry] { get }
    /// The time of the next call while connecting; nil: none.
    var due: ContinuousClock.Instant? { get }

    /// Continues to connect; `found` holds the events found for ``watched``. True once connected.
    func connect(_ found: ArraySlice<Platform.Entry>) throws(HTTP2Failure) -> Bool

    /// Writes bytes; a blocked call must be repeated with the same ones.
    @unsafe
    func send(_ bytes: UnsafeRawBufferPointer) -> HTTP2Link.Transfer

    /// Reads bytes.
    @unsafe
    func receive(into room: UnsafeMutableRawBufferPointer) -> HTTP2Link.Transfer
}

/// A secure connection that libcurl makes (names, proxy, TLS, certificates) for use by other code.
///
/// https://curl.se/libcurl/c/CURLOPT_CONNECT_ONLY.html
@safe
final class HTTP2Link: HTTP2Carrier {
    /// The result of a read or write.
    enum Transfer {
        /// This many bytes were moved.
        case moved(Int)
        /// No bytes can be moved now.
        case blocked
        /// The connection has ended, for this reason.
        case ended(String)
    }

    /// The socket of the connection; -1 until it is made.
    private(set) var socket: Int32 = -1
    /// The descriptors and events to wait for while connecting.
    private(set) var watched: [Platform.Entry] = []
    /// The time of libcurl's next call while connecting; nil: none.
    private(set) var due: ContinuousClock.Instant? = .now

    /// The handle to read and write with once connected.
    private let handle: EasyHandle
    private let multi: MultiHandle
    /// Keeps the certificate alive, which libcurl reads in place.
    private let setup: HTTP2Setup

    /// Starts connecting.
    init(_ setup: HTTP2Setup) throws(LibcurlFailure) {
        self.setup = setup
        handle = try EasyHandle()
        multi = try MultiHandle(maximumConnections: 1)
        try handle.setRules(
            caFile: setup.configuration.caFile, connectTimeout: setup.configuration.connectTimeout, plain: false)
        try handle.set(CURLOPT_URL, setup.target.url)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        // By default libcurl negotiates HTTP/2 itself and keeps the connection's bytes to itself.
        // Source: docs/background/libcurl.md#connections-for-frames-of-our-own.
        try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        // A C function, see below.
        try unsafe handle.set(tls: offerHTTP2)
        // Bytes per read, 16 KiB by default: the most that a TLS record holds.
        try handle.set(CURLOPT_BUFFERSIZE, 16384)
        // Empty: no proxy, whatever the environment says; by default the environment decides.
        if setup.target.isLoopback { try handle.set(CURLOPT_PROXY, "") }
        // Keepalive probes, in seconds; none are sent by default. Middleboxes forget idle connections after minutes.
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        try handle.set(CURLOPT_TCP_KEEPIDLE, 60)
        try handle.set(CURLOPT_TCP_KEEPINTVL, 30)
        try unsafe setup.setCertificate(of: handle)
        // Neither is retained: both handles are freed before this object.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe handle.set(CURLOPT_PRIVATE, pointer: context)
        try unsafe multi.watch(sockets: noteInterest, timer: noteTime, context: context)
        try multi.add(handle)
    }

    deinit {
        // libcurl closes the connection of a handle that is removed, and must not call back after that.
        multi.remove(handle)
        try? unsafe multi.watch(sockets: nil, timer: nil, context: nil)
    }

    /// Continues to connect.
    ///
    /// - Parameter found: the events found on the sockets, in the order of ``watched``.
    /// - Returns: true once connected.
    /// - Throws: ``HTTP2Failure`` when no connection can be made.
    func connect(_ found: ArraySlice<Platform.Entry>) throws(HTTP2Failure) -> Bool {
        do throws(LibcurlFailure) {
            for entry in found where entry.found != 0 {
                let events = entry.found & Platform.Entry.writable != 0 ? CURL_CSELECT_OUT : 0
                try multi.act(on: entry.descriptor, events: events | CURL_CSELECT_IN)
            }
            if due.map({ $0 <= .now }) == true {
                due = nil
                try multi.act()
            }
        } catch {
            throw HTTP2Failure(.internalFailure, error.detail)
        }
        // The multi handle has one handle, which ends once.
        guard let (_, code) = unsafe multi.nextFinished() else { return false }
        guard code == CURLE_OK else {
            let said = handle.failureText
            throw HTTP2Failure(
                TransportError.Code(code), said.isEmpty ? LibcurlFailure.text(code) : said, isFinal: Self.isFinal(code))
        }
        socket = handle.activeSocket
        // The first call after connecting attaches the connection to the handle again; it reads nothing that could not
        // be read
        // later.
        guard handle.hasHTTP2 else {
            throw HTTP2Failure(.noHTTP2, "the server did not negotiate it", isFinal: true)
        }
        return true
    }

    /// Writes bytes to the connection.
    @unsafe
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        // Read during the call.
        unsafe handle.send(bytes)
    }

    /// Reads bytes from the connection.
    @unsafe
    func receive(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        // Written during the call.
        unsafe handle.receive(into: room)
    }

    /// True when another connection would fail with the same error.
    private static func isFinal(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION:
            true
        default: false
        }
    }

    /// Records the events of a socket that libcurl wants to hear of.
    fileprivate func watch(_ descriptor: Int32, _ what: Int32) {
        watched.removeAll { $0.descriptor == descriptor }
        guard what != CURL_POLL_REMOVE else { return }
        var interest: Int16 = 0
        if what & CURL_POLL_IN != 0 { interest |= Platform.Entry.readable }
        if what & CURL_POLL_OUT != 0 { interest |= Platform.Entry.writable }
        watched.append(Platform.Entry(descriptor: descriptor, interest: interest))
    }

    /// Records the time of libcurl's next call.
    fileprivate func setTimer(milliseconds: Int) {
        due = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    /// The link behind a callback's context.
    @unsafe
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Link? {
        // Every context is a live link: its handles are freed before it.
        unsafe context.map { unsafe Unmanaged<HTTP2Link>.fromOpaque($0).takeUnretainedValue() }
    }
}

@available(*, unavailable, message: "a link belongs to the thread of its connection")
extension HTTP2Link: Sendable {}

/// The reason a connection could not be made.
struct HTTP2Failure: Error {
    /// The kind of error.
    let code: TransportError.Code
    /// The cause, in libcurl's words or ours.
    let detail: String
    /// True when another connection would fail the same way.
    let isFinal: Bool

    init(_ code: TransportError.Code, _ detail: String, isFinal: Bool = false) {
        self.code = code
        self.detail = detail
        self.isFinal = isFinal
    }
}

/// `CURLOPT_SSL_CTX_FUNCTION`: the TLS handshake is about to begin.
private let offerHTTP2: curl_ssl_ctx_callback = { _, context, _ in
    // libcurl passes its `SSL_CTX`.
    unsafe ccurl_offer_http2(context) != 0 ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

/// `CURLMOPT_SOCKETFUNCTION`: the events of a socket to report.
private let noteInterest: curl_socket_callback = { _, descriptor, what, context, _ in
    // The context is ours.
    unsafe HTTP2Link.from(context)?.watch(descriptor, what)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`: the time of the next call.
private let noteTime: curl_multi_timer_callback = { _, milliseconds, context in
    // The context is ours.
    unsafe HTTP2Link.from(context)?.setTimer(milliseconds: milliseconds)
    return 0
}

/// The setup shared by all connections of a client; it outlives them.
@safe
final class HTTP2Setup {
    /// The settings for connections.
    let configuration: HTTP2Configuration
    /// The server's address.
    let target: RequestTarget
    /// The server's name as sent in `:authority`.
    let authority: [UInt8]
    /// The certificate and its key, read by libcurl in place.
    private let chain: FixedText?
    private let key: FixedText?

    /// Checks the endpoint and copies the certificate.
    init(_ configuration: HTTP2Configuration) throws(RequestTarget.Refusal) {
        self.configuration = configuration
        target = try RequestTarget(configuration.endpoint, plainToLoopback: false)
        authority = Array(target.authority.utf8)
        chain = configuration.certificate.map { FixedText($0.chainPEM) }
        key = configuration.certificate.map { FixedText($0.keyPEM) }
    }

    /// Sets a handle's certificate; the handle must be freed before this object.
    @unsafe
    func setCertificate(of handle: EasyHandle) throws(LibcurlFailure) {
        guard let chain, let key else { return }
        // This object's own, see above.
        try unsafe handle.set(CURLOPT_SSLCERT_BLOB, blob: chain.bytes)
        try unsafe handle.set(CURLOPT_SSLKEY_BLOB, blob: key.bytes)
    }
}

/// Bytes at a fixed address, for C to read; overwritten with zeros when freed.
@safe
final class FixedText {
    /// The bytes; at least one is allocated, so that there is an address.
    @unsafe let bytes: UnsafeMutableRawBufferPointer

    /// Copies the bytes.
    init(_ source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, source.count), alignment: 1)
        unsafe copy[0] = 0
        unsafe copy.copyBytes(from: source)
        // Freed in deinit; excludes the byte that only provides an address.
        unsafe bytes = UnsafeMutableRawBufferPointer(start: copy.baseAddress, count: source.count)
    }

    deinit {
        // The only owner.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe bytes.deallocate()
    }
}

@available(*, unavailable, message: "a text belongs to the thread of what reads it")
extension FixedText: Sendable {}
