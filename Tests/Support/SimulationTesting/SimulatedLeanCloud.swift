internal import Base
internal import HTTP
internal import Push
internal import RemoteTesting

/// LeanCloud: its storage, the pushes that it took, and what its lists and records say of them, which can be late.
// Everything happens on the scheduler's thread.
final class SimulatedLeanCloud: SimulatedService, @unchecked Sendable {
    /// One push that it took.
    struct Push {
        let request: String
        let handle: Int
        let madeAt: Instant
        /// When it is sent; nil: at once.
        let at: Instant?
        var fate = Fate.waits
        /// When its record can be read.
        var recordedAt: Instant

        var objectID: String { "push\(handle)" }
    }

    enum Fate: Hashable {
        case waits
        case cancelled
        /// Sent to the devices; the last word of its record, and to how many.
        case sent(String, successes: Int)
        /// Refused, which only its record tells.
        case refused
    }

    /// Every push that it took.
    private(set) var pushes: [Push] = []
    private(set) var store = ObjectStore()
    private let clock: () -> Instant
    /// The contents of the list of scheduled pushes, and the number of its further answers that are late.
    private var (shown, late): ([Int], Int) = ([], 0)
    /// The list before the last change, and the number of right answers in a row.
    private var (former, right): ([Int], Int) = ([], 0)
    /// The number of further look-ups of a push that find nothing.
    private var unseen: [String: Int] = [:]

    /// A service whose clock tells this time.
    init(_ scheduler: Scheduler, clock: @escaping () -> Instant) {
        self.clock = clock
        super.init(scheduler)
    }

    override var hidesPushes: Bool { weather.isLate }
    /// The number of pushes that were sent to devices.
    var sent: Int {
        pushes.count { push in if case .sent = push.fate { true } else { false } }
    }
    /// The number of pushes that came to their time, even if their record says that they were refused.
    var taken: Int { pushes.count { $0.fate != .waits && $0.fate != .cancelled } }
    /// The pushes that wait for their time.
    var waiting: [Push] { pushes.filter { $0.fate == .waits } }

    /// One request of a process.
    func exchange(_ request: HTTPRequest, by process: Int) async throws(TransportError) -> HTTPResponse {
        let call = ServiceCall(request)
        let isPush = call.path == "/1.1/push"
        if isPush { await stall() }
        let objection = isPush ? await judge(process) : { nil }
        guard isAlive(process) else { throw Self.error(.connectionLost, .possibly) }
        if let end = call.notAfter, end < SimulatedClock.steady(scheduler) { throw Self.error(.tooLate, .nothing) }
        // Else hardly any run would come so far that it sends.
        let fate = isPush || scheduler.chance.happens(250) ? weather.fate(&scheduler.chance) : .accept
        if fate == .neverSent || fate == .refuseStream { throw Self.error(.couldNotConnect, .nothing) }
        if isPush {
            leave("push \(call.body?["req_id"]?.string ?? "-"): \(fate)") {
                isFenced(process) && call.body?["where"]?["tester"] != true
                    ? "devices are outside the fence" : objection()
            }
        }
        let answer = try await answer(call, fate, isPush: isPush)
        guard isAlive(process) else { throw Self.error(.connectionLost, .possibly) }
        return answer
    }

    private func answer(
        _ call: ServiceCall, _ fate: Weather.Fate, isPush: Bool
    ) async throws(TransportError) -> HTTPResponse {
        let now = scheduler.elapsed
        switch fate {
        case .accept, .neverSent, .refuseStream, .partly, .useUp:
            let (status, body) = carryOut(call)
            return await response(status, body.canonicalBytes)
        case .actInSilence: _ = carryOut(call)
        case .actLate where isPush:
            scheduler.at(now + scheduler.chance.duration(below: .seconds(120))) { [self] in _ = carryOut(call) }
        case .lose, .actLate: break
        case .actAndFail:
            _ = carryOut(call)
            return await response(scheduler.chance.one(of: [500, 502, 503, 504]), Array("<html>".utf8))
        case .fail: return await response(scheduler.chance.one(of: [400, 500, 503]), Array("Bad Gateway".utf8))
        case .refuse where isPush: return await refusal(400, 107)
        case .refuse, .serverError: return await refusal(500, 1)
        case .shutDown: return await refusal(503, 503)
        case .putOff, .tooManyTokens: return await refusal(429, 429)
        case .refuseProvider: return await refusal(401, 401)
        }
        await pass(.seconds(30))
        throw Self.error(.timedOut, .possibly)
    }

    private static func error(_ code: TransportError.Code, _ sent: TransportError.Sent) -> TransportError {
        TransportError(code, sent: sent, request: "r", detail: "")
    }

    private func refusal(_ status: Int, _ code: Int64) async -> HTTPResponse {
        let body: JSONValue = ["code": .integer(code), "error": "no"]
        return await response(status, body.canonicalBytes)
    }

    private func response(_ status: Int, _ body: [UInt8]) async -> HTTPResponse {
        let date = clock().httpDate
        await pass(.milliseconds(300))
        return HTTPResponse(status: status, headers: ["Date": date], body: body)
    }

    // MARK: What a request does

