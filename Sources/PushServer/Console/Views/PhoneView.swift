internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

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

    /// Creates a preview of a push.
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
