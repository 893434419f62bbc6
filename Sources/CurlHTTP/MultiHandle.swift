internal import CCurl

/// One libcurl multi handle: it drives all transfers of one thread and keeps their connections.
///
/// https://curl.se/libcurl/c/libcurl-multi.html
@safe
final class MultiHandle {
    private let pointer: UnsafeMutableRawPointer

    /// Makes a handle.
    ///
    /// - Parameter maximumConnections: to one host, and in all.
    init(maximumConnections: Int) throws(LibcurlFailure) {
        // Freed in deinit; null is thrown.
        guard let pointer = unsafe curl_multi_init() else { throw LibcurlFailure("curl_multi_init") }
        unsafe self.pointer = pointer
        // Without a limit, libcurl opens a connection for nearly every request beyond a server's number of streams.
        // Source: <doc:Libcurl#Streams-and-connections>.
        try set(CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnections)
        // How many idle connections are kept; by default four times the number of transfers.
        try set(CURLMOPT_MAXCONNECTS, maximumConnections)
        // The default since 7.62, said because HTTP/2 is nothing without it.
        try set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit {
        // The one owner; its loop has taken every easy handle out.
        unsafe curl_multi_cleanup(pointer)
    }

    /// What other threads may use.
    var waker: Waker {
        // Same handle; `Waker` says when it may be used.
        unsafe Waker(pointer)
    }

    /// Starts a transfer.
    func add(_ handle: EasyHandle) throws(LibcurlFailure) {
        // Both handles live; the easy one stays in its loop's tables until it is removed.
        try check("curl_multi_add_handle", unsafe curl_multi_add_handle(pointer, handle.pointer))
    }

    /// Ends a transfer, finished or not.
    func remove(_ handle: EasyHandle) {
        // Fails only for a handle that is not in it, which is then as wanted.
        _ = unsafe curl_multi_remove_handle(pointer, handle.pointer)
    }

    /// Does what can be done without waiting.
    func perform() throws(LibcurlFailure) {
        var running: Int32 = 0
        // The variable outlives the call.
        try check("curl_multi_perform", unsafe curl_multi_perform(pointer, &running))
    }

    /// Waits for something to do, a `Waker`, or the time given.
    func poll(milliseconds: Int32) throws(LibcurlFailure) {
        // No sockets of our own, no interest in how many there were.
        try check("curl_multi_poll", unsafe curl_multi_poll(pointer, nil, 0, milliseconds, nil))
    }

    /// Hands libcurl the functions that say which sockets to watch and when to come back.
    ///
    /// From then on `act` drives the transfers, and neither `perform` nor `poll`.
    @unsafe
    func watch(
        sockets: curl_socket_callback?, timer: curl_multi_timer_callback?, context: UnsafeMutableRawPointer?
    ) throws(LibcurlFailure) {
        // The caller promises that the context lives as long as the handle; C functions live for ever.
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_socket(pointer, CURLMOPT_SOCKETFUNCTION, sockets))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_timer(pointer, CURLMOPT_TIMERFUNCTION, timer))
        try check("curl_multi_setopt", unsafe ccurl_multi_setopt_pointer(pointer, CURLMOPT_TIMERDATA, context))
    }

    /// Does what the events on a socket call for; without a socket, what the time calls for.
    func act(on socket: Int32? = nil, events: Int32 = 0) throws(LibcurlFailure) {
        var running: Int32 = 0
        let descriptor = socket ?? CURL_SOCKET_TIMEOUT
        // The variable outlives the call.
        try check(
            "curl_multi_socket_action", unsafe curl_multi_socket_action(pointer, descriptor, events, &running))
    }

    /// The next transfer that libcurl has ended: what its handle keeps in `CURLOPT_PRIVATE`, and how it ended.
    @unsafe
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        // The message is valid until the handle is removed: everything is copied out here.
        while let message = unsafe curl_multi_info_read(pointer, &left) {
            // > CURLMSG_DONE … is the only message type at this time (curl_multi_info_read(3)); it has a result.
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let code = unsafe message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            // Whoever made the handle has stored itself there.
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

    /// Ends another thread's wait in `poll`.
    ///
    /// > curl_multi_wakeup can be called from any thread (curl_multi_wakeup(3))
    ///
    /// The handle must not have been freed: `Inbox` calls it only before it has been closed, under its lock.
    // Holds the pointer only for the one call that libcurl allows on every thread.
    @safe
    struct Waker: @unchecked Sendable {
        private let pointer: UnsafeMutableRawPointer

        /// Takes the handle to wake.
        @unsafe
        fileprivate init(_ pointer: UnsafeMutableRawPointer) {
            // Kept, not used.
            unsafe self.pointer = pointer
        }

        /// Ends the wait, or the next one.
        func wake() {
            // Fails only when memory is short; the loop then wakes at its own time.
            _ = unsafe curl_multi_wakeup(pointer)
        }
    }
}

@available(*, unavailable, message: "a multi handle belongs to the thread of its loop")
extension MultiHandle: Sendable {}
