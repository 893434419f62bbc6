internal import Base
package import Push

// MARK: The settings

/// The settings, by their names in the file, in the order of the help.
///
/// A new one is a case and its row here, a property below, and the place that uses it.
package enum Setting: String, CaseIterable, Sendable {
    case listen, data, appId, seedDevices, allowFaults, masterKey = "keys.master", applicationKey = "keys.app"
    case viewerKey = "keys.viewer", mode, upstream, upstreamTimeout, pushesPerMinute, clientsMayPush
    case mostScheduledPushes, androidIsValid, keepStaleDevices, indexedFields, workspace
    case appleProduction = "apple.production", appleDevelopment = "apple.development", appleCA = "apple.ca"
    case fcmHost = "fcm.host", fcmTokenHost = "fcm.token"
    case huaweiHost = "huawei.host", huaweiTokenHost = "huawei.token", harmonyHost = "harmony.host"
    case honorHost = "honor.host", honorTokenHost = "honor.token", xiaomiHost = "xiaomi.host"
    case oppoHost = "oppo.host", vivoHost = "vivo.host"
    case notifyTo = "notify.to", notifyAddress = "notify.address", notifySecret = "notify.secret"
    case notifyLanguage = "notify.language"
    case tlsCertificate = "tls.certificate", tlsKey = "tls.key", trustedProxies, metricsToken = "metrics.token"
    case signatureAge, bodyLimit, requestTimeout, openingTimeout, idleTimeout, gracePeriod, drainDelay
    case maxConnections, maxConnectionsPerAddress, largeBodies, logLevel, logFormat, logAddresses

    var row: Row {
        switch self {
        case .listen:
            Row(
                \.listen, .address,
                "The address to listen on, as HOST:PORT; port 0 picks a free one. Default 127.0.0.1:8710.")
        case .data:
            Row(\.data, .place, "The SQLite file, created if missing, or postgres://USER@HOST/DATABASE.")
        case .appId:
            Row(\.applicationID, .appID, "The app id that every request must name.")
        case .seedDevices:
            Row(\.seedDevices, .count(0...10_000_000), "Fill an empty registry with this many plausible devices.")
        case .allowFaults:
            Row(\.allowsFaults, .presence, "Let clients inject faults and advance the clock.")
        case .masterKey: .secret(\.masterKey)
        case .applicationKey: .secret(\.applicationKey)
        case .viewerKey: .secret(\.viewerKey)
        case .mode:
            Row(
                \.mode, .choice("MODE"),
                "Which classes are written: push (devices only), classes (all)."
                    + " Default push once LeanCloud's were imported.")
        case .upstream:
            Row(
                \.upstream, .origin,
                "The backend for everything that is not push, such as https://backend.example.com.")
        case .upstreamTimeout:
            Row(\.upstreamTimeout, .duration, "The timeout for answering a request. Default 30s.")
        case .pushesPerMinute:
            Row(\.pushesPerMinute, .count(1...1_000_000), "The most pushes a minute. Default 600.")
        case .clientsMayPush:
            Row(\.clientsMayPush, .flag, "Accept pushes without the master key: true, false. Default false.")
        case .mostScheduledPushes:
            Row(\.mostScheduledPushes, .count(1...1_000_000), "The most scheduled pushes. Default 1000.")
        case .androidIsValid:
            Row(
                \.androidIsValid, .flag,
                "Treat a new Android device as valid unless it says otherwise: true, false. Default true.")
        case .keepStaleDevices:
            Row(\.keepsStaleDevices, .flag, "Keep devices that were not seen for 90 days: true, false. Default false.")
        case .indexedFields:
            Row(\.indexedFields, .fields, "Custom device fields to index, comma-separated; at most 16.")
        case .workspace:
            Row(
                \.workspace, .path("DIR"),
                "The folder of the bugle workspace whose DeviceProfiles push to devices; without it they are simulated."
            )
        case .appleProduction:
            Row(
                \.hosts["production"], .host,
                "The host of Apple's production service, as HOST or HOST:PORT. Default api.push.apple.com.")
        case .appleDevelopment:
            Row(
                \.hosts["development"], .host,
                "The host of Apple's development service. Default api.sandbox.push.apple.com.")
        case .fcmHost: .host(.fcm)
        case .fcmTokenHost: .host(.fcmToken)
        case .huaweiHost: .host(.huawei)
        case .huaweiTokenHost: .host(.huaweiToken)
        case .harmonyHost: .host(.harmony)
        case .honorHost: .host(.honor)
        case .honorTokenHost: .host(.honorToken)
        case .xiaomiHost: .host(.xiaomi)
        case .oppoHost: .host(.oppo)
        case .vivoHost: .host(.vivo)
        case .appleCA:
            Row(
                \.appleCAFile, .path("FILE"),
                "A PEM file of certificate authorities to trust for these, besides the system's.")
        case .notifyTo:
            Row(
                \.notifyTo, .choice("SERVICE"),
                """
                The service that is told of failed pushes and expiring certificates: feishu, dingtalk, wecom, slack, \
                json. Default none.
                """)
        case .notifyAddress: .secret(\.notifyAddress)
        case .notifySecret: .secret(\.notifySecret)
        case .notifyLanguage:
            Row(\.notifyLanguage, .choice("LANGUAGE"), "The language in which it is told: en, zh-Hans. Default en.")
        case .tlsCertificate:
            Row(
                \.tlsCertificate, .path("FILE"),
                "The PEM file of the certificate and its chain; without it the server speaks plain HTTP.")
        case .tlsKey:
            Row(\.tlsKey, .path("FILE"), "The PEM file of the certificate's key.")
        case .trustedProxies:
            Row(
                \.trustedProxies, .proxies,
                "Trusted proxies (addresses, networks), whose X-Forwarded-For and -Proto count; comma-separated.")
        case .metricsToken: .secret(\.metricsToken)
        case .signatureAge:
            Row(
                \.limits.signatureAge, .durationOrOff,
                "The maximum age of a signature made with the master key, or off. Default 15m.")
        case .bodyLimit:
            Row(\.limits.bodyLimit, .size, "The largest request body. Default 20MB.")
        case .requestTimeout:
            Row(\.limits.requestTimeout, .duration, "The timeout for receiving a request. Default 60s.")
        case .openingTimeout:
            Row(
                \.limits.openingTimeout, .duration,
                "The timeout for a new connection's TLS handshake and first byte. Default 5s.")
        case .idleTimeout:
            Row(\.limits.idleTimeout, .duration, "The idle timeout of a connection. Default 75s.")
        case .gracePeriod:
            Row(
                \.limits.gracePeriod, .duration,
                "The time that requests in flight get to finish when the server stops. Default 30s.")
        case .drainDelay:
            Row(
                \.limits.drainDelay, .durationOrOff,
                "How long a stopping server takes new requests while /ready says 503, or off. Default off.")
        case .maxConnections:
            Row(\.limits.maxConnections, .count(1...1_000_000), "The most open connections. Default 1024.")
        case .maxConnectionsPerAddress:
            Row(
                \.limits.connectionShare, .share,
                "The most connections from one address other than a trusted proxy, or off. Default a quarter.")
        case .largeBodies:
            Row(
                \.limits.largeBodies, .count(1...1000),
                "The most request bodies over 256 kB in memory at once. Default 4.")
        case .logLevel:
            Row(
                \.logLevel, .choice("LEVEL"),
                "The lowest level to log: debug, info, notice, warning, error. Default info.")
        case .logFormat:
            Row(\.logFormat, .choice("FORMAT"), "The log's format: text, json. Default text.")
        case .logAddresses:
            Row(\.logsAddresses, .flag, "Log the client address of each request: true, false. Default true.")
        }
    }
}

