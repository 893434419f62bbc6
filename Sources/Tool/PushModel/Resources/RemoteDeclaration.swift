/// A value that may be written in the file or named as an environment variable.
package enum TextReference: Hashable, Sendable {
    /// Written in the file.
    case literal(String)
    /// `{env: NAME}`.
    case environment(String)
}

/// Where a file is.
package enum FileSource: Hashable, Sendable {
    /// `{file: PATH}`, relative to the workspace and inside it.
    case path(String)
    /// `{file: {env: NAME}}`: a path that the environment names; it may be anywhere.
    case environment(String)
}

/// Where a secret is; the secret itself is read only when a command needs it.
package enum SecretSource: Hashable, Sendable {
    /// `{env: NAME}`.
    case environment(String)
    /// `{file: …}`.
    case file(FileSource)
}

/// The services that a remote can be.
package enum RemoteType: String, Hashable, Sendable, CaseIterable {
    /// LeanCloud, TapTap Developer Services, or bugle-server.
    case leancloud
    /// Apple, with the devices in the team's own registry.
    case apns

    /// The platforms that it can reach.
    package var platforms: Set<Platform> {
        switch self {
        case .leancloud: [.ios, .android]
        case .apns: [.ios]
        }
    }
}

/// A remote as the Workspace document declares it.
package struct RemoteDeclaration: Sendable {
    /// Its name.
    package var name: String
    /// Where it stands.
    package var origin: Origin
    /// What it is and how it is reached.
    package var service: Service
    /// An extra bundle of certificate authorities, relative to the workspace.
    package var ca: String?
    /// The time a request may take; at most 60 s, 30 s by default.
    package var timeout: Duration

    /// What a remote is and how it is reached.
    package enum Service: Sendable {
        /// A service with LeanCloud's API.
        case leancloud(LeanCloud)
        /// Apple directly.
        case apns(APNs)
    }

    /// How a service with LeanCloud's API is reached.
    package struct LeanCloud: Hashable, Sendable {
        /// The base URL, without a version.
        package var url: TextReference
        /// Sent as `X-LC-Id`.
        package var appId: TextReference
        /// Signs every request; never sent itself.
        package var masterKey: SecretSource

        /// Joins the three.
        package init(url: TextReference, appId: TextReference, masterKey: SecretSource) {
            self.url = url
            self.appId = appId
            self.masterKey = masterKey
        }
    }

    /// Where the installations are and how Apple is reached.
    package struct APNs: Hashable, Sendable {
        /// The database of installations.
        package var registry: Registry
        /// Endpoints that replace Apple's: `production`, `development`, `broadcast`, `channels`.
        package var hosts: [String: String]

        /// The database of installations.
        package enum Registry: Hashable, Sendable {
            /// A SQLite file, relative to the workspace.
            case sqlite(String)
            /// A PostgreSQL connection string.
            case postgres(SecretSource)
        }

        /// Joins the two.
        package init(registry: Registry, hosts: [String: String] = [:]) {
            self.registry = registry
            self.hosts = hosts
        }
    }

    /// Makes a declaration.
    package init(
        name: String, origin: Origin, service: Service, ca: String? = nil, timeout: Duration = .seconds(30)
    ) {
        self.name = name
        self.origin = origin
        self.service = service
        self.ca = ca
        self.timeout = timeout
    }

    /// Which service it is.
    package var type: RemoteType {
        switch service {
        case .leancloud: .leancloud
        case .apns: .apns
        }
    }
}
