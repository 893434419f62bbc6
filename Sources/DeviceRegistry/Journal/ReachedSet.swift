package import Push
internal import Synchronization

/// The installations that one delivery was sent to, by their numbers in the registry.
package struct ReachedSet: Sendable {
    /// Bitmaps of ``width`` numbers each.
    private var blocks: [Int64: [UInt64]] = [:]

    /// The numbers of one block.
    static let width: Int64 = 65_536

    /// Adds numbers, which are fastest in ascending order.
    package mutating func insert(_ numbers: [Int64]) {
        var start = numbers.startIndex
        while start < numbers.endIndex {
            let block = numbers[start] / Self.width
            let end = numbers[start...].firstIndex { $0 / Self.width != block } ?? numbers.endIndex
            Self.insert(numbers[start..<end], into: &blocks[block, default: Self.empty])
            start = end
        }
    }

    private static let empty = [UInt64](repeating: 0, count: Int(width / 64))

    private static func insert(_ numbers: ArraySlice<Int64>, into bits: inout [UInt64]) {
        for number in numbers {
            let place = Int(number % width)
            bits[place / 64] |= 1 << UInt64(place % 64)
        }
    }

    /// True if it has a number.
    package func contains(_ number: Int64) -> Bool {
        guard number > 0, let bits = blocks[number / Self.width] else { return false }
        let place = Int(number % Self.width)
        return bits[place / 64] & 1 << UInt64(place % 64) != 0
    }

    /// Calls `body` with each block that holds any numbers, and these, ascending.
    package func eachBlock(_ body: (_ block: Int64, _ numbers: [Int64]) throws -> Void) rethrows {
        for block in blocks.keys.sorted() {
            var numbers: [Int64] = []
            for (word, bits) in (blocks[block] ?? []).enumerated() where bits != 0 {
                var rest = bits
                while rest != 0 {
                    numbers.append(block * Self.width + Int64(word * 64 + rest.trailingZeroBitCount))
                    rest &= rest - 1
                }
            }
            if !numbers.isEmpty { try body(block, numbers) }
        }
    }
}

/// The number of deliveries that reached each installation.
///
/// It takes one byte an installation: more than 255 deliveries count as 255.
package struct ReachCounts: Sendable {
    private var blocks: [Int64: [UInt8]] = [:]

    /// Adds a delivery.
    package mutating func add(_ set: ReachedSet) {
        set.eachBlock { block, numbers in
            Self.add(numbers, to: &blocks[block, default: [UInt8](repeating: 0, count: Int(ReachedSet.width))])
        }
    }

    private static func add(_ numbers: [Int64], to counts: inout [UInt8]) {
        for number in numbers {
            let place = Int(number % ReachedSet.width)
            if counts[place] < .max { counts[place] += 1 }
        }
    }

    /// The number of deliveries that reached the installation with a number; 0 for number 0, which stands for a device
    /// that is not registered.
    package subscript(number: Int64) -> Int {
        guard number > 0, let counts = blocks[number / ReachedSet.width] else { return 0 }
        return Int(counts[Int(number % ReachedSet.width)])
    }
}

/// A compact set of installations, by their numbers in the registry.
///
/// The gaps between neighbours are Golomb-Rice codes: a set without gaps takes one bit a number, one in 10,000 numbers
/// takes about fifteen. Source: R. F. Rice, "Some Practical Universal Noiseless Coding Techniques", 1979.
package enum NumberSet {
    /// A quotient of so many ones is followed by the gap itself.
    private static let longestQuotient: UInt64 = 40

    /// Packs distinct numbers in ascending order.
    package static func pack(_ numbers: [Int64]) -> [UInt8] {
        guard let first = numbers.first else { return [] }
        // The mean length of the gaps: a few large ones do not count for all.
        let lengths = zip(numbers, numbers.dropFirst()).reduce(0) { sum, pair in
            sum + 64 - (UInt64(pair.1 &- pair.0) &- 1).leadingZeroBitCount
        }
        let width = UInt64(numbers.count == 1 ? 0 : lengths / (numbers.count - 1))
        var bits = BitWriter()
        bits.write(UInt64(numbers.count), 64)
        bits.write(UInt64(bitPattern: first), 64)
        bits.write(width, 8)
        for (previous, number) in zip(numbers, numbers.dropFirst()) {
            let gap = UInt64(number &- previous) &- 1
            let quotient = gap >> width
            if quotient < longestQuotient {
                bits.write(1 << quotient - 1, quotient)
                bits.write(0, 1)
                bits.write(gap & (1 << width - 1), width)
            } else {
                bits.write(1 << longestQuotient - 1, longestQuotient)
                bits.write(gap, 64)
            }
        }
        return bits.bytes
    }

    /// Returns the numbers of a stored set, ascending.
    ///
    /// - Throws: ``RegistryError`` when they are damaged.
    static func stored(_ packed: [UInt8]) throws(RegistryError) -> [Int64] {
        guard let numbers = numbers(packed) else {
            throw RegistryError(internal: "a stored reached set is damaged")
        }
        return numbers
    }

    /// Returns the packed numbers, ascending; nil when they are damaged.
    package static func numbers(_ packed: [UInt8]) -> [Int64]? {
        guard !packed.isEmpty else { return [] }
        return unsafe packed.withUnsafeBufferPointer { bytes in
            var bits = unsafe BitReader(bytes: bytes)
            guard let count = unsafe bits.read(64), let first = unsafe bits.read(64), let width = unsafe bits.read(8),
                width < 64,
                // Each gap takes at least one bit.
                count > 0, count <= UInt64(bytes.count * 8)
            else { return nil }
            var number = Int64(bitPattern: first)
            var numbers = [number]
            numbers.reserveCapacity(Int(count))
            for _ in 1..<max(count, 1) {
                var quotient: UInt64 = 0
                while quotient < longestQuotient {
                    guard let bit = unsafe bits.read(1) else { return nil }
                    if bit == 0 { break }
                    quotient += 1
                }
                let isLong = quotient == longestQuotient
                guard let rest = unsafe bits.read(isLong ? 64 : width) else { return nil }
                let gap = isLong ? rest : quotient << width | rest
                let next = number.addingReportingOverflow(Int64(bitPattern: gap &+ 1))
                guard !next.overflow, next.partialValue > number else { return nil }
                number = next.partialValue
                numbers.append(number)
            }
            return numbers
        }
    }
}

