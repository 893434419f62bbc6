internal import ArgumentParser
internal import FoundationEssentials
internal import PostgresClient
internal import PushServer

/// The command-line options for settings: they override the environment, which overrides the file.
struct SettingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A YAML settings file.", valueName: "FILE"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The address to listen on, as HOST:PORT; port 0 picks a free one. Default 127.0.0.1:8710.",
            valueName: "HOST:PORT"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "The SQLite file, created if missing, or postgres://USER@HOST/DATABASE.", valueName: "FILE|URL"))
    var data: String?

    @Option(help: ArgumentHelp("The app id that every request must name.", valueName: "ID"))
    var appId: String?

    @Option(help: ArgumentHelp("Fill an empty registry with this many plausible devices.", valueName: "COUNT"))
    var seedDevices: String?

    @Flag(help: "Let clients inject faults and advance the clock.")
    var allowFaults = false

    @Option(
        help: ArgumentHelp(
            "Which classes are written: push (devices only), classes (all). Default push once LeanCloud's were imported.",
            valueName: "MODE"))
    var mode: String?

    @Option(
        help: ArgumentHelp(
            "The backend for everything that is not push, such as https://backend.example.com.", valueName: "URL"))
    var upstream: String?

    @Option(help: ArgumentHelp("The timeout for answering a request. Default 30s.", valueName: "DURATION"))
    var upstreamTimeout: String?

    @Option(help: ArgumentHelp("The most pushes a minute. Default 600.", valueName: "COUNT"))
    var pushesPerMinute: String?

    @Option(
        help: ArgumentHelp("Accept pushes without the master key: true, false. Default false.", valueName: "BOOLEAN"))
    var clientsMayPush: String?

    @Option(help: ArgumentHelp("The most scheduled pushes. Default 1000.", valueName: "COUNT"))
    var mostScheduledPushes: String?

    @Option(
        help: ArgumentHelp(
            "Treat a new Android device as valid unless it says otherwise: true, false. Default true.",
            valueName: "BOOLEAN"))
    var androidIsValid: String?

    @Option(
        help: ArgumentHelp(
            "Keep devices that were not seen for 90 days: true, false. Default false.", valueName: "BOOLEAN"))
    var keepStaleDevices: String?

    @Option(help: ArgumentHelp("Custom device fields to index, comma-separated; at most 16.", valueName: "FIELDS"))
    var indexedFields: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the bugle workspace whose DeviceProfiles push to Apple; without it Apple is simulated.",
            valueName: "DIR"))
    var workspace: String?

    @Option(
        help: ArgumentHelp(
            "The host of Apple's production service, as HOST or HOST:PORT. Default api.push.apple.com.",
            valueName: "HOST"))
    var appleProduction: String?

    @Option(
        help: ArgumentHelp(
            "The host of Apple's development service. Default api.sandbox.push.apple.com.", valueName: "HOST"))
    var appleDevelopment: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificate authorities to trust for these, besides the system's.", valueName: "FILE"))
    var appleCa: String?

    @Option(
        help: ArgumentHelp(
            "The PEM file of the certificate and its chain; without it the server speaks plain HTTP.", valueName: "FILE"
        ))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The PEM file of the certificate's key.", valueName: "FILE"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Trusted proxies (addresses, networks), whose X-Forwarded-For and -Proto count; comma-separated.",
            valueName: "NETWORKS"))
    var trustedProxies: String?

    @Option(
        help: ArgumentHelp(
            "The maximum age of a signature made with the master key, or off. Default 15m.", valueName: "DURATION"))
    var signatureAge: String?

    @Option(help: ArgumentHelp("The largest request body. Default 20MB.", valueName: "SIZE"))
    var bodyLimit: String?

    @Option(help: ArgumentHelp("The timeout for receiving a request. Default 60s.", valueName: "DURATION"))
    var requestTimeout: String?

    @Option(
        help: ArgumentHelp(
            "The timeout for a new connection's TLS handshake and first byte. Default 5s.", valueName: "DURATION"))
    var openingTimeout: String?

    @Option(help: ArgumentHelp("The idle timeout of a connection. Default 75s.", valueName: "DURATION"))
    var idleTimeout: String?

    @Option(
        help: ArgumentHelp(
            "The time that requests in flight get to finish when the server stops. Default 30s.", valueName: "DURATION")
    )
    var gracePeriod: String?

    @Option(
        help: ArgumentHelp(
            "How long a stopping server takes new requests while /ready says 503, or off. Default off.",
            valueName: "DURATION"))
    var drainDelay: String?

    @Option(help: ArgumentHelp("The most open connections. Default 1024.", valueName: "COUNT"))
    var maxConnections: String?

    @Option(
        help: ArgumentHelp(
            "The most connections from one address other than a trusted proxy, or off. Default a quarter.",
            valueName: "COUNT"))
    var maxConnectionsPerAddress: String?

    @Option(help: ArgumentHelp("The most request bodies over 256 kB in memory at once. Default 4.", valueName: "COUNT"))
    var largeBodies: String?

    @Option(
        help: ArgumentHelp(
            "The lowest level to log: debug, info, notice, warning, error. Default info.", valueName: "LEVEL"))
    var logLevel: String?

    @Option(help: ArgumentHelp("The log's format: text, json. Default text.", valueName: "FORMAT"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp("Log the client address of each request: true, false. Default true.", valueName: "BOOLEAN"))
    var logAddresses: String?

    /// The command-line value of a setting.
    func text(_ setting: Setting) -> String? {
        switch setting {
        case .listen: listen
        case .data: data
        case .appId: appId
        case .seedDevices: seedDevices
        case .allowFaults: allowFaults ? "true" : nil
        case .mode: mode
        case .upstream: upstream
        case .upstreamTimeout: upstreamTimeout
        case .pushesPerMinute: pushesPerMinute
        case .clientsMayPush: clientsMayPush
        case .mostScheduledPushes: mostScheduledPushes
        case .androidIsValid: androidIsValid
        case .keepStaleDevices: keepStaleDevices
        case .indexedFields: indexedFields
        case .workspace: workspace
        case .appleProduction: appleProduction
        case .appleDevelopment: appleDevelopment
        case .appleCA: appleCa
        case .tlsCertificate: tlsCertificate
        case .tlsKey: tlsKey
        case .trustedProxies: trustedProxies
        case .signatureAge: signatureAge
        case .bodyLimit: bodyLimit
        case .requestTimeout: requestTimeout
        case .openingTimeout: openingTimeout
        case .idleTimeout: idleTimeout
        case .gracePeriod: gracePeriod
        case .drainDelay: drainDelay
        case .maxConnections: maxConnections
        case .maxConnectionsPerAddress: maxConnectionsPerAddress
        case .largeBodies: largeBodies
        case .logLevel: logLevel
        case .logFormat: logFormat
        case .logAddresses: logAddresses
        case .masterKey, .applicationKey, .viewerKey, .metricsToken: nil
        }
    }

    func validate() throws {
        var scratch = ServerSettings()
        for setting in Setting.allCases {
            guard let text = text(setting) else { continue }
            try apply(setting, text, named: setting.option, to: &scratch)
            if setting == .data { try scratch.data?.refusePassword(setting.option) }
        }
    }

    /// Reads the settings; the command line overrides the environment, which overrides the file.
    ///
    /// - Throws: ``InvalidSettings`` for the file, `ValidationError` for the other sources.
    func settings(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> LoadedSettings {
        try LoadedSettings(config: config, environment: environment, commandLine: text)
    }
}

extension LoadedSettings {
    /// Reads the settings; the command line overrides the environment, which overrides the file.
    ///
    /// - Throws: ``InvalidSettings`` for the file, `ValidationError` for the other sources.
    init(
        config: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
        commandLine: (Setting) -> String?
    ) throws {
        self = try config.map(LoadedSettings.init(file:)) ?? LoadedSettings()
        for setting in Setting.allCases {
            if let text = commandLine(setting) {
                try apply(setting, text, named: setting.option, to: &settings)
                if setting == .data { try settings.data?.refusePassword(setting.option) }
            } else if let text = environment[setting.variable], !text.isEmpty {
                try apply(setting, text, named: setting.variable, to: &settings)
            } else {
                continue
            }
            ranges[setting] = nil
        }
    }
}

extension DataPlace {
    /// Refuses an address with a password as an argument, which other users of the machine can read.
    func refusePassword(_ option: String) throws {
        guard case .database(let address) = self, address.holdsPassword else { return }
        throw ValidationError(
            "\(option) holds a password, which every user of this machine can read there: give it in PGPASSWORD or in "
                + "the file of PGPASSFILE, or the whole address in \(Setting.data.variable).")
    }
}

private func apply(
    _ setting: Setting, _ text: String, named name: String, to settings: inout ServerSettings
) throws {
    do {
        try setting.set(text, in: &settings)
    } catch {
        throw ValidationError("\(name) \(error.message).")
    }
}
