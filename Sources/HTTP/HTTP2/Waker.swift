internal import CLibrary

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
