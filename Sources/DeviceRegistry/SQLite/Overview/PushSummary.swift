package import Base
package import Push

/// A push with its outcome.
package struct PushSummary: Hashable, Sendable {
    /// The row, for paging.
    package let row: Int64
    /// The order.
    package let order: PushOrder
    /// The state in the database: `queued`, `scheduled`, `cancelled`, `sending`, `delivered`, `expired`, `refused`,
    /// or one of them after `held:`.
    package let state: String
    /// The time when it was accepted.
    package let createdAt: Instant
    /// The record with the counters; `nil` when it was deleted or is more than a week old.
    package let record: JSONValue?

    /// The progress on Apple devices, while it is being sent.
    package let journal: JournalFigures?

    /// A number of devices that a record counts.
    package enum Counter: String, CaseIterable, Sendable {
        case devices, successes, invalidTokens, inDoubt
    }

    /// The real devices that a counter has, including the delivery in progress; 0 when there is no record.
    package func count(_ counter: Counter) -> Int64 { (record?[counter.rawValue]?.integer ?? 0) + underWay(counter) }

    /// The simulated devices that a counter has, as if they had been real.
    package func simulated(_ counter: Counter) -> Int64 { simulation?[counter.rawValue]?.integer ?? 0 }

    /// The devices that a counter has, real and simulated.
    package func total(_ counter: Counter) -> Int64 { count(counter) + simulated(counter) }

    /// The devices, real and simulated, that each service took a push for, by its name in records, such as `ios`, `mi`.
    package var successesByService: [String: Int64] {
        let ending = "Successes"
        var successes: [String: Int64] = [:]
        for counters in [record, simulation] {
            for (key, count) in counters?.object ?? [:] where key.hasSuffix(ending) {
                successes[String(key.dropLast(ending.count)), default: 0] += count.integer ?? 0
            }
        }
        if successes["ios"] != nil { successes["ios", default: 0] += underWay(.successes) }
        return successes.filter { $0.value > 0 }
    }

    /// True if simulated devices are counted apart.
    package var hasSimulation: Bool { simulation != nil }

    /// What the record says of its end: `done`, `error`.
    package var status: String? { record?["status"]?.string }

    /// What went wrong, in the service's words.
    package var errors: String? { record?["errors"].map { $0.string ?? $0.canonicalText } }

    /// The classes that its condition queries, and that do not exist.
    package var absentClasses: [String] { (record?["absentClasses"]?.array ?? []).compactMap(\.string) }

    /// The devices that were not reached in time.
    package var missed: Int64 { record?["missed"]?.integer ?? 0 }

    /// The devices that cannot be reached, by reason.
    package var leftOut: [String: Int64] { numbers("leftOut") }

    /// The devices that Apple refused, by its reason, including the delivery in progress.
    package var refused: [String: Int64] {
        numbers("refused").merging((journal?.refused ?? [:]).mapValues(Int64.init), uniquingKeysWith: +)
    }

    private var simulation: JSONValue? { record?["simulated"] }

    private func numbers(_ name: String) -> [String: Int64] {
        Dictionary((record?[name]?.object ?? [:]).map { ($0.key, $0.value.integer ?? 0) }, uniquingKeysWith: +)
    }

    private func underWay(_ counter: Counter) -> Int64 {
        switch counter {
        case .devices: Int64(journal?.targets ?? 0)
        case .successes: Int64(journal?.accepted ?? 0)
        case .inDoubt: Int64(journal?.inDoubt ?? 0)
        case .invalidTokens: 0
        }
    }
}