    private func carryOut(_ call: ServiceCall) -> (Int, JSONValue) {
        let parts = call.path.split(separator: "/").dropFirst().map(String.init)
        switch (call.method, parts.first) {
        case (.post, "push"): return take(call.body ?? [:])
        case (.get, "scheduledPushMessages"): return (200, list())
        case (.delete, "scheduledPushMessages"): return cancel(Int(parts[1]) ?? 0)
        case (.get, "notifications"): return (200, record { $0.request == parts[1] })
        case (.get, "tables"): return (200, record { $0.objectID == parts[2] })
        case (.get, "installations"): return (200, ["results": [], "count": 250])
        default: return store.carryOut(call, at: clock())
        }
    }

    /// Within five minutes the same `req_id` is one push.
    private func take(_ body: JSONValue) -> (Int, JSONValue) {
        let (now, id) = (clock(), body["req_id"]?.string ?? "")
        if let known = pushes.last(where: { $0.request == id && now - $0.madeAt < .seconds(300) }) {
            return (200, ["objectId": .string(known.objectID)])
        }
        // What is due within a minute is sent at once.
        let at = body["push_time"]?.string.flatMap { Instant($0) }.flatMap { $0 - now < .seconds(60) ? nil : $0 }
        let late = weather.isLate ? scheduler.chance.number(in: 0...60) : 0
        let push = Push(
            request: id, handle: pushes.count + 1, madeAt: now, at: at, recordedAt: now + .seconds(late))
        if weather.isLate { unseen[push.objectID] = scheduler.chance.number(in: 0...3) }
        if at != nil { delayList() }
        pushes.append(push)
        let index = pushes.count - 1
        if let at {
            scheduler.at(scheduler.elapsed + (at - now)) { [self] in fire(index) }
        } else {
            fire(index)
        }
        return (200, ["objectId": .string(push.objectID)])
    }

    private func fire(_ index: Int) {
        guard pushes[index].fate == .waits else { return }
        if pushes[index].at != nil { delayList() }
        let isOdd = scheduler.chance.happens(weather.oddRecords)
        pushes[index].fate =
            isOdd
            ? scheduler.chance.one(of: [
                .sent("sending", successes: 0), .sent("sending", successes: 40), .sent("error", successes: 200),
                .sent("failed", successes: 0), .refused,
            ]) : .sent("done", successes: 250)
        scheduler.tell("push \(pushes[index].request): \(pushes[index].fate)")
    }

    private func cancel(_ handle: Int) -> (Int, JSONValue) {
        guard let index = pushes.firstIndex(where: { $0.handle == handle && $0.fate == .waits }) else {
            return scheduler.chance.one(of: [(200, [:]), (404, ["code": 101, "error": "no such push"])])
        }
        delayList()
        pushes[index].fate = .cancelled
        scheduler.tell("push \(pushes[index].request) is cancelled")
        return (200, [:])
    }

    // MARK: What it shows

    /// The next answers of the list may not show what happens now.
    private func delayList() {
        former = waiting.map(\.handle)
        guard late == 0 else { return }
        shown = former
        late = weather.isLate ? scheduler.chance.number(in: 0...3) : 0
    }

    private func list() -> JSONValue {
        if late > 0, weather.isLate {
            (late, right) = (late - 1, 0)
        } else if right > 0, weather.isLate, scheduler.chance.happens(400) {
            (shown, late, right) = (former, scheduler.chance.number(in: 0...2), 0)
        } else {
            (shown, right) = (waiting.map(\.handle), right + 1)
        }
        return [
            "results": .array(
                pushes.filter { shown.contains($0.handle) }.map { push in
                    [
                        "id": .integer(Int64(push.handle)),
                        "expire_time": .integer((push.at ?? push.madeAt).milliseconds),
                        "push_msg": ["notificationId": .string(push.request), "id": "x"],
                    ]
                })
        ]
    }

    private func record(_ isIt: (Push) -> Bool) -> JSONValue {
        guard let push = pushes.last(where: { isIt($0) && $0.fate != .cancelled }), push.recordedAt <= clock() else {
            return [:]
        }
        if let left = unseen[push.objectID], left > 0 {
            unseen[push.objectID] = left - 1
            return [:]
        }
        var (status, successes, errors) = ("scheduled", 0, "")
        switch push.fate {
        case .waits, .cancelled: break
        case .sent(let word, let count): (status, successes) = (word, count)
        case .refused: (status, errors) = ("error", "dev profile disabled for massive push")
        }
        return [
            "objectId": .string(push.objectID), "notificationId": .string(push.request), "status": .string(status),
            "devices": 250, "successes": .integer(Int64(successes)), "errors": .string(errors),
        ]
    }
}

/// The connections of one process to LeanCloud.
struct SimulatedConnection: HTTPExchanging {
    let service: SimulatedLeanCloud
    let process: Int

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await service.exchange(request, by: process)
    }
}

/// A machine's steady clock, on a scheduler's time.
enum SimulatedClock {
    private static let start = ContinuousClock.now

    static func steady(_ scheduler: Scheduler) -> ContinuousClock.Instant { start + scheduler.elapsed }
}
