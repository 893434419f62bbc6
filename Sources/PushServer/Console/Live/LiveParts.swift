internal import DeviceRegistry
internal import Base
internal import Push

/// The changing parts of open pages: read once for all viewers, and rendered by the same templates as the pages.
struct LiveParts: Sendable {
    let registry: Registry
    /// True if no push leaves this server.
    let isSimulated: Bool
    let census: MinuteCache<DeviceCensus>
    let app: @Sendable () -> ShownApp
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
            parts["live-state"] = templates.render(.pushState, PushStateView(push, in: viewer.language))
        case .device(let objectID):
            guard let screen = try await registry.screen(ofDevice: objectID, limit: Self.mostMessages) else { break }
            parts["live-screen"] = templates.render(
                .deviceScreen, DeviceScreenView(screen, app: app(), for: viewer))
        }
        return parts
    }

    /// The current overview.
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

    /// A page of the list of pushes.
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
