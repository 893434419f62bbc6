internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

struct PushRowView {
    let href: String
    let headline: String
    let detail: String
    let audience: String
    let state: PushStateView
    let taken: InstantView
    /// `dev` for the development certificate, otherwise empty.
    let environment: String

    init(_ push: PushSummary, for viewer: Viewer) {
        let preview = MessagePreview(push.order.data, in: viewer.language)
        href = "/console/pushes/" + push.order.objectID.percentEncoded
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText(in: viewer.language).cut(to: 120)
        state = PushStateView(push, by: [:], in: viewer.language)
        taken = InstantView(push.createdAt, for: viewer)
        environment = push.order.environment == "dev" ? "dev" : ""
    }
}

struct PushListView {
    let pushes: [PushRowView]
    /// The place in the list of all; nil on the overview.
    let place: ListPlaceView?
    /// The link to older pushes; empty when there are none.
    let older: String
    /// True if this is not the first page.
    let isLater: Bool
}

struct PushStateView {
    let word: String
    /// The style of the word: `good`, `busy`, `bad`, `still`.
    let tone: String
    /// The number of simulated devices, in words; empty when there are none.
    let simulation: String
    let devices: String
    let successes: String
    let invalidTokens: String
    /// The number of devices whose response from Apple was lost; empty when there are none.
    let inDoubt: String
    /// The number of devices that cannot be reached; empty when there are none.
    let leftOut: String
    /// The values of the progress bar.
    let succeeded: Int64
    let reached: Int64
    /// The nonzero counters of the individual delivery channels.
    let ways: [Way]
    let problem: String
    /// The reasons why devices did not get it.
    let reasons: [ReasonRowView]
    let hasRecord: Bool

    struct Way {
        let name: String
        let count: String
    }

    /// The state of a push whose profiles have these services.
    init(_ push: PushSummary, by vendors: [String: PushVendor], in language: Language) {
        (word, tone) = Self.word(push, in: language)
        simulation = Self.simulation(push, in: language)
        devices = push.total(.devices).grouped
        successes = push.total(.successes).grouped
        invalidTokens = push.total(.invalidTokens).grouped
        inDoubt = push.total(.inDoubt) > 0 ? push.total(.inDoubt).grouped : ""
        let left = push.leftOut.values.reduce(0, +)
        leftOut = left > 0 ? left.grouped : ""
        succeeded = push.total(.successes)
        reached = max(push.total(.devices), 1)
        ways = push.successesByService(of: vendors).map { name, count in
            Way(name: Self.name(ofWay: name, in: language), count: count.grouped)
        }.sorted { $0.name < $1.name }
        reasons = ReasonRowView.all(of: push, in: language)
        // The errors of a push that ended well are its reasons in one line, in the service's language.
        let isSaid = push.status == "done" && !reasons.isEmpty
        let absent = push.absentClasses.map { language.say(.absentClass($0)) }
        problem = ([isSaid ? nil : push.errors].compactMap(\.self) + absent).joined(separator: " ")
        hasRecord = push.record != nil
    }

    /// `simulated`, with the number of simulated devices if others are real.
    private static func simulation(_ push: PushSummary, in language: Language) -> String {
        guard push.hasSimulation else { return "" }
        let word = language.say(.isSimulated)
        return push.count(.devices) == 0 ? word : language.say(.count(Int(push.simulated(.devices)), of: word))
    }

    private static func word(_ push: PushSummary, in language: Language) -> (String, String) {
        switch push.state {
        case "queued", "sending": (language.say(.sendingState), "busy")
        case "scheduled": (language.say(.scheduledState), "still")
        case "cancelled": (language.say(.cancelledState), "still")
        case "delivered":
            push.status == "error" ? (language.say(.error), "bad") : (language.say(.done), "good")
        case "expired": (language.say(.expired), "bad")
        case "refused": (language.say(.refusedState), "bad")
        case let state where state.hasPrefix("held:"): (language.say(.heldState), "still")
        default: (push.state, "still")
        }
    }

