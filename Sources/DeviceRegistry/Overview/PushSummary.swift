package import JSONValue
package import PushModel

/// A push with what became of it.
package struct PushSummary: Hashable, Sendable {
    /// Its row, by which a list goes on.
    package let row: Int64
    /// What was asked for.
    package let order: PushOrder
    /// The word of the database for how far it is: `queued`, `scheduled`, `cancelled`, `sending`, `delivered`,
    /// `expired`, `refused`.
    package let state: String
    /// When it was taken.
    package let createdAt: Instant
    /// Its record with the counters; `nil` when that was deleted or has outlived its week.
    package let record: JSONValue?

    /// How far it is on Apple's devices, while it is being sent to them.
    package let journal: JournalFigures?

    /// A counter of the record, with what is under way; 0 where there is none.
    package func count(_ name: String) -> Int64 { (record?[name]?.integer ?? 0) + Int64(countUnderWay(name)) }

    /// A counter of what would have been had the simulated devices been real.
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
