/// One of Apple's two push environments.
package enum SimulatedEnvironment: String, Sendable, CaseIterable {
    /// `api.sandbox.push.apple.com`.
    case development
    /// `api.push.apple.com`.
    case production
}

/// The level of detail kept about received notifications.
package enum Recording: String, Sendable, CaseIterable {
    /// Every notification with its payload and headers.
    case everything
    /// Only the number of notifications per token, for runs with a million devices and more.
    case counts
}

/// The configuration of a simulator.
///
/// The defaults match what was observed of Apple's servers (docs/background/apple/service.md#observed-settings).
package struct SimulatorConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free one.
    package var port = 0
    /// The environment the simulator stands for.
    package var environment = SimulatedEnvironment.production
    /// The certificates; nil creates new ones.
    package var identity: SimulatorIdentity?
    /// The simulator's clock.
    package var clock = SimulatorClock()
    /// The level of detail kept about deliveries.
    package var recording = Recording.everything
    /// True to accept every well-formed token as a device's, for any topic, unless it is registered otherwise.
    package var acceptsEveryToken = false
    /// The number of streams allowed on a connection before a valid provider token was used on it.
    package var firstStreams = 1
    /// The number of streams allowed afterwards, and with a client certificate from the start.
    package var maxConcurrentStreams = 1000
    /// The seconds without a frame after which a connection is closed with `IdleTimeout`.
    package var idleTimeout: Int64 = 7200
    /// The number of `BadDeviceToken` refusals that closes a connection; nil for no limit.
    ///
    /// Apple documents the limit but not the number (docs/background/apple/service.md#connections).
    package var badDeviceTokenLimit: Int? = 300
    /// The number of refusals, not counting 410, that closes a connection; nil for no limit.
    package var refusalLimit: Int? = 3000
    /// The number of channels an app may have.
    package var channelLimit = 10_000
    /// The apps for which broadcasts are enabled; nil for all.
    package var broadcastApps: Set<String>?
    /// The number of threads that serve connections; nil shares those of the process.
    package var threads: Int?

    /// Creates the default configuration.
    package init() {}
}