// MARK: Their values

/// All settings, gathered from the file, the environment and the command line, in this order.
package struct ServerSettings: Hashable, Sendable {
    package var listen = ListenAddress(host: "127.0.0.1", port: 8710)
    /// The place of the registry.
    package var data: DataPlace?
    /// The app's id.
    package var applicationID: String?
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
    /// The hosts used in place of the services' own, by the names that a remote's `hosts` has for them.
    package var hosts: [String: String] = [:]
    /// A PEM file of authorities trusted for these hosts, in addition to the system's.
    package var appleCAFile: String?
    /// The service that is told what people should look at; nil for none.
    package var notifyTo: NotifyService?
    /// The source of its webhook's address.
    package var notifyAddress: SecretSource?
    /// The source of the secret that signs what it is told.
    package var notifySecret: SecretSource?
    /// The language in which it is told.
    package var notifyLanguage = Language.english
    /// The path of the certificate file, with the chain that signed it.
    package var tlsCertificate: String?
    /// The path of the certificate's key.
    package var tlsKey: String?
    package var trustedProxies = TrustedProxies()
    /// The limits on time and memory.
    package var limits = ServerLimits()
    /// The lowest level that is logged.
    package var logLevel = LogLevel.info
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
}

/// The limits on the time and memory that clients can use.
package struct ServerLimits: Hashable, Sendable {
    /// The largest difference between the timestamp of a master-key signature and the machine's clock; nil for any.
    /// Default 15 minutes.
    ///
    /// Signatures with the app key have no age limit: they grant no more than the app key itself, which every client
    /// has, and devices in the field have wrong clocks.
    package var signatureAge: Duration? = .seconds(900)
    /// The largest body in bytes; default 20 MiB. Source: docs/background/leancloud/objects.md#write-operators.
    package var bodyLimit = 20 * 1024 * 1024
    /// The timeout for a request to arrive, from its first byte to its last; default 60 s.
    package var requestTimeout: Duration = .seconds(60)
    /// The timeout for a connection's next request, and for its client to read a response; default 75 s.
    package var idleTimeout: Duration = .seconds(75)
    /// The time for requests and deliveries in flight to end once the server is stopping; default 30 s.
    package var gracePeriod: Duration = .seconds(30)
    /// The time that a stopping server takes new requests while `/ready` answers 503; nil, the default, for none.
    package var drainDelay: Duration?
    /// The timeout for a new connection's handshake and first byte; default 5 s.
    package var openingTimeout: Duration = .seconds(5)
    /// The most open connections, besides one for `/health` and `/ready`; more wait in the system's queue. Default 1,024.
    package var maxConnections = 1024
    /// The share of these for one address; default a quarter.
    package var connectionShare = ConnectionShare.quarter
    /// The most bodies over ``largeBodySize`` in memory of clients, and as many with the master key; more wait to be
    /// read. One address has half of the clients' places. Default 4.
    package var largeBodies = 4
    /// The time a large body waits for a place; nil, the default, is half of ``requestTimeout``, which leaves time to
    /// read it.
    package var largeBodyPatience: Duration?
    /// The time a request without a valid key waits for a place at the upstream; default 5 s.
    package var strangerPatience: Duration = .seconds(5)
    /// The time in which a large body that has a place must bring as much as ``leastBodySpeed`` asks; default 10 s.
    package var bodySpeedInterval: Duration = .seconds(10)
    /// The longest wait for a push to be sent before its response, which a large audience must not delay; default 2 s.
    package var pushPatience: Duration = .seconds(2)
    /// The time for which `/metrics` keeps the number of devices; default 60 s.
    package var countInterval: Duration = .seconds(60)
}

