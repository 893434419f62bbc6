internal import Base
internal import Crypto
internal import DeviceRegistry
internal import Push
internal import PushReport
internal import Synchronization

extension Console {
    /// `GET /console/login`.
    func loginPage(_ request: WebRequest) async throws(RegistryError) -> WebResponse {
        if try await sessions.use(request.cookie(SessionStore.cookieName), at: clock.now) != nil {
            return .redirect(to: "/console")
        }
        return loginPage(200, problem: "", request)
    }

    private func loginPage(_ status: Int, problem: String, _ request: WebRequest) -> WebResponse {
        let language = request.language
        let content = LoginView(problem: problem)
        return render(.login, language.say(.logIn), content, nil, in: language, status: status)
    }

    /// `POST /console/login`: the master key, or the key for looking, starts a new session, whatever cookie was sent.
    func logIn(_ request: WebRequest) async throws(RegistryError) -> WebResponse {
        let now = clock.now
        let id = request.cookie(SessionStore.cookieName)
        let role = request.form["key"].flatMap(credentials.role)
        let before = if let id { try await sessions.role(id, at: now) } else { SessionStore.Role?.none }
        // Whether the key is right is said to nobody who must wait: a guess after the tenth would be worth it.
        if let seconds = limiter.attempt(request.remoteAddress, as: before, isRight: role != nil, at: now) {
            var refusal = loginPage(429, problem: request.language.say(.tooManyKeys(seconds: Int(seconds))), request)
            refusal.headers.append(("Retry-After", String(seconds)))
            return refusal
        }
        guard let role else { return loginPage(403, problem: request.language.say(.wrongKey), request) }
        try await sessions.end(id)
        return redirect(to: "/console", cookie: try await sessions.begin(at: now, as: role), request)
    }

    /// Carries out a form's action: `POST /console/logout`, `POST /console/cancel`, `POST /console/stop`,
    /// `POST /console/test`, `POST /console/zone`.
    func act(
        _ path: [String], _ request: WebRequest, _ id: String?, _ session: SessionStore.Session
    ) async throws(RegistryError) -> WebResponse {
        let visit = Visit(request: request, sessionID: id, session: session, now: clock.now)
        let form = request.form
        guard let token = form["token"], Fingerprint(session.token).isSame(token) else {
            return message(403, .outOfDate, visit.language.say(.anotherSession), visit.language, visit)
        }
        switch path {
        case ["logout"]:
            try await sessions.end(id)
            return redirect(to: "/console/login", cookie: "", request)
        case ["zone"]: return try await setZone(form, visit)
        case ["cancel"] where !visit.mayAct, ["test"] where !visit.mayAct, ["stop"] where !visit.mayAct:
            return message(403, .onlyLooking, visit.language.say(.needsMasterKey), visit.language, visit)
        case ["cancel"]:
            var isCancelled = false
            if let number = form["scheduled"].flatMap({ Int64($0) }) {
                isCancelled = try await registry.cancelScheduled(number)
            }
            return try await leave(
                visit.language.say(isCancelled ? .wasCancelledNow : .waitsNoMore), isProblem: !isCancelled, for: visit,
                at: "/console")
        case ["stop"]: return try await decide(form, visit)
        case ["test"]: return try await sendTest(form, visit)
        default:
            return message(404, .noSuchForm, visit.language.say(.leadsNowhere), visit.language, visit)
        }
    }

    /// `POST /console/stop`: stops a push that is being sent, lets it go on, or gives up the rest.
    private func decide(_ form: [String: String], _ visit: Visit) async throws(RegistryError) -> WebResponse {
        let objectID = form["push"] ?? ""
        let page = "/console/pushes/" + objectID.percentEncoded
        let why = form["why"] ?? ""
        let decision: PushDecision
        let done: Phrase
        switch form["decision"] {
        case "stop" where !why.allSatisfy(\.isWhitespace):
            decision = .stop(by: "the console, \(visit.request.remoteAddress)", why: String(why.prefix(500)))
            done = .pushIsStopped
        case "proceed": (decision, done) = (.proceed, .pushGoesOn)
        case "abandon": (decision, done) = (.abandon, .pushIsAbandoned)
        default: return try await leave(visit.language.say(.stopNeedsReason), isProblem: true, for: visit, at: page)
        }
        let isDone = try await api.pushes.decide(decision, objectID)
        return try await leave(
            visit.language.say(isDone ? done : .notDecidable), isProblem: !isDone, for: visit, at: page)
    }

