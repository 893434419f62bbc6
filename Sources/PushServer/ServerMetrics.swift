internal import CLibrary
internal import DeviceRegistry
internal import FoundationEssentials
internal import Logging
internal import Push
internal import Synchronization

/// Counts the server's activity.
///
/// The labels are closed lists: no client's token, id or path can become one, and their number is bounded.
final class ServerMetrics: Sendable {
    /// A class of requests with its response status.
    struct Outcome: Hashable, Comparable, Sendable {
        let route: RouteClass
        let status: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.route.rawValue, left.status) < (right.route.rawValue, right.status)
        }
    }

    /// The distribution of request durations.
    struct Histogram: Sendable {
        /// The upper bounds in seconds; the last bucket has none.
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

        /// The number of requests per bucket.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// The sum of all durations, in seconds.
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }

    struct Counts: Sendable {
        var requests: [Outcome: Int] = [:]
        var durations: [RouteClass: Histogram] = [:]
        var inFlight = 0
    }

    /// The number of open connections.
    let connections = Atomic(0)
    let notifications = NotificationCounters()
    private let state = Mutex(Counts())

    func begin() {
        state.withLock { $0.inFlight += 1 }
    }

    /// Counts the end of a request; without a response, its status is 499.
    func end(_ outcome: Outcome, seconds: Double) {
        state.withLock { counts in
            counts.inFlight -= 1
            counts.requests[outcome, default: 0] += 1
            counts.durations[outcome.route, default: Histogram()].add(seconds)
        }
    }

    /// Counts a refusal of something that never became a readable request.
    func countRefused(_ status: Int) {
        state.withLock { $0.requests[Outcome(route: .other, status: status), default: 0] += 1 }
    }

    var counts: Counts { state.withLock { $0 } }
}

/// The class of a request, as the log and metrics name it.
///
/// Paths may contain tokens or ids, so they are never shown themselves.
enum RouteClass: String, CaseIterable, Sendable {
    case installations
    case installation
    case objects
    case object
    case users
    case batch
    case push
    case pushDevices = "push-devices"
    case scheduled
    case notifications
    case date
    case simulation
    case events
    case console
    case health
    case ready
    case metrics
    case router
    case preflight
    case other

    /// Classifies a path, given as its decoded components.
    init(_ path: [String]) {
        switch path.first {
        case "health" where path.count == 1: self = .health
        case "ready" where path.count == 1: self = .ready
        case "metrics" where path.count == 1: self = .metrics
        case "console": self = .console
        case "1", "2", "v1":
            self = path.count == 2 && path[1] == "route" ? .router : .other
        case "1.1": self = Self.call(path[1...])
        default: self = .other
        }
    }

    /// True for what load balancers ask, for which a place is kept.
    var isProbe: Bool { self == .health || self == .ready }

    private static func call(_ path: ArraySlice<String>) -> RouteClass {
        let second = path.dropFirst().first
        switch path.first {
        case "installations": return second == nil ? .installations : .installation
        case "classes" where second == "_Installation": return path.count == 2 ? .installations : .installation
        case "classes": return path.count <= 2 ? .objects : .object
        case "scan" where second == "classes":
            return path.dropFirst(2).first == "_Installation" ? .installations : .objects
        case "users", "login", "requestEmailVerify", "requestPasswordReset": return .users
        case "batch": return .batch
        case "push": return second == "devices" ? .pushDevices : .push
        case "scheduledPushMessages": return .scheduled
        case "notifications", "tables": return .notifications
        case "date": return .date
        case "bugle": return second == "events" && path.count == 2 ? .events : .simulation
        default: return .other
        }
    }
}

/// The data that the log and metrics keep of a request: never its path, query, headers or body.
struct RequestRecord: Sendable {
    /// The status of a request that got no response.
    static let unanswered = 499

    var status = unanswered
    /// The number of bytes in the response's body.
    var bytes = 0

    private let method: String
    private let route: RouteClass
    private let address: String?
    private let start = ContinuousClock.now

