import CurlHTTP
import Foundation
import JSONValue
import PushModel
import PushRemote
import Synchronization

@testable import LeanCloudRemote

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

    struct Seen: Sendable {
        var method: HTTPRequest.Method
        var path: String
        var query: [String: String]
        var body: JSONValue?
        var headers: [(String, String)]
        var repetition: HTTPRequest.Repetition
        var notAfter: ContinuousClock.Instant?
    }

    struct State: Sendable {
        var now: Instant
        var classes: [String: [FakeObject]] = [:]
        var rules: [Rule] = []
        var seen: [Seen] = []
        var pauses: [Duration] = []
        var created = 0
        var sendsDate = true
    }

    private let state: Mutex<State>

    init(now: String = "2026-11-20T12:00:00Z") { state = Mutex(State(now: instant(now))) }

    func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    var now: Instant { with { $0.now } }
    var seen: [Seen] { with { $0.seen } }
    var pauses: [Duration] { with { $0.pauses } }

    /// Scripts the next requests of a method whose path holds a text.
    func script(_ method: HTTPRequest.Method?, _ path: String, _ scripts: Script...) {
        with { $0.rules.append(Rule(method: method, path: path, scripts: scripts)) }
    }

    func advance(_ duration: Duration) { with { $0.now = $0.now + duration } }

    /// Puts an object into a class.
    func put(_ className: String, _ members: [String: JSONValue]) { with { _ = $0.make(className, members) } }

    /// Registers a device that was last seen so long ago.
    func register(_ device: JSONValue, seen age: Duration = .zero) {
        var members = device.object ?? [:]
        members["updatedAt"] = .string((now - age).textWithMilliseconds)
        put("_Installation", members)
    }

    func objects(_ className: String) -> [JSONValue] { with { ($0.classes[className] ?? []).map(\.json) } }

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
            _ = with { $0.carryOut(seen) }
            throw TransportError(.connectionLost, sent: .possibly, request: "r", detail: "")
        case .answer(let status, let text): return with { $0.response(status, Array(text.utf8)) }
        case .first(let action): await action()
        case nil: break
        }
        return with { state in
            let (status, body) = state.carryOut(seen)
            return state.response(status, body.canonicalBytes)
        }
    }
}

extension FakeService.Seen {
    init(_ request: HTTPRequest) {
        method = request.method
        let parts = request.url.split(separator: "?", maxSplits: 1)
        let start = parts[0].firstRange(of: "/1.1")?.lowerBound ?? parts[0].startIndex
        path = String(parts[0][start...]).removingPercentEncoding ?? ""
        query = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            query[String(sides[0])] = sides.count > 1 ? String(sides[1]).removingPercentEncoding : ""
        }
        body = request.body.flatMap { try? JSONValue(parsing: $0) }
        headers = request.headers
        repetition = request.repetition
        notAfter = request.notAfter
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
        HTTPResponse(status: status, headers: sendsDate ? ["Date": now.httpDate] : [:], body: body)
    }

    mutating func make(_ className: String, _ members: [String: JSONValue]) -> FakeObject {
        created += 1
        let number = String(created)
        let id = "id" + String(repeating: "0", count: 8 - number.count) + number
        let object = FakeObject(objectID: id, createdAt: now.textWithMilliseconds, members: members)
        classes[className, default: []].append(object)
        return object
    }

    mutating func carryOut(_ seen: FakeService.Seen) -> (Int, JSONValue) {
        var parts = seen.path.split(separator: "/").map(String.init)
        if parts.dropFirst() == ["installations"] { parts = [parts[0], "classes", "_Installation"] }
        guard parts.count >= 3, parts[1] == "classes" else { return (404, ["code": 1, "error": "no such path"]) }
        let condition = seen.query["where"].flatMap { try? JSONValue(parsing: $0) } ?? [:]
        switch seen.method {
        case .get: return list(parts[2], condition, seen.query)
        case .post:
            let object = make(parts[2], seen.body?.object ?? [:])
            return (201, ["objectId": .string(object.objectID), "createdAt": .string(now.textWithMilliseconds)])
        case .put, .delete:
            guard parts.count == 4, var objects = classes[parts[2]],
                let index = objects.firstIndex(where: { $0.objectID == parts[3] })
            else { return (404, ["code": 101, "error": "Class or object doesn't exists."]) }
            guard objects[index].fits(condition) else {
                return (400, ["code": 305, "error": "No effect on updating/deleting a document."])
            }
            for (key, value) in seen.body?.object ?? [:] {
                objects[index].members[key] = value["__op"]?.string == "Delete" ? nil : value
            }
            if seen.method == .delete { objects.remove(at: index) }
            classes[parts[2]] = objects
            return (200, ["updatedAt": .string(now.textWithMilliseconds)])
        }
    }

    private func list(_ className: String, _ condition: JSONValue, _ query: [String: String]) -> (Int, JSONValue) {
        guard let objects = classes[className] else {
            return (404, ["code": 101, "error": "Class or object doesn't exists."])
        }
        // Objects stand in the order of their times and ids.
        let found = objects.lazy.filter { $0.fits(condition) }
        let limit = query["limit"].flatMap { Int($0) } ?? 100
        var answer: JSONValue = ["results": .array(Array(found.prefix(limit).map(\.json)))]
        if query["count"] == "1" { answer["count"] = .integer(Int64(found.count)) }
        return (200, answer)
    }
}

/// One object of a class.
struct FakeObject: Sendable {
    var objectID: String
    var createdAt: String
    var members: [String: JSONValue]

    var json: JSONValue {
        .object(members.merging(["objectId": .string(objectID), "createdAt": .string(createdAt)]) { $1 })
    }

    private func member(_ key: String) -> JSONValue? {
        switch key {
        case "objectId": .string(objectID)
        case "createdAt": .string(createdAt)
        default: members[key]
        }
    }

    func fits(_ condition: JSONValue) -> Bool {
        (condition.object ?? [:]).allSatisfy { key, test in
            if key == "$or" { return (test.array ?? []).contains(where: fits) }
            if key == "$and" { return (test.array ?? []).allSatisfy(fits) }
            let value = Self.plain(member(key))
            guard let tests = test.object, tests["__type"] == nil else {
                return value == Self.plain(test) || value?.array?.contains(test) == true
            }
            return tests.allSatisfy { name, bound in
                let bound = Self.plain(bound)
                return switch name {
                case "$gt": Self.isLess(bound, value)
                case "$gte": !Self.isLess(value, bound)
                case "$lt": Self.isLess(value, bound)
                case "$ne": value != bound
                case "$lte": !Self.isLess(bound, value)
                default: false
                }
            }
        }
    }

    private static func plain(_ value: JSONValue?) -> JSONValue? { value?["iso"] ?? value }

    private static func isLess(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        if let left = left?.string, let right = right?.string { return left < right }
        if let left = left?.double, let right = right?.double { return left < right }
        return false
    }
}

extension Instant {
    /// The instant as a `Date` header.
    var httpDate: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
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
}
