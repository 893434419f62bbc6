internal import DeviceRegistry
internal import JSONValue

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

    init(_ push: PushSummary, at now: Timestamp) {
        let preview = MessagePreview(push.order.data)
        href = "/console/pushes/" + push.order.objectID.addressPart
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText
        state = PushStateView(push)
        taken = InstantView(push.createdAt, from: now)
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

    init(_ push: PushSummary) {
        (word, tone) = Self.word(push)
        devices = push.count("devices").grouped
        successes = push.count("successes").grouped
        invalidTokens = push.count("invalidTokens").grouped
        inDoubt = push.count("inDoubt") > 0 ? push.count("inDoubt").grouped : ""
        succeeded = push.count("successes")
        reached = max(push.count("devices"), 1)
        ways = (push.record?.object ?? [:]).compactMap { key, value in
            guard key.hasSuffix("Successes"), let count = value.integer, count > 0 else { return nil }
            return Way(name: Self.name(ofWay: String(key.dropLast("Successes".count))), count: count.grouped)
        }.sorted { $0.name < $1.name }
        let errors = push.record?["errors"]
        problem = errors.map { $0.string ?? $0.canonicalText } ?? ""
        hasRecord = push.record != nil
    }

    private static func word(_ push: PushSummary) -> (String, String) {
        switch push.state {
        case "queued", "sending": ("sending", "busy")
        case "scheduled": ("scheduled", "still")
        case "cancelled": ("cancelled", "still")
        case "delivered": push.record?["status"] == "error" ? ("error", "bad") : ("done", "good")
        case "expired": ("expired", "bad")
        case "refused": ("refused", "bad")
        default: (push.state, "still")
        }
    }

    private static func name(ofWay way: String) -> String {
        switch way {
        case "ios": "Apple"
        case "lc": "Own channel"
        case "fcm": "FCM"
        case "hms": "Huawei"
        case "mi": "Xiaomi"
        case "oppo": "OPPO"
        case "vivo": "vivo"
        case "meizu": "Meizu"
        case "honor": "Honor"
        default: way
        }
    }
}

/// What a push says, in two lines.
struct MessagePreview {
    let headline: String
    let detail: String

    init(_ data: JSONValue) {
        let note = ["ios", "android"].lazy.compactMap { platform in
            NotificationView(
                PlatformContent.content(of: data, platform: platform), isApple: platform == "ios", when: "")
        }.first
        let lines = [note?.title, note?.subtitle, note?.body].compactMap(\.self).filter { !$0.isEmpty }
        headline = (lines.first ?? "Silent push").cut(to: 80)
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

    init(_ push: ScheduledPush, at now: Timestamp) {
        let preview = MessagePreview(push.order.data)
        id = String(push.id)
        href = "/console/pushes/" + push.order.objectID.addressPart
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText
        fires = InstantView(push.fireAt, from: now)
    }
}

/// The list of those.
struct ScheduledListView {
    let scheduled: [ScheduledView]
    let hasMore: Bool
}
