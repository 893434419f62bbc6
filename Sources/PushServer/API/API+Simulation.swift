internal import Base
internal import Delivery
internal import DeviceRegistry
package import Push
internal import Synchronization

extension API {
    /// `/bugle/…`: the ways the server reaches devices, the simulated devices' inboxes and, where allowed, faults, dead
    /// tokens and the clock.
    func simulation(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try request.requireMaster("use /1.1/bugle")
        let path = request.path
        switch path.dropFirst().first {
        case "server" where path.count == 2:
            try allow(request, .get)
            return try await reach(at: request.now)
        case "rendering" where path.count == 2:
            try allow(request, .get)
            return try rendering(request)
        case "devices" where path.count == 4 && path[3] == "inbox":
            try allow(request, .get)
            return try await inbox(of: path[2])
        case "devices" where path.count == 4 && path[3] == "dead" && configuration.allowsFaults:
            try allow(request, .post)
            try await ask(try await registry.killToken(path[2]))
            return APIResponse(body: [:])
        case "inboxes" where path.count == 2:
            try allow(request, .get)
            return try await inboxes(request)
        case "faults" where path.count == 2 && configuration.allowsFaults: return try faults(request)
        case "clock" where path.count == 2 && configuration.allowsFaults: return try await clock(request)
        default: throw APIError.noSuchPath
        }
    }

    /// The ways in which devices are reached by now, as named in responses: those whose credentials are here, if any.
    var devices: String {
        guard let service = pushes.apple?.service else { return "simulated" }
        let here = Set(service.profiles.filter { $0.facts != nil }.map(\.vendor))
        return (here.isEmpty ? service.vendors : here).map(\.way).sorted().joined(separator: ", ")
    }

    /// Reports the reachable devices, and how far a live app's were copied; a profile whose credential is missing or
    /// expired cannot push.
    private func reach(at now: Instant) async throws(APIError) -> APIResponse {
        let service = pushes.apple?.service
        let usable = service.map { service in service.profiles.filter { service.isUsable($0, at: now) } } ?? []
        var body: JSONValue = [
            "devices": .string(devices), "deviceProfiles": .array(usable.map { .string($0.name) }),
        ]
        let copied = try await ask(try await registry.copiedDevices())
        if let copied {
            let aside = try await ask(try await registry.supersededDevices())
            body["copiedUntil"] = .string(copied.until.isoText)
            body["keptAside"] = .integer(Int64(aside))
        }
        return APIResponse(body: body)
    }

