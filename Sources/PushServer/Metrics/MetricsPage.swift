internal import CLibrary
internal import DeviceRegistry
internal import FoundationEssentials
internal import Push
internal import Synchronization

/// Writes `/metrics` in Prometheus' text format 0.0.4.
final class MetricsPage: Sendable {
    /// The content type of the page.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let metrics: ServerMetrics
    private let registry: Registry
    private let start: Instant
    private let countsApple: Bool
    private let intake: EventIntake
    /// The number of devices: counting scans an index.
    private let devices: MinuteCache<Int>

    init(metrics: ServerMetrics, registry: Registry, start: Instant, countsApple: Bool, intake: EventIntake) {
        devices = MinuteCache { () throws(RegistryError) in try await registry.deviceCount() }
        self.intake = intake
        self.countsApple = countsApple
        self.metrics = metrics
        self.registry = registry
        self.start = start
    }

    /// Renders the whole page.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be queried.
    func text() async throws(RegistryError) -> String {
        let figures = try await registry.figures()
        let devices = try await devices.value
        // Counting may take longer than the database lets a statement run: the rest of the page does not depend on it.
        let deliveries = (try? await intake.deliveries.value) ?? []
        var page = MetricsText()
        writeRequests(to: &page)
        page.write("bugle_connections_open", .gauge, "Open connections.", metrics.connections.value)
        page.write("bugle_pushes_total", .counter, "Pushes accepted since the registry was created.", figures.pushes)
        page.write(
            "bugle_simulated_messages_total", .counter, "Messages to simulated devices since the registry was created.",
            figures.messages)
        if countsApple { writeApple(to: &page) }
        writeEvents(deliveries, to: &page)
        page.write("bugle_pushes_scheduled", .gauge, "Scheduled pushes that are not yet sent.", figures.scheduled)
        page.write("bugle_installations", .gauge, "Registered devices, counted at most once a minute.", devices)
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

    private func writeApple(to page: inout MetricsText) {
        let counts = metrics.apple.counts
        let name = "bugle_apple_notifications_total"
        page.head(name, .counter, "Notifications to Apple by outcome.")
        page.line(name, ["outcome": "accepted"], "\(counts.accepted)")
        page.line(name, ["outcome": "refused"], "\(counts.refused)")
        page.line(name, ["outcome": "in_doubt"], "\(counts.inDoubt)")
    }

    private func writeEvents(_ deliveries: [CountedDelivery], to page: inout MetricsText) {
        let counts = intake.counts
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
            "Devices for which Apple accepted one of the newest deliveries that count events, counted at most once a minute."
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
