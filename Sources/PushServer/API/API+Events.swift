internal import Base
internal import DeviceRegistry
internal import Push
internal import Synchronization

extension API {
    private static let mostEvents = 100
    /// The largest body of a request in bytes: that many events have a tenth of it.
    private static let eventsLimit = 128 * 1024

    /// `POST /bugle/events`: what became of notifications on devices.
    ///
    /// Source: docs/server/what-devices-call.md#events.
    func events(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .post)
        guard request.body.count <= Self.eventsLimit else { throw APIError.payloadTooLarge }
        let answer = try await intake.run { () throws(APIError) in try await recorded(request) }
        guard let answer else {
            var refusal = APIResponse(.tooManyRequests)
            refusal.retryAfter = 1
            return refusal
        }
        return answer
    }

    private func recorded(_ request: APIRequest) async throws(APIError) -> APIResponse {
        guard let reported = try request.object()["events"]?.array, reported.count <= Self.mostEvents else {
            throw APIError(400, 1, "'events' is a list of at most \(Self.mostEvents) events.")
        }
        let read = reported.map(DeviceEvent.init)
        let events = read.compactMap(\.self)
        let fates = try await ask(try await Journal(registry) { request.now }.record(events, knowing: intake.index))
        intake.count(events, fates, unreadable: read.count - events.count)
        var rest = fates[...]
        let later = read.indices.filter { read[$0] != nil && rest.popFirst() == .later }
        let accepted = fates.count { $0 == .accepted }
        return APIResponse(
            body: [
                "accepted": .integer(Int64(accepted)),
                "refused": .integer(Int64(read.count - accepted - later.count)),
                "later": .array(later.map { .integer(Int64($0)) }),
            ])
    }
}

extension DeviceEvent {
    /// Reads a reported event; nil for one that cannot be of any delivery.
    fileprivate init?(_ json: JSONValue) {
        guard let delivery = json["delivery"]?.string, Self.isName(delivery),
            let installation = json["installation"]?.string, Self.isName(installation),
            let kind = json["event"]?.string.flatMap(Kind.init(name:))
        else { return nil }
        let at = json["at"]?.string.flatMap { Instant($0) }
        guard at != nil || json["at"] == nil else { return nil }
        self.init(delivery: delivery, installation: installation, kind: kind, at: at)
    }

    /// True for what ids of deliveries and installations are made of.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
}

/// The lane of the events that devices report: two requests at a time, so that a flood of them delays nothing else.
final class EventIntake: Sendable {
    /// The counts since the server's start.
    struct Counts: Sendable {
        /// The accepted reports by kind, repeated ones too.
        var accepted: [DeviceEvent.Kind: Int] = [:]
        /// The reports that never count.
        var refused = 0
        /// The reports that are to be repeated.
        var later = 0
        /// The requests that found no place.
        var turnedAway = 0
    }

    /// What is known of the reached sets.
    let index = ReachedIndex()
    /// The newest deliveries that count events: counting reads each event.
    let deliveries: MinuteCache<[CountedDelivery]>
    private let places = Pool(places: 2)
    private let state = Mutex(Counts())

    /// The time a request waits for a place.
    private static let patience: Duration = .seconds(1)

    /// The number of deliveries that are shown.
    private static let mostDeliveries = 10

    init(_ registry: Registry) {
        deliveries = MinuteCache { () throws(RegistryError) in
            try await Journal(registry).countedDeliveries(most: Self.mostDeliveries)
        }
    }

    var counts: Counts { state.withLock { $0 } }

    /// Runs `body` with a place of its own; nil when none became free in time.
    func run<Value: Sendable>(_ body: () async throws(APIError) -> Value) async throws(APIError) -> Value? {
        guard await places.take(within: Self.patience) != nil else {
            state.withLock { $0.turnedAway += 1 }
            return nil
        }
        defer { places.giveBack(()) }
        return try await body()
    }

    func count(_ events: [DeviceEvent], _ fates: [DeviceEvent.Fate], unreadable: Int) {
        state.withLock { counts in
            counts.refused += unreadable
            for (event, fate) in zip(events, fates) {
                switch fate {
                case .accepted: counts.accepted[event.kind, default: 0] += 1
                case .refused: counts.refused += 1
                case .later: counts.later += 1
                }
            }
        }
    }
}