    private static func name(ofWay way: String, in language: Language) -> String {
        switch way {
        case "ios": "Apple"
        case "lc": language.say(.ownChannel)
        case "fcm": "FCM"
        case "hms": language.say(.huawei)
        case "harmony": "HarmonyOS"
        case "mi": language.say(.xiaomi)
        case "oppo": "OPPO"
        case "vivo": "vivo"
        case "meizu": language.say(.meizu)
        case "honor": language.say(.honor)
        default: way
        }
    }
}

/// The text of a push, in two lines.
struct MessagePreview {
    let headline: String
    let detail: String

    init(_ data: JSONValue, in language: Language) {
        let lines =
            ["ios", "android"].lazy.compactMap { platform in
                NotificationLook(pushed: PushData(data).content(for: platform), isApple: platform == "ios")?.lines
            }.first ?? []
        headline = (lines.first ?? language.say(.silentPush)).cut(to: 80)
        detail = lines.dropFirst().joined(separator: " · ").cut(to: 140)
    }
}

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
        href = "/console/pushes/" + push.order.objectID.percentEncoded
        headline = preview.headline
        detail = preview.detail
        audience = push.order.audienceText(in: viewer.language).cut(to: 120)
        fires = InstantView(push.fireAt, for: viewer)
    }
}

struct ScheduledListView {
    let scheduled: [ScheduledView]
    let hasMore: Bool
    let mayCancel: Bool
}

/// The days that the list of pushes is about.
struct PushFilterForm {
    let from: String
    let to: String
    /// The end of the previous page; nil on the first.
    let cursor: PushCursor?
    /// The problem with the days; empty when there is none.
    private(set) var problem = ""

    init(_ query: [String: String]) {
        from = query["from"] ?? ""
        to = query["to"] ?? ""
        cursor = query["before"].flatMap { PushCursor($0) }
    }

    /// True if a day was chosen.
    var isFiltered: Bool { !from.isEmpty || !to.isEmpty }

    /// The times from the start of the first day to the end of the last, in the viewer's zone; a day that cannot be read
    /// bounds nothing.
    func range(for viewer: Viewer) -> PushRange {
        // A day has at most 25 hours, and the next one begins within 36.
        let next = viewer.start(ofDay: to).map { viewer.day($0.advanced(bySeconds: 36 * 3600)) }
        return PushRange(start: viewer.start(ofDay: from), end: next.flatMap { viewer.start(ofDay: $0) })
    }

    /// Sets ``problem`` if a day cannot be read.
    mutating func check(for viewer: Viewer) {
        let isSound = [from, to].allSatisfy { $0.isEmpty || viewer.start(ofDay: $0) != nil }
        problem = isSound ? "" : viewer.language.say(.noSuchDay)
    }

    /// The address of the list of the same days, continuing after a push.
    func address(after cursor: PushCursor?) -> String { address(of: "/console/pushes", cursor) }

    /// The address of the same days as a file.
    var fileAddress: String { address(of: "/console/pushes.csv", nil) }

    private func address(of page: String, _ cursor: PushCursor?) -> String {
        .address(of: page, with: [("from", from), ("to", to), ("before", cursor?.text ?? "")])
    }
}

struct PushesPageView {
    let form: PushFilterForm
    let isFiltered: Bool
    let list: PushListView
    /// The sums of the chosen days; nil when none was chosen.
    let totals: PushTotalsView?
    /// The link to the first page of the same days.
    let first: String
    let file: String
}

/// The sums of the pushes of some days.
struct PushTotalsView {
    let pushes: String
    let devices: String
    let successes: String
    let invalidTokens: String
    let stoppedEarly: Bool
    /// The number of pushes whose counts are no longer kept; empty when there are none.
    let withoutRecord: String

    init(_ totals: PushTotals) {
        pushes = totals.pushes.grouped
        devices = totals.devices.grouped
        successes = totals.successes.grouped
        invalidTokens = totals.invalidTokens.grouped
        stoppedEarly = totals.stoppedEarly
        withoutRecord = totals.withoutRecord == 0 ? "" : totals.withoutRecord.grouped
    }
}
