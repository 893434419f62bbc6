internal import DeviceRegistry
internal import JSONValue

/// One look at a page.
struct Visit {
    let request: WebRequest
    let sessionID: String?
    let session: SessionStore.Session
    let now: Timestamp
}

extension Console {
    /// How many pushes a page of their list has.
    static let pushesPerPage = 25
    /// How many devices a page of their list has.
    static let devicesPerPage = 25

    private var parts: LiveParts {
        LiveParts(registry: registry, application: configuration.applicationID, clock: clock)
    }

    /// The frame of a page; without a visit nobody is logged in.
    func frame(_ title: String, _ visit: Visit?, events: EventHub.Topic? = nil) -> PageFrame {
        let section = visit.map { Array($0.request.path.dropFirst()).first ?? "" }
        return PageFrame(
            title: title, application: configuration.applicationID, token: visit?.session.token ?? "",
            isLoggedIn: visit != nil, isOverview: section == "", isPushes: section == "pushes",
            isInstallations: section == "installations",
            isSimulated: visit != nil && configuration.apple == nil,
            notice: sessions.takeNotice(for: visit?.sessionID).map(NoticeView.init), events: events?.address,
            clock: ClockView(visit?.now ?? clock.now))
    }

    /// A page that only says something.
    func message(_ status: Int, _ heading: String, _ text: String, _ visit: Visit?) -> WebResponse {
        let view = PageView(frame: frame(heading, visit), content: MessageView(heading: heading, text: text))
        return .page(Templates.shared.render(.message, view), status: status)
    }

    /// `GET /console`.
    func overview(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let content = try await parts.overview(at: visit.now)
        let view = PageView(frame: frame("Overview", visit, events: .overview), content: content)
        return .page(Templates.shared.render(.overview, view))
    }

    /// `GET /console/pushes`.
    func pushes(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let before = visit.request.query["before"].flatMap { Int64($0) }
        let content = try await parts.pushes(before: before, at: visit.now)
        let view = PageView(frame: frame("Pushes", visit, events: before == nil ? .pushes : nil), content: content)
        return .page(Templates.shared.render(.pushes, view))
    }

    /// `GET /console/pushes/:objectId`.
    func push(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let push = try await registry.push(objectID: objectID, at: visit.now) else {
            return message(404, "There is no such push", "None has the id \(objectID.cut(to: 64)).", visit)
        }
        let recipients = try await registry.recipients(ofPush: push.row, limit: PushPageView.mostRecipients)
        let content = PushPageView(
            push, recipients: recipients, app: configuration.applicationID, at: visit.now)
        let view = PageView(
            frame: frame(content.headline, visit, events: .push(objectID: objectID)), content: content)
        return .page(Templates.shared.render(.push, view))
    }

    /// `GET /console/installations`.
    func installations(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = FilterForm(visit.request.query)
        let cursor = visit.request.query["after"].flatMap { InstallationCursor($0) }
        var page = InstallationPage.empty
        if let filter = form.filter() {
            do throws(RegistryError) {
                page = try await registry.installations(filter, after: cursor, limit: Self.devicesPerPage)
            } catch {
                if error.isInternal || filter.condition == nil { throw error }
                form.problem = error.description
            }
        }
        let content = InstallationListView(form, page, isLater: cursor != nil, at: visit.now)
        let view = PageView(frame: frame("Installations", visit), content: content)
        return .page(Templates.shared.render(.installations, view), status: form.problem.isEmpty ? 200 : 400)
    }

    /// `GET /console/installations/:objectId`.
    func device(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let screen = try await registry.screen(ofDevice: objectID, limit: LiveParts.mostMessages) else {
            return message(404, "There is no such device", "None has the id \(objectID.cut(to: 64)).", visit)
        }
        let app = configuration.applicationID
        let content = DevicePageView(
            device: DeviceView(screen.device, at: visit.now),
            screen: DeviceScreenView(screen, app: app, at: visit.now))
        let name = "\(content.screen.phone.name) \(content.screen.phone.short)"
        let view = PageView(frame: frame(name, visit, events: .device(objectID: objectID)), content: content)
        return .page(Templates.shared.render(.device, view))
    }
}
