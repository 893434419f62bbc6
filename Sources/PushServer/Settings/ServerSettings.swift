/// Everything that one can set, gathered from the file, the environment and the command line in this order.
package struct ServerSettings: Hashable, Sendable {
    /// Where to listen.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8710)
    /// The SQLite file.
    package var data: String?
    /// The app's id.
    package var applicationID: String?
    /// Where the master key is kept.
    package var masterKey: SecretSource?
    /// Where the key is kept that clients have.
    package var applicationKey: SecretSource?
    /// Where the token is kept that reads `/metrics` from elsewhere.
    package var metricsToken: SecretSource?
    /// What the server is for; nil: for push where the registry came from LeanCloud, else for every class.
    package var mode: ServerMode?
    /// Where what is not push is passed on to; nil: nowhere.
    package var upstream: String?
    /// How long an answer from there may take.
    package var upstreamTimeout = Duration.seconds(30)
    /// How many pushes a minute are taken.
    package var pushesPerMinute = 600
    /// Whether a push needs no master key.
    package var clientsMayPush = false
    /// How many pushes may wait for their time.
    package var mostScheduledPushes = 1000
    /// What `valid` is on a new Android device that does not say.
    package var androidIsValid = true
    /// Whether devices stay that were not seen for 90 days.
    package var keepsStaleDevices = false
    /// The custom fields of devices that have an index from the start.
    package var indexedFields: [String] = []
    /// Whether faults can be asked for and the clock be put forward.
    package var allowsFaults = false
    /// How many devices an empty registry is filled with.
    package var seedDevices = 0
    /// The folder of the bugle workspace whose DeviceProfiles push; without it Apple's devices are simulated.
    package var workspace: String?
    /// Hosts that stand for Apple's, by environment: `production`, `development`.
    package var appleHosts: [String: String] = [:]
    /// A PEM file of authorities that are trusted for these beside the system's.
    package var appleCAFile: String?
    /// The file of the certificate and of those that signed it.
    package var tlsCertificate: String?
    /// The file of the certificate's key.
    package var tlsKey: String?
    /// The addresses of the proxies that are believed.
    package var trustedProxies: Set<String> = []
    /// What bounds time and memory.
    package var limits = ServerLimits()
    /// From which level on something is logged.
    package var logLevel = LogLevel.info
    /// How the log is written.
    package var logFormat = LogFormat.text
    /// Whether the log names the address of each request.
    package var logsAddresses = true

    /// The defaults.
    package init() {}

    /// Whether what is not push would come back to this server, as far as the settings tell.
    package var leadsUpstreamBack: Bool {
        guard let authority = upstream?.split(separator: "/").last, let address = ListenAddress(String(authority)),
            address.port == listen.port, listen.port != 0
        else { return false }
        return address.host == listen.host || address.isLoopback && (listen.isLoopback || listen.isEvery)
    }

    /// How a server runs by these settings.
    package func configuration(
        applicationID: String, masterKey: ServerKey, applicationKey: ServerKey?, metricsToken: ServerKey?
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
        configuration.metricsToken = metricsToken
        configuration.trustedProxies = trustedProxies
        configuration.logsAddresses = logsAddresses
        return configuration
    }
}

/// From which level on something is logged.
package enum LogLevel: String, Hashable, Sendable, CaseIterable {
    /// Also what only helps to find a fault.
    case debug
    /// One line a request, and what follows.
    case info
    /// What happens seldom, and is as it should be.
    case notice
    /// What somebody should look at.
    case warning
    /// What went wrong.
    case error
}

/// How the log is written.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// Lines for people: time, level, message, `name=value`.
    case text
    /// One JSON object a line.
    case json
}
