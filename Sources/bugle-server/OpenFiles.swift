internal import Base
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
        let wanted = UInt(configuration.limits.maxConnections) + reserve
        let limit = OpenFileLimit.raise(to: wanted)
        guard limit < wanted else { return configuration }
        var fitting = configuration
        fitting.limits.maxConnections = max(1, Int(limit) - Int(reserve))
        logger.warning(
            """
            the system allows \(limit) open files: at most \(fitting.limits.maxConnections) connections \
            are accepted; raise LimitNOFILE
            """)
        return fitting
    }
}