    /// `POST /console/zone`: the browser keeps the time zone, and the page is shown again.
    private func setZone(_ form: [String: String], _ visit: Visit) async throws(RegistryError) -> WebResponse {
        let back = form["back"] ?? ""
        // Only a page of the console, and nothing that a browser could take for another host.
        let isPage = back == "/console" || back.hasPrefix("/console/") || back.hasPrefix("/console?")
        let target = isPage && back.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C } ? back : "/console"
        guard let zone = ZoneClock(form["zone"] ?? "") else {
            return try await leave(visit.language.say(.noSuchZone), isProblem: true, for: visit, at: target)
        }
        var response = WebResponse.redirect(to: target)
        let cookie = "\(WebRequest.zoneCookie)=\(zone.name); Path=/console; HttpOnly; SameSite=Strict; Max-Age=31536000"
        response.headers.append(("Set-Cookie", cookie + (visit.request.isSecure ? "; Secure" : "")))
        return response
    }

    private func redirect(to target: String, cookie: String, _ request: WebRequest) -> WebResponse {
        var response = WebResponse.redirect(to: target)
        response.headers.append(("Set-Cookie", SessionStore.cookie(cookie, isSecure: request.isSecure)))
        return response
    }
}

/// The console's sessions, kept in the registry: they outlive a restart, and every copy of the server knows them.
struct SessionStore: Sendable {
    private let registry: Registry
    /// The keys that begin sessions: where one of them has changed, no session is found again.
    private let keys: [ServerKey]

    struct Session: Sendable {
        /// The token that a form must send, so that no other site can submit it.
        let token: String
        let role: Role
        /// The outcome of the last action, to be shown once on the next page.
        let notice: Notice?
    }

    /// The rights of a person who has logged in.
    enum Role: String, Hashable, Sendable {
        /// The person may look, send, cancel and see whole tokens.
        case master
        /// The person may look.
        case viewer
    }

    /// The seconds without use after which a session ends.
    static let idleSeconds = 12.0 * 3600
    /// The most sessions kept for each kind of rights; the least recently used one of its kind makes room.
    static let mostSessions = 200
    static let cookieName = "bugle_console"

    /// The seconds after which a use is recorded again.
    private static let secondsBetweenUses = 60.0

    init(_ registry: Registry, _ configuration: PushServerConfiguration) {
        self.registry = registry
        keys = [configuration.masterKey, configuration.viewerKey].compactMap(\.self)
    }

    /// Starts a session and returns the cookie's value.
    func begin(at now: Instant, as role: Role) async throws(RegistryError) -> String {
        let id = Self.random()
        try await registry.addConsoleSession(
            key(id), ConsoleSession(token: Self.random(), role: role.rawValue, seenAt: now),
            endingOthersBefore: now.advanced(bySeconds: -Self.idleSeconds), most: Self.mostSessions)
        return id
    }

    /// Returns the session of a cookie and renews it; `nil` when there is none or it has ended. With `taking` its notice
    /// is shown now, and to nobody again.
    func use(_ id: String?, at now: Instant, taking: Bool = false) async throws(RegistryError) -> Session? {
        guard let id, let (session, role) = try await current(id, at: now) else { return nil }
        let takes = taking && session.notice != nil
        if takes || session.seenAt.advanced(bySeconds: Self.secondsBetweenUses) <= now {
            var used = ConsoleSession(token: session.token, role: session.role, seenAt: now)
            if !takes { (used.notice, used.isProblem) = (session.notice, session.isProblem) }
            try await registry.update(key(id), used)
        }
        return Session(
            token: session.token, role: role,
            notice: session.notice.map { Notice(text: $0, isProblem: session.isProblem) })
    }

