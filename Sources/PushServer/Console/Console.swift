internal import Base
internal import DeviceRegistry
internal import Logging
internal import Push
internal import PushReport

/// The console at `/console`, where holders of the master key, or of the key for looking, see the registry and
/// the results of its pushes.
///
/// Every page is complete without the script, which only replaces the parts that change. Nothing is shown without a
/// session, and nothing is changed without the session's token.
struct Console: Sendable {
    let api: API
    let credentials: Credentials
    let sessions: SessionStore
    let limiter = LoginLimiter()
    let hub: EventHub
    let parts: LiveParts

    var registry: Registry { api.registry }
    var clock: ServerClock { api.clock }

    /// The largest form the console accepts, in bytes.
    static let bodyLimit = 16 * 1024

    /// Creates a console.
    ///
    /// - Parameters:
    ///   - api: what shows the registry, sends, cancels and decides.
    ///   - interval: the interval between updates to open pages.
    ///   - app: the app as a workspace names it, with which it changes; nil for the app's id.
    ///   - vendors: the services of the workspace's profiles.
    init(
        _ api: API, interval: Duration = .seconds(1), app: @escaping @Sendable () -> ShownApp?,
        vendors: @escaping @Sendable () -> [String: PushVendor]
    ) {
        self.api = api
        sessions = SessionStore(api.registry, api.configuration)
        credentials = Credentials(api.configuration)
        let parts = LiveParts(
            registry: api.registry, isSimulated: api.configuration.apple == nil,
            census: MinuteCache(least: .zero) { () throws(RegistryError) in
                try await api.registry.census(at: api.clock.now)
            },
            app: { app() ?? ShownApp(name: api.configuration.applicationID) }, vendors: vendors, clock: api.clock)
        self.parts = parts
        hub = EventHub(interval: interval, news: { api.registry.news() }) { subject in
            do throws(RegistryError) {
                return try await parts.render(subject)
            } catch {
                api.logger.error("the console could not check for changes: \(error.description)")
                return [:]
            }
        }
    }

    /// Ends the event streams of all open pages and opens no more: a stopping server waits for its responses to end.
    func stop() {
        hub.stop()
    }

    func respond(_ request: WebRequest) async -> WebResponse {
        do throws(RegistryError) {
            return try await route(request)
        } catch {
            if error.isInternal { api.logger.error("\(error.description)") }
            let language = request.language
            let text = error.isInternal ? language.say(.wentWrong) : error.description
            let status = error.isForLackOfRoom ? 503 : error.isInternal ? 500 : 400
            return message(status, .didNotWork, text, language, nil)
        }
    }

    private func route(_ request: WebRequest) async throws(RegistryError) -> WebResponse {
        let path = Array(request.path.dropFirst())
        let isReading = request.method == "GET" || request.method == "HEAD"
        guard isReading || request.method == "POST" else {
            var refusal = WebResponse.text(405, "This method is not used here.")
            refusal.headers.append(("Allow", "GET, HEAD, POST"))
            return refusal
        }
        if isReading, path.count == 1, let file = StaticFile.named(path[0], parts.app()) {
            return answer(file, request)
        }
        if !isReading {
            guard request.isFromThisSite else { return .text(403, "Another site sent this form.") }
            guard request.body.count <= Self.bodyLimit else { return .text(413, "The form is too large.") }
        }
        if path == ["login"] { return try await isReading ? loginPage(request) : logIn(request) }
        let id = request.cookie(SessionStore.cookieName)
        if path == ["events"], isReading { return try await events(request, id) }
        // A file shows no notice.
        let isPage = isReading && !(path.first?.hasSuffix(".csv") ?? false)
        guard let session = try await sessions.use(id, at: clock.now, taking: isPage) else {
            return .redirect(to: "/console/login")
        }
        return try await isReading
            ? page(path, request, id, session) : act(path, request, id, session)
    }

    private func page(
        _ path: [String], _ request: WebRequest, _ id: String?, _ session: SessionStore.Session
    ) async throws(RegistryError) -> WebResponse {
        let visit = Visit(request: request, sessionID: id, session: session, now: clock.now)
        switch path.first {
        case nil: return try await overview(visit)
        case "pushes.csv" where path.count == 1: return try await pushesFile(visit)
        case "installations.csv" where path.count == 1: return try await installationsFile(visit)
        case "pushes" where path.count == 1: return try await pushes(visit)
        case "pushes" where path.count == 2: return try await push(path[1], visit)
        case "installations" where path.count == 1: return try await installations(visit)
        case "installations" where path.count == 2: return try await device(path[1], visit)
        default: return message(404, .noSuchPage, visit.language.say(.leadsNowhere), visit.language, visit)
        }
    }

