import Base
import Foundation
import HTTP
import Push
import Synchronization

/// An app in memory whose classes can be scanned, in the order of their ids, with cursors that get lost.
final class FakeApp: HTTPExchanging, Sendable {
    struct State: Sendable {
        var now = "Sat, 21 Nov 2026 12:00:00 GMT"
        var classes: [String: JSONObject] = [:]
        var cursors: [String: String] = [:]
        var requests: [(path: String, query: [String: String])] = []
        var signatures: [(String, String)] = []
        /// Answers that stand before the real ones.
        var answers: [(Int, String)] = []
        /// After so many answers every request fails for good; nil: never.
        var diesAfter: Int?
        /// Told before each answer.
        var onRequest: (@Sendable (inout State) -> Void)?
        var canScan = true
        /// The most that a page has, whatever is asked for.
        var mostObjects = Int.max
    }

    private let state = Mutex(State())

    func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Puts objects into a class.
    func put(_ className: String, _ objects: [JSONValue]) {
        with { state in
            for object in objects { state.classes[className, default: [:]][object["objectId"]?.string ?? ""] = object }
        }
    }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = with { state -> (Int, String, String)? in
            precondition(request.method == .get)
            let parts = request.url.split(separator: "?", maxSplits: 1).map(String.init)
            var query: [String: String] = [:]
            for pair in parts[1].split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
                query[sides[0]] = sides[1].removingPercentEncoding
            }
            state.requests.append((parts[0], query))
            state.signatures += request.headers
            if let limit = state.diesAfter, state.requests.count > limit { return nil }
            if let hook = state.onRequest { hook(&state) }
            if !state.answers.isEmpty {
                let (status, body) = state.answers.removeFirst()
                return (status, body, state.now)
            }
            let (status, body) = state.answer(parts[0], query)
            return (status, body.canonicalText, state.now)
        }
        guard let answer else { throw TransportError(.refusedURL, sent: .nothing, request: "r", detail: "dead") }
        return HTTPResponse(status: answer.0, headers: ["Date": answer.2], body: Array(answer.1.utf8))
    }
}

extension FakeApp.State {
    fileprivate mutating func answer(_ url: String, _ query: [String: String]) -> (Int, JSONValue) {
        let absent: JSONValue = ["code": 101, "error": "Class or object doesn't exists."]
        let path = url.split(separator: "/").map(String.init)
        let isScan = path.dropLast(2).last == "scan"
        guard let name = path.last, let objects = classes[name], !isScan || canScan else { return (404, absent) }
        let condition = (query["where"].flatMap { try? JSONValue(parsing: $0) }) ?? [:]
        // Either part may stand alone, or both in `$and`.
        let parts = condition["$and"]?.array ?? [condition]
        let since = parts.compactMap { $0["updatedAt"]?["$gte"]?["iso"]?.string }.first ?? ""
        // All objects of the tests were created at one instant, so only the id decides.
        var after = parts.compactMap { $0["$or"]?.array?.last?["objectId"]?["$gt"]?.string }.first ?? ""
        if let cursor = query["cursor"] {
            guard let place = cursors[cursor] else { return (400, ["code": 1, "error": "Invalid cursor."]) }
            after = place
        }
        let found = objects.keys.sorted().filter {
            $0 > after && (objects[$0]?["updatedAt"]?.string ?? "9") >= since
        }
        let page = found.prefix(min(mostObjects, query["limit"].flatMap { Int($0) } ?? 100))
        var body: JSONValue = ["results": .array(page.compactMap { objects[$0] }), "cursor": nil]
        if isScan, page.count < found.count, let last = page.last {
            let cursor = "c/+ \(cursors.count)"
            cursors[cursor] = last
            body["cursor"] = .string(cursor)
        }
        return (200, body)
    }
}

/// Waits for nothing, and remembers for how long.
final class NoPause: Pausing {
    private let all = Mutex<[Duration]>([])

    var pauses: [Duration] { all.withLock { $0 } }

    func pause(for duration: Duration) async throws(CancellationError) { all.withLock { $0.append(duration) } }
}

/// Time that passes while somebody waits, and only then.
final class VirtualTime: Pausing {
    private let start = ContinuousClock.now
    private let all = Mutex<[Duration]>([])
    private let wait: Duration

    init(backoff: Duration) { wait = backoff }

    var pauses: [Duration] { all.withLock { $0 } }
    var now: ContinuousClock.Instant { start + pauses.reduce(.zero, +) }

    func pause(for duration: Duration) async throws(CancellationError) { all.withLock { $0.append(duration) } }
    func backoff(_ tries: Int) -> Duration { wait }
}
