internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// One request for a page.
struct Visit {
    let request: WebRequest
    let sessionID: String?
    let session: SessionStore.Session
    let now: Instant

    /// The language of the browser.
    var language: Language { request.language }

    /// True if the person may send, cancel and see whole tokens.
    var mayAct: Bool { session.role == .master }

    var viewer: Viewer { Viewer(now: now, language: language, zone: request.zone, mayAct: mayAct) }
}

extension Console {
    /// The number of pushes on a page of their list.
    static let pushesPerPage = 25
    /// The number of devices on a page of their list.
    static let devicesPerPage = 25

    var parts: LiveParts {
        LiveParts(
            registry: registry, isSimulated: configuration.apple == nil, census: census, app: app, clock: clock)
    }

    /// The frame of a page; without a visit nobody is logged in.
    func frame(
        _ title: String, _ visit: Visit?, in language: Language, events: EventHub.Topic? = nil
    ) -> PageFrame {
        let section = visit.map { Array($0.request.path.dropFirst()).first ?? "" }
        return PageFrame(
            title: title, application: configuration.applicationID, token: visit?.session.token ?? "",
            isLoggedIn: visit != nil, isOverview: section == "", isPushes: section == "pushes",
            isInstallations: section == "installations",
            isSimulated: visit != nil && configuration.apple == nil,
            notice: visit?.session.notice.map(NoticeView.init), events: events?.address,
            mayAct: visit?.mayAct ?? false, search: section == "installations" ? visit?.request.query["q"] ?? "" : "",
            zone: visit.map { ZoneForm(zone: $0.viewer.zoneName, back: $0.request.address) },
            icons: visit == nil ? "" : NotificationDrawing.definitions(of: app(), iconAt: "/console/app-icon"),
            clock: ClockView(for: visit?.viewer ?? Viewer(now: clock.now, language: language)))
    }

    /// A page that shows only a message.
    func message(
        _ status: Int, _ heading: Phrase, _ text: String, _ language: Language, _ visit: Visit?
    ) -> WebResponse {
        let heading = language.say(heading)
        let view = PageView(
            frame: frame(heading, visit, in: language), content: MessageView(heading: heading, text: text))
        return .page(Templates[language].render(.message, view), status: status)
    }

    /// `GET /console`.
    func overview(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let days = visit.request.query["days"] == String(ChartsView.long) ? ChartsView.long : ChartsView.short
        let figures = try await registry.dayFigures(between: ChartsView.boundaries(days: days, for: visit.viewer))
        let content = OverviewPageView(
            overview: try await parts.overview(for: visit.viewer), trend: ChartsView(figures, for: visit.viewer),
            counted: ((try? await deliveries.value) ?? []).map { CountedDeliveryView($0, for: visit.viewer) })
        let view = PageView(
            frame: frame(visit.language.say(.overview), visit, in: visit.language, events: .overview), content: content)
        return .page(Templates[visit.language].render(.overview, view))
    }

    /// `GET /console/pushes/:objectId`.
    func push(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let push = try await registry.push(objectID: objectID, at: visit.now) else {
            let text = visit.language.say(.noneHasID(objectID.cut(to: 64)))
            return message(404, .noSuchPush, text, visit.language, visit)
        }
        let recipients = try await registry.recipients(ofPush: push.row, limit: PushPageView.mostRecipients)
        let entry = try await registry.ledgerEntry(of: push.order, createdAt: push.createdAt)
        let content = PushPageView(
            push, entry: entry, recipients: recipients, isSimulated: configuration.apple == nil, app: app(),
            for: visit.viewer)
        let view = PageView(
            frame: frame(content.headline, visit, in: visit.language, events: .push(objectID: objectID)),
            content: content)
        return .page(Templates[visit.language].render(.push, view))
    }
}
