internal import DeviceRegistry
internal import Diagnostics
internal import JSONValue
internal import Phrasebook
internal import PushModel
internal import RegistryModel

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
    /// The app's name; its first letter stands for an icon.
    let app: String
    let initial: String
    let hasIcon: Bool
    let time: String
    let day: String
    let notes: [NotificationView]
    /// The number of notifications beyond those drawn.
    let more: Int
    /// The number on the app's icon; empty when there is none.
    let badge: String

    /// The most notifications that fit on a screen.
    static let mostNotes = 3
    /// The number of messages read to fill a screen: some are silent, some replace others.
    static let mostRead = 12

    /// Creates the view of a registered device with its messages, newest first.
    init(_ screen: DeviceScreen, app: ShownApp, isLinked: Bool = true, for viewer: Viewer) {
        let type = screen.device.fields["deviceType"]?.string ?? ""
        isApple = screen.device.isApple
        phoneID = screen.device.objectID
        href = isLinked ? "/console/installations/" + screen.device.objectID.percentEncoded : ""
        name = Self.name(of: type, in: viewer.language)
        short = screen.device.objectID.cut(to: 9)
        let visible = Self.visible(screen.messages, isApple: isApple, for: viewer)
        notes = Array(visible.prefix(Self.mostNotes))
        more = visible.count - notes.count
        badge = isApple ? Self.badge(of: screen) : ""
        self.app = app.name
        hasIcon = app.icon != nil
        initial = app.name.first.map { String($0).uppercased() } ?? "?"
        time = viewer.now.hourAndMinute(for: viewer)
        day = viewer.now.weekdayAndDay(for: viewer)
    }

    /// Creates a preview of a push.
    init(preview data: JSONValue, isApple: Bool, app: ShownApp, for viewer: Viewer) {
        self.isApple = isApple
        phoneID = isApple ? "preview-ios" : "preview-android"
        href = ""
        name = Self.name(of: isApple ? "ios" : "android", in: viewer.language)
        short = ""
        let content = PlatformContent.content(of: data, platform: isApple ? "ios" : "android")
        notes = NotificationView(content, isApple: isApple, when: viewer.language.say(.now)).map { [$0] } ?? []
        more = 0
        let number = content["badge"] ?? content["aps"]?["badge"]
        badge = isApple ? number.map { $0 == "Increment" ? "+1" : $0.integer.map(String.init) ?? "" } ?? "" : ""
        self.app = app.name
        hasIcon = app.icon != nil
        initial = app.name.first.map { String($0).uppercased() } ?? "?"
        time = viewer.now.hourAndMinute(for: viewer)
        day = viewer.now.weekdayAndDay(for: viewer)
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

    private static func visible(_ messages: [ReceivedPush], isApple: Bool, for viewer: Viewer) -> [NotificationView] {
        var collapsed: Set<String> = []
        return messages.compactMap { message in
            let content = PlatformContent.content(of: message)
            // A later notification with the same collapse id replaces an earlier one.
            if isApple, let id = content["collapse-id"]?.string, !collapsed.insert(id).inserted { return nil }
            return NotificationView(content, isApple: isApple, when: message.receivedAt.distance(for: viewer))
        }
    }

    /// The badge set by the newest message that sets one, otherwise the one the registry counts.
    private static func badge(of screen: DeviceScreen) -> String {
        let counted = screen.device.fields["badge"]?.integer
        let sent = screen.messages.lazy.compactMap { message -> Int64? in
            let content = PlatformContent.content(of: message)
            return (content["badge"] ?? content["aps"]?["badge"])?.integer
        }.first
        let number = sent ?? counted ?? 0
        return number > 0 ? number.grouped : ""
    }
}
