/// The desired state: everything that the files of a workspace declare.
package struct Workspace: Sendable {
    package var name: String
    /// Former names, the oldest first; delivery ids are made of the oldest.
    package var formerly: [String] = []
    package var origin: Origin
    /// The language of text for people; nil: that of their environment.
    package var language: Language?
    /// The app in pictures; its name is the workspace's unless the files say otherwise.
    package var app: ShownApp
    /// The texts of the app's keys; nil without string catalogs.
    package var strings: StringCatalog?
    /// The remote that is used when none is named.
    package var defaultRemote: String?
    /// The remotes, by name.
    package var remotes: [String: RemoteDeclaration]
    /// The limits of this workspace.
    package var policy: Policy
    /// What the move to another server may lose.
    package var migration: MigrationPolicy
    /// Who is told what became of deliveries.
    package var notify: [NotifyTarget]
    /// The device profiles, sorted by name.
    package var deviceProfiles: [DeviceProfile]
    /// The channels, sorted by name.
    package var channels: [Channel]
    /// The segments, sorted by name.
    package var segments: [Segment]
    /// The campaigns, sorted by name.
    package var campaigns: [Campaign]

    /// The name under which remotes keep what is the workspace's, and of which delivery ids are made: the oldest it had.
    package var identityName: String { formerly.first ?? name }

    /// Creates a workspace and sorts its resources by name.
    package init(
        name: String, origin: Origin, formerly: [String] = [], language: Language? = nil, app: ShownApp? = nil,
        strings: StringCatalog? = nil, defaultRemote: String? = nil,
        remotes: [String: RemoteDeclaration] = [:],
        policy: Policy = Policy(), migration: MigrationPolicy = MigrationPolicy(), notify: [NotifyTarget] = [],
        deviceProfiles: [DeviceProfile] = [],
        channels: [Channel] = [],
        segments: [Segment] = [], campaigns: [Campaign] = []
    ) {
        self.name = name
        self.origin = origin
        self.formerly = formerly
        self.language = language
        self.app = app ?? ShownApp(name: name)
        self.strings = strings
        self.defaultRemote = defaultRemote
        self.remotes = remotes
        self.policy = policy
        self.migration = migration
        self.notify = notify
        self.deviceProfiles = deviceProfiles
        self.deviceProfiles.sort { $0.name < $1.name }
        self.channels = channels
        self.channels.sort { $0.name < $1.name }
        self.segments = segments
        self.segments.sort { $0.name < $1.name }
        self.campaigns = campaigns
        self.campaigns.sort { $0.name < $1.name }
    }
}

/// What the move to another server may lose, as `migration` declares it.
package struct MigrationPolicy: Hashable, Sendable {
    /// The devices that the workspace can do without.
    package var accept: [Loss] = []

    /// Devices that the new server has and cannot reach.
    package enum Loss: String, Hashable, Sendable, CaseIterable {
        /// Android devices that no DeviceProfile of the new server reaches.
        case androidWithoutWay = "android-without-way"
    }

    package static let fields = FieldTable<Self>(
        "Workspace.migration", "What the move from LeanCloud may lose; 'bugle migrate' asks for everything else",
        "从 LeanCloud 迁移时可以放弃什么；其余的 'bugle migrate' 都会要求处理", blank: MigrationPolicy(),
        [
            FieldRow(
                "accept", .choices(Loss.self),
                "Devices that may stay without pushes: android-without-way, which no DeviceProfile of the new server reaches",
                "可以收不到推送的设备：android-without-way，即新服务器没有 DeviceProfile 可以触达的 Android 设备", unless: [],
                { $0.accept }, { $0.accept = $1 })
        ])
}

/// A value written in the file or named as an environment variable.
package enum TextReference: Hashable, Sendable {
    /// Written in the file.
    case literal(String)
    /// `{env: NAME}`.
    case environment(String)
}

/// The location of a file.
package enum FileSource: Hashable, Sendable {
    /// `{file: PATH}`, relative to the workspace and inside it.
    case path(String)
    /// `{file: {env: NAME}}`: a path from an environment variable; it may be anywhere.
    case environment(String)
}

/// The location of a secret; the secret itself is read only when a command needs it.
package enum SecretSource: Hashable, Sendable {
    /// `{env: NAME}`.
    case environment(String)
    /// `{file: …}`.
    case file(FileSource)
}

/// The types of service a remote can be.
package enum RemoteType: String, Hashable, Sendable, CaseIterable {
    /// LeanCloud, TapTap Developer Services, or bugle-server.
    case leancloud
    /// The devices' own services, with the devices in the team's own registry.
    case apns

    /// The platforms that the service reaches without a device profile of another vendor.
    package var platforms: Set<Platform> {
        switch self {
        case .leancloud: [.ios, .android]
        case .apns: [.ios]
        }
    }
}

/// A remote as the Workspace document declares it.
package struct RemoteDeclaration: Sendable {
    package var name: String
    package var origin: Origin
    /// The service and its connection settings.
    package var service: Service
    /// An extra bundle of certificate authorities, relative to the workspace.
    package var ca: String?
    /// The time a request may take; at most 60 s, 30 s by default.
    package var timeout: Duration
    /// The only devices that it may ever reach, whatever a campaign says; nil: no restriction.
    package var fence: Audience?
    /// The policy that holds here in place of the workspace's; nil: the workspace's.
    package var policy: RemotePolicy?

    package init(
        name: String, origin: Origin, service: Service, ca: String? = nil, timeout: Duration = .seconds(30),
        fence: Audience? = nil, policy: RemotePolicy? = nil
    ) {
        self.name = name
        self.origin = origin
        self.service = service
        self.ca = ca
        self.timeout = timeout
        self.fence = fence
        self.policy = policy
    }

    /// The service of a remote, with its connection settings.
    package enum Service: Hashable, Sendable {
        /// A service with LeanCloud's API.
        case leancloud(LeanCloud)
        /// Apple directly.
        case apns(APNs)
    }

    /// The connection settings of a service with LeanCloud's API.
    package struct LeanCloud: Hashable, Sendable {
        /// The base URL, without a version.
        package var url: TextReference
        /// The app id, sent as `X-LC-Id`.
        package var appId: TextReference
        /// The master key, which signs every request and is never sent itself.
        package var masterKey: SecretSource
    }

    /// The registry of installations and the endpoints for Apple.
    package struct APNs: Hashable, Sendable {
        /// The database of installations.
        package var registry: Registry
        /// Endpoints that replace Apple's: `production`, `development`, `broadcast`, `channels`.
        package var hosts: [String: String] = [:]
        /// The time after which a device that was not seen gets nothing; nil: it always gets it.
        package var stale: Duration? = AudienceCount.threeMonths

        package init(registry: Registry, hosts: [String: String] = [:], stale: Duration? = AudienceCount.threeMonths) {
            self.registry = registry
            self.hosts = hosts
            self.stale = stale
        }

        /// The database of installations.
        package enum Registry: Hashable, Sendable {
            /// A SQLite file, relative to the workspace.
            case sqlite(String)
            /// A PostgreSQL connection string.
            case postgres(SecretSource)
        }
    }

    /// The type of the service.
    package var type: RemoteType {
        switch service {
        case .leancloud: .leancloud
        case .apns: .apns
        }
    }
}
