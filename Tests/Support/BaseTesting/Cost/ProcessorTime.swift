internal import CLibrary

/// The processor time used, in seconds: other work on the machine does not count.
package enum ProcessorTime {
    /// This thread's, from any start.
    package static var ofThread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    /// That of all threads of this process, from any start.
    package static var ofProcess: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
