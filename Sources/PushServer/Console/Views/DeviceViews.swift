internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

struct DeviceView {
    let objectID: String
    let platform: String
    let token: String
    let channels: [Channel]
    let validity: ValidityView
    let created: InstantView
    let updated: InstantView
    /// The whole token and ids, to copy; empty for a person who may not see them.
    let tokens: [Field]
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

    init(_ device: StoredObject, showsTokens: Bool, for viewer: Viewer) {
        objectID = device.objectID
        platform = device.fields["deviceType"]?.string ?? ""
        tokens = ["deviceToken", "installationId", "registrationId"].compactMap { name in
            let value = showsTokens ? device.fields[name]?.string ?? "" : ""
            return value.isEmpty ? nil : Field(name: name, value: value)
        }
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

    struct Message {
        let href: String
        let headline: String
        let detail: String
        let isSilent: Bool
        let received: InstantView
    }

    init(_ screen: DeviceScreen, app: ShownApp, for viewer: Viewer) {
        phone = PhoneView(screen, app: app, isLinked: false, for: viewer)
        messages = screen.messages.map { push in
            let look = NotificationLook(pushed: push.content, isApple: screen.device.isApple)
            let lines = look?.lines ?? []
            return Message(
                href: "/console/pushes/" + push.objectID.percentEncoded,
                headline: (lines.first ?? viewer.language.say(.silentPush)).cut(to: 80),
                detail: lines.dropFirst().joined(separator: " · ").cut(to: 140), isSilent: look == nil,
                received: InstantView(push.receivedAt, for: viewer))
        }
    }
}

/// A delivery that the device did not get, or perhaps not.
struct FailureView {
    /// The link to the push; empty for the delivery of a workspace.
    let href: String
    let headline: String
    let word: String
    let tone: String
    let reason: String
    /// The problem and what to do, in English; empty when the reason is not one of Apple's.
    let explanation: String
    let at: InstantView?

    init(_ failure: DeviceFailure, for viewer: Viewer) {
        let language = viewer.language
        href = failure.data == nil ? "" : "/console/pushes/" + failure.delivery.percentEncoded
        headline =
            failure.data.map { MessagePreview($0, in: language).headline }
            ?? language.say(.deliveryOf(failure.delivery, workspace: failure.workspace))
        let label: Phrase
        (label, tone) =
            switch failure.ending {
            case .refused: (.refusedByApple, "bad")
            case .waits: (.isRetried, "busy")
            case .inDoubt: (.isInDoubt, "busy")
            }
        word = language.say(label)
        reason = failure.reason
        explanation = ReasonRowView.explanation(of: failure.reason)
        at = failure.at.map { InstantView($0, for: viewer) }
    }
}

struct TestPushForm {
    let device: String
    /// The id that makes a repeated form do nothing.
    let request: String
    /// True if the certificate matters.
    let choosesEnvironment: Bool
    /// The reason why the device gets no push; empty when it does.
    let obstacle: String

    init(_ device: StoredObject, isSimulated: Bool, in language: Language) {
        self.device = device.objectID
        request = ObjectID.push()
        choosesEnvironment = device.isApple
        let isUnreachable = !isSimulated && !device.isApple
        obstacle =
            isUnreachable
            ? language.say(.noWayToDevice) : device.fields["valid"]?.bool == true ? "" : language.say(.isNotServed)
    }
}

struct DevicePageView {
    let device: DeviceView
    let screen: DeviceScreenView
    /// The time when its token was reported dead.
    let death: InstantView?
    /// What it did not get, the newest first.
    let failures: [FailureView]
    /// The form for a push to it; nil for a person who may not send.
    let test: TestPushForm?
}

/// A device drawn as a phone.
struct PhoneView {
    /// The element id, unique on a page.
    let phoneID: String
    /// The link to the device's page; empty in a preview and on that page itself.
    let href: String
    let name: String
    /// The beginning of the device's id; empty in a preview.
    let short: String
    let isApple: Bool
    /// The screen, an SVG element.
    let screen: String
    /// The number on the app's icon; empty when there is none.
    let badge: String

    /// The most notifications that fit on a screen.
    static let mostNotes = 3
    /// The number of messages read to fill a screen: some are silent, some replace others.
    static let mostRead = 12

    /// Creates the view of a registered device with its messages, newest first.
    init(_ screen: DeviceScreen, app: ShownApp, isLinked: Bool = true, for viewer: Viewer) {
        let device = screen.device
        isApple = device.isApple
        phoneID = device.objectID
        href = isLinked ? "/console/installations/" + device.objectID.percentEncoded : ""
        name = Self.name(of: device.fields["deviceType"]?.string ?? "", in: viewer.language)
        short = device.objectID.cut(to: 9)
        badge = isApple ? Self.badge(of: screen) : ""
        self.screen = Self.drawing(
            Self.visible(screen.messages, isApple: isApple, for: viewer), isApple: isApple, app: app, for: viewer)
    }

