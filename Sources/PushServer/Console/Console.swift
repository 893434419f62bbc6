internal import DeviceRegistry
internal import Base
internal import Logging
internal import PushReport
internal import Push

/// The console at `/console`, where holders of the master key, or of the key for looking, see the registry and
/// the results of its pushes.
///
/// Every page is complete without the script, which only replaces the parts that change. Nothing is shown without a
/// session, and nothing is changed without the session's token.
package struct Console: Sendable {
    let registry: Registry
    let configuration: PushServerConfiguration
    let clock: ServerClock
    let credentials: Credentials
    let sessions: SessionStore
    let limiter = LoginLimiter()
    let hub: EventHub
    let cancelScheduled: @Sendable (Int64) async throws(RegistryError) -> Bool
    let sendPush: SendPush
    let deliveries: MinuteCache<[CountedDelivery]>
    /// The devices by group: counting reads all of them, so it takes at most a hundredth of the time.
    let census: MinuteCache<DeviceCensus>
    /// The app on phones; it changes with the workspace.
    let app: @Sendable () -> ShownApp
    let logger: Logger

    /// Sends a push as a request with these members, at a time, would.
    typealias SendPush = @Sendable (JSONObject, Instant) async throws(APIError) -> PushReceipt

    /// The largest form the console accepts, in bytes.
    package static let bodyLimit = 16 * 1024

    /// Creates a console.
    ///
    /// - Parameters:
    ///   - registry: the registry it shows.
    ///   - configuration: the app's id and its master key.
    ///   - clock: the server's clock.
    ///   - logger: the log for internal errors.
    ///   - interval: the interval between updates to open pages.
    ///   - cancelScheduled: cancels a scheduled push; returns `false` when there is none with that number.
    ///   - sendPush: sends a push.
    ///   - deliveries: the deliveries whose events are shown.
    ///   - app: the app as a workspace names it; nil for the app's id.
    init(
        registry: Registry, configuration: PushServerConfiguration, clock: ServerClock, logger: Logger,
        interval: Duration = .seconds(1),
        cancelScheduled: @escaping @Sendable (Int64) async throws(RegistryError) -> Bool,
        sendPush: @escaping SendPush, deliveries: MinuteCache<[CountedDelivery]>,
        app: @escaping @Sendable () -> ShownApp?
    ) {
        self.registry = registry
        sessions = SessionStore(registry: registry)
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.cancelScheduled = cancelScheduled
        self.sendPush = sendPush
        self.deliveries = deliveries
        credentials = Credentials(configuration)
        self.app = { app() ?? ShownApp(name: configuration.applicationID) }
        let census = MinuteCache(least: .zero) { () throws(RegistryError) in try await registry.census(at: clock.now) }
        self.census = census
        let parts = LiveParts(
            registry: registry, isSimulated: configuration.apple == nil, census: census, app: self.app, clock: clock)
        hub = EventHub(interval: interval, news: { registry.news() }) { subject in
            do throws(RegistryError) {
                return try await parts.render(subject)
            } catch {
                logger.error("the console could not check for changes: \(error.description)")
                return [:]
            }
        }
    }

    /// Ends the event streams of all open pages and opens no more: a stopping server waits for its responses to end.
    package func stop() {
        hub.stop()
    }

    /// Answers a request.
    package func respond(_ request: WebRequest) async -> WebResponse {
        do throws(RegistryError) {
            return try await route(request)
        } catch {
            if error.isInternal { logger.error("\(error.description)") }
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
        if isReading, path.count == 1, let file = StaticFile.named(path[0], app()) { return answer(file, request) }
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
