package import DeliveryJournal
package import JSONValue
package import PushModel

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

    /// A counter of the record, including the delivery in progress; 0 when there is none.
    package func count(_ name: String) -> Int64 { (record?[name]?.integer ?? 0) + Int64(countUnderWay(name)) }

    /// A counter for the simulated devices, as if they had been real.
    package func simulated(_ name: String) -> Int64 { record?["simulated"]?[name]?.integer ?? 0 }

    private func countUnderWay(_ name: String) -> Int {
        switch name {
        case "devices": journal?.targets ?? 0
        case "successes", "iosSuccesses": journal?.accepted ?? 0
        case "inDoubt": journal?.inDoubt ?? 0
        default: 0
        }
    }
}
