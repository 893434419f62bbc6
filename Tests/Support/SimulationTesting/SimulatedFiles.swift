internal import Base
internal import Push

/// The initial files of a simulated workspace.
enum SimulatedFiles {
    static let workspace = "giants"
    static let topic = "com.example.app"
    private static let origin = Origin(file: "bugle.yaml", line: 1)

    /// One campaign, to a few devices or to a broadcast channel; some workspaces have quiet hours.
    static func workspace(_ tokens: [String], _ chance: inout Chance) -> Workspace {
        let isBroadcast = tokens.count == 1
        var content = content
        if isBroadcast { content.liveActivity = LiveActivity(event: .update, contentState: ["score": "2-2"]) }
        let resends = !isBroadcast && chance.happens(200)
        if resends { content.collapseId = "score" }
        var campaign = campaign(
            isBroadcast ? Audience(channels: ["Scores"]) : Audience(platforms: [.ios], devices: tokens), content,
            &chance)
        if resends { campaign.inDoubt = .resend }
        let profile = DeviceProfile(
            name: "app", origin: origin, environment: .production, topic: topic, isDefault: true,
            credential: credential(.apns))
        let channel = Channel(
            name: "Scores", origin: origin,
            broadcast: isBroadcast ? Channel.Broadcast(topic: topic, storage: .mostRecent) : nil)
        var workspace = Workspace(
            name: Self.workspace, origin: origin, deviceProfiles: [profile], channels: isBroadcast ? [channel] : [],
            campaigns: [campaign])
        workspace.policy.quietHours = quietHours(&chance)
        return workspace
    }

    /// One campaign to the devices of several services.
    static func workspace(_ devices: [SimulatedDevice], _ chance: inout Chance) -> Workspace {
        var content = content
        content.title = .text("Giants")
        let vendors = PushVendor.allCases.filter { vendor in devices.contains { $0.vendor == vendor } }
        let profiles = vendors.map { vendor in
            DeviceProfile(
                name: vendor.rawValue, origin: origin, environment: .production,
                topic: vendor == .apns ? topic : "", isDefault: true, credential: credential(vendor))
        }
        var workspace = Workspace(
            name: Self.workspace, origin: origin, deviceProfiles: profiles,
            channels: [Channel(name: "Scores", origin: origin)],
            campaigns: [campaign(Audience(channels: ["Scores"]), content, &chance)])
        workspace.policy.quietHours = quietHours(&chance)
        return workspace
    }

    private static func credential(_ vendor: PushVendor) -> DeviceProfile.Credential {
        switch vendor {
        case .apns: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY"))
        case .fcm: .serviceAccount(.environment("KEY"))
        case .hms, .harmony, .honor, .mi, .miGlobal, .oppo, .vivo:
            .vendor(
                vendor, ids: Dictionary(uniqueKeysWithValues: vendor.fields.ids.map { ($0, "1") }),
                secrets: Dictionary(uniqueKeysWithValues: vendor.fields.secrets.map { ($0, .environment("KEY")) }))
        }
    }

    /// One campaign to a channel, sent at once or scheduled; another one stays on hold, so that there always is one.
    static func workspace(_ chance: inout Chance) -> Workspace {
        var campaign = campaign(Audience(channels: ["Scores"]), content, &chance)
        var other = campaign
        (other.name, other.hold) = ("other", true)
        // The same content under a new name would be asked about.
        var another = content
        another.body = .text("Another.")
        other.message = Message(common: another)
        var workspace = Workspace(
            name: Self.workspace, origin: origin, channels: [Channel(name: "Scores", origin: origin)])
        if chance.happens(400) {
            workspace.policy.quietHours = quietHours(&chance)
        } else {
            campaign.scheduledAt = OffsetInstant(SimulatedWorld.start + .seconds(60 * chance.number(in: 0...60)))
        }
        workspace.campaigns = [campaign, other]
        return workspace
    }

    /// The remote of every world, within a fence.
    static func remotes(fence: Audience?) -> [String: RemoteDeclaration] {
        let remote = RemoteDeclaration(
            name: "remote", origin: origin, service: .apns(.init(registry: .sqlite("registry.db"))), fence: fence)
        return [remote.name: remote]
    }

    private static var content: MessageContent {
        var content = MessageContent()
        content.body = .text("It's now 2-2.")
        return content
    }

    private static func campaign(_ audience: Audience, _ content: MessageContent, _ chance: inout Chance) -> Campaign {
        Campaign(
            name: "score", origin: origin, audience: audience, message: Message(common: content),
            window: chance.one(of: [.seconds(1200), .seconds(86_400)]),
            expiration: .after(chance.one(of: [.seconds(900), .seconds(7 * 86_400)])))
    }

    /// It is noon when the world begins.
    private static func quietHours(_ chance: inout Chance) -> QuietHours? {
        guard chance.happens(200) else { return nil }
        let from = 720 + chance.number(in: 1...20)
        return QuietHours(from: from, to: from + chance.number(in: 1...60), timeZone: "UTC")
    }
}

/// A device of a service, as the registry has it.
struct SimulatedDevice {
    let vendor: PushVendor
    /// Its token, or what its vendor knows it by.
    let address: String
    /// True if it is within the fence.
    var isTester = false

    /// What it registered with.
    func fields(at time: Instant) -> JSONObject {
        let time = JSONValue.string(time.isoText)
        let common: JSONObject = [
            "objectId": .string("o" + address), "createdAt": time, "updatedAt": time, "channels": ["Scores"],
            "tester": .bool(isTester),
        ]
        let own: JSONObject =
            vendor == .apns
            ? ["deviceType": "ios", "deviceToken": .string(address)]
            : [
                "deviceType": "android", "installationId": .string("i" + address),
                "vendor": .string(vendor.rawValue), "registrationId": .string(address),
            ]
        return common.merging(own) { $1 }
    }
}

extension Workspace {
    /// True if there is time for everything that can happen.
    var hasTime: Bool {
        campaigns[0].window > .seconds(7200) && campaigns[0].expiration == .after(.seconds(7 * 86_400))
    }

    /// True if the campaign that matters is declared, whatever it is called; it is the first one.
    var hasScore: Bool { campaigns[0].name.hasPrefix("score") }

    /// True if the campaign is held.
    var isHeld: Bool {
        get { campaigns[0].hold && hasScore }
        set { if hasScore { campaigns[0].hold = newValue } }
    }
}
