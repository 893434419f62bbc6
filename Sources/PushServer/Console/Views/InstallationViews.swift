internal import DeviceRegistry
internal import Diagnostics
internal import JSONValue
internal import Phrasebook
internal import PushModel

/// A line of the list of devices.
struct InstallationRowView {
    let href: String
    let objectID: String
    let platform: String
    let token: String
    let channels: [String]
    let moreChannels: Int
    let profile: String
    let validity: ValidityView
    let seen: InstantView

    private static let mostChannels = 4

    init(_ device: StoredObject, for viewer: Viewer) {
        href = "/console/installations/" + device.objectID.percentEncoded
        objectID = device.objectID
        platform = device.fields["deviceType"]?.string ?? ""
        token = DeviceView.token(device).shortened
        let names = DeviceView.channels(device)
        channels = Array(names.prefix(Self.mostChannels))
        moreChannels = names.count - channels.count
        profile = device.fields["deviceProfile"]?.string ?? ""
        validity = ValidityView(device, in: viewer.language)
        seen = InstantView(device.updatedAt, for: viewer)
    }
}

/// Whether a device's token is still good, as far as its registration says.
struct ValidityView {
    let word: String
    let tone: String

    init(_ device: StoredObject, in language: Language) {
        let label: ConsoleLabel
        (label, tone) =
            switch device.fields["valid"]?.bool {
            case true?: (.valid, "good")
            case false?: (.notValid, "bad")
            case nil: (.notSaid, "still")
            }
        word = language.say(label)
    }
}

/// The list of devices with its filter.
struct InstallationListView {
    let filter: FilterForm
    let platforms: [Choice]
    let validities: [Choice]
    let isFiltered: Bool
    let devices: [InstallationRowView]
    let shown: String
    let examined: String
    let stoppedEarly: Bool
    /// The way to the next page; empty when there is none.
    let next: String
    /// The way to the first page.
    let first: String
    let isLater: Bool

    /// An entry of a list to choose from.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }
}

/// What stands in the fields of the filter, and what is wrong there.
struct FilterForm {
    var platform = ""
    var channel = ""
    var profile = ""
    var validity = ""
    var condition = ""
    /// Why the condition cannot be read; empty when it can.
    var problem = ""

    init(_ query: [String: String]) {
        platform = Self.field(query["platform"])
        channel = Self.field(query["channel"])
        profile = Self.field(query["profile"])
        validity = Self.field(query["valid"])
        condition = Self.field(query["where"])
    }

    private static func field(_ text: String?) -> String {
        // Browsers send line ends as two characters.
        (text ?? "").replacing("\r\n", with: "\n")
    }

    /// The filter that the fields ask for; sets ``problem`` when the condition is no JSON.
    mutating func filter(in language: Language) -> InstallationFilter? {
        var filter = InstallationFilter()
        if !platform.isEmpty { filter.deviceType = platform }
        if !channel.isEmpty { filter.channel = channel }
        if !profile.isEmpty { filter.deviceProfile = profile }
        if validity == "yes" || validity == "no" { filter.isValid = validity == "yes" }
        guard !condition.allSatisfy(\.isWhitespace) else { return filter }
        guard let value = try? JSONValue(parsing: condition, limits: ServerLimits.json) else {
            problem = language.say(.noJSON)
            return nil
        }
        guard value.object != nil || value.array != nil else {
            problem = language.say(.noCondition)
            return nil
        }
        filter.condition = value
        return filter
    }

    /// The query of an address that fills the form alike and goes on from a device.
    func address(after cursor: InstallationCursor?) -> String {
        let fields = [
            ("platform", platform), ("channel", channel), ("profile", profile), ("valid", validity),
            ("where", condition), ("after", cursor?.text ?? ""),
        ]
        let query = fields.filter { !$0.1.isEmpty }.map { $0.0 + "=" + $0.1.percentEncoded }
        return "/console/installations" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// Whether a field is filled.
    var isEmpty: Bool { (platform + channel + profile + validity + condition).isEmpty }
}

/// A device with everything that is known of it.
struct DeviceView {
    let objectID: String
    let platform: String
    let token: String
    let channels: [Channel]
    let validity: ValidityView
    let created: InstantView
    let updated: InstantView
    /// The other fields, by name.
    let fields: [Field]

    struct Field {
        let name: String
        let value: String
    }

    struct Channel {
        let name: String
        let href: String
    }

    init(_ device: StoredObject, for viewer: Viewer) {
        objectID = device.objectID
        platform = device.fields["deviceType"]?.string ?? ""
        token = Self.token(device).shortened
        channels = Self.channels(device).map { name in
            var form = FilterForm([:])
            form.channel = name
            return Channel(name: name, href: form.address(after: nil))
        }
        validity = ValidityView(device, in: viewer.language)
        created = InstantView(device.createdAt, for: viewer)
        updated = InstantView(device.updatedAt, for: viewer)
        let shown = JSONValue.object(device.fields).withShortTokens.object ?? [:]
        let others = shown.filter { !["channels", "deviceType", "valid"].contains($0.key) }
        fields = others.sorted { $0.key < $1.key }.map { key, value in
            Field(name: key, value: (value.string ?? value.canonicalText).cut(to: 2000))
        }
    }

    static func token(_ device: StoredObject) -> String {
        device.fields["deviceToken"]?.string ?? device.fields["registrationId"]?.string
            ?? device.fields["installationId"]?.string ?? ""
    }

    static func channels(_ device: StoredObject) -> [String] {
        (device.fields["channels"]?.array ?? []).compactMap(\.string)
    }
}

/// A device's lock screen and its inbox.
struct DeviceScreenView {
    let phone: PhoneView
    let messages: [Message]

    /// A line of the inbox.
    struct Message {
        let href: String
        let headline: String
        let detail: String
        let isSilent: Bool
        let received: InstantView
    }

    init(_ screen: DeviceScreen, app: String, for viewer: Viewer) {
        phone = PhoneView(screen, app: app, isLinked: false, for: viewer)
        messages = screen.messages.map { push in
            let note = NotificationView(
                PlatformContent.content(of: push), isApple: screen.device.isApple, when: "")
            let lines = [note?.title, note?.subtitle, note?.body].compactMap(\.self).filter { !$0.isEmpty }
            return Message(
                href: "/console/pushes/" + push.objectID.percentEncoded,
                headline: (lines.first ?? viewer.language.say(.silentPush)).cut(to: 80),
                detail: lines.dropFirst().joined(separator: " · ").cut(to: 140), isSilent: note == nil,
                received: InstantView(push.receivedAt, for: viewer))
        }
    }
}