    init(_ exchange: Exchange, logsAddress: Bool) {
        let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]
        method = known.contains(exchange.method) ? exchange.method : "other"
        route = exchange.route
        address = logsAddress ? exchange.client.text : nil
    }

    /// Counts the request and logs it.
    func finish(_ metrics: ServerMetrics, _ logger: Logger) {
        let elapsed = ContinuousClock.now - start
        let milliseconds = (elapsed / .milliseconds(1) * 10).rounded() / 10
        metrics.end(.init(route: route, status: status), seconds: elapsed / .seconds(1))
        var metadata: Logger.Metadata = [
            "method": .string(method), "route": .string(route.rawValue), "status": .stringConvertible(status),
            "ms": .stringConvertible(milliseconds), "bytes": .stringConvertible(bytes),
        ]
        if let address { metadata["remote"] = .string(address) }
        logger.info("request", metadata: metadata)
    }
}

/// Writes `/metrics` in Prometheus' text format 0.0.4.
final class MetricsPage: Sendable {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let metrics: ServerMetrics
    private let api: API
    private let start: Instant
    /// The number of devices: counting scans an index.
    private let devices: MinuteCache<Int>

    init(_ metrics: ServerMetrics, _ api: API) {
        self.metrics = metrics
        self.api = api
        start = api.clock.now
        devices = MinuteCache(least: api.configuration.limits.countInterval) { () throws(RegistryError) in
            try await api.registry.deviceCount()
        }
    }

    /// Renders the whole page, without what cannot be counted for now.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be queried.
    func text() async throws(RegistryError) -> String {
        let figures = try await api.registry.figures()
        // Counting may take longer than the database lets a statement run: the rest of the page does not depend on it.
        let devices = try? await devices.value
        let deliveries = (try? await api.intake.deliveries.value) ?? []
        var page = MetricsText()
        writeRequests(to: &page)
        page.write("bugle_connections_open", .gauge, "Open connections.", metrics.connections.load(ordering: .relaxed))
        page.write("bugle_pushes_total", .counter, "Pushes accepted since the registry was created.", figures.pushes)
        page.write(
            "bugle_simulated_messages_total", .counter, "Messages to simulated devices since the registry was created.",
            figures.messages)
        writeNotifications(to: &page)
        writeEvents(deliveries, to: &page)
        page.write("bugle_pushes_scheduled", .gauge, "Scheduled pushes that are not yet sent.", figures.scheduled)
        if let devices {
            page.write("bugle_installations", .gauge, "Registered devices, counted at most once a minute.", devices)
        }
        page.write("bugle_database_bytes", .gauge, "Size of the database.", figures.bytes)
        if let bytes = Self.residentBytes {
            page.write("process_resident_memory_bytes", .gauge, "Resident memory.", bytes)
        }
        page.write(
            "process_start_time_seconds", .gauge, "Start time of the server, in seconds since 1970.",
            Int(start.milliseconds / 1000))
        return page.text
    }

