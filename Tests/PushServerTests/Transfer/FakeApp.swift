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
        /// The registry that answers behind its address; nil: none that is a bugle-server's.
        var registry: String?
        /// The time of what is written to it.
        var writtenAt = "2026-11-21T12:00:00.000Z"
        /// The writes that are done and not answered, before others are.
        var lostAnswers = 0
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
            let parts = request.url.split(separator: "?", maxSplits: 1).map(String.init)
            var query: [String: String] = [:]
            if parts[0].hasSuffix("/health") { return (state.registry == nil ? 404 : 200, "{}", state.now) }
            for pair in parts.dropFirst().joined().split(separator: "&") {
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
            if request.method != .get {
                let (status, body) = state.write(request, to: parts[0], query)
                guard state.lostAnswers == 0 else {
                    state.lostAnswers -= 1
                    return (504, "", state.now)
                }
                return (status, body.canonicalText, state.now)
            }
            let (status, body) = state.answer(parts[0], query)
            return (status, body.canonicalText, state.now)
        }
        guard let answer else { throw TransportError(.refusedURL, sent: .nothing, request: "r", detail: "dead") }
        let registry = with { $0.registry } ?? ""
        return HTTPResponse(
            status: answer.0, headers: ["Date": answer.2, "X-Bugle-Registry": registry], body: Array(answer.1.utf8))
    }
}

extension FakeApp.State {
    /// A device is found by its id, else by installation id, else by token, as LeanCloud finds it.
    fileprivate mutating func write(
        _ request: HTTPRequest, to url: String, _ query: [String: String]
    ) -> (Int, JSONValue) {
        let absent: JSONValue = ["code": 101, "error": "Class or object doesn't exists."]
        guard let body = request.body.flatMap({ try? JSONValue(parsing: $0).object }) else {
            return (400, ["code": 107, "error": "Malformed JSON."])
        }
        if body["refused"] == true { return (400, ["code": 1, "error": "It is refused."]) }
        var devices = classes["_Installation"] ?? [:]
        let known = devices.map { (id: $0.key, device: $0.value) }
        let named = url.split(separator: "/").last.map(String.init) ?? ""
        let twin = ["installationId", "deviceToken"].lazy.compactMap { key in
            known.first { body[key] != nil && $0.device[key] == body[key] }?.id
        }.first
        if request.method == .put, devices[named] == nil { return (404, absent) }
        let condition = query["where"].flatMap { try? JSONValue(parsing: $0) }
        if let before = condition?["updatedAt"]?["$lt"]?["iso"]?.string,
            let time = devices[named]?["updatedAt"]?.string, time >= before
        {
            return (400, ["code": 305, "error": "No effect on updating/deleting a document."])
        }
        let id = request.method == .put ? named : twin ?? "new\(devices.count)"
        let own: JSONObject = ["objectId": .string(id), "updatedAt": .string(writtenAt)]
        let old = devices[id]?.object ?? ["createdAt": .string(writtenAt)]
        devices[id] = .object(old.merging(body) { $1 }.merging(own) { $1 })
        classes["_Installation"] = devices
        return (200, .object(own))
    }

    fileprivate mutating func answer(_ url: String, _ query: [String: String]) -> (Int, JSONValue) {
        let absent: JSONValue = ["code": 101, "error": "Class or object doesn't exists."]
        let path = url.split(separator: "/").map(String.init)
        let isScan = path.dropLast(2).last == "scan"
        let name = path.last == "installations" ? "_Installation" : path.last ?? ""
        guard let objects = classes[name], !isScan || canScan else { return (404, absent) }
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
        var found = objects.keys.sorted().filter {
            $0 > after && (objects[$0]?["updatedAt"]?.string ?? "9") >= since
        }
        // A device is asked for by any of its names.
        let names = (condition["$or"]?.array ?? []).compactMap(\.object).filter { name in
            name.values.allSatisfy { $0.string != nil }
        }
        if !names.isEmpty {
            found = found.filter { id in
                names.contains { name in name.allSatisfy { objects[id]?[$0.key] == $0.value } }
            }
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

/// Waits for nothing, and no longer than a number of times.
final class CountedPause: Pausing {
    private let left: Mutex<Int>
    private let onPause: @Sendable (Int) -> Void

    /// `onPause` is told how many are left.
    init(_ count: Int, onPause: @escaping @Sendable (Int) -> Void = { _ in }) {
        left = Mutex(count)
        self.onPause = onPause
    }

    func pause(for duration: Duration) async throws(CancellationError) {
        let now = left.withLock { left in
            left -= 1
            return left
        }
        guard now >= 0 else { throw CancellationError() }
        onPause(now)
    }
}