/// Writes numbers of few bits one after the other.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used: UInt64 = 0

    /// Writes the lowest `count` bits of a number, the lowest first.
    mutating func write(_ number: UInt64, _ count: UInt64) {
        var (rest, left) = (number, count)
        while left > 0 {
            if used == 0 { bytes.append(0) }
            let taken = min(8 - used, left)
            bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: rest & (1 << taken - 1)) << UInt8(used)
            rest >>= taken
            left -= taken
            used = (used + taken) % 8
        }
    }
}

/// Reads what a ``BitWriter`` wrote; its bytes outlive it, see ``NumberSet``.
@unsafe private struct BitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position: UInt64 = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { unsafe self.bytes = unsafe bytes }

    /// Reads a number of `count` bits; nil at the end.
    mutating func read(_ count: UInt64) -> UInt64? {
        guard unsafe position + count <= UInt64(bytes.count) * 8 else { return nil }
        var (number, done): (UInt64, UInt64) = (0, 0)
        while done < count {
            let used = unsafe position % 8
            let taken = min(8 - used, count - done)
            let part = unsafe UInt64(bytes[Int(position / 8)] >> UInt8(used)) & (1 << taken - 1)
            number |= part << done
            done += taken
            unsafe position += taken
        }
        return number
    }
}

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

    struct Entry: Sendable {
        fileprivate(set) var rows: Set<RowKey> = []
        private var sets: [Place: ReachedSet] = [:]
        /// The time when the delivery was closed, if nothing could be added after the last reading.
        fileprivate var completeAt: Instant?
        fileprivate var readAt: ContinuousClock.Instant?
        fileprivate var lastUse = 0

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
            state.entries[delivery, default: Entry()].lastUse = state.uses
            if state.entries.count > Self.mostDeliveries {
                let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }?.key
                if let oldest { state.entries[oldest] = nil }
            }
            return state.entries[delivery]?.rows
        }
    }

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

// MARK: - Reached

/// The reached sets of deliveries: docs/background/parts.md#the-reached-set.
///
/// Senders on several machines share no row that all of them write, so each batch has a row of its own until the
/// delivery is closed; then there is one for every 65,536 numbers.
extension RegistryTransaction {
    func add(_ rows: [ReachedRow], to journal: JournalRow) throws {
        try add(
            rows.map { row in
                [
                    journal.delivery, row.part, row.number, row.isDoubtful ? 1 : 0, row.at, row.lowest, row.highest,
                    SQLValue.bytes(row.installations), row.form,
                ]
            }, to: "reached(delivery, part, number, doubtful, reachedAt, lowest, highest, installations, form)")
    }

    /// Returns the rows of a delivery that were written at a time or later, and may hold a number.
    func reached(by delivery: String, since: Instant?, holding number: Int64?) throws -> [ReachedRow] {
        try reached(
            """
            SELECT \(ReachedRow.columns) FROM reached
            WHERE delivery = ? AND reachedAt >= ? AND lowest <= ? AND highest >= ?
            """,
            [delivery, since ?? Instant(milliseconds: .min), number ?? .max, number ?? .min])
    }

    func reachedKeys(by delivery: String) throws -> [ReachedIndex.RowKey] {
        try rows(
            "SELECT part, number, doubtful, reachedAt, length(installations) FROM reached WHERE delivery = ?",
            [delivery]
        ).map { row in
            ReachedIndex.RowKey(
                part: row.number(0), number: row.number(1), isDoubtful: row.number(2) == 1,
                at: row.instant(3), bytes: row.number(4))
        }
    }

    func reached(by delivery: String, _ key: ReachedIndex.RowKey) throws -> ReachedRow? {
        try reached(
            """
            SELECT \(ReachedRow.columns) FROM reached WHERE delivery = ? AND part = ? AND number = ? AND doubtful = ?
            """, [delivery, key.part, key.number, key.isDoubtful ? 1 : 0]
        ).first
    }

