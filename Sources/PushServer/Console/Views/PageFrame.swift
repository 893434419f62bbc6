internal import Base
internal import DeviceRegistry
internal import Push
internal import PushReport

struct PageFrame {
    let title: String
    /// The app's id.
    let application: String
    /// The token that forms send; empty without a session.
    let token: String
    let isLoggedIn: Bool
    let isOverview: Bool
    let isPushes: Bool
    let isInstallations: Bool
    /// True if somebody is logged in and all of the server's devices are simulated.
    let isSimulated: Bool
    /// The outcome of the last action.
    let notice: Notice?
    /// The address of the page's event stream; `nil` when nothing on the page changes.
    let events: String?
    /// True if the person may send and cancel.
    var mayAct = true
    var search = ""
    /// The form for the time zone; nil without a session.
    var zone: ZoneForm?
    /// The element to which the drawings of phones refer; empty when they need none.
    var icons = ""
    let clock: ClockView
    let styleVersion = StaticFile.style.version
    let scriptVersion = StaticFile.script.version
    let iconVersion = StaticFile.icon.version
}

struct PageView<Content> {
    let frame: PageFrame
    let content: Content
}

/// The server's time.
struct ClockView {
    let iso: String
    let day: String
    let time: String
    let zone: String

    init(for viewer: Viewer) {
        iso = viewer.now.isoText
        let local = viewer.local(viewer.now)
        day = viewer.language.day(local)
        time = String(viewer.language.dayAndTime(local).suffix(8))
        zone = viewer.zoneName
    }
}

/// A point in time, exact and relative to now.
struct InstantView {
    let iso: String
    /// The day and the time in the viewer's zone, with its name.
    let text: String
    let distance: String

    init(_ instant: Instant, for viewer: Viewer) {
        iso = instant.isoText
        text = viewer.language.dayAndTime(viewer.local(instant)) + " " + viewer.zoneName
        distance = instant.distance(for: viewer)
    }
}

struct ZoneForm {
    let zone: String
    /// The address of the page.
    let back: String
    /// The zones that the browser offers.
    let zones = [
        "UTC", "America/Los_Angeles", "America/New_York", "Europe/London", "Europe/Berlin", "Asia/Kolkata",
        "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney",
    ]
}

struct MessageView {
    let heading: String
    let text: String
}

struct LoginView {
    /// The problem with the last attempt; empty at first.
    let problem: String
}

/// The viewer of a page: the time, the language, the time zone, and the person's rights.
struct Viewer: Sendable {
    let now: Instant
    let language: Language
    /// The time zone of the times on the page; nil for UTC.
    var zone: ZoneClock?
    /// True if the person may send, cancel and see whole tokens.
    var mayAct = true
}

extension Instant {
    /// `12:00`, in the viewer's zone.
    func hourAndMinute(for viewer: Viewer) -> String { String(viewer.local(self).isoText.dropFirst(11).prefix(5)) }

    var instant: Instant { Instant(milliseconds: milliseconds) }

    /// `Saturday, 21 November`, in the viewer's zone.
    func weekdayAndDay(for viewer: Viewer) -> String {
        let (weekday, month, day) = viewer.local(self).date
        return viewer.language.say(.weekdayAndDay(weekday: weekday, month: month, day: day))
    }

    /// The time relative to now, in the largest unit that fits: `now`, `5 min ago`, `in 2 h`, `3 d ago`.
    func distance(for viewer: Viewer) -> String {
        let seconds = Int((milliseconds - viewer.now.milliseconds) / 1000)
        let (amount, isPast) = (abs(seconds), seconds < 0)
        let phrase: Phrase =
            switch amount {
            case ..<60: isPast || seconds == 0 ? .now : .inAMoment
            case ..<3600: isPast ? .minutesAgo(amount / 60) : .inMinutes(amount / 60)
            case ..<86_400: isPast ? .hoursAgo(amount / 3600) : .inHours(amount / 3600)
            default: isPast ? .daysAgo(amount / 86_400) : .inDays(amount / 86_400)
            }
        return viewer.language.say(phrase)
    }
}

