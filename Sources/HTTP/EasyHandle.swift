internal import CCurl

/// One libcurl easy handle with its error text: used by one thread at a time, freed with the object.
///
/// The setters are named by the kind of value; each call names the option.
/// https://curl.se/libcurl/c/curl_easy_setopt.html
@safe
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// The buffer for libcurl's description of a failure (`CURLOPT_ERRORBUFFER`); lives as long as the handle.
    private let errorText: UnsafeMutablePointer<CChar>

    init() throws(LibcurlFailure) {
        // Freed in deinit; null is thrown.
        guard let pointer = unsafe curl_easy_init() else { throw LibcurlFailure("curl_easy_init") }
        unsafe self.pointer = pointer
        // Freed in deinit, after the handle that writes to it.
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try unsafe set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(errorText))
    }

    deinit {
        // The only owner of both; by now no multi handle contains this one.
        unsafe curl_easy_cleanup(pointer)
        unsafe errorText.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) throws(LibcurlFailure) {
        // The handle lives as long as self.
        try check(option, unsafe ccurl_easy_setopt_long(pointer, option, value))
    }

    func set(_ option: CURLoption, size: Int) throws(LibcurlFailure) {
        // The handle lives as long as self.
        try check(option, unsafe ccurl_easy_setopt_offset(pointer, option, curl_off_t(size)))
    }

    /// Sets a string, which libcurl copies; nil resets the option.
    func set(_ option: CURLoption, _ value: String?) throws(LibcurlFailure) {
        // The handle lives as long as self, the text as long as the call.
        try check(option, unsafe ccurl_easy_setopt_string(pointer, option, value))
    }

    func set(_ option: CURLoption, copying bytes: [UInt8]) throws(LibcurlFailure) {
        // The handle lives as long as self, the bytes as long as the call.
        let code = unsafe bytes.withUnsafeBytes { buffer in
            unsafe ccurl_easy_setopt_copy(pointer, option, buffer.baseAddress, buffer.count)
        }
        try check(option, code)
    }

    /// Sets a pointer, which must stay valid until it is replaced or the handle is freed.
    @unsafe
    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(LibcurlFailure) {
        // The caller guarantees validity.
        try check(option, unsafe ccurl_easy_setopt_pointer(pointer, option, value))
    }

    /// Sets a header list, which must live until it is replaced or the handle is freed.
    @unsafe
    func set(_ option: CURLoption, list: HeaderList?) throws(LibcurlFailure) {
        // The caller guarantees validity.
        try check(option, unsafe ccurl_easy_setopt_list(pointer, option, list?.first))
    }

    /// Sets a function that receives or supplies bytes.
    func set(_ option: CURLoption, transfer function: curl_write_callback) throws(LibcurlFailure) {
        // A C function lives forever.
        try check(option, unsafe ccurl_easy_setopt_transfer(pointer, option, function))
    }

    /// Sets the function that rewinds the body.
    func set(_ option: CURLoption, seek function: curl_seek_callback) throws(LibcurlFailure) {
        // A C function lives forever.
        try check(option, unsafe ccurl_easy_setopt_seek(pointer, option, function))
    }

    /// Sets the function called before each attempt.
    func set(_ option: CURLoption, prerequest function: curl_prereq_callback) throws(LibcurlFailure) {
        // A C function lives forever.
        try check(option, unsafe ccurl_easy_setopt_prerequest(pointer, option, function))
    }

    /// Sets the function called for each new socket.
    func set(_ option: CURLoption, socket function: curl_sockopt_callback) throws(LibcurlFailure) {
        // A C function lives forever.
        try check(option, unsafe ccurl_easy_setopt_sockopt(pointer, option, function))
    }

    /// Sets the function that prepares TLS (`CURLOPT_SSL_CTX_FUNCTION`).
    func set(tls function: curl_ssl_ctx_callback) throws(LibcurlFailure) {
        // A C function lives forever.
        try check(CURLOPT_SSL_CTX_FUNCTION, unsafe ccurl_easy_setopt_tls(pointer, function))
    }

    /// Sets bytes, which must live as long as the handle.
    @unsafe
    func set(_ option: CURLoption, blob: UnsafeMutableRawBufferPointer) throws(LibcurlFailure) {
        // The caller guarantees validity.
        try check(option, unsafe ccurl_easy_setopt_blob(pointer, option, blob.baseAddress, blob.count))
    }

    /// Allows https, and http if asked for (`CURLOPT_PROTOCOLS_STR`; by default libcurl allows every protocol it was
    /// built with).
    func allowProtocols(plain: Bool) throws(LibcurlFailure) {
        // The handle lives as long as self.
        let code = unsafe ccurl_easy_allow_protocols(pointer, plain ? 1 : 0)
        if code != CURLE_OK { throw LibcurlFailure("CURLOPT_PROTOCOLS_STR", code) }
    }

    /// Ends a transfer without waiting for its name resolution (`CURLOPT_QUICK_EXIT`; by default libcurl waits for the
    /// resolver's thread, which stalls every other transfer).
    func leaveResolver() throws(LibcurlFailure) {
        // The handle lives as long as self.
        let code = unsafe ccurl_easy_leave_resolver(pointer)
        if code != CURLE_OK { throw LibcurlFailure("CURLOPT_QUICK_EXIT", code) }
    }

    /// An integer about the last transfer; 0 when there is none.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        // The variable outlives the call.
        _ = unsafe ccurl_easy_getinfo_long(pointer, info, &value)
        return value
    }

    /// A size about the last transfer; -1 when unknown.
    func size(_ info: CURLINFO) -> Int {
        var value: curl_off_t = -1
        // The variable outlives the call.
        _ = unsafe ccurl_easy_getinfo_offset(pointer, info, &value)
        return Int(value)
    }

    /// The socket of the connection (`CURLINFO_ACTIVESOCKET`); -1 when there is none.
    var activeSocket: Int32 {
        var socket: Int32 = -1
        // The variable outlives the call.
        _ = unsafe ccurl_easy_getinfo_socket(pointer, &socket)
        return socket
    }

    /// True when the server of the connection agreed on HTTP/2.
    var hasHTTP2: Bool {
        // The first call attaches the connection to the handle again, which the TLS query needs; it reads no bytes.
        var count = 0
        _ = unsafe curl_easy_recv(pointer, nil, 0, &count)
        return unsafe ccurl_has_http2(pointer) != 0
    }

    /// Writes bytes to the connection (`curl_easy_send`).
    ///
    /// A blocked call must be repeated with the same bytes: TLS may have begun to write them.
    @unsafe
    func send(_ bytes: UnsafeRawBufferPointer) -> HTTP2Link.Transfer {
        var count = 0
        // Read during the call.
        let code = unsafe curl_easy_send(pointer, bytes.baseAddress, bytes.count, &count)
        return moved(code, count)
    }

    /// Reads bytes from the connection (`curl_easy_recv`).
    @unsafe
    func receive(into room: UnsafeMutableRawBufferPointer) -> HTTP2Link.Transfer {
        var count = 0
        // Written during the call.
        let code = unsafe curl_easy_recv(pointer, room.baseAddress, room.count, &count)
        return code == CURLE_OK && count == 0 ? .ended("the server closed the connection") : moved(code, count)
    }

    private func moved(_ code: CURLcode, _ count: Int) -> HTTP2Link.Transfer {
        switch code {
        case CURLE_OK: .moved(count)
        case CURLE_AGAIN: .blocked
        default: .ended(failureText.isEmpty ? LibcurlFailure.text(code) : failureText)
        }
    }

    /// libcurl's description of the last failure; empty when it gave none.
    var failureText: String {
        // libcurl terminates it with a zero within CURL_ERROR_SIZE.
        unsafe String(cString: errorText)
    }

    /// Clears the description of an earlier failure.
    func clearFailureText() {
        // At least CURL_ERROR_SIZE long.
        unsafe errorText.pointee = 0
    }

    private func check(_ option: CURLoption, _ code: CURLcode) throws(LibcurlFailure) {
        if code != CURLE_OK { throw LibcurlFailure("curl_easy_setopt(\(option.rawValue))", code) }
    }
}