    /// Says what each way would send for a push, which is refused as `POST /push` would refuse it, and goes nowhere.
    private func rendering(_ request: APIRequest) throws(APIError) -> APIResponse {
        let push = request.query["push"].flatMap { try? JSONValue(parsing: $0, limits: ServerLimits.json).object }
        guard let push else { throw APIError(400, 1, "push is the JSON object that would be pushed.") }
        let toDevices = request.query["endpoint"] == PushRequest.Endpoint.devices.rawValue
        let order = try PushParameters(push, request).order(toDevices: toDevices)
        guard let rendered = try accepted(order, at: request.now)?.order else {
            return APIResponse(body: ["results": []])
        }
        var results: [JSONValue] = []
        if rendered.routes.contains(where: { $0.vendor == .apns }) {
            results.append(
                [
                    "way": .string(PushVendor.apns.way), "bytes": .integer(Int64(rendered.payloadBytes)),
                    "limit": .integer(Int64(rendered.pushType.payloadLimit)),
                ])
        }
        for (vendor, messages) in rendered.others.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let bytes = vendor == .fcm ? rendered.fcmBytes : nil
            var result: JSONValue = [
                "way": .string(vendor.way),
                "bytes": .integer(Int64(bytes ?? VendorMessage.size(vendor, messages.own))),
            ]
            // The others bound the characters of title and text.
            if VendorMessage.limits(vendor) == nil { result["limit"] = .integer(Int64(FCMMessage.limit)) }
            results.append(result)
        }
        return APIResponse(body: ["results": .array(results)])
    }

    private func inbox(of device: String) async throws(APIError) -> APIResponse {
        let received = try await ask(try await registry.inbox(of: device))
        let results = received.map { push -> JSONValue in
            [
                "notificationId": .string(push.notificationID), "objectId": .string(push.objectID),
                "data": .object(push.content), "receivedAt": .string(push.receivedAt.isoText),
            ]
        }
        return APIResponse(body: ["results": .array(results)])
    }

    private func inboxes(_ request: APIRequest) async throws(APIError) -> APIResponse {
        guard let id = request.query["notificationId"], !id.isEmpty else {
            throw APIError(400, 1, "notificationId is missing.")
        }
        let summary = try await ask(try await registry.inboxSummary(notificationID: id))
        return APIResponse(
            body: [
                "devices": .integer(Int64(summary.devices)), "messages": .integer(Int64(summary.messages)),
                "duplicates": .integer(Int64(summary.duplicates)),
            ])
    }

    private func faults(_ request: APIRequest) throws(APIError) -> APIResponse {
        switch request.method {
        case .get: return APIResponse(body: ["results": faults.json])
        case .post:
            let id = faults.add(try Fault(try request.object()))
            return APIResponse(status: 201, body: ["id": .integer(Int64(id))])
        case .delete:
            faults.clear()
            return APIResponse(body: [:])
        case .put: throw APIError.methodNotAllowed
        }
    }

    /// Returns or advances the clock; responds once everything due has been sent and outdated data is purged.
    private func clock(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .get, .post)
        if request.method == .post {
            guard let seconds = try request.object()["advance"]?.double, (0...1e9).contains(seconds) else {
                throw APIError(400, 1, "advance is a number of seconds from 0.")
            }
            if registry.isShared, clock.canFollow {
                try await ask(try await registry.advanceSharedClock(bySeconds: seconds))
                await pushes.followClock()
            } else {
                clock.advance(bySeconds: seconds)
            }
            await pushes.sendDue()
            await pushes.purge()
        }
        return APIResponse(body: ["now": .string(clock.now.isoText)])
    }
}

/// The injected faults, in the order they were added.
final class FaultList: Sendable {
    private let isStopping = Atomic(false)
    private let state = Mutex((next: 1, entries: [Entry]()))

    private struct Entry {
        let id: Int
        let fault: Fault
        var seen = 0
        var hits = 0
    }

    func add(_ fault: Fault) -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            state.entries.append(Entry(id: state.next, fault: fault))
            return state.next
        }
    }

    func clear() {
        state.withLock { $0.entries = [] }
    }

    /// Counts a request and returns the fault that hits it.
    func meet(method: String, path: String) -> Fault.Effect? {
        state.withLock { state in
            var met: Fault.Effect?
            for index in state.entries.indices
            where state.entries[index].hits == 0 && state.entries[index].fault.covers(method, path) {
                state.entries[index].seen += 1
                if met == nil, state.entries[index].seen >= state.entries[index].fault.nth {
                    state.entries[index].hits = 1
                    met = state.entries[index].fault.effect
                }
            }
            return met
        }
    }

    /// Holds a response for some real time, or until the server stops.
    func hold(for seconds: Double) async {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while ContinuousClock.now < end, !isStopping.load(ordering: .relaxed), !Task.isCancelled {
            try? await Task.sleep(until: min(end, .now.advanced(by: .milliseconds(20))))
        }
    }

    /// Releases all held responses.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// All faults with the number of requests seen and whether they have struck.
    var json: JSONValue {
        state.withLock { state in
            .array(
                state.entries.map { entry in
                    var json = entry.fault.json
                    json["id"] = .integer(Int64(entry.id))
                    json["seen"] = .integer(Int64(entry.seen))
                    json["hits"] = .integer(Int64(entry.hits))
                    return json
                })
        }
    }
}

/// An injected fault and the request it applies to.
struct Fault: Hashable, Sendable {
    /// The HTTP method; `*` is any.
    let method: String
    /// The prefix of the path; `*` is any.
    let path: String
    /// The matching request to hit, counted from when the fault was added; 1 is the next.
    let nth: Int
    let effect: Effect

