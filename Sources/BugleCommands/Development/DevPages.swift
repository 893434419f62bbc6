internal import PushReport
internal import Synchronization

/// The pages of `bugle dev` at 127.0.0.1: the plan's, its version, and the script that asks for it.
final class DevPages: Sendable {
    private struct State {
        var page: LivePage?
        var version = 0
        var html = ""
        var askedAt: ContinuousClock.Instant?
    }

    private let state: SharedState
    private let listener: StatusListener

    private final class SharedState: Sendable {
        let locked = Mutex(State())
    }

    /// Listens on a port; 0 takes a free one.
    ///
    /// - Throws: ``Failure`` when it cannot be listened on.
    init(port: UInt16) throws {
        let state = SharedState()
        self.state = state
        listener = try StatusListener("127.0.0.1:\(port)") { request in
            guard Self.isOurs(request) else {
                return StatusAnswer(
                    status: 403, type: "text/plain", body: "only this machine's own pages are answered\n")
            }
            return state.locked.withLock { state in
                if request.path == "/version" { state.askedAt = ContinuousClock.now }
                return Self.answer(request.path, state)
            }
        }
    }

    /// The address of the page.
    var address: String { "http://127.0.0.1:\(listener.port)/" }

    /// True while a browser shows the page.
    var isWatched: Bool {
        state.locked.withLock { state in
            state.askedAt.map { ContinuousClock.now - $0 < .seconds(3) } ?? false
        }
    }

    /// Shows a page, unless it is the one that is shown.
    func show(_ page: LivePage, _ options: ReportOptions) {
        let version = state.locked.withLock { $0.page == page ? nil : $0.version + 1 }
        guard let version else { return }
        let html = String(decoding: page.bytes(version: version, options: options), as: UTF8.self)
        state.locked.withLock { state in
            (state.page, state.version, state.html) = (page, version, html)
        }
    }

    private static func answer(_ path: String, _ state: State) -> StatusAnswer {
        switch path {
        case "/" where state.version == 0:
            StatusAnswer(status: 503, type: "text/plain", body: "the first plan is being made; ask again\n")
        case "/": StatusAnswer(status: 200, type: "text/html; charset=utf-8", body: state.html)
        case "/version": StatusAnswer(status: 200, type: "text/plain", body: "\(state.version)\n")
        case "/live.js":
            StatusAnswer(status: 200, type: "text/javascript; charset=utf-8", body: LivePage.script)
        default: StatusAnswer(status: 404, type: "text/plain", body: "there is one page: /\n")
        }
    }

    /// True for a request of a person at this machine or of the page itself: a foreign name that leads to 127.0.0.1 has
    /// another `Host`, and another site's page says where it is from.
    static func isOurs(_ request: StatusRequest) -> Bool {
        guard let host = request.headers["host"],
            ["127.0.0.1", "localhost"].contains(host.prefix { $0 != ":" }.lowercased())
        else { return false }
        if let origin = request.headers["origin"], origin.lowercased() != "http://" + host.lowercased() { return false }
        return ["none", "same-origin"].contains(request.headers["sec-fetch-site"] ?? "none")
    }
}
