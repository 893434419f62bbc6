internal import Delivery
internal import FoundationEssentials
internal import Base
internal import Push
internal import Subprocess

/// Files that Apple's simulator takes for pushes: each campaign's payload, and the app that it is for.
///
/// Source: Xcode's help of `simctl push`: a JSON file with an `aps` member and `Simulator Target Bundle`.
struct SimulatorFiles {
    private let folder: String
    private let console: Console
    private var written: [String: [UInt8]]?
    private var saidMissing = false

    /// Files in a folder of the workspace that neither its reader nor git looks into.
    init(workspace: String, console: Console) {
        folder = workspace + "/.apns"
        self.console = console
    }

    /// Writes what differs from the last time, removes what is no campaign any more, and shows what has changed in the
    /// simulator that is booted, if there is one.
    mutating func write(_ desired: Workspace) async {
        var files: [String: [UInt8]] = [:]
        for campaign in desired.campaigns {
            guard let payload = Self.payload(of: campaign, in: desired) else { continue }
            files[campaign.name + ".apns"] = Array((payload.canonicalText + "\n").utf8)
        }
        if files.isEmpty, !saidMissing {
            saidMissing = true
            console.say(
                "bugle: --simulator: no DeviceProfile says which app a campaign is for; declare one with its topic")
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if written == nil { try OutputFile.write(Array("*\n".utf8), to: folder + "/.gitignore") }
            for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where written?[name] != bytes {
                try OutputFile.write(bytes, to: folder + "/" + name)
                if written != nil { await Self.show(folder + "/" + name) }
            }
        } catch {
            console.say("bugle: \(folder) cannot be written")
        }
        for name in (written ?? [:]).keys where files[name] == nil {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        written = files
    }

    /// The payload that Apple would get, with its app; nil when no profile names the app, or no device shows it.
    static func payload(of campaign: Campaign, in desired: Workspace) -> JSONValue? {
        let content = campaign.message.content(for: .ios)
        let wanted = campaign.audience.deviceProfile
        let profiles = desired.deviceProfiles.filter {
            wanted == nil ? $0.environment == campaign.environment : $0.name == wanted
        }
        guard campaign.audience.platforms.isEmpty || campaign.audience.platforms.contains(.ios),
            let profile = profiles.first(where: \.isDefault) ?? profiles.first
        else { return nil }
        let type = content.effectivePushType
        let delivery = DeliveryID(
            workspace: desired.identityName, campaign: campaign.identityName, revision: campaign.revision,
            occurrence: campaign.example.occurrence)
        var payload = APNsPayload.body(content, badge: 1, deliveryID: delivery).withoutPersonalValues
        payload["Simulator Target Bundle"] = .string(type.bundleID(of: profile.topic))
        return payload
    }

    /// Hands a file to the booted simulator; where there is no Xcode, nothing happens.
    private static func show(_ file: String) async {
        _ = try? await Subprocess.run(
            .name("xcrun"), arguments: ["simctl", "push", "booted", file], output: .discarded, error: .discarded)
    }
}

extension JSONValue {
    /// The value with the defaults in the places for values of the device.
    var withoutPersonalValues: JSONValue {
        switch self {
        case .string(let text):
            guard PersonalText.mayBe(text), let personal = try? PersonalText(text) else { return self }
            let words = personal.pieces.map { piece in
                switch piece {
                case .words(let words): words
                case .value(let value): value.default
                }
            }
            return .string(words.joined())
        case .array(let elements): return .array(elements.map(\.withoutPersonalValues))
        case .object(let members): return .object(members.mapValues(\.withoutPersonalValues))
        case .null, .bool, .integer, .number: return self
        }
    }
}