    /// The rights of a cookie's session while it lasts; does not renew it.
    func role(_ id: String, at now: Instant) async throws(RegistryError) -> Role? {
        try await current(id, at: now)?.role
    }

    private func current(
        _ id: String, at now: Instant
    ) async throws(RegistryError) -> (session: ConsoleSession, role: Role)? {
        guard id.utf8.count <= 128, let session = try await registry.consoleSession(key(id)),
            session.seenAt.advanced(bySeconds: Self.idleSeconds) > now, let role = Role(rawValue: session.role)
        else { return nil }
        return (session, role)
    }

    func end(_ id: String?) async throws(RegistryError) {
        guard let id else { return }
        try await registry.removeConsoleSession(key(id))
    }

    /// Leaves a notice for the session's next page.
    func leave(_ notice: Notice, for id: String?, at now: Instant) async throws(RegistryError) {
        guard let id, let session = try await current(id, at: now)?.session else { return }
        try await registry.update(
            key(id),
            ConsoleSession(
                token: session.token, role: session.role, notice: notice.text, isProblem: notice.isProblem, seenAt: now)
        )
    }

    /// The value of `Set-Cookie`; an empty id deletes the cookie.
    static func cookie(_ id: String, isSecure: Bool) -> String {
        "\(cookieName)=\(id); Path=/console; HttpOnly; SameSite=Strict" + (id.isEmpty ? "; Max-Age=0" : "")
            + (isSecure ? "; Secure" : "")
    }

    /// The hash of a cookie's value, by which a session is kept: whoever reads the registry cannot take it over.
    private func key(_ id: String) -> String {
        let words = [id] + keys.map(\.revealed)
        return SHA256.hash(data: Array(words.joined(separator: "\0").utf8)).hexadecimal
    }

    /// Generates 256 random bits from the system, as hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in (generator.next() as UInt64).hexadecimal(digits: 16) }.joined()
    }
}

/// A notice about the last action.
struct Notice: Hashable, Sendable {
    let text: String
    /// True if the action failed.
    let isProblem: Bool
}

/// Limits attempts to log in: after ten wrong keys from an address within a minute, the next ones wait until the minute
/// is over, also with the right key.
///
/// The minute begins with the first failure. Whoever is logged in counts apart from the others at an address, by their
/// rights: strangers who guess keys there do not keep them from another login. The table is bounded; addresses that do
/// not fit share one entry, by which the right key is not held up.
final class LoginLimiter: Sendable {
    private struct Minute {
        var end: Instant
        var failures = 0
    }

    /// The number of failed logins allowed per minute.
    static let mostFailures = 10
    /// The number of addresses tracked separately.
    static let mostAddresses = 4096

    private let minutes = Mutex<[SessionStore.Role?: [String: Minute]]>([:])

    /// Counts an attempt if its key is wrong.
    ///
    /// - Parameters:
    ///   - address: the address of the browser.
    ///   - role: the rights that it has already.
    ///   - isRight: true if the key is right.
    ///   - now: the time.
    /// - Returns: the seconds the attempt must wait, from 1; `nil` while the address is below the limit.
    func attempt(_ address: String, as role: SessionStore.Role?, isRight: Bool, at now: Instant) -> Int64? {
        minutes.withLock { all in
            var minutes = all[role] ?? [:]
            defer { all[role] = minutes }
            if minutes.count >= Self.mostAddresses { minutes = minutes.filter { now < $0.value.end } }
            let key = ClientAddress.entry(of: address, in: minutes, most: Self.mostAddresses)
            var minute = minutes[key] ?? Minute(end: now)
            if minute.end <= now { minute = Minute(end: now.advanced(bySeconds: 60)) }
            guard minute.failures < Self.mostFailures || isRight && key.isEmpty else {
                return (minute.end.milliseconds - now.milliseconds + 999) / 1000
            }
            guard !isRight else { return nil }
            minute.failures += 1
            minutes[key] = minute
            return nil
        }
    }

    /// The number of entries in the table.
    var count: Int { minutes.withLock { $0.values.reduce(0) { $0 + $1.count } } }
}
