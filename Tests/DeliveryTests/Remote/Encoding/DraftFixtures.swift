import Base
import RemoteTesting
import Testing

@testable import Delivery
@testable import Push

let anyOrigin = Origin(file: "c.yaml", line: 1, fields: PathLocator())

extension DeviceProfile {
    /// A profile with a key.
    static func token(_ name: String, _ topic: String? = nil, isDefault: Bool = false) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: anyOrigin, environment: .production, topic: topic ?? "com.example.\(name)",
            isDefault: isDefault,
            credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
    }

    /// A profile with a certificate for some topics.
    static func certificate(_ name: String, _ topic: String? = nil, names topics: [String]? = nil) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: anyOrigin, environment: .production, topic: topic ?? "com.example.\(name)",
            credential: .certificate(source: .environment("P12"), key: nil, passphrase: nil),
            facts: topics.map { CredentialFacts(fingerprint: "ab", expiresAt: nil, topics: $0) })
    }

    /// The default profile of a vendor that takes many devices in a call.
    static func android(_ vendor: PushVendor, _ options: JSONObject = [:]) -> DeviceProfile {
        DeviceProfile(
            name: vendor.rawValue, origin: anyOrigin, environment: .production, topic: "", isDefault: true,
            credential: .vendor(vendor, ids: [:], secrets: [:]), options: options)
    }
}

/// A campaign on its way to Apple.
struct Sample {
    var content = MessageContent()
    var ios: MessageContent?
    var vendors: JSONObject = [:]
    var audience = Audience(channels: ["Giants"], platforms: [.ios])
    var condition: JSONValue? = ["scores": true]
    var profiles = [DeviceProfile.token("app")]
    var broadcasts: [Channel] = []
    var expiration: Expiration? = .after(.seconds(3600))
    var scheduledAt: Instant?
    var throttle: Int?
    var inDoubt = Campaign.InDoubt.leave
    var holdout: Holdout?
    var frequency: [FrequencyRule] = []
    var events: EventPolicy?

    init(_ type: PushType? = nil, _ change: (inout Sample) -> Void = { _ in }) {
        content.pushType = type
        change(&self)
    }

    /// A campaign that shows a text.
    static func alert(_ change: (inout Sample) -> Void = { _ in }) -> Sample {
        Sample { sample in
            sample.content.body = .text("Hi")
            change(&sample)
        }
    }

    /// A campaign to a broadcast channel that updates a Live Activity.
    static func broadcast(
        _ storage: Channel.Broadcast.Storage = .mostRecent, _ change: (inout Sample) -> Void = { _ in }
    ) -> Sample {
        Sample { sample in
            sample.content.liveActivity = LiveActivity(event: .update, contentState: ["score": 3])
            sample.broadcasts = [
                Channel(
                    name: "Giants", origin: anyOrigin,
                    broadcast: Channel.Broadcast(topic: "com.example.app", storage: storage))
            ]
            if storage == .none { sample.expiration = .after(.zero) }
            change(&sample)
        }
    }

    var encoded: EncodedPush { APNsEncoder().encode(draft) }

    private var draft: PushDraft {
        var campaign = Campaign(
            name: "score", origin: anyOrigin, audience: audience,
            message: Message(common: content, ios: ios, vendors: vendors),
            expiration: expiration, inDoubt: inDoubt, throttlePerSecond: throttle)
        (campaign.holdout, campaign.frequency) = (holdout, frequency)
        campaign.events = events
        return PushDraft(
            campaign: campaign, condition: audience.devices.isEmpty ? condition : nil,
            platforms: audience.possiblePlatforms(segments: [:]), profile: nil, scheduledAt: scheduledAt,
            notificationID: DeliveryID(workspace: "w", campaign: "score", revision: 1),
            profiles: profiles, broadcasts: broadcasts)
    }

    /// The body of the request.
    var body: JSONValue { encoded.request.body }

    /// What is found: severity, code, place and message; the same whether it is encoded or only checked.
    var findings: [String] {
        let encoder = APNsEncoder()
        #expect(Set(encoder.findings(draft)) == Set(encoder.encode(draft).findings))
        return encoded.findings.sortedForPrinting().map {
            "\($0.severity) \($0.code.rawValue) \($0.range?.file ?? "-"): \($0.message)"
        }
    }
}
