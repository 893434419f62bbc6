/// All settings, gathered from the file, the environment and the command line, in this order.
package struct ServerSettings: Hashable, Sendable {
    /// The address to listen on.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8710)
    /// The place of the registry.
    package var data: DataPlace?
    /// The app's id.
    package var applicationID: String?
    /// The source of the master key.
    package var masterKey: SecretSource?
    /// The source of the clients' key.
    package var applicationKey: SecretSource?
    /// The source of the key with which people may look at the console.
    package var viewerKey: SecretSource?
    /// The source of the token for reading `/metrics` from elsewhere.
    package var metricsToken: SecretSource?
    /// The purpose of the server; nil for push if the registry came from LeanCloud, otherwise for all classes.
    package var mode: ServerMode?
    /// The base URL of the backend for requests that are not push; nil for none.
    package var upstream: String?
    /// The timeout for the backend's responses.
    package var upstreamTimeout = Duration.seconds(30)
    /// The limit on pushes per minute.
    package var pushesPerMinute = 600
    /// True to allow pushes without the master key.
    package var clientsMayPush = false
    /// The limit on scheduled pushes.
    package var mostScheduledPushes = 1000
    /// The value of `valid` for a new Android device that does not specify it.
    package var androidIsValid = true
    /// True to keep devices not seen for 90 days.
    package var keepsStaleDevices = false
    /// The custom device fields indexed from the start.
    package var indexedFields: [String] = []
    /// True to allow injecting faults and advancing the clock.
    package var allowsFaults = false
    /// The number of devices to fill an empty registry with.
    package var seedDevices = 0
    /// The folder of the bugle workspace with the DeviceProfiles to push with; without it Apple's devices are
    /// simulated.
    package var workspace: String?
    /// The hosts used in place of Apple's, by environment: `production`, `development`.
    package var appleHosts: [String: String] = [:]
    /// A PEM file of authorities trusted for these hosts, in addition to the system's.
    package var appleCAFile: String?
    /// The path of the certificate file, with the chain that signed it.
    package var tlsCertificate: String?
    /// The path of the certificate's key.
    package var tlsKey: String?
    /// The trusted proxies.
    package var trustedProxies = TrustedProxies()
    /// The limits on time and memory.
    package var limits = ServerLimits()
    /// The lowest level that is logged.
    package var logLevel = LogLevel.info
    /// The format of the log.
    package var logFormat = LogFormat.text
    /// True to log the address of each request.
    package var logsAddresses = true

    /// Creates the default settings.
    package init() {}

    /// True if the upstream address leads back to this server, as far as the settings tell.
    package var leadsUpstreamBack: Bool {
        guard let authority = upstream?.split(separator: "/").last, let address = ListenAddress(String(authority)),
            address.port == listen.port, listen.port != 0
        else { return false }
        return address.host == listen.host || address.isLoopback && (listen.isLoopback || listen.isEvery)
    }

    /// Builds the server's configuration from the settings and keys.
    package func configuration(
        applicationID: String, masterKey: ServerKey, applicationKey: ServerKey?, viewerKey: ServerKey? = nil,
        metricsToken: ServerKey?
    ) -> PushServerConfiguration {
        var configuration = PushServerConfiguration(
            applicationID: applicationID, masterKey: masterKey, applicationKey: applicationKey)
        configuration.host = listen.host
        configuration.port = listen.port
        configuration.allowsFaults = allowsFaults
        if let mode { configuration.mode = mode }
        if let upstream {
            configuration.mode = .push
            configuration.upstream = UpstreamSettings(url: upstream, timeout: upstreamTimeout)
        }
        configuration.pushesPerMinute = pushesPerMinute
        configuration.clientsMayPush = clientsMayPush
        configuration.mostScheduledPushes = mostScheduledPushes
        configuration.androidIsValid = androidIsValid
        configuration.keepsStaleDevices = keepsStaleDevices
        configuration.limits = limits
        configuration.viewerKey = viewerKey
        configuration.metricsToken = metricsToken
        configuration.trustedProxies = trustedProxies
        configuration.logsAddresses = logsAddresses
        return configuration
    }
}

/// The lowest level that is logged.
package enum LogLevel: String, Hashable, Sendable, CaseIterable {
    /// Details for debugging.
    case debug
    /// One line per request, and everything below.
    case info
    /// Rare but normal events.
    case notice
    /// Problems that need attention.
    case warning
    /// Failures.
    case error
}

/// The format of the log.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// Human-readable lines: time, level, message, `name=value`.
    case text
    /// One JSON object per line.
    case json
}