    private func answer(_ file: StaticFile, _ request: WebRequest) -> WebResponse {
        let tag = "\"\(file.version)\""
        let isCurrent = request.query["v"] == file.version
        let caching = isCurrent ? "public, max-age=31536000, immutable" : "public, no-cache"
        let isKnown = request.headers["if-none-match"] == tag
        var response = WebResponse(
            isKnown ? 304 : 200, type: file.type, caching: caching, body: .bytes(isKnown ? [] : file.bytes))
        response.headers.append(("ETag", tag))
        return response
    }

    private func events(_ request: WebRequest, _ id: String?) async throws(RegistryError) -> WebResponse {
        guard let id, let role = try await sessions.role(id, at: clock.now) else { return .text(401, "Log in first.") }
        guard let topic = EventHub.Topic(request.query) else { return .text(404, "There is no such page.") }
        let (sessions, clock) = (sessions, clock)
        guard
            let stream = hub.open(
                .init(topic: topic, language: request.language, mayAct: role == .master, zone: request.zone),
                while: { (try? await sessions.role(id, at: clock.now)) != nil })
        else {
            var refusal = WebResponse.text(503, "Too many pages are open.")
            refusal.headers.append(("Retry-After", "30"))
            return refusal
        }
        var response = WebResponse(200, type: "text/event-stream; charset=utf-8", body: .events(stream))
        // A buffering proxy would hold back the events.
        response.headers.append(("X-Accel-Buffering", "no"))
        return response
    }
}

// MARK: - Pages

struct Visit {
    let request: WebRequest
    let sessionID: String?
    let session: SessionStore.Session
    let now: Instant

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

    /// A page in its frame; without a visit nobody is logged in.
    func render<Content>(
        _ page: Templates.Template, _ title: String, _ content: Content, _ visit: Visit?, in language: Language,
        status: Int = 200, events: EventHub.Topic? = nil
    ) -> WebResponse {
        let section = visit.map { Array($0.request.path.dropFirst()).first ?? "" }
        let frame = PageFrame(
            title: title, application: api.configuration.applicationID, token: visit?.session.token ?? "",
            isLoggedIn: visit != nil, isOverview: section == "", isPushes: section == "pushes",
            isInstallations: section == "installations",
            isSimulated: visit != nil && parts.isSimulated,
            notice: visit?.session.notice, events: events?.address,
            mayAct: visit?.mayAct ?? false, search: section == "installations" ? visit?.request.query["q"] ?? "" : "",
            zone: visit.map { ZoneForm(zone: $0.viewer.zoneName, back: $0.request.address) },
            icons: visit == nil ? "" : NotificationDrawing.definitions(of: parts.app(), iconAt: "/console/app-icon"),
            clock: ClockView(for: visit?.viewer ?? Viewer(now: clock.now, language: language)))
        return .page(Templates[language].render(page, PageView(frame: frame, content: content)), status: status)
    }

    func message(
        _ status: Int, _ heading: Phrase, _ text: String, _ language: Language, _ visit: Visit?
    ) -> WebResponse {
        let heading = language.say(heading)
        let content = MessageView(heading: heading, text: text)
        return render(.message, heading, content, visit, in: language, status: status)
    }

    /// `GET /console`.
    func overview(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let days = visit.request.query["days"] == String(ChartsView.long) ? ChartsView.long : ChartsView.short
        let figures = try await registry.dayFigures(between: ChartsView.boundaries(days: days, for: visit.viewer))
        let overview = try await parts.overview(for: visit.viewer)
        let counted = (try? await api.intake.deliveries.value) ?? []
        let content = OverviewPageView(
            overview: overview, trend: ChartsView(figures, for: visit.viewer),
            counted: counted.map { CountedDeliveryView($0, for: visit.viewer) })
        return render(
            .overview, visit.language.say(.overview), content, visit, in: visit.language, events: .overview)
    }