    enum Effect: Hashable, Sendable {
        /// The request is carried out, and the connection is closed without a response.
        case dropResponse
        /// The request is carried out, and the response is delayed by this many seconds of real time.
        case delay(Double)
        /// The request is carried out, and the response has this status.
        case status(Int)
        /// The connection is closed before the request is carried out.
        case close
        /// The request is carried out, and the connection is reset (TCP RST) without a response.
        case reset
    }

    /// Parses `{"method","path","nth","fault","value"}`.
    ///
    /// - Throws: ``APIError`` with code 1 for an invalid fault.
    init(_ members: JSONObject) throws(APIError) {
        method = members["method"]?.string?.uppercased() ?? "*"
        path = members["path"]?.string ?? "*"
        let nth = members["nth"] ?? 1
        let value = members["value"]?.double
        guard let count = nth.integer, (1...1_000_000).contains(count) else {
            throw APIError(400, 1, "'nth' is a whole number from 1.")
        }
        self.nth = Int(count)
        switch (members["fault"]?.string, value) {
        case ("drop-response", _): effect = .dropResponse
        case ("close", _): effect = .close
        case ("reset", _): effect = .reset
        case ("delay", let seconds?) where (0...600).contains(seconds): effect = .delay(seconds)
        case ("status", let status?) where (200...599).contains(status): effect = .status(Int(status))
        default:
            throw APIError(
                400, 1,
                "'fault' is drop-response, close, reset, delay with a value of 0 to 600 seconds, or status with a "
                    + "value of 200 to 599.")
        }
    }

    /// True if the fault applies to a request.
    func covers(_ method: String, _ path: String) -> Bool {
        (self.method == "*" || self.method == method) && (self.path == "*" || path.hasPrefix(self.path))
    }

    var json: JSONValue {
        var members: JSONValue = ["method": .string(method), "path": .string(path), "nth": .integer(Int64(nth))]
        switch effect {
        case .dropResponse: members["fault"] = "drop-response"
        case .close: members["fault"] = "close"
        case .reset: members["fault"] = "reset"
        case .delay(let seconds):
            members["fault"] = "delay"
            members["value"] = .number(seconds)
        case .status(let status):
            members["fault"] = "status"
            members["value"] = .integer(Int64(status))
        }
        return members
    }
}

/// The server's clock, which drives the `Date` header, every `createdAt`, time windows and ages.
///
/// It can be advanced, so that rules about minutes and days are tested in seconds. Copies of a server follow the clock
/// of their database. Where there is one server, the offset is in memory only: after a restart the clock follows the
/// machine's again.
package final class ServerClock: Sendable {
    /// The initial time of a stopped clock; nil for one that follows the machine's.
    private let start: Instant?
    private let machine: Instant?
    private let offset = Mutex<Double>(0)

    /// Creates a clock that follows the machine's, or a stopped one that only moves when advanced.
    ///
    /// - Parameters:
    ///   - start: the initial time of a stopped clock; nil for one that follows the machine's.
    ///   - machine: the value of ``machineTime``; nil for the machine's own clock.
    package init(standingAt start: Instant? = nil, machineAt machine: Instant? = nil) {
        self.start = start
        self.machine = machine
    }

    /// The current time.
    package var now: Instant { (start ?? .system).advanced(bySeconds: offset.withLock { $0 }) }

    /// The machine's own time, however far the clock was advanced: clients sign with theirs.
    package var machineTime: Instant { machine ?? .system }

    /// True if it can follow another clock; a stopped one cannot.
    var canFollow: Bool { start == nil }

    /// Follows another clock that showed a time when the machine's showed `machine`.
    func follow(_ time: Instant, at machine: Instant) {
        guard canFollow else { return }
        offset.withLock { $0 = Double(time.milliseconds - machine.milliseconds) / 1000 }
    }

    /// The `Date` header of an answer that is given now.
    var httpDate: String { now.httpDate }

    package func advance(bySeconds seconds: Double) {
        offset.withLock { $0 += seconds }
    }
}

extension Instant {
    /// The weekday from 0 for Sunday, and the month and day of the month from 1, in UTC.
    var date: (weekday: Int, month: Int, day: Int) {
        let date = CivilDate(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
        return ((date.weekday + 1) % 7, date.month, date.day)
    }
}
