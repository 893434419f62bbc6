internal import CCurl

/// An easy handle, reused from request to request, and the progress of its current request.
///
/// It belongs to its loop's thread; libcurl calls back only on that thread.
final class Transfer {
    let handle: EasyHandle
    /// The current request; nil between two.
    private(set) var job: Job?
    /// Keeps the header lines alive while libcurl uses them.
    private var headerList: HeaderList?
    /// Keeps the handle's list for `CURLOPT_CONNECT_TO` alive.
    var connections: HeaderList?
    /// The number of bytes of the body that libcurl has fetched.
    var bodyOffset = 0
    /// True once libcurl has begun to send: from then on the server may have received the request.
    ///
    /// Until then no byte has left. The finer `CURLINFO_REQUEST_SIZE` is not used: libcurl changed what it counts, and
    /// a wrong 0 would let a request be repeated.
    var hasBegunSending = false
    /// True when a retry by libcurl was prevented.
    var hasRefusedRepetition = false
    /// True when the attempt was stopped because the server had closed the connection.
    var isOnClosedConnection = false
    /// True when the attempt was stopped because it was too late.
    var isTooLate = false
    let sockets: Sockets
    /// The part of the answer received so far.
    var answer = PartialAnswer()

    /// Creates a transfer and sets the options that all requests share.
    init(_ configuration: HTTPClient.Configuration, _ sockets: Sockets) throws(LibcurlFailure) {
        handle = try EasyHandle()
        self.sockets = sockets
        try setFixedOptions(configuration)
    }

    /// Prepares the handle for a request.
    ///
    /// - Parameters:
    ///   - job: The request.
    ///   - afresh: True to use a new connection.
    /// - Throws: ``LibcurlFailure`` when libcurl refuses an option or has no memory for a header.
    func begin(_ job: Job, afresh: Bool = false) throws(LibcurlFailure) {
        self.job = job
        bodyOffset = 0
        hasBegunSending = false
        hasRefusedRepetition = false
        isOnClosedConnection = false
        isTooLate = false
        answer = PartialAnswer()
        handle.clearFailureText()
        let list = try HeaderList(HeaderList.lines(for: job.request))
        // The old list is freed after the handle has the new one, which lives in `headerList`.
        try unsafe handle.set(CURLOPT_HTTPHEADER, list: list)
        headerList = list
        try setOptions(for: job, within: ContinuousClock.now.duration(to: job.deadline))
        // By default a kept connection is reused.
        try handle.set(CURLOPT_FRESH_CONNECT, afresh ? 1 : 0)
    }

    /// Releases the request.
    func end() -> Job? {
        defer { job = nil }
        return job
    }
}

@available(*, unavailable, message: "a transfer belongs to the thread of its loop")
extension Transfer: Sendable {}

/// The part of an answer received so far.
struct PartialAnswer {
    /// The largest answer in bytes, decompressed: 16 MiB. A larger one ends the request.
    static let maximumBody = 16 << 20
    /// The largest size of the headers in bytes: 256 KiB. Larger ones end the request too.
    static let maximumHead = 256 << 10

    /// The headers of the latest answer; those of an interim one are replaced by the next.
    var fields: [HTTPHeaders.Field] = []
    /// True once the empty line after the headers has come.
    var hasWholeHead = false
    /// The body so far, decompressed.
    var body: [UInt8] = []
    /// The number of header bytes received, over all answers.
    var headBytes = 0
    /// True when a limit was exceeded.
    var isTooLarge = false
}

// MARK: - Options

