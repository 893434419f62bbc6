import Apply
import Base
import HTTP
import RemoteTesting

@testable import LeanCloud
@testable import Push

let connection = LeanCloudConnection(
    url: "https://push.example.com/", appId: "giants-demo", masterKey: Secret("DyJegPlemooo4X1tg94gQkw1"))

extension FakeService {
    var api: LeanCloudAPI {
        LeanCloudAPI(
            connection, http: self, pausing: FakePause(service: self), clock: ServerFacts(LocalClock { self.now }))
    }

    var reader: LeanCloudReader { LeanCloudReader(name: "production", workspace: "giants", api: api) }
    var writer: LeanCloudWriter { LeanCloudWriter(workspace: "giants", api: api) }

    /// A lease that holds now.
    func lease(fence: Int = 3) -> Lease {
        Lease(workspace: "giants", run: "run", fence: fence, expiresAt: now + .seconds(120))
    }

    /// Sends a delivery; what came of it.
    @discardableResult
    func send(
        _ request: PushRequest? = nil, permission: Permission = .granted(for: .seconds(30))
    ) async -> SendAnswer? {
        var entry = LedgerEntry.example()
        if let request { entry.request = request }
        let lease = lease()
        let sending = OutgoingDelivery(entry: entry, lease: { lease }, permission: { permission })
        if case .answered(let answer) = await writer.send(sending) { return answer }
        return nil
    }
}

/// The id that the drafts bear.
let k3j = DeliveryID("k3j") ?? DeliveryID(workspace: "", campaign: "", revision: 0)

/// The instant that a text names; 1970 for anything else, which no test expects.
func instant(_ text: String) -> Instant { Instant(text) ?? Instant(milliseconds: 0) }

extension LedgerEntry {
    static func example(
        campaign: String = "giants-score", generation: Int = 0, state: DeliveryState = .sending, fence: Int = 3
    ) -> LedgerEntry {
        let id = DeliveryID(workspace: "giants", campaign: campaign, revision: 1, generation: generation)
        let body: JSONValue = ["data": ["alert": "赢了"], "where": ["channels": ["$in": ["Giants"]], "a.b": 1.5]]
        return LedgerEntry(
            delivery: DeliveryID(workspace: "giants", campaign: campaign, revision: 1), generation: generation,
            notificationID: id, workspace: "giants", campaign: campaign, revision: 1, state: state,
            request: PushRequest(endpoint: .push, body: body), fingerprint: Digest(of: body),
            content: Digest(of: ["content"]), encoder: 1, intendedAt: instant("2026-11-20T12:00:00.250Z"),
            window: .seconds(3600), fence: fence, provenance: Provenance(commit: "abc1234"))
    }

    /// With everything set that can be.
    static var full: LedgerEntry {
        var entry = example(state: .unsent)
        entry.occurrence = .on(CivilDate(year: 2026, month: 11, day: 27))
        entry.attemptedAt = instant("2026-11-20T12:11:00Z")
        entry.scheduledAt = instant("2026-11-27T12:00:00Z")
        entry.dueAt = instant("2026-11-27T12:01:00Z")
        entry.mostDevices = 49_999
        entry.scheduledID = 4711
        entry.expiresAt = instant("2026-12-04T12:00:00Z")
        entry.objectID = "i4OcyCnyjckJOtzz"
        entry.figures = DeliveryFigures(devices: 12_345, successes: 12_000, invalidTokens: 7)
        entry.reason = .verbatim("code 1: \u{1B}[31mred")
        entry.isMissed = true
        entry.provenance = Provenance(commit: "abc1234", actor: "mina", run: "https://ci.example.com/812")
        return entry
    }
}

let origin = Origin(file: "campaigns/giants.yaml", line: 1, fields: PathLocator())

/// A draft whose ids are `k3j` and whose audience is everybody on these platforms.
func draft(
    _ message: MessageContent, ios: MessageContent? = nil, android: MessageContent? = nil,
    vendors: JSONObject = [:], platforms: [Platform] = [.ios], condition: JSONValue = [:],
    expiration: Expiration? = nil, scheduledAt: String? = nil, profile: DeviceProfile? = nil,
    devices: [String] = [], environment: PushEnvironment = .production, throttle: Int? = nil
) -> PushDraft {
    let campaign = Campaign(
        name: "giants-score", origin: origin, environment: environment,
        audience: Audience(platforms: platforms, deviceProfile: profile?.name, devices: devices),
        message: Message(common: message, ios: ios, android: android, vendors: vendors), expiration: expiration,
        throttlePerSecond: throttle)
    return PushDraft(
        campaign: campaign, condition: devices.isEmpty ? condition : nil, platforms: Set(platforms), profile: profile,
        scheduledAt: scheduledAt.flatMap { Instant($0) }, notificationID: k3j)
}

/// A content that a closure fills.
func content(_ fill: (inout MessageContent) -> Void) -> MessageContent {
    var content = MessageContent()
    fill(&content)
    return content
}

/// A content with only a text.
func text(_ body: String, _ fill: (inout MessageContent) -> Void = { _ in }) -> MessageContent {
    content {
        $0.body = .text(body)
        fill(&$0)
    }
}

let tokenProfile = DeviceProfile(
    name: "passenger", origin: origin, environment: .production, topic: "com.example.passenger",
    credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))

let certificateProfile = DeviceProfile(
    name: "driver", origin: origin, environment: .production, topic: "com.example.driver",
    credential: .certificate(source: .environment("P12"), key: nil, passphrase: nil))
