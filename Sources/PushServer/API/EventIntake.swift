internal import Base
internal import DeviceRegistry
internal import Synchronization

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

    /// The counts so far.
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

    /// Counts what became of reports.
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