extension Viewer {
    var zoneName: String { zone?.name ?? "UTC" }

    /// An instant whose words in UTC are those of the zone's clock at another.
    func local(_ instant: Instant) -> Instant {
        instant.advanced(bySeconds: Double(zone?.offset(at: instant) ?? 0))
    }

    /// The day of an instant, such as `2026-11-21`.
    func day(_ instant: Instant) -> String { String(local(instant).isoText.prefix(10)) }

    /// The start of a day in the zone; nil when the text is not a day such as `2026-11-21`.
    func start(ofDay text: String) -> Instant? {
        guard text.utf8.count == 10, let midnight = Instant(iso: text + "T00:00:00.000Z") else { return nil }
        // The offset may be another at the start of the day than at that time of UTC.
        let guess = midnight.advanced(bySeconds: -Double(zone?.offset(at: midnight) ?? 0))
        return midnight.advanced(bySeconds: -Double(zone?.offset(at: guess) ?? 0))
    }
}

extension String {
    /// The address of a page with the parameters that are not empty.
    static func address(of page: String, with parameters: [(String, String)]) -> String {
        let query = parameters.filter { !$0.1.isEmpty }.map { $0.0 + "=" + $0.1.percentEncoded }
        return page + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// A token or id shortened to its beginning and end: enough to tell devices apart, useless to a thief.
    var shortened: String {
        count > 14 ? "\(prefix(8))…\(suffix(4))" : self
    }

    /// The text cut to at most `length` characters, with an ellipsis if there were more.
    func cut(to length: Int) -> String {
        count > length ? prefix(length - 1) + "…" : self
    }
}

extension JSONValue {
    /// The value with every device token and id shortened, fit to be shown on a page.
    var withShortTokens: JSONValue {
        switch self {
        case .object(let members):
            .object(
                JSONObject(
                    members.lazy.map { key, value in
                        (key, Self.tokenKeys.contains(key) ? value.shortenedTexts : value.withShortTokens)
                    }))
        case .array(let elements): .array(elements.map(\.withShortTokens))
        case .null, .bool, .integer, .number, .string: self
        }
    }

    private static let tokenKeys: Set<String> = ["deviceToken", "installationId", "registrationId"]

    private var shortenedTexts: JSONValue {
        switch self {
        case .string(let text): .string(text.shortened)
        case .array(let elements): .array(elements.map(\.shortenedTexts))
        case .object(let members): .object(members.mapValues { $0.shortenedTexts })
        case .null, .bool, .integer, .number: self
        }
    }
}

/// The changing parts of open pages: read once for all viewers, and rendered by the same templates as the pages.
struct LiveParts: Sendable {
    let registry: Registry
    /// True if no push leaves this server.
    let isSimulated: Bool
    /// The devices by group: counting reads all of them, so it takes at most a hundredth of the time.
    let census: MinuteCache<DeviceCensus>
    /// The app on phones; it changes with the workspace.
    let app: @Sendable () -> ShownApp
    /// The services of the workspace's profiles.
    let vendors: @Sendable () -> [String: PushVendor]
    let clock: ServerClock

    /// The number of pushes on the overview; scheduled ones are limited separately.
    private static let mostPushes = 8
    private static let mostScheduled = 50
    /// The number of messages in the inbox on a device's page.
    static let mostMessages = 50