    private func reached(_ sql: String, _ values: [any SQLBindable]) throws -> [ReachedRow] {
        try rows(sql, values).map { row in
            ReachedRow(
                part: row.number(0), form: row.number(7), number: row.number(1), isDoubtful: row.number(2) == 1,
                at: row.instant(3), lowest: row.integer(4) ?? 0, highest: row.integer(5) ?? 0,
                installations: row.bytes(6) ?? [])
        }
    }
}

extension RegistryTransaction {
    /// Records that some of a batch's devices were sent to, in the transaction of its outcome.
    func reach(_ indices: [Int], of batch: BatchRow, in journal: JournalRow, isDoubtful: Bool) throws {
        // Devices that are not registered have no number.
        let numbers = Set(indices.map { batch.targets.rows[$0] }.filter { $0 > 0 }).sorted()
        let row = ReachedRow(
            numbers, part: batch.part, form: batch.form, number: batch.number, isDoubtful: isDoubtful,
            at: now)
        if let row { try add([row], to: journal) }
    }

    /// Merges the rows of a closed delivery's batches into those of blocks; the set stays the same.
    func packReached(_ delivery: String, under lease: Lease?) throws {
        guard let journal = try journal(of: delivery, .free), journal.closedAt != nil else { return }
        try check(lease, of: journal.workspace)
        let isByBatch = try exists(
            "SELECT 1 FROM reached WHERE delivery = ? AND doubtful = 0 AND number > 0 LIMIT 1", [delivery])
        guard isByBatch else { return }
        let accepted = try reached(
            "DELETE FROM reached WHERE delivery = ? AND doubtful = 0 RETURNING \(ReachedRow.columns)", [delivery])
        var places: [ReachedIndex.Place: (set: ReachedSet, at: Instant)] = [:]
        for row in accepted {
            let (numbers, place) = (try row.numbers(), ReachedIndex.Place(part: row.part, form: row.form))
            places[place, default: (ReachedSet(), row.at)].set.insert(numbers)
            if let at = places[place]?.at, at < row.at { places[place]?.at = row.at }
        }
        for (place, reached) in places.sorted(by: { ($0.key.part, $0.key.form) < ($1.key.part, $1.key.form) }) {
            var rows: [ReachedRow] = []
            reached.set.eachBlock { block, numbers in
                let row = ReachedRow(
                    numbers, part: place.part, form: place.form, number: ReachedRow.number(block, place.form),
                    isDoubtful: false, at: reached.at)
                if let row { rows.append(row) }
            }
            try add(rows, to: journal)
        }
    }

    /// Forgets which installations a workspace's deliveries reached before a time.
    package func forgetReached(before: Instant, of workspace: String, under lease: Lease?) throws {
        try check(lease, of: workspace)
        let old = "FROM reached WHERE reachedAt < ? AND delivery IN (SELECT delivery FROM journal WHERE workspace = ?)"
        guard let last = try row("SELECT MAX(reachedAt) \(old)", [before, workspace])?.time(0) else { return }
        try noteForgotten(last, of: workspace)
        try execute("DELETE \(old)", [before, workspace])
        try forgetFormerTokens()
    }

    /// Counts, for each installation, the deliveries that were sent to it at a time or later, or that have it in
    /// `others`.
    package func reachCounts(
        of deliveries: Set<String>, since: Instant?, beside others: [String: ReachedSet] = [:]
    ) throws -> ReachCounts {
        var counts = ReachCounts()
        for delivery in deliveries {
            var set = others[delivery] ?? ReachedSet()
            for row in try reached(by: delivery, since: since, holding: nil) {
                set.insert(try row.numbers())
            }
            counts.add(set)
        }
        return counts
    }
}

/// Installations that a delivery was sent to.
struct ReachedRow {
    let part: Int
    let form: Int
    /// The number of the batch, or ``number(_:_:)``.
    let number: Int
    /// True when the answers were lost: a person may find that nothing was sent.
    let isDoubtful: Bool
    /// The time of the last outcome.
    let at: Instant
    let lowest: Int64
    let highest: Int64
    /// The numbers, packed by ``NumberSet``.
    let installations: [UInt8]

    fileprivate static let columns = "part, number, doubtful, reachedAt, lowest, highest, installations, form"

    /// The negative number of a row with a block of numbers, of one form.
    static func number(_ block: Int64, _ form: Int) -> Int { Int(-1 - block) - form << 40 }
}

extension ReachedRow {
    /// Packs numbers in ascending order; nil for none.
    init?(_ numbers: [Int64], part: Int, form: Int, number: Int, isDoubtful: Bool, at: Instant) {
        guard let lowest = numbers.first, let highest = numbers.last else { return nil }
        self.init(
            part: part, form: form, number: number, isDoubtful: isDoubtful, at: at, lowest: lowest, highest: highest,
            installations: NumberSet.pack(numbers))
    }

    /// The numbers, ascending.
    ///
    /// - Throws: ``RegistryError`` when they are damaged.
    func numbers() throws -> [Int64] { try NumberSet.stored(installations) }
}
