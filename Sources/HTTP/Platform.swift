internal import CLibrary

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
        /// The descriptor.
        var descriptor: Int32
        /// The events of interest, in the bits of poll(2).
        var interest: Int16
        /// The events found.
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
