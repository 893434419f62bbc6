/// Which of Apple's two worlds.
package enum SimulatedEnvironment: String, Sendable, CaseIterable {
    /// `api.sandbox.push.apple.com`.
    case development
    /// `api.push.apple.com`.
    case production
}

/// What is kept of the notifications that devices receive.
package enum Recording: String, Sendable, CaseIterable {
    /// Each with its payload and headers.
    case everything
    /// How often each token got one, and nothing else: for a million and more.
    case counts
}

/// How a simulator starts.
///
/// The defaults are what was observed of Apple's servers (<doc:/APNs/AppleService#Observed-settings>).
package struct SimulatorConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any that is free.
    package var port = 0
    /// The world it stands for.
    package var environment = SimulatedEnvironment.production
    /// Its certificates; nil makes them anew.
    package var identity: SimulatorIdentity?
    /// The time it goes by.
    package var clock = SimulatorClock()
    /// What is kept of deliveries.
    package var recording = Recording.everything
    /// Whether every well-formed token is a device's of every topic, unless it was registered otherwise.
    package var acceptsEveryToken = false
    /// How many streams a connection may have until a valid provider token was used on it.
    package var firstStreams = 1
    /// How many it may have then, and with a client certificate from the start.
    package var maxConcurrentStreams = 1000
    /// After how many seconds without a frame a connection is ended with `IdleTimeout`.
    package var idleTimeout: Int64 = 7200
    /// After how many `BadDeviceToken` a connection is ended; nil for never.
    ///
    /// That it happens is documented, the number is not (<doc:/APNs/AppleService#Connections>).
    package var badDeviceTokenLimit: Int? = 300
    /// After how many refusals, 410 not counted, a connection is ended; nil for never.
    package var refusalLimit: Int? = 3000
    /// How many channels an app may have.
    package var channelLimit = 10_000
    /// The apps for which broadcasts are enabled; nil for all.
    package var broadcastApps: Set<String>?
    /// How many threads serve the connections; nil shares those of the process.
    package var threads: Int?

    /// The defaults.
    package init() {}
}
