internal import JSONValue
internal import PushModel

/// What the files of a simulated workspace say at first.
enum SimulatedFiles {
    static let workspace = "giants"
    static let topic = "com.example.app"
    private static let origin = Origin(file: "bugle.yaml", line: 1)

    /// One campaign, to a few devices or to a broadcast channel; some workspaces have quiet hours.
    static func workspace(_ tokens: [String], _ chance: inout Chance) -> Workspace {
        let isBroadcast = tokens.count == 1
        var content = MessageContent()
        content.body = .text("It's now 2-2.")
        if isBroadcast { content.liveActivity = LiveActivity(event: .update, contentState: ["score": "2-2"]) }
        let campaign = Campaign(
            name: "score", origin: origin,
            audience: isBroadcast ? Audience(channels: ["Scores"]) : Audience(platforms: [.ios], devices: tokens),
            message: Message(common: content), window: chance.one(of: [.seconds(1200), .seconds(86_400)]),
            expiration: .after(chance.one(of: [.seconds(900), .seconds(7 * 86_400)])))
        let profile = DeviceProfile(
            name: "app", origin: origin, environment: .production, topic: topic, isDefault: true,
            credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
        let channel = Channel(
            name: "Scores", origin: origin,
            broadcast: isBroadcast ? Channel.Broadcast(topic: topic, storage: .mostRecent) : nil)
        var workspace = Workspace(
            name: Self.workspace, origin: origin, deviceProfiles: [profile], channels: isBroadcast ? [channel] : [],
            campaigns: [campaign])
        if chance.happens(200) {
            // It is noon when the world begins.
            let from = 720 + chance.number(in: 1...20)
            workspace.policy.quietHours = QuietHours(from: from, to: from + chance.number(in: 1...60), timeZone: "UTC")
        }
        return workspace
    }
}

extension Workspace {
    /// Whether there is time for everything that can happen.
    var hasTime: Bool {
        campaigns[0].window > .seconds(7200) && campaigns[0].expiration == .after(.seconds(7 * 86_400))
    }

    /// Whether the campaign is held.
    var isHeld: Bool {
        get { campaigns[0].hold }
        set { campaigns[0].hold = newValue }
    }
}
