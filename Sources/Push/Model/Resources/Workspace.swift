/// The desired state: everything that the files of a workspace declare.
package struct Workspace: Sendable {
    /// The workspace's name.
    package var name: String
    /// Former names, the oldest first; delivery ids are made of the oldest.
    package var formerly: [String] = []
    /// The place of the Workspace document.
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
        policy: Policy = Policy(), deviceProfiles: [DeviceProfile] = [], channels: [Channel] = [],
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