extension Transfer {
    /// Sets the options that never change on this handle.
    func setFixedOptions(_ configuration: HTTPClient.Configuration) throws(LibcurlFailure) {
        let handle = self.handle
        try handle.setRules(
            caFile: configuration.caFile, connectTimeout: configuration.connectTimeout,
            plain: configuration.allowsPlainHTTPToLoopback)
        if let certificate = configuration.clientCertificate {
            try handle.set(CURLOPT_SSLCERT_BLOB, copying: certificate.chainPEM)
            try handle.set(CURLOPT_SSLKEY_BLOB, copying: certificate.keyPEM)
        }
        if let place = configuration.connectsTo {
            // The address's `HOST:PORT:` part stays empty, to match any. The list lives as long as the handle.
            let list = try HeaderList(["::" + place])
            connections = list
            try unsafe handle.set(CURLOPT_CONNECT_TO, list: list)
        }
        // The longest idle time in seconds after which a connection is reused; 118 by default. Servers and load
        // balancers close theirs after 60 s and more: the outcome of a request sent at that moment would be unknown.
        try handle.set(CURLOPT_MAXAGE_CONN, 30)
        try handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        // Empty: every encoding this libcurl can decompress; by default none.
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try setCallbacks()
    }

    /// Sets the options of this request, replacing all those of an earlier one.
    func setOptions(for job: Job, within time: Duration) throws(LibcurlFailure) {
        let handle = self.handle
        try handle.set(CURLOPT_URL, job.target.url)
        // Milliseconds from the start of the transfer; 0, the default, means no limit.
        try handle.set(CURLOPT_TIMEOUT_MS, max(1, time.wholeMilliseconds))
        // Empty: no proxy, whatever the environment says; null: as `https_proxy` and `no_proxy` say.
        try handle.set(CURLOPT_PROXY, job.target.isLoopback ? "" : nil)
        let version = job.target.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try handle.set(CURLOPT_HTTP_VERSION, version)
        // Waits for the first connection and shares it; by default each transfer opens its own.
        try handle.set(CURLOPT_PIPEWAIT, job.target.isSecure ? 1 : 0)
        let request = job.request
        if let body = request.body ?? (request.method == .post || request.method == .put ? [] : nil) {
            // Without POSTFIELDS the body comes from the read callback; CUSTOMREQUEST then names the method.
            try handle.set(CURLOPT_POST, 1)
            try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        } else {
            try handle.set(CURLOPT_HTTPGET, 1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, limited to libcurl's range.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

// MARK: - Callbacks

extension Transfer {
    /// Sets libcurl's callbacks, with this object as their context.
    func setCallbacks() throws(LibcurlFailure) {
        // Not retained: the handle belongs to this object and is freed with it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // The functions below, which take the context that is set with them.
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, transfer: receiveBody)
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, transfer: receiveHeader)
        try unsafe handle.set(CURLOPT_READFUNCTION, transfer: provideBody)
        try unsafe handle.set(CURLOPT_SEEKFUNCTION, seek: rewindBody)
        try unsafe handle.set(CURLOPT_PREREQFUNCTION, prerequest: beginAttempt)
        try unsafe handle.set(CURLOPT_SOCKOPTFUNCTION, socket: noteSocket)
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_SOCKOPTDATA, CURLOPT_PRIVATE,
        ] {
            // Valid for as long as the handle, see above.
            try unsafe handle.set(option, pointer: context)
        }
    }

    /// The transfer behind a callback's context.
    @unsafe
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        // Every context is a live transfer: `setCallbacks`.
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// True when an attempt may begin on the connection with this local port.
    ///
    /// libcurl calls this for the first attempt and again for each retry: when a kept connection dies before the first
    /// byte of the answer, and after REFUSED_STREAM, GOAWAY and HTTP_1_1_REQUIRED. A `once` request is never begun
    /// twice; without a body this is what prevents it, since there is nothing to rewind. Nor is one sent on a
    /// connection that the server has closed: libcurl 7.88 overlooks that while a TLS record, such as the closing one,
    /// is still to be read, and the outcome would be unknown. Nor is any request sent after its `notAfter`, or when it is
    /// not wanted any more.
    fileprivate func mayBeginAttempt(localPort: Int) -> Bool {
        isTooLate = job?.request.notAfter.map { $0 < .now } ?? false || job?.request.isWanted?() == false
        if isTooLate { return false }
        if job?.request.repetition == .once {
            if hasBegunSending {
                hasRefusedRepetition = true
                return false
            }
            if sockets.hasPeerClosed(localPort: localPort) {
                isOnClosedConnection = true
                return false
            }
        }
        hasBegunSending = true
        // Bytes fetched but not sent are lost to libcurl, which seeks only after a byte has left.
        bodyOffset = 0
        return true
    }

    /// Copies the next bytes of the request's body.
    fileprivate func provide(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = job?.request.body else { return 0 }
        let next = body[min(bodyOffset, body.count)...].prefix(room.count)
        // No longer than the room.
        unsafe room.copyBytes(from: next)
        bodyOffset += next.count
        return next.count
    }

    /// Rewinds the body, unless the request must be sent only once.
    fileprivate func rewind(to offset: Int) -> Bool {
        guard let request = job?.request, request.repetition == .repeatable, offset <= request.body?.count ?? 0 else {
            hasRefusedRepetition = true
            return false
        }
        bodyOffset = offset
        return true
    }
}

/// `CURLOPT_WRITEFUNCTION`: bytes of the answer's body; returning anything but their number ends the transfer.
private let receiveBody: curl_write_callback = { bytes, _, count, context in
    // libcurl passes `count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe transfer.answer.append(body: part) ? count : 0
}

/// `CURLOPT_HEADERFUNCTION`: one whole header line of the answer; returning anything but its length ends the transfer.
private let receiveHeader: curl_write_callback = { bytes, size, count, context in
    // libcurl passes `size * count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.answer.append(headLine: line) ? size * count : 0
}

/// `CURLOPT_READFUNCTION`: up to `size * count` bytes of the request's body.
private let provideBody: curl_read_callback = { bytes, size, count, context in
    // libcurl provides a buffer of `size * count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    return unsafe transfer.provide(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// `CURLOPT_SEEKFUNCTION`: libcurl is about to send the body again.
private let rewindBody: curl_seek_callback = { context, offset, origin in
    // The context is ours; 0 is SEEK_SET.
    guard let transfer = unsafe Transfer.from(context), origin == 0 else { return CURL_SEEKFUNC_FAIL }
    return transfer.rewind(to: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

/// `CURLOPT_PREREQFUNCTION`: the connection is ready and the request is about to be sent on it.
private let beginAttempt: curl_prereq_callback = { context, _, _, _, localPort in
    // The context is ours.
    guard let transfer = unsafe Transfer.from(context) else { return CURL_PREREQFUNC_ABORT }
    return transfer.mayBeginAttempt(localPort: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// `CURLOPT_SOCKOPTFUNCTION`: a socket was made for a connection.
private let noteSocket: curl_sockopt_callback = { context, descriptor, _ in
    // The context is ours.
    if let transfer = unsafe Transfer.from(context) { transfer.sockets.insert(descriptor) }
    return CURL_SOCKOPT_OK
}

// MARK: - Reading

extension PartialAnswer {
    /// Appends decompressed bytes; false when the body has become too large.
    mutating func append(body part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= Self.maximumBody else {
            isTooLarge = true
            return false
        }
        // The bytes are copied.
        unsafe body.append(contentsOf: part)
        return true
    }

    /// Appends a line of the headers with its line end; false when the headers have become too large.
    ///
    /// A line that begins with `HTTP/` starts an answer: whatever came before was an interim one.
    mutating func append(headLine bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Self.maximumHead else {
            isTooLarge = true
            return false
        }
        // The bytes are copied.
        let line = unsafe Array(bytes).trimmed[...]
        if line.starts(with: "HTTP/".utf8) {
            fields = []
            hasWholeHead = false
        } else if line.isEmpty {
            hasWholeHead = true
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: line[..<colon], as: UTF8.self)
            let value = String(decoding: Array(line[(colon + 1)...]).trimmed, as: UTF8.self)
            fields.append(HTTPHeaders.Field(name, value))
        }
        return true
    }
}

extension [UInt8] {
    /// The bytes without surrounding spaces, tabs and line ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0d, 0x0a].contains(byte) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}

// MARK: - Outcome

extension Transfer {
    enum Ending {
        case libcurl(CURLcode)
        /// The task was cancelled or the client closed.
        case cancelled
        /// Something outside the transfer failed.
        case failure(LibcurlFailure)
    }

    /// The caller's result. An answer that was received completely is the result, however the transfer ended.
    func outcome(of ending: Ending, for job: Job) -> Result<HTTPResponse, TransportError> {
        if !answer.isTooLarge, let response = response(after: ending, to: job.request) { return .success(response) }
        let sent: TransportError.Sent = hasBegunSending ? .possibly : .nothing
        if answer.isTooLarge { return .failure(job.error(.responseTooLarge, sent: sent)) }
        switch ending {
        case .cancelled: return .failure(job.error(.cancelled, sent: sent))
        case .failure(let failure): return .failure(job.error(.internalFailure, sent: sent, failure.detail))
        case .libcurl(let code):
            if isTooLate { return .failure(job.error(.tooLate, sent: sent)) }
            if hasRefusedRepetition { return .failure(job.error(.rewindRefused, sent: .possibly)) }
            let said = handle.failureText
            let detail = said.isEmpty ? LibcurlFailure.text(code) : said
            return .failure(job.error(TransportError.Code(code), sent: sent, detail))
        }
    }

    /// The answer, if it has come completely.
    private func response(after ending: Ending, to request: HTTPRequest) -> HTTPResponse? {
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        guard answer.hasWholeHead, status >= 200 else { return nil }
        let version: HTTPResponse.Version =
            switch handle.number(CURLINFO_HTTP_VERSION) {
            case CURL_HTTP_VERSION_2_0: .http2
            case CURL_HTTP_VERSION_3: .http3
            default: .http1
            }
        guard isWhole(status, version, ending, request.repetition) else { return nil }
        return HTTPResponse(status: status, headers: HTTPHeaders(answer.fields), body: answer.body, version: version)
    }

    /// True when nothing of an answer with these headers is missing.
    ///
    /// libcurl 7.88 ends an HTTP/2 transfer with an error, or not at all, when the answer is complete before the
    /// request's body was read. So the answer to a `once` request that announced no body and has none counts as
    /// complete: its status tells the request's outcome. For a repeatable one the error is more useful.
    /// Source: docs/background/libcurl.md#early-answers.
    private func isWhole(
        _ status: Int, _ version: HTTPResponse.Version, _ ending: Ending, _ repetition: HTTPRequest.Repetition
    ) -> Bool {
        if case .libcurl(let code) = ending {
            if code == CURLE_OK { return true }
            // Some bytes could not be decompressed: their number is meaningless.
            if code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_WRITE_ERROR { return false }
        }
        if status == 204 || status == 304 { return true }
        let announced = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let received = handle.size(CURLINFO_SIZE_DOWNLOAD_T)
        return announced >= 0 ? received == announced : version != .http1 && received == 0 && repetition == .once
    }
}

extension TransportError.Code {
    /// The meaning of a libcurl code. https://curl.se/libcurl/c/libcurl-errors.html
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .couldNotResolve
            case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .couldNotConnect
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
                .tls
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
                CURLE_HTTP2_STREAM, CURLE_SSL_SHUTDOWN_FAILED:
                .connectionLost
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .refusedURL
            case CURLE_FILESIZE_EXCEEDED: .responseTooLarge
            case CURLE_SEND_FAIL_REWIND: .rewindRefused
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .protocolError
            default: .internalFailure
            }
    }
}