    /// `GET /console/pushes/:objectId`.
    func push(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let push = try await registry.push(objectID: objectID, at: visit.now) else {
            let text = visit.language.say(.noneHasID(objectID.cut(to: 64)))
            return message(404, .noSuchPush, text, visit.language, visit)
        }
        let recipients = try await registry.recipients(ofPush: push.row, limit: PushPageView.mostRecipients)
        let entry = try await registry.ledgerEntry(of: push.order, createdAt: push.createdAt)
        let stop = try await Journal(registry).stop(of: objectID, in: DeliveryFreeze.ofServer)
        let content = PushPageView(
            push, entry: entry, recipients: recipients, isSimulated: parts.isSimulated, app: parts.app(),
            by: parts.vendors(), stop: stop, for: visit.viewer)
        return render(
            .push, content.headline, content, visit, in: visit.language, events: .push(objectID: objectID))
    }
}

// MARK: - Lists

extension Console {
    /// The most rows of a file of pushes.
    static let mostPushRows = 10_000
    /// The most rows of a file of devices.
    static let mostDeviceRows = 5000

    /// `GET /console/pushes`.
    func pushes(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = PushFilterForm(visit.request.query)
        form.check(for: visit.viewer)
        let isLive = !form.isFiltered && form.cursor == nil
        let totals = form.isFiltered ? try await registry.totals(of: form.range(for: visit.viewer), at: visit.now) : nil
        let content = PushesPageView(
            form: form, isFiltered: form.isFiltered, list: try await parts.pushes(form, for: visit.viewer),
            totals: totals.map(PushTotalsView.init), first: form.address(after: nil), file: form.fileAddress)
        return render(
            .pushes, visit.language.say(.pushes), content, visit, in: visit.language,
            status: form.problem.isEmpty ? 200 : 400, events: isLive ? .pushes : nil)
    }

    /// `GET /console/pushes.csv`: the newest pushes of the chosen days.
    func pushesFile(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        let range = PushFilterForm(visit.request.query).range(for: visit.viewer)
        let pushes = try await registry.newestPushes(in: range, limit: Self.mostPushRows, at: visit.now)
        var file = CSVFile([
            "createdAt", "objectId", "notificationId", "state", "title", "text", "audience", "environment", "devices",
            "successes", "invalidTokens", "inDoubt", "simulatedDevices",
        ])
        for push in pushes {
            let preview = MessagePreview(push.order.data, in: visit.language)
            let figures = PushSummary.Counter.allCases.map { push.record == nil ? "" : String(push.total($0)) }
            file.add(
                [
                    push.createdAt.isoText, push.order.objectID, push.order.notificationID, push.state,
                    preview.headline, preview.detail, push.order.audienceText(in: visit.language),
                    push.order.environment,
                ] + figures + [push.record == nil ? "" : String(push.simulated(.devices))])
        }
        return .csv(file, named: "pushes")
    }

    /// `GET /console/installations.csv`: the devices that fit the filter, among those that one search may examine.
    func installationsFile(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = FilterForm(visit.request.query)
        var page = InstallationPage.empty
        if let filter = form.filter(at: visit.now, in: visit.language) {
            page = try await registry.installations(filter, limit: Self.mostDeviceRows)
        }
        let problem = form.problem + form.fieldProblem
        guard problem.isEmpty else { return message(400, .didNotWork, problem, visit.language, visit) }
        let texts = ["deviceType", "deviceToken", "installationId", "deviceProfile"]
        var file = CSVFile(["objectId", "createdAt", "updatedAt"] + texts + ["valid", "channels"])
        for device in page.objects {
            let fields = visit.mayAct ? device.fields : JSONValue.object(device.fields).withShortTokens.object ?? [:]
            file.add(
                [device.objectID, device.createdAt.isoText, device.updatedAt.isoText]
                    + texts.map { fields[$0]?.string ?? "" }
                    + [
                        fields["valid"]?.bool.map { $0 ? "true" : "false" } ?? "",
                        DeviceView.channels(device).joined(separator: " "),
                    ])
        }
        return .csv(file, named: "installations")
    }
}

// MARK: - Devices

extension Console {
    /// The number of failures on a device's page.
    static let mostFailures = 50