@available(*, unavailable, message: "an easy handle belongs to the thread of its loop")
extension EasyHandle: Sendable {}

// MARK: - Rules

extension EasyHandle {
    /// Sets the options that apply to every request of this program.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file of CAs to trust in addition to the system's.
    ///   - connectTimeout: The connect timeout.
    ///   - plain: True to allow http; the caller checks the destination.
    /// - Throws: ``LibcurlFailure`` when libcurl refuses an option.
    func setRules(caFile: String?, connectTimeout: Duration, plain: Bool) throws(LibcurlFailure) {
        // Signals belong to the program; by default libcurl uses SIGALRM for time limits without a threaded resolver.
        try set(CURLOPT_NOSIGNAL, 1)
        try leaveResolver()
        try allowProtocols(plain: plain)
        // Both are the defaults, set explicitly because otherwise a secret would go elsewhere.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Our headers are for the server only, and the proxy's answer to CONNECT is not the response; by default it is
        // included.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Verification is on by default and stays on; the file is used in addition to the system's directory of CAs.
        if let caFile { try set(CURLOPT_CAINFO, caFile) }
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Milliseconds; 300 s by default.
        try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.wholeMilliseconds)
    }
}

/// libcurl's list of request headers, freed with the object.
@safe
final class HeaderList {
    /// The list, for `EasyHandle`; null when empty.
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) throws(LibcurlFailure) {
        // Built below, freed in deinit.
        unsafe first = nil
        for line in lines {
            // libcurl copies the text; null means that memory is short and leaves the list unchanged.
            guard let longer = unsafe curl_slist_append(first, line) else { throw LibcurlFailure("curl_slist_append") }
            unsafe first = longer
        }
    }

    deinit {
        // The only owner; null is allowed.
        unsafe curl_slist_free_all(first)
    }

    /// The lines for a request, in libcurl's notation: `Name: value`, `Name;` for an empty value, `Name:` for a header
    /// that libcurl would add and must not.
    static func lines(for request: HTTPRequest) -> [String] {
        var lines = request.headers.map(line)
        if !request.headers.contains(where: { $0.0.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        // Asking first costs a round trip, or a second when the server does not react; libcurl would do so from 1 MiB
        // on.
        lines.append("Expect:")
        return lines
    }

    /// One header in libcurl's notation.
    static func line(_ header: (String, String)) -> String {
        header.1.isEmpty ? "\(header.0);" : "\(header.0): \(header.1)"
    }

    /// The reason a header cannot be sent; nil when all can.
    static func fault(in headers: [(String, String)]) -> String? {
        for (name, value) in headers {
            if name.isEmpty || !name.utf8.allSatisfy(isTokenByte) {
                return "a header's name may hold letters, digits and !#$%&'*+-.^_`|~ only"
            }
            if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
                return "the value of \(name) has a line break or another control character"
            }
            if ["content-length", "transfer-encoding"].contains(name.lowercased()) {
                return "\(name) is set from the body"
            }
        }
        return nil
    }

    /// True for a byte allowed in a header's name: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

@available(*, unavailable, message: "a header list belongs to its transfer")
extension HeaderList: Sendable {}
