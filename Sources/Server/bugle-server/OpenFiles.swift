internal import CLibrary
internal import Logging
internal import PushServer

/// The process's limit of open files, and so of connections.
enum OpenFiles {
    /// Files kept for the database and the program itself.
    private static let reserve: UInt = 128

    /// Raises the limit to fit the configured connections, or lowers the number of connections where the system
    /// refuses.
    ///
    /// Without a file for a new connection the server could not even reject it.
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
            the system allows \(limit.rlim_cur) open files: at most \(fitting.limits.maxConnections) connections \
            are accepted; raise LimitNOFILE
            """)
        return fitting
    }
}