extension Setting {
    /// The command-line option, such as `--pushes-per-minute`; the keys have none.
    package var option: String { "--" + words(joinedBy: "-") }

    /// The environment variable, such as `BUGLE_SERVER_PUSHES_PER_MINUTE`.
    ///
    /// For a key, the variable holds the key itself.
    package var variable: String {
        switch self {
        case .masterKey: "BUGLE_SERVER_KEY"
        case .applicationKey: "BUGLE_SERVER_APP_KEY"
        case .viewerKey: "BUGLE_SERVER_VIEWER_KEY"
        default: "BUGLE_SERVER_" + words(joinedBy: "_").uppercased()
        }
    }

    /// What the help says; nil for a key, which has no option, since other users of the machine can read a command line.
    package var help: String? { row.help }

    /// What stands for the value in the help; nil for an option without one.
    package var placeholder: String? { row.placeholder }

    /// Parses a value and stores it in the settings.
    ///
    /// - Throws: ``SettingError`` with the values that the setting takes.
    package func set(_ text: String, in settings: inout ServerSettings) throws(SettingError) {
        let row = row
        if row.isSecret { row.name?(.environment(variable), &settings) } else { try row.set(text, &settings) }
    }

    private func words(joinedBy separator: String) -> String {
        var text = ""
        for character in rawValue {
            if character == "." {
                text += separator
            } else if character.isUppercase {
                text += separator + character.lowercased()
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// All that is said of a setting.
    struct Row {
        /// What the help says; nil for a key.
        let help: String?
        /// What stands for the value in the help; nil for an option without one.
        let placeholder: String?
        /// True if the value is a path, which the settings file gives relative to its own folder.
        let isPath: Bool
        /// True if the file may give a list of values.
        let isList: Bool
        /// Stores the value that a text is.
        fileprivate let set: (String, inout ServerSettings) throws(SettingError) -> Void
        /// Stores the source of the value, `{env: NAME}` or `{file: PATH}`, where the file may name one.
        let name: ((SecretSource, inout ServerSettings) -> Void)?

        /// True for a key, so that only the source of its value is ever written.
        var isSecret: Bool { help == nil }

        init<Value>(_ path: WritableKeyPath<ServerSettings, Value>, _ format: SettingFormat<Value>, _ help: String?) {
            self.help = help
            (placeholder, isPath, isList) = (format.placeholder, format.isPath, format.isList)
            set = { (text, settings) throws(SettingError) in settings[keyPath: path] = try format.parse(text) }
            name = format.source.map { value in { source, settings in settings[keyPath: path] = value(source) } }
        }

        init<Value>(_ path: WritableKeyPath<ServerSettings, Value?>, _ format: SettingFormat<Value>, _ help: String?) {
            self.init(path, format.optional, help)
        }

        /// The host of an Android vendor's service.
        fileprivate static func host(_ host: ServiceHost) -> Row {
            let title = host.vendor.title
            let what =
                host.isForTokens
                ? "The host that gives access tokens for \(title)." : "The host of \(title), as HOST or HOST:PORT."
            let own = host.address.map { $0.replacing("https://", with: "") } ?? "the one in the service account"
            return Row(\.hosts[host.rawValue], .host, "\(what) Default \(own).")
        }

        static func secret(_ path: WritableKeyPath<ServerSettings, SecretSource?>) -> Row { Row(path, .secret, nil) }
    }
}

extension ServerLimits {
    /// The size in bytes above which a body counts as large.
    package static let largeBodySize = 256 * 1024
    /// The largest body in bytes of a request not yet authenticated.
    static let unknownSenderBodyLimit = 64 * 1024
    /// The largest request line and headers together, in bytes.
    static let headLimit = 64 * 1024
    /// The largest header, in bytes.
    static let headerLimit = 16 * 1024
    /// The most headers of a request.
    static let headerCountLimit = 100
    /// The least speed of a large body that has a place, in bytes a second.
    static let leastBodySpeed = 8192.0
    /// The number of bytes at either end of a body that are searched for credentials, before anything else is parsed.
    static let credentialsLimit = 4 * 1024
    /// The limits on clients' JSON: SQLite has limits of its own, and an accepted value must stay readable when a
    /// response nests it.
    static let json = JSONLimits(depth: 100)
}

/// The share of all connections that one address may have open, unless it is a trusted proxy's.
package enum ConnectionShare: Hashable, Sendable {
    /// A quarter of the connections.
    case quarter
    /// A fixed number of connections.
    case most(Int)
    /// All connections.
    case off

    /// The number out of `all` connections; nil where addresses are not limited.
    func most(of all: Int) -> Int? {
        switch self {
        case .quarter: max(1, all / 4)
        case .most(let number): number
        case .off: nil
        }
    }
}