    init(preview data: JSONValue, isApple: Bool, app: ShownApp, for viewer: Viewer) {
        self.isApple = isApple
        let platform = isApple ? "ios" : "android"
        phoneID = "preview-" + platform
        href = ""
        name = Self.name(of: platform, in: viewer.language)
        short = ""
        let content = PushData(data).content(for: platform)
        let number = content["badge"] ?? content["aps"]?["badge"]
        badge = isApple ? number.map { $0 == "Increment" ? "+1" : $0.integer.map(String.init) ?? "" } ?? "" : ""
        let look = NotificationLook(pushed: content, isApple: isApple)
        screen = Self.drawing(
            look.map { [PhoneDrawing.Note($0, age: viewer.language.say(.now))] } ?? [], isApple: isApple, app: app,
            for: viewer)
    }

    private static func drawing(
        _ notes: [PhoneDrawing.Note], isApple: Bool, app: ShownApp, for viewer: Viewer
    ) -> String {
        let more = notes.count - mostNotes
        let caption =
            notes.isEmpty
            ? viewer.language.say(.noNotifications) : more > 0 ? viewer.language.say(.moreNotes(more)) : ""
        return PhoneDrawing(
            Array(notes.prefix(mostNotes)), caption: caption, on: isApple ? .ios : .android, app: app,
            language: viewer.language, time: viewer.now.hourAndMinute(for: viewer),
            day: viewer.now.weekdayAndDay(for: viewer)
        ).figure
    }

    private static func name(of type: String, in language: Language) -> String {
        switch type {
        case "ios": "iPhone"
        case "android": "Android"
        case "macos": "Mac"
        case "tvos": "Apple TV"
        case "watchos": "Apple Watch"
        case "": language.say(.someDevice)
        default: type
        }
    }

    private static func visible(_ messages: [ReceivedPush], isApple: Bool, for viewer: Viewer) -> [PhoneDrawing.Note] {
        var collapsed: Set<String> = []
        return messages.compactMap { message in
            let content = message.content
            // A later notification with the same collapse id replaces an earlier one.
            if isApple, let id = content["collapse-id"]?.string, !collapsed.insert(id).inserted { return nil }
            return NotificationLook(pushed: content, isApple: isApple).map {
                PhoneDrawing.Note($0, age: message.receivedAt.distance(for: viewer))
            }
        }
    }

    /// The badge set by the newest message that sets one, otherwise the one the registry counts.
    private static func badge(of screen: DeviceScreen) -> String {
        let counted = screen.device.fields["badge"]?.integer
        let sent = screen.messages.lazy.compactMap { message -> Int64? in
            let content = message.content
            return (content["badge"] ?? content["aps"]?["badge"])?.integer
        }.first
        let number = sent ?? counted ?? 0
        return number > 0 ? number.grouped : ""
    }
}

// MARK: - Pushed

extension NotificationLook {
    /// Creates the look of what a device shows for a push's content; nil for a silent push or one without text.
    ///
    /// Source: docs/background/leancloud/push.md#content.
    init?(pushed content: JSONObject, isApple: Bool) {
        let (aps, alert) = (content["aps"], content["alert"] ?? content["aps"]?["alert"] ?? .null)
        guard isApple || content["silent"]?.bool != true else { return nil }
        self.init(platform: isApple ? .ios : .android, pushType: .alert)
        title = content["title"]?.string.map { .text($0) }
        switch alert {
        case .string(let text): body = .text(text)
        case .object:
            title = Self.text(alert, "title") ?? title
            if isApple { subtitle = Self.text(alert, "subtitle") ?? alert["sub-title"]?.string.map { .text($0) } }
            body = Self.text(alert, "body") ?? Self.localized(alert, "loc")
        case .null, .bool, .integer, .number, .array: break
        }
        (title, subtitle, body) = (title?.visible, subtitle?.visible, body?.visible)
        // A title alone is no notification on an iPhone: without an alert the push is silent.
        guard body != nil || (title != nil && (!isApple || alert.object != nil)) else { return nil }
        guard isApple else { return }
        threadId = content["thread-id"]?.string ?? aps?["thread-id"]?.string
        collapseId = content["collapse-id"]?.string
        let level = content["interruption-level"]?.string ?? aps?["interruption-level"]?.string
        interruptionLevel = InterruptionLevel.allCases.first { $0.apnsValue == level }
    }

    /// The lines that a device shows, as far as it has them.
    var lines: [String] { [title, subtitle, body].compactMap { $0?.shownText } }

    private static func text(_ alert: JSONValue, _ name: String) -> LocalizableText? {
        alert[name]?.string.map { .text($0) } ?? localized(alert, name + "-loc")
    }

    /// A text localised by the app: only its key is known here.
    private static func localized(_ alert: JSONValue, _ name: String) -> LocalizableText? {
        alert[name + "-key"]?.string.map { key in
            .localized(key: key, arguments: (alert[name + "-args"]?.array ?? []).compactMap(\.string))
        }
    }
}

extension LocalizableText {
    fileprivate var visible: LocalizableText? { shownText.isEmpty ? nil : self }
}

// MARK: - Content

extension ReceivedPush {
    /// The content of the message as its device sees it.
    var content: JSONObject {
        var content = PushData(data).content(for: platform, vendor: vendor)
        guard let badge else { return content }
        if content["badge"] == "Increment" { content["badge"] = .integer(badge) }
        if var aps = content["aps"], aps["badge"] == "Increment" {
            aps["badge"] = .integer(badge)
            content["aps"] = aps
        }
        return content
    }
}