    private func writeRequests(to page: inout MetricsText) {
        let counts = metrics.counts
        page.head("bugle_http_requests_total", .counter, "Requests by subject and status.")
        for (outcome, count) in counts.requests.sorted(by: { $0.key < $1.key }) {
            page.line(
                "bugle_http_requests_total", ["route": outcome.route.rawValue, "status": "\(outcome.status)"],
                "\(count)")
        }
        let name = "bugle_http_request_duration_seconds"
        page.head(name, .histogram, "Time from a request's head to its answer.")
        for (route, histogram) in counts.durations.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var total = 0
            for (index, count) in histogram.counts.enumerated() {
                total += count
                let bounds = ServerMetrics.Histogram.bounds
                let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
                page.line(name + "_bucket", ["route": route.rawValue, "le": bound], "\(total)")
            }
            page.line(name + "_sum", ["route": route.rawValue], "\(histogram.sum)")
            page.line(name + "_count", ["route": route.rawValue], "\(total)")
        }
        page.write("bugle_http_requests_in_flight", .gauge, "Requests in progress.", counts.inFlight)
    }

    private func writeNotifications(to page: inout MetricsText) {
        let counts = metrics.notifications.counts
        let services = (api.pushes.apple?.service.vendors ?? []).union(counts.keys)
        guard !services.isEmpty else { return }
        let name = "bugle_notifications_total"
        page.head(name, .counter, "Notifications by service and outcome.")
        for service in PushVendor.allCases where services.contains(service) {
            let outcomes = counts[service] ?? ServiceOutcomes()
            for (word, count) in [
                ("accepted", outcomes.accepted), ("refused", outcomes.refused), ("in_doubt", outcomes.inDoubt),
            ] {
                page.line(name, ["service": service.way, "outcome": word], "\(count)")
            }
        }
    }

    private func writeEvents(_ deliveries: [CountedDelivery], to page: inout MetricsText) {
        let counts = api.intake.counts
        let name = "bugle_events_total"
        page.head(name, .counter, "Reports of events by what became of them.")
        for kind in DeviceEvent.Kind.allCases {
            page.line(name, ["outcome": "accepted", "event": kind.name], "\(counts.accepted[kind] ?? 0)")
        }
        page.line(name, ["outcome": "refused"], "\(counts.refused)")
        page.line(name, ["outcome": "later"], "\(counts.later)")
        page.write(
            "bugle_event_requests_turned_away_total", .counter, "Reports that found no place and are to be repeated.",
            counts.turnedAway)
        let (accepted, reported) = ("bugle_delivery_accepted_devices", "bugle_delivery_event_devices")
        page.head(
            accepted, .gauge,
            "Devices for which their service accepted one of the newest deliveries that count events, counted at most once a minute."
        )
        for delivery in deliveries {
            page.line(accepted, ["delivery": delivery.delivery], "\(delivery.accepted)")
        }
        page.head(
            reported, .gauge,
            "Devices that reported an event of a delivery: a rate is their share of those that accepted it.")
        for delivery in deliveries {
            for kind in DeviceEvent.Kind.allCases {
                page.line(
                    reported, ["delivery": delivery.delivery, "event": kind.name], "\(delivery.events.devices(kind))")
            }
        }
    }

    /// The resident memory, from the second number of `/proc/self/statm`, which is in pages.
    private static var residentBytes: Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}

/// Lines of Prometheus' text format.
private struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""

    mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a line with labels, which are words of closed lists or ids of letters and digits and need no escaping.
    mutating func line(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: String) {
        let labels = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        text += "\(name){\(labels)} \(value)\n"
    }

    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        head(name, kind, help)
        text += "\(name) \(value)\n"
    }
}

/// A value that costs much to read: it is read again a minute later, or another time, or so late that reading takes a
/// hundredth of the time, and once for all who ask meanwhile.
final class MinuteCache<Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, RegistryError>

    /// The last reading, and the time until which it is good; nil while it is under way.
    private let last = Mutex<(task: Task<Outcome, Never>, until: ContinuousClock.Instant?)?>(nil)
    private let least: Duration
    private let read: @Sendable () async throws(RegistryError) -> Value

    init(least: Duration = .seconds(60), _ read: @escaping @Sendable () async throws(RegistryError) -> Value) {
        self.least = least
        self.read = read
    }

    /// The value as it was last read.
    var value: Value {
        get async throws(RegistryError) {
            let task = last.withLock { last in
                if let last, last.until.map({ $0 > .now }) ?? true { return last.task }
                // Not a caller's: one that goes away must not take it from the others.
                let task = Task { await outcome() }
                last = (task, nil)
                return task
            }
            return try await task.value.get()
        }
    }

    private func outcome() async -> Outcome {
        let start = ContinuousClock.now
        do throws(RegistryError) {
            let value = try await read()
            let end = ContinuousClock.now
            last.withLock { $0?.until = end + max(least, (end - start) * 100) }
            return .success(value)
        } catch {
            let end = ContinuousClock.now
            last.withLock { $0?.until = end + (end - start) * 100 }
            return .failure(error)
        }
    }
}
