package import PushModel
internal import RegistryModel

extension DeployMachine {
    /// Records that some of a batch's devices were sent to, in the transaction of its outcome.
    func reach(_ indices: some Sequence<Int>, of batch: BatchRow, in journal: JournalRow, isDoubtful: Bool) throws {
        // Devices that are not registered have no number.
        let numbers = Set(indices.lazy.map { batch.targets.rows[$0] }.filter { $0 > 0 }).sorted()
        let row = ReachedRow(
            numbers, part: batch.part, form: batch.form, number: batch.number, isDoubtful: isDoubtful,
            at: transaction.now)
        if let row { try transaction.add([row], to: journal) }
    }

    /// Merges the rows of a closed delivery's batches into those of blocks; the set stays the same.
    func packReached(_ delivery: String, under lease: Lease?) throws {
        guard let journal = try transaction.journal(of: delivery, .free), journal.closedAt != nil else { return }
        try check(lease, of: journal.workspace)
        guard try transaction.hasReachedByBatch(journal) else { return }
        var places: [ReachedIndex.Place: (set: ReachedSet, at: Instant)] = [:]
        for row in try transaction.takeReached(of: journal) {
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
            try transaction.add(rows, to: journal)
        }
    }

    /// Forgets which installations a workspace's deliveries reached before a time.
    package func forgetReached(before: Instant, of workspace: String, under lease: Lease?) throws {
        try check(lease, of: workspace)
        guard let last = try transaction.lastReached(before: before, of: workspace) else { return }
        try transaction.noteForgotten(last, of: workspace)
        try transaction.forgetReached(before: before, of: workspace)
        try transaction.forgetFormerTokens()
    }

    /// True if a delivery was sent to an installation.
    func reached(_ installation: String, by delivery: String) throws -> Bool {
        guard let number = try transaction.number(ofInstallation: installation) else { return false }
        return try transaction.reached(by: delivery, since: nil, holding: number).contains { row in
            try row.numbers().contains(number)
        }
    }

    /// Counts, for each installation, the deliveries that were sent to it at a time or later, or that have it in
    /// `others`.
    package func reachCounts(
        of deliveries: Set<String>, since: Instant?, beside others: [String: ReachedSet] = [:]
    ) throws -> ReachCounts {
        var counts = ReachCounts()
        for delivery in deliveries {
            var set = others[delivery] ?? ReachedSet()
            for row in try transaction.reached(by: delivery, since: since, holding: nil) {
                set.insert(try row.numbers())
            }
            counts.add(set)
        }
        return counts
    }

    /// Counts the devices of an audience by the number of deliveries that were sent to them at a time or later.
    func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) throws -> [Int: Int] {
        let counts = try reachCounts(of: deliveries, since: since)
        var devices: [Int: Int] = [:]
        try transaction.eachNumber(of: audience, at: now) { devices[counts[$0], default: 0] += 1 }
        return devices
    }
}
