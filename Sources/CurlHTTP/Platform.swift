internal import Synchronization

#if canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What is needed from the system's C library.
enum Platform {
    /// Removes a variable from the environment, for child processes too; touches nothing when it is not set.
    ///
    /// Changing the environment while another thread reads it is undefined, so this belongs to the program's start.
    static func removeVariable(_ name: String) {
        // Reads and writes the process's environment; the name is a C text for the length of the call.
        if unsafe getenv(name) != nil { _ = unsafe unsetenv(name) }
    }

    /// The port of this end of an IP socket; nothing when the descriptor is no such socket (any more).
    static func localPort(of descriptor: Int32) -> Int? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        // The room is given with its size; an IPv4 address is smaller and has its port at the same place.
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        let family = Int32(address.sin6_family)
        guard result == 0, family == AF_INET || family == AF_INET6 else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// Whether the other end of a socket will send no more, even if bytes from it are still to be read.
    static func hasPeerClosed(_ descriptor: Int32) -> Bool {
        // POLLRDHUP of Linux, which Swift does not see; only errors and hang-ups are reported without it.
        let readingHangUp: Int16 = 0x2000
        var entry = pollfd(fd: descriptor, events: readingHangUp, revents: 0)
        // One entry, no waiting.
        return unsafe poll(&entry, 1, 0) > 0
    }
}

/// A thread that runs one function.
final class WorkerThread: Sendable {
    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The thread until it was joined.
    private let thread: Mutex<pthread_t?>

    /// Starts a thread, or returns nothing when the system has none left.
    ///
    /// Every signal is blocked on it: those meant for the process go to other threads, and writing to a connection that
    /// the server closed cannot end the program (SIGPIPE; `CURLOPT_NOSIGNAL` leaves that to the program).
    init?(_ body: sending @escaping () -> Void) {
        // Balanced by the new thread, or below when there is none.
        let start = unsafe Unmanaged.passRetained(Start(body))
        var all = sigset_t()
        var before = sigset_t()
        var created = pthread_t()
        // A thread inherits the mask of the one that makes it, so the mask is changed around that.
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        // The pointer is the retained object above.
        let result = unsafe pthread_create(
            &created, nil,
            { context in
                guard let context = unsafe context else { return nil }
                // Takes over what was retained above.
                unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        // Both sets live on this stack.
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            // Nobody else will.
            unsafe start.release()
            return nil
        }
        thread = Mutex(created)
    }

    /// Waits until the function has returned; a second call does nothing.
    func join() {
        thread.withLock { thread in
            // Joined once: the lock is held meanwhile.
            if let running = thread { _ = pthread_join(running, nil) }
            thread = nil
        }
    }
}
