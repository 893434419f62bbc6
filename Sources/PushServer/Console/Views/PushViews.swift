internal import DeviceRegistry
internal import JSONValue
internal import Phrasebook
internal import PushModel

/// A line of the list of pushes.
struct PushRowView {
    let href: String
    let headline: String
    let detail: String
    let audience: String
    let state: PushStateView
    let taken: InstantView
    /// `dev` for the development certificate, else empty.
    let environment: String

    init(_ push: PushSummary, for viewer: Viewer) {
        let preview = MessagePreview(push.order.data, in: viewer.language)
        href = "/console/pushes/" + push.order.objectID.addressPart
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText(in: viewer.language)
        state = PushStateView(push, in: viewer.language)
        taken = InstantView(push.createdAt, for: viewer)
        environment = push.order.environment == "dev" ? "dev" : ""
    }
}

/// A list of pushes.
struct PushListView {
    let pushes: [PushRowView]
    /// The way to the older ones; empty when there are none.
    let older: String
    /// Whether this is not the first page.
    let isLater: Bool
}

/// How far a push is, with its counters.
struct PushStateView {
    let word: String
    /// The look of the word: `good`, `busy`, `bad`, `still`.
    let tone: String
    let devices: String
    let successes: String
    let invalidTokens: String
    /// Devices whose answer from Apple was lost; empty when there are none.
    let inDoubt: String
    /// For the bar: how many of how many.
    let succeeded: Int64
    let reached: Int64
    /// The counters of single ways of sending that are not 0.
    let ways: [Way]
    let problem: String
    let hasRecord: Bool

    struct Way {
        let name: String
        let count: String
    }

    init(_ push: PushSummary, in language: Language) {
        (word, tone) = Self.word(push, in: language)
        devices = push.count("devices").grouped
        successes = push.count("successes").grouped
        invalidTokens = push.count("invalidTokens").grouped
        inDoubt = push.count("inDoubt") > 0 ? push.count("inDoubt").grouped : ""
        succeeded = push.count("successes")
        reached = max(push.count("devices"), 1)
        ways = (push.record?.object ?? [:]).compactMap { key, value in
            guard key.hasSuffix("Successes"), let count = value.integer, count > 0 else { return nil }
            return Way(
                name: Self.name(ofWay: String(key.dropLast("Successes".count)), in: language), count: count.grouped)
        }.sorted { $0.name < $1.name }
        let errors = push.record?["errors"]
        problem = errors.map { $0.string ?? $0.canonicalText } ?? ""
        hasRecord = push.record != nil
    }

    private static func word(_ push: PushSummary, in language: Language) -> (String, String) {
        switch push.state {
        case "queued", "sending": (language.say(.sendingState), "busy")
        case "scheduled": (language.say(.scheduledState), "still")
        case "cancelled": (language.say(.cancelledState), "still")
        case "delivered":
            push.record?["status"] == "error" ? (language.say(.error), "bad") : (language.say(.done), "good")
        case "expired": (language.say(.expired), "bad")
        case "refused": (language.say(.refusedState), "bad")
        default: (push.state, "still")
        }
    }

    private static func name(ofWay way: String, in language: Language) -> String {
        switch way {
        case "ios": "Apple"
        case "lc": language.say(.ownChannel)
        case "fcm": "FCM"
        case "hms": language.say(.huawei)
        case "mi": language.say(.xiaomi)
        case "oppo": "OPPO"
        case "vivo": "vivo"
        case "meizu": language.say(.meizu)
        case "honor": language.say(.honor)
        default: way
        }
    }
}

/// What a push says, in two lines.
struct MessagePreview {
    let headline: String
    let detail: String

    init(_ data: JSONValue, in language: Language) {
        let note = ["ios", "android"].lazy.compactMap { platform in
            NotificationView(
                PlatformContent.content(of: data, platform: platform), isApple: platform == "ios", when: "")
        }.first
        let lines = [note?.title, note?.subtitle, note?.body].compactMap(\.self).filter { !$0.isEmpty }
        headline = (lines.first ?? language.say(.silentPush)).cut(to: 80)
        detail = lines.dropFirst().joined(separator: " · ").cut(to: 140)
    }
}

/// A push that waits for its time.
struct ScheduledView {
    let id: String
    let href: String
    let headline: String
    let detail: String
    let audience: String
    let fires: InstantView

    init(_ push: DeviceRegistry.ScheduledPush, for viewer: Viewer) {
        let preview = MessagePreview(push.order.data, in: viewer.language)
        id = String(push.id)
        href = "/console/pushes/" + push.order.objectID.addressPart
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText(in: viewer.language)
        fires = InstantView(push.fireAt, for: viewer)
    }
}

/// The list of those.
struct ScheduledListView {
    let scheduled: [ScheduledView]
    let hasMore: Bool
}