    /// The HTML of a topic's parts, by the ids of their elements.
    func render(_ subject: EventHub.Subject) async throws(RegistryError) -> [String: String] {
        let viewer = Viewer(now: clock.now, language: subject.language, zone: subject.zone, mayAct: subject.mayAct)
        let templates = Templates[subject.language]
        var parts = ["live-clock": templates.render(.clock, ClockView(for: viewer))]
        switch subject.topic {
        case .overview:
            let view = try await overview(for: viewer)
            parts["live-summary"] = templates.render(.summary, view.summary)
            parts["live-news"] = templates.render(.news, view.summary)
            parts["live-phones"] = templates.render(.phones, view)
            parts["live-pushes"] = templates.render(.pushRows, view.list)
            parts["live-scheduled"] = templates.render(.scheduled, view.waiting)
        case .pushes:
            parts["live-pushes"] = templates.render(.pushRows, try await pushes(PushFilterForm([:]), for: viewer))
        case .push(let objectID):
            guard let push = try await registry.push(objectID: objectID, at: viewer.now) else { break }
            parts["live-state"] = templates.render(.pushState, PushStateView(push, by: vendors(), in: viewer.language))
        case .device(let objectID):
            guard let screen = try await registry.screen(ofDevice: objectID, limit: Self.mostMessages) else { break }
            parts["live-screen"] = templates.render(.deviceScreen, DeviceScreenView(screen, app: app(), for: viewer))
        }
        return parts
    }

    func overview(for viewer: Viewer) async throws(RegistryError) -> OverviewView {
        // Counting may take longer than the database lets a statement run: the rest of the page does not depend on it.
        let census = try? await census.value
        let waiting = try await registry.nextScheduledPushes(limit: Self.mostScheduled)
        let newest = try await registry.newestPushes(limit: Self.mostPushes, at: viewer.now)
        let app = app()
        let screens = try await registry.sampleScreens(apple: 3, others: 1, limit: PhoneView.mostRead)
        let rows = newest.map { PushRowView($0, for: viewer) }
        // A push that still waits or was cancelled has no results to show.
        let last = newest.first { $0.state != "scheduled" && $0.state != "cancelled" }
        return OverviewView(
            summary: SummaryView(
                groups: census.map { DeviceGroupView.all(of: $0, isSimulated: isSimulated, in: viewer.language) } ?? [],
                newest: last.map { PushRowView($0, for: viewer) }),
            phones: screens.map { PhoneView($0, app: app, for: viewer) },
            list: PushListView(pushes: rows, place: nil, older: "", isLater: false),
            waiting: ScheduledListView(
                scheduled: waiting.pushes.map { ScheduledView($0, for: viewer) }, hasMore: waiting.hasMore,
                mayCancel: viewer.mayAct))
    }

    func pushes(_ form: PushFilterForm, for viewer: Viewer) async throws(RegistryError) -> PushListView {
        let limit = Console.pushesPerPage
        let found = try await registry.newestPushes(
            in: form.range(for: viewer), after: form.cursor, limit: limit + 1, at: viewer.now)
        let count = try await registry.pushCount(in: form.range(for: viewer), upTo: form.cursor)
        let older = found.count > limit ? form.address(after: PushCursor(after: found[limit - 1])) : ""
        return PushListView(
            pushes: found.prefix(limit).map { PushRowView($0, for: viewer) },
            place: ListPlaceView(min(found.count, limit), after: count.before, of: count.all, perPage: limit),
            older: older, isLater: form.cursor != nil)
    }
}

extension EventHub.Topic {
    /// The address of the topic's event stream.
    var address: String {
        switch self {
        case .overview: "/console/events?page=overview"
        case .pushes: "/console/events?page=pushes"
        case .push(let objectID): "/console/events?page=push&id=\(objectID.percentEncoded)"
        case .device(let objectID): "/console/events?page=device&id=\(objectID.percentEncoded)"
        }
    }

    /// The topic that a query names; `nil` when it names none.
    init?(_ query: [String: String]) {
        switch (query["page"], query["id"]) {
        case ("overview", _): self = .overview
        case ("pushes", _): self = .pushes
        case ("push", let id?) where id.utf8.count <= 128: self = .push(objectID: id)
        case ("device", let id?) where id.utf8.count <= 128: self = .device(objectID: id)
        default: return nil
        }
    }
}
