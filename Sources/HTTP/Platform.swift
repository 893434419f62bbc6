internal import CLibrary
internal import Dispatch
internal import Synchronization

/// Calls into the system's C library.
enum Platform {
    /// Removes a variable from the environment, for child processes too; does nothing when it is not set.
    ///
    /// Changing the environment while another thread reads it is undefined, so call this at the program's start.
    static func removeVariable(_ name: String) {
        // Reads and writes the process's environment; the name is a C string for the duration of the call.
        if unsafe getenv(name) != nil { _ = unsafe unsetenv(name) }
    }

    /// The local port of an IP socket; nil when the descriptor is not (or no longer) such a socket.
    static func localPort(of descriptor: Int32) -> Int? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        // The buffer is passed with its size; an IPv4 address is smaller and has its port at the same offset.
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        let family = Int32(address.sin6_family)
        guard result == 0, family == AF_INET || family == AF_INET6 else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// True when the peer of a socket will send no more, even if bytes from it are still to be read.
    static func hasPeerClosed(_ descriptor: Int32) -> Bool {
        // Without this flag only errors and full hang-ups are reported.
        var entry = pollfd(fd: descriptor, events: Entry.readingHangUp, revents: 0)
        // One entry, no waiting.
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// Waits up to a timeout until a descriptor is ready, and stores the events in the entries.
    static func wait(for entries: inout [Entry], milliseconds: Int32) {
        // The count is that of the entries.
        _ = unsafe entries.withUnsafeMutableBufferPointer { entries in
            unsafe entries.withMemoryRebound(to: pollfd.self) {
                unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
            }
        }
    }

    /// A descriptor and the events to wait for, laid out as `pollfd`.
    struct Entry {
        var descriptor: Int32
        /// The events of interest, in the bits of poll(2).
        var interest: Int16
        var found: Int16 = 0

        /// Input is available.
        static let readable: Int16 = 0x001
        /// Output is possible.
        static let writable: Int16 = 0x004
        /// The peer sends no more; this event must be requested explicitly.
        #if canImport(Darwin)
            /// POLLHUP on Darwin: the kernel reports the end of a socket's input with it.
            static let readingHangUp: Int16 = 0x0010
        #else
            /// POLLRDHUP, which Swift does not import.
            static let readingHangUp: Int16 = 0x2000
        #endif
    }
}

/// Resolves host names.
package enum HostAddresses {
    /// The distinct addresses of a host from this machine's resolver; empty when it has none.
    package static func of(_ host: String) async -> [String] {
        await withCheckedContinuation { continuation in
            // The resolver blocks its thread.
            DispatchQueue.global().async { continuation.resume(returning: resolved(host)) }
        }
    }

    private static func resolved(_ host: String) -> [String] {
        var hints = unsafe addrinfo()
        #if canImport(Darwin)
            unsafe hints.ai_socktype = SOCK_STREAM
        #else
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // The list is freed below; the name is a C string for the duration of the call.
        guard unsafe getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var found: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            // Written during the call, with its size.
            let failure = unsafe getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if failure == 0, !found.contains(address) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }
}

/// A thread that runs one function.
package final class WorkerThread: Sendable {
    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The thread, until it is joined.
    private let thread: Mutex<pthread_t?>

    /// Starts a thread; nil when the system has none left.
    ///
    /// Every signal is blocked on it: those meant for the process go to other threads, and writing to a connection that
    /// the server closed cannot end the program (SIGPIPE; `CURLOPT_NOSIGNAL` leaves that to the program).
    package init?(_ body: sending @escaping () -> Void) {
        // Balanced by the new thread, or below when there is none.
        let start = unsafe Unmanaged.passRetained(Start(body))
        var all = sigset_t()
        var before = sigset_t()
        // A thread inherits its creator's signal mask, so the mask is changed around the creation.
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        #if canImport(Darwin)
            // A pointer on Darwin.
            var created: pthread_t?
        #else
            var created = pthread_t()
        #endif
        // The pointer is the retained object above.
        let result = unsafe pthread_create(&created, nil, { unsafe WorkerThread.run($0) }, start.toOpaque())
        // Both sets live on this stack.
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            // No thread will release it.
            unsafe start.release()
            return nil
        }
        thread = Mutex(created)
    }

    private static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        // Takes ownership of the retained object.
        unsafe start.map { unsafe Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body() }
        return nil
    }

    /// Waits until the function has returned; a second call does nothing.
    package func join() {
        thread.withLock { thread in
            // Joined once: the lock is held meanwhile.
            if let running = thread { _ = pthread_join(running, nil) }
            thread = nil
        }
    }
}

/// Interrupts a client's wait from any thread, through a pipe.
package final class Waker: Sendable {
    /// The end of the pipe that the client waits on.
    let reading: Int32
    private let writing: Int32

    /// Creates the pipe; nil when the system is out of descriptors.
    init?() {
        var ends: [Int32] = [-1, -1]
        // Room for two, as pipe(2) requires.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Interrupts the current wait, or the next one.
    package func wake() {
        var byte: UInt8 = 1
        // One byte; a full pipe wakes the client as well.
        _ = unsafe write(writing, &byte, 1)
    }

    /// Consumes the pending wake-ups.
    func drain() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        // At most the size of the buffer.
        while unsafe read(reading, &bytes, 8) == 8 {}
    }
}
