/// The settings, by their names in the file.
///
/// The command line, the environment and the file share the parsing rules of this type.
package enum Setting: String, CaseIterable, Sendable {
    case listen
    case data
    case appId
    case masterKey = "keys.master"
    case applicationKey = "keys.app"
    case viewerKey = "keys.viewer"
    case mode
    case upstream
    case upstreamTimeout
    case pushesPerMinute
    case clientsMayPush
    case mostScheduledPushes
    case androidIsValid
    case keepStaleDevices
    case indexedFields
    case allowFaults
    case seedDevices
    case workspace
    case appleProduction = "apple.production"
    case appleDevelopment = "apple.development"
    case appleCA = "apple.ca"
    case tlsCertificate = "tls.certificate"
    case tlsKey = "tls.key"
    case trustedProxies
    case metricsToken = "metrics.token"
    case signatureAge
    case bodyLimit
    case requestTimeout
    case openingTimeout
    case idleTimeout
    case gracePeriod
    case drainDelay
    case maxConnections
    case maxConnectionsPerAddress
    case largeBodies
    case logLevel
    case logFormat
    case logAddresses

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

    /// True for a key, so that only the source of its value is ever written.
    package var isSecret: Bool {
        self == .masterKey || self == .applicationKey || self == .viewerKey || self == .metricsToken
    }

    /// True if the file may name the source of the value, `{env: NAME}` or `{file: PATH}`.
    var mayHaveSource: Bool { isSecret || self == .data }

    /// True if the value is a path, which the settings file gives relative to its own folder.
    var isPath: Bool {
        self == .data || self == .tlsCertificate || self == .tlsKey || self == .workspace || self == .appleCA
    }

    /// True if the file may give a list of values.
    var isList: Bool { self == .trustedProxies || self == .indexedFields }

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
}
