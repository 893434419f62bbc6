internal import DeviceRegistry
internal import Diagnostics
internal import JSONValue
internal import Phrasebook
internal import PushModel
internal import RegistryModel

/// A row of the device list.
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

/// The validity of a device's token, as far as its registration tells.
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
    /// The link to the next page; empty when there is none.
    let next: String
    /// The link to the first page.
    let first: String
    let isLater: Bool

    /// An option of a selection.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }
}

/// The values of the filter's fields, and the problem with them.
struct FilterForm {
    var platform = ""
    var channel = ""
    var profile = ""
    var validity = ""
    var condition = ""
    /// The problem with the condition; empty when it can be parsed.
    var problem = ""

    init(_ query: [String: String]) {
        platform = Self.field(query["platform"])
        channel = Self.field(query["channel"])
        profile = Self.field(query["profile"])
        validity = Self.field(query["valid"])
        condition = Self.field(query["where"])
    }

    private static func field(_ text: String?) -> String {
        // Browsers send CR LF as line breaks.
        (text ?? "").replacing("\r\n", with: "\n")
    }

    /// Builds the filter from the fields; sets ``problem`` if the condition is not valid JSON.
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

    /// The address of the list with the same fields, continuing after a device.
    func address(after cursor: InstallationCursor?) -> String {
        let fields = [
            ("platform", platform), ("channel", channel), ("profile", profile), ("valid", validity),
            ("where", condition), ("after", cursor?.text ?? ""),
        ]
        let query = fields.filter { !$0.1.isEmpty }.map { $0.0 + "=" + $0.1.percentEncoded }
        return "/console/installations" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// True if all fields are empty.
    var isEmpty: Bool { (platform + channel + profile + validity + condition).isEmpty }
}

/// The details of a device.
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

    /// A row of the inbox.
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
