internal import CLibrary

/// Ends a client's wait from any thread: the writing end of a pipe.
package final class Waker: Sendable {
    /// The end that the client waits on.
    let reading: Int32
    private let writing: Int32

    /// Makes a pipe; nil when the system has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        // Room for two, as pipe(2) wants.
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

    /// Ends the wait, or the next one.
    package func wake() {
        var byte: UInt8 = 1
        // One byte; a full pipe wakes as well.
        _ = unsafe write(writing, &byte, 1)
    }

    /// Takes the wake-ups that have come.
    func drain() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        // No more than there is room for.
        while unsafe read(reading, &bytes, 8) == 8 {}
    }
}
