internal import CLibrary
internal import Synchronization

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
