internal import CCurl

enum Libcurl {
    /// True when the library is initialised, which the first access does.
    ///
    /// libcurl 7.88 reads SSLKEYLOGFILE here, in `curl_global_init`, and would write every session's keys to the file
    /// it names, so the variable is removed first.
    static let isReady: Bool = {
        Platform.removeVariable("SSLKEYLOGFILE")
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// The versions of libcurl and the libraries it uses.
    static var version: String {
        // > a pointer to a null-terminated string … statically allocated (curl_version(3))
        unsafe String(cString: curl_version())
    }

    static var hasHTTP2: Bool {
        // Points to static storage; the first version of the struct includes the features.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return false }
        // As above.
        return unsafe info.pointee.features & Int32(CURL_VERSION_HTTP2) != 0
    }
}

struct LibcurlFailure: Error {
    /// The call, and libcurl's words for the cause.
    var detail: String

    init(_ call: String, _ code: CURLcode) {
        detail = "\(call): \(Self.text(code))"
    }

    /// The failure of a call on a multi handle.
    init(_ call: String, _ code: CURLMcode) {
        // Static text.
        detail = unsafe "\(call): \(String(cString: curl_multi_strerror(code)))"
    }

    /// The failure of a call that returned null.
    init(_ call: String) { detail = "\(call) failed" }

    static func text(_ code: CURLcode) -> String {
        // Static text.
        unsafe String(cString: curl_easy_strerror(code))
    }
}

/// The version of the libcurl in use.
package enum LibcurlVersion {
    /// The version number, such as `7.88.1`.
    package static var text: String {
        // Points to static storage; the first version of the struct includes the version's text.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return "unknown" }
        // As above.
        return unsafe String(cString: info.pointee.version)
    }
}

/// One libcurl multi handle: it drives all transfers of one thread and keeps their connections.
///
/// https://curl.se/libcurl/c/libcurl-multi.html
@safe
final class MultiHandle {
    private let pointer: UnsafeMutableRawPointer

    /// Creates a handle.
    ///
    /// - Parameter maximumConnections: the limit per host and in total.
    /// - Throws: ``LibcurlFailure`` when libcurl cannot create the handle or refuses an option.
    init(maximumConnections: Int) throws(LibcurlFailure) {
        // Freed in deinit; null is thrown.
        guard let pointer = unsafe curl_multi_init() else { throw LibcurlFailure("curl_multi_init") }
        unsafe self.pointer = pointer
        // Without a limit, libcurl opens a connection for nearly every request beyond a server's number of streams.
        // Source: docs/background/libcurl.md#streams-and-connections.
        try set(CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnections)
        // The number of idle connections to keep; by default four times the number of transfers.
        try set(CURLMOPT_MAXCONNECTS, maximumConnections)
        // The default since 7.62, set explicitly because HTTP/2 is useless without it.
        try set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit {
        // The only owner; its loop has removed every easy handle.
        unsafe curl_multi_cleanup(pointer)
    }

    /// The part that other threads may use.
    var waker: Waker {
        // The same handle; `Waker` says when it may be used.
        unsafe Waker(pointer)
    }

    func add(_ handle: EasyHandle) throws(LibcurlFailure) {
        // Both handles live; the easy one stays in its loop's tables until it is removed.
        try check("curl_multi_add_handle", unsafe curl_multi_add_handle(pointer, handle.pointer))
    }

    /// Ends a transfer, finished or not.
    func remove(_ handle: EasyHandle) {
        // Fails only for a handle that is not in it, which is the wanted state.
        _ = unsafe curl_multi_remove_handle(pointer, handle.pointer)
    }

    /// Does everything that needs no waiting.
    func perform() throws(LibcurlFailure) {
        var running: Int32 = 0
        // The variable outlives the call.
        try check("curl_multi_perform", unsafe curl_multi_perform(pointer, &running))
    }

    /// Waits for an event, a `Waker`, or the timeout.
    func poll(milliseconds: Int32) throws(LibcurlFailure) {
        // No sockets of our own; the number of events does not matter.
        try check("curl_multi_poll", unsafe curl_multi_poll(pointer, nil, 0, milliseconds, nil))
    }

    /// Sets the functions through which libcurl says which sockets to watch and when to call back.
    ///
    /// From then on `act` drives the transfers, not `perform` or `poll`.
    @unsafe
    func watch(
        sockets: curl_socket_callback?, timer: curl_multi_timer_callback?, context: UnsafeMutableRawPointer?
    ) throws(LibcurlFailure) {
        // The caller guarantees that the context lives as long as the handle; C functions live forever.
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_socket(pointer, CURLMOPT_SOCKETFUNCTION, sockets))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_timer(pointer, CURLMOPT_TIMERFUNCTION, timer))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_pointer(pointer, CURLMOPT_TIMERDATA, context))
    }

    /// Handles the events on a socket or, without a socket, the timeouts.
    func act(on socket: Int32? = nil, events: Int32 = 0) throws(LibcurlFailure) {
        var running: Int32 = 0
        let descriptor = socket ?? CURL_SOCKET_TIMEOUT
        // The variable outlives the call.
        try check("curl_multi_socket_action", unsafe curl_multi_socket_action(pointer, descriptor, events, &running))
    }

    /// The next transfer that libcurl has ended: its handle's `CURLOPT_PRIVATE`, and the result.
    @unsafe
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        // The message is valid until the handle is removed: everything is copied out here.
        while let message = unsafe curl_multi_info_read(pointer, &left) {
            // > CURLMSG_DONE … is the only message type at this time (curl_multi_info_read(3)); it has a result.
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let code = unsafe message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            // The handle's creator stored itself there.
            _ = unsafe ccurl_easy_getinfo_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            if let context = unsafe context { return unsafe (context, code) }
        }
        return nil
    }

    private func set(_ option: CURLMoption, _ value: Int) throws(LibcurlFailure) {
        // The handle lives as long as self.
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_long(pointer, option, value))
    }

    private func check(_ call: String, _ code: CURLMcode) throws(LibcurlFailure) {
        if code != CURLM_OK { throw LibcurlFailure(call, code) }
    }

    /// Interrupts another thread's wait in `poll`.
    ///
    /// > curl_multi_wakeup can be called from any thread (curl_multi_wakeup(3))
    ///
    /// The handle must not have been freed: `Inbox` uses it only while open, under its lock.
    // Holds the pointer only for the one call that libcurl allows on every thread.
    @safe
    struct Waker: @unchecked Sendable {
        private let pointer: UnsafeMutableRawPointer

        @unsafe
        fileprivate init(_ pointer: UnsafeMutableRawPointer) {
            // Stored, not used.
            unsafe self.pointer = pointer
        }

        /// Interrupts the current wait, or the next one.
        func wake() {
            // Fails only when memory is short; the loop then wakes at its timeout.
            _ = unsafe curl_multi_wakeup(pointer)
        }
    }
}

@available(*, unavailable, message: "a multi handle belongs to the thread of its loop")
extension MultiHandle: Sendable {}
