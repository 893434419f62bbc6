internal import PushReport
internal import Push
internal import DeviceRegistry

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
        let frame = frame(language.say(.logIn), nil, in: language)
        let view = PageView(frame: frame, content: LoginView(problem: problem))
        return .page(Templates[language].render(.login, view), status: status)
    }

    /// `POST /console/login`: the master key, or the key for looking, starts a new session, whatever cookie was sent.
    func logIn(_ request: WebRequest) async throws(RegistryError) -> WebResponse {
        let now = clock.now
        let id = request.cookie(SessionStore.cookieName)
        let role = request.form["key"].flatMap(credentials.role)
        let before = if let id { try await sessions.role(id, at: now) } else { SessionStore.Role?.none }
        // Whether the key is right is said to nobody who must wait: a guess after the tenth would be worth it.
        if let seconds = limiter.attempt(request.remoteAddress, as: before, isRight: role != nil, at: now) {
            var refusal = loginPage(
                429, problem: request.language.say(.tooManyKeys(seconds: Int(seconds))), request)
            refusal.headers.append(("Retry-After", String(seconds)))
            return refusal
        }
        guard let role else { return loginPage(403, problem: request.language.say(.wrongKey), request) }
        try await sessions.end(id)
        return redirect(to: "/console", cookie: try await sessions.begin(at: now, as: role), request)
    }

    /// Carries out a form's action: `POST /console/logout`, `POST /console/cancel`, `POST /console/test`,
    /// `POST /console/zone`.
    func act(
        _ path: [String], _ request: WebRequest, _ id: String?, _ session: SessionStore.Session
    ) async throws(RegistryError) -> WebResponse {
        let visit = Visit(request: request, sessionID: id, session: session, now: clock.now)
        let form = request.form
        guard let token = form["token"], credentials.isSame(token, session.token) else {
            return message(403, .outOfDate, visit.language.say(.anotherSession), visit.language, visit)
        }
        switch path {
        case ["logout"]:
            try await sessions.end(id)
            return redirect(to: "/console/login", cookie: "", request)
        case ["zone"]: return try await setZone(form, visit)
        case ["cancel"] where !visit.mayAct, ["test"] where !visit.mayAct:
            return message(403, .onlyLooking, visit.language.say(.needsMasterKey), visit.language, visit)
        case ["cancel"]:
            let isCancelled: Bool
            if let number = form["scheduled"].flatMap({ Int64($0) }) {
                isCancelled = try await cancelScheduled(number)
            } else {
                isCancelled = false
            }
            return try await leave(
                visit.language.say(isCancelled ? .wasCancelledNow : .waitsNoMore), isProblem: !isCancelled, for: visit,
                at: "/console")
        case ["test"]: return try await sendTest(form, visit)
        default:
            return message(404, .noSuchForm, visit.language.say(.leadsNowhere), visit.language, visit)
        }
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
