import Base
import HTTP
import Push
import RemoteTesting
import Synchronization

@testable import LeanCloud

/// A service in memory: classes with conditional writes, a clock, and whatever a test scripts.
final class FakeService: HTTPExchanging, Sendable {
    /// What happens to one request.
    enum Script: Sendable {
        /// The connection fails before anything is sent.
        case refuseConnection
        /// The request never arrives, but nobody knows.
        case loseRequest
        /// The request is carried out, and the answer lost.
        case loseAnswer
        /// This is answered, and nothing done.
        case answer(Int, String)
        /// Something happens first; then the request is carried out.
        case first(@Sendable () async -> Void)
    }

    struct Rule: Sendable {
        var method: HTTPRequest.Method?
        var path: String
        var scripts: [Script]
    }

    typealias Seen = ServiceCall

    struct State: Sendable {
        var now: Instant
        var store = ObjectStore()
        var rules: [Rule] = []
        var seen: [Seen] = []
        var pauses: [Duration] = []
        var sendsDate = true
        /// The headers of every answer, besides its date.
        var headers: [String: String] = [:]
    }

    private let state: Mutex<State>

    init(now: String = "2026-11-20T12:00:00Z") { state = Mutex(State(now: instant(now))) }

    func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    var now: Instant { with { $0.now } }
    var seen: [Seen] { with { $0.seen } }
    /// The requests that may change something: a push is preceded by a look at the orders to stop.
    var writes: [Seen] { seen.filter { $0.method != .get } }
    var pauses: [Duration] { with { $0.pauses } }

    /// Scripts the next requests of a method whose path holds a text.
    func script(_ method: HTTPRequest.Method?, _ path: String, _ scripts: Script...) {
        with { $0.rules.append(Rule(method: method, path: path, scripts: scripts)) }
    }

    /// Scripts more requests than anybody makes.
    func script(_ method: HTTPRequest.Method?, _ path: String, always script: Script) {
        with { $0.rules.append(Rule(method: method, path: path, scripts: Array(repeating: script, count: 99))) }
    }

    func advance(_ duration: Duration) { with { $0.now = $0.now + duration } }

    /// Puts an object into a class.
    func put(_ className: String, _ members: JSONObject) {
        with { _ = $0.store.make(className, members, at: $0.now) }
    }

    /// Registers a device that was last seen so long ago.
    func register(_ device: JSONValue, seen age: Duration = .zero) {
        var members = device.object ?? [:]
        members["updatedAt"] = .string((now - age).isoText)
        put("_Installation", members)
    }

    func objects(_ className: String) -> [JSONValue] { with { ($0.store.classes[className] ?? []).map(\.json) } }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let seen = Seen(request)
        let script = with { state -> Script? in
            state.seen.append(seen)
            return state.script(for: seen)
        }
        switch script {
        case .refuseConnection:
            throw TransportError(.couldNotConnect, sent: .nothing, request: "r", detail: "nobody is there")
        case .loseRequest: throw TransportError(.timedOut, sent: .possibly, request: "r", detail: "")
        case .loseAnswer:
            _ = with { $0.store.carryOut(seen, at: $0.now) }
            throw TransportError(.connectionLost, sent: .possibly, request: "r", detail: "")
        case .answer(let status, let text): return with { $0.response(status, Array(text.utf8)) }
        case .first(let action): await action()
        case nil: break
        }
        return with { state in
            let (status, body) = state.store.carryOut(seen, at: state.now)
            return state.response(status, body.canonicalBytes)
        }
    }
}

extension FakeService.State {
    mutating func script(for seen: FakeService.Seen) -> FakeService.Script? {
        for index in rules.indices where seen.path.contains(rules[index].path) && !rules[index].scripts.isEmpty {
            guard rules[index].method == nil || rules[index].method == seen.method else { continue }
            return rules[index].scripts.removeFirst()
        }
        return nil
    }

    func response(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
        var fields = headers.map { HTTPHeaders.Field($0.key, $0.value) }
        if sendsDate { fields.append(HTTPHeaders.Field("Date", now.httpDate)) }
        return HTTPResponse(status: status, headers: HTTPHeaders(fields), body: body)
    }
}

/// Records waits and moves the service's clock on instead.
struct FakePause: Pausing {
    let service: FakeService

    func pause(for duration: Duration) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        service.with { state in
            state.pauses.append(duration)
            state.now = state.now + duration
        }
        await Task.yield()
    }

    func backoff(_ tries: Int) -> Duration { .milliseconds(min(30_000, 500 << tries)) }
}