    /// `GET /console/installations`: the devices that fit a filter, or that were searched for.
    func installations(_ visit: Visit) async throws(RegistryError) -> WebResponse {
        var form = FilterForm(visit.request.query)
        let cursor = visit.request.query["after"].flatMap { InstallationCursor($0) }
        var page = InstallationPage.empty
        var death: Instant?
        var count = ListCount(0)
        if let filter = form.filter(at: visit.now, in: visit.language) {
            do throws(RegistryError) {
                let found = form.isSearchOnly && cursor == nil ? try await find(form.search) : nil
                if let device = found?.exact {
                    return .redirect(to: "/console/installations/" + device.objectID.percentEncoded)
                }
                if let objects = found?.objects, !objects.isEmpty {
                    page = InstallationPage(found: objects)
                    count = ListCount(objects.count, isAtLeast: objects.count == Self.devicesPerPage)
                } else {
                    page = try await registry.installations(filter, after: cursor, limit: Self.devicesPerPage)
                    count = try await self.count(filter, form)
                    if case .text(let text) = DeviceSearch(form.search) {
                        death = try await registry.deathOfToken(text)
                    }
                }
            } catch {
                if error.isInternal || filter.condition == nil { throw error }
                form.problem = error.description
            }
        }
        let place = ListPlaceView(
            page.objects.count, after: cursor?.count ?? 0, of: count, perPage: Self.devicesPerPage)
        let content = InstallationListView(
            form, page, place: place, isLater: cursor != nil, death: death, for: visit.viewer)
        return render(
            .installations, visit.language.say(.installations), content, visit, in: visit.language,
            status: (form.problem + form.fieldProblem).isEmpty ? 200 : 400)
    }

    /// Counts the devices of all pages.
    private func count(_ filter: InstallationFilter, _ form: FilterForm) async throws(RegistryError) -> ListCount {
        if form.isEmpty, let census = try? await parts.census.value { return ListCount(census.all) }
        return try await registry.installationCount(filter)
    }

    private func find(_ text: String) async throws(RegistryError) -> FoundDevices {
        try await registry.devices(DeviceSearch(text), limit: Self.devicesPerPage)
    }

    /// `GET /console/installations/:objectId`.
    func device(_ objectID: String, _ visit: Visit) async throws(RegistryError) -> WebResponse {
        guard let screen = try await registry.screen(ofDevice: objectID, limit: LiveParts.mostMessages) else {
            let text = visit.language.say(.noneHasID(objectID.cut(to: 64)))
            return message(404, .noSuchDevice, text, visit.language, visit)
        }
        let (app, device, viewer) = (parts.app(), screen.device, visit.viewer)
        let token = device.fields["deviceToken"]?.string ?? ""
        let failures = token.isEmpty ? [] : try await registry.failures(ofToken: token, limit: Self.mostFailures)
        let death = token.isEmpty ? nil : try await registry.deathOfToken(token)
        let content = DevicePageView(
            device: DeviceView(device, showsTokens: visit.mayAct, for: viewer),
            screen: DeviceScreenView(screen, app: app, for: viewer), death: death.map { InstantView($0, for: viewer) },
            failures: failures.map { FailureView($0, for: viewer) },
            test: visit.mayAct
                ? TestPushForm(device, isSimulated: parts.isSimulated, in: viewer.language) : nil)
        let name = "\(content.screen.phone.name) \(content.screen.phone.short)"
        return render(.device, name, content, visit, in: visit.language, events: .device(objectID: objectID))
    }

    /// `POST /console/test`: sends a push to one device, as a request to the API would.
    func sendTest(_ form: [String: String], _ visit: Visit) async throws(RegistryError) -> WebResponse {
        let objectID = form["device"] ?? ""
        let page = "/console/installations/" + objectID.percentEncoded
        guard let text = form["text"], !text.allSatisfy(\.isWhitespace), ObjectID.isPlausible(objectID) else {
            return try await leave(visit.language.say(.testNeedsText), isProblem: true, for: visit, at: page)
        }
        let title = form["title"] ?? ""
        var alert: JSONValue = ["body": .string(text.replacing("\r\n", with: "\n"))]
        if !title.allSatisfy(\.isWhitespace) { alert["title"] = .string(title) }
        var members: JSONObject = [
            "where": ["objectId": .string(objectID)], "data": ["alert": alert],
            "prod": form["environment"] == "dev" ? "dev" : "prod",
        ]
        members["req_id"] = form["request"].map { .string($0) }
        let receipt: PushReceipt
        do throws(APIError) {
            receipt = try await api.push(members, at: visit.now)
        } catch {
            return try await leave(error.message, isProblem: true, for: visit, at: page)
        }
        return try await leave(
            visit.language.say(receipt.isRepeated ? .testWasSentBefore : .testWasTaken), isProblem: false,
            for: visit, at: "/console/pushes/" + receipt.objectID.percentEncoded)
    }

    /// Leaves a notice for the next page and leads there.
    func leave(
        _ text: String, isProblem: Bool, for visit: Visit, at target: String
    ) async throws(RegistryError) -> WebResponse {
        try await sessions.leave(Notice(text: text, isProblem: isProblem), for: visit.sessionID, at: visit.now)
        return .redirect(to: target)
    }
}
