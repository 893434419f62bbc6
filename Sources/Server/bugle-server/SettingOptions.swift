internal import ArgumentParser
internal import FoundationEssentials
internal import PushServer

/// The command-line options for settings: they override the environment, which overrides the file.
struct SettingOptions: ParsableArguments {
    @Option(help: "A YAML file of settings.")
    var config: String?

    @Option(help: "Where to listen, as HOST:PORT; port 0 takes a free one. Default 127.0.0.1:8710.")
    var listen: String?

    @Option(help: "The SQLite file; it is created when it is missing.")
    var data: String?

    @Option(help: "The app's id, which every request names.")
    var appId: String?

    @Option(help: "Fill an empty registry with this many plausible devices.")
    var seedDevices: String?

    @Flag(help: "Let clients ask for faults and put the clock forward.")
    var allowFaults = false

    @Option(
        help:
            "Which classes are written: push (devices only), classes (all). Default push once LeanCloud's were imported."
    )
    var mode: String?

    @Option(help: "The backend that answers what is not push, such as https://backend.example.com.")
    var upstream: String?

    @Option(help: "How long its answer may take. Default 30s.")
    var upstreamTimeout: String?

    @Option(help: "How many pushes a minute are taken. Default 600.")
    var pushesPerMinute: String?

    @Option(help: "Whether a push needs no master key: true, false. Default false.")
    var clientsMayPush: String?

    @Option(help: "How many pushes may wait for their time. Default 1000.")
    var mostScheduledPushes: String?

    @Option(help: "Whether a new Android device that does not say is valid: true, false. Default true.")
    var androidIsValid: String?

    @Option(help: "Whether devices stay that were not seen for 90 days: true, false. Default false.")
    var keepStaleDevices: String?

    @Option(help: "Custom fields of devices that queries often ask for, with commas; each gets an index. At most 16.")
    var indexedFields: String?

    @Option(
        help: "The folder of the bugle workspace whose DeviceProfiles push to Apple; without it Apple is simulated.")
    var workspace: String?

    @Option(help: "Where Apple's production service is, as HOST or HOST:PORT. Default api.push.apple.com.")
    var appleProduction: String?

    @Option(help: "Where Apple's development service is. Default api.sandbox.push.apple.com.")
    var appleDevelopment: String?

    @Option(help: "A PEM file of authorities to trust for these beside the system's.")
    var appleCa: String?

    @Option(help: "The PEM file of the certificate and of those that signed it; without it, plain HTTP is spoken.")
    var tlsCertificate: String?

    @Option(help: "The PEM file of the certificate's key.")
    var tlsKey: String?

    @Option(help: "Addresses of proxies whose X-Forwarded-For and -Proto are believed, with commas.")
    var trustedProxies: String?

    @Option(help: "How old a signature with the master key may be, or off. Default 15m.")
    var signatureAge: String?

    @Option(help: "How large a body may be. Default 20MB.")
    var bodyLimit: String?

    @Option(help: "How long a request may take to arrive. Default 60s.")
    var requestTimeout: String?

    @Option(help: "How long a new connection may take to shake hands and send its first byte. Default 5s.")
    var openingTimeout: String?

    @Option(help: "How long a connection may be idle. Default 75s.")
    var idleTimeout: String?

    @Option(help: "How long requests in flight may take to end when the server stops. Default 30s.")
    var gracePeriod: String?

    @Option(help: "How many connections are open at once. Default 1024.")
    var maxConnections: String?

    @Option(help: "How many of them one address may have that is no trusted proxy's, or off. Default a quarter.")
    var maxConnectionsPerAddress: String?

    @Option(help: "How many bodies over 256 kB are in memory at once. Default 4.")
    var largeBodies: String?

    @Option(help: "From which level on is logged: debug, info, notice, warning, error. Default info.")
    var logLevel: String?

    @Option(help: "How the log is written: text, json. Default text.")
    var logFormat: String?

    @Option(help: "Whether the log names the address of each request: true, false. Default true.")
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
        case .maxConnections: maxConnections
        case .maxConnectionsPerAddress: maxConnectionsPerAddress
        case .largeBodies: largeBodies
        case .logLevel: logLevel
        case .logFormat: logFormat
        case .logAddresses: logAddresses
        case .masterKey, .applicationKey, .metricsToken: nil
        }
    }

    func validate() throws {
        var scratch = ServerSettings()
        for setting in Setting.allCases {
            guard let text = text(setting) else { continue }
            try apply(setting, text, named: setting.option, to: &scratch)
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
            } else if let text = environment[setting.variable], !text.isEmpty {
                try apply(setting, text, named: setting.variable, to: &settings)
            } else {
                continue
            }
            ranges[setting] = nil
        }
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
