internal import CLibrary

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
        // Without it only errors and whole hang-ups are reported.
        var entry = pollfd(fd: descriptor, events: Entry.readingHangUp, revents: 0)
        // One entry, no waiting.
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// Waits until a descriptor is ready, at most so long, and writes what is into the entries.
    static func wait(for entries: inout [Entry], milliseconds: Int32) {
        // As many as there are.
        _ = unsafe entries.withUnsafeMutableBufferPointer { entries in
            unsafe entries.withMemoryRebound(to: pollfd.self) {
                unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
            }
        }
    }

    /// What to wait for on a descriptor, laid out as `pollfd` is.
    struct Entry {
        /// The descriptor.
        var descriptor: Int32
        /// What is of interest, in the bits of poll(2).
        var interest: Int16
        /// What there is.
        var found: Int16 = 0

        /// There is something to read.
        static let readable: Int16 = 0x001
        /// There is room to write.
        static let writable: Int16 = 0x004
        /// The other end sends no more, which has to be asked for.
        #if canImport(Darwin)
            /// POLLHUP there: the kernel reports the end of a socket's input with it.
            static let readingHangUp: Int16 = 0x0010
        #else
            /// POLLRDHUP, which Swift does not see.
            static let readingHangUp: Int16 = 0x2000
        #endif
    }
}
