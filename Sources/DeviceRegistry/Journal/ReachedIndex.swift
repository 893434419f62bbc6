internal import Push
internal import Synchronization

/// The reached sets of the deliveries that events were last reported of, unpacked in memory.
///
/// A stored set is packed, so that finding one number takes reading thousands; here it takes none. A delivery to ten
/// million devices takes about 1.5 MB, and at most ``mostDeliveries`` are kept.
package final class ReachedIndex: Sendable {
    /// A part and form, of which each reached device has one.
    struct Place: Hashable, Sendable {
        let part: Int
        let form: Int
    }

    /// What tells a stored row from all others, and from itself with other contents.
    struct RowKey: Hashable, Sendable {
        let part, number: Int
        let isDoubtful: Bool
        let at: Instant
        let bytes: Int
    }

    /// What was read of one delivery.
    struct Entry: Sendable {
        fileprivate(set) var rows: Set<RowKey> = []
        private var sets: [Place: ReachedSet] = [:]
        /// The time when the delivery was closed, if nothing could be added after the last reading.
        fileprivate var completeAt: Instant?
        fileprivate var readAt: ContinuousClock.Instant?
        fileprivate var lastUse = 0

        /// Adds the numbers of a row.
        mutating func add(_ numbers: [Int64], of key: RowKey, form: Int) {
            guard rows.insert(key).inserted else { return }
            sets[Place(part: key.part, form: form), default: ReachedSet()].insert(numbers)
        }

        /// The part and form in which a number is; nil when it is in none.
        func place(of number: Int64) -> Place? { sets.first { $0.value.contains(number) }?.key }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses = 0
    }

    private let state = Mutex(State())
    /// The shortest time between two readings of a delivery that is under way.
    private let pause: Duration

    private static let mostDeliveries = 16

    /// Creates an empty index.
    ///
    /// - Parameter pause: the shortest time between two readings of a delivery, so that reports of strangers cost none.
    package init(pause: Duration = .seconds(1)) { self.pause = pause }

    /// Returns the places of numbers, without those that are in none that was read; and true if there is nothing else
    /// to read of a delivery that was closed at a time.
    func look(
        for numbers: Set<Int64>, in delivery: String, closedAt: Instant?
    ) -> (places: [Int64: Place], isComplete: Bool) {
        state.withLock { state in
            guard let entry = state.entries[delivery] else { return ([:], false) }
            let places = numbers.reduce(into: [:]) { $0[$1] = entry.place(of: $1) }
            return (places, closedAt != nil && entry.completeAt == closedAt)
        }
    }

    /// The rows that were read, if it is time to look for others; nil when it is not.
    func rowsToRefresh(_ delivery: String) -> Set<RowKey>? {
        state.withLock { state in
            if let last = state.entries[delivery]?.readAt, last + pause > .now { return nil }
            state.uses += 1
            var entry = state.entries[delivery] ?? Entry()
            entry.lastUse = state.uses
            let rows = entry.rows
            state.entries[delivery] = entry
            if state.entries.count > Self.mostDeliveries {
                let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }?.key
                if let oldest { state.entries[oldest] = nil }
            }
            return rows
        }
    }

    /// Takes a row of a delivery that was read.
    func take(_ row: (key: RowKey, form: Int, numbers: [Int64]), of delivery: String) {
        state.withLock { $0.entries[delivery]?.add(row.numbers, of: row.key, form: row.form) }
    }

    /// Notes that the rows with these keys are all of a delivery; `closedAt` is when it was closed, if none can follow.
    func noteReading(of delivery: String, _ keys: [RowKey], closedAt: Instant?) {
        state.withLock { state in
            // Another thread may have dropped the entry, and started a new one.
            guard var entry = state.entries[delivery], keys.allSatisfy(entry.rows.contains) else { return }
            (entry.readAt, entry.completeAt) = (.now, closedAt)
            state.entries[delivery] = entry
        }
    }
}
