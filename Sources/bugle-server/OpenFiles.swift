internal import CLibrary
internal import Logging
internal import PushServer

/// How many files, and so connections, the system lets the process open.
enum OpenFiles {
    /// The database and the program's own files.
    private static let reserve: UInt = 128

    /// Asks the system for as many as the connections need, and takes fewer connections where it refuses.
    ///
    /// Without a file for a new connection the server could not even refuse it.
    static func fitting(_ configuration: PushServerConfiguration, _ logger: Logger) -> PushServerConfiguration {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return configuration }
        let wanted = UInt(configuration.limits.maxConnections) + reserve
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        guard limit.rlim_cur < wanted else { return configuration }
        var fitting = configuration
        fitting.limits.maxConnections = max(1, Int(limit.rlim_cur) - Int(reserve))
        logger.warning(
            """
            the system allows \(limit.rlim_cur) open files: at most \(fitting.limits.maxConnections) connections are \
            taken; raise LimitNOFILE
            """)
        return fitting
    }
}
