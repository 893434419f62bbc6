internal import Push
internal import Apply

/// Copies the deliveries of one remote for another remote's ledger.
struct LedgerCopy: Sendable {
    private let reader: any RemoteReading

    init(from reader: any RemoteReading) { self.reader = reader }

    /// The ledger of the source: the entries to copy, those left because the source still has them scheduled, and those
    /// with an open outcome.
    struct Content: Sendable {
        let delivered: [LedgerEntry]
        let left: [LedgerEntry]
        let open: [LedgerEntry]

        /// Returns the way to settle each open delivery, one line each: the target would send them to everybody again.
        func remedies(on source: String) -> [String] {
            open.map { entry in
                let remedy =
                    entry.state == .unknown
                    ? "'\(entry.resolveCommand) --remote \(source)' closes it"
                    : "'bugle apply --remote \(source)' settles it"
                return "open on \(source): \(entry.title) is \(entry.state.rawValue); \(remedy)"
            }
        }

        /// Writes the entries that the target does not have yet; returns their number.
        ///
        /// - Throws: `RemoteError` when an entry could not be written; running it again continues.
        func write(
            to writer: any RemoteWriting, knowing known: [LedgerEntry], under lease: Lease, provenance: Provenance
        ) async throws(RemoteError) -> Int {
            let known = Dictionary(known.map { ($0.delivery, $0) }) { $0.outranks($1) ? $0 : $1 }
            var count = 0
            for var entry in delivered where !(known[entry.delivery]?.mayHaveBeenDelivered ?? false) {
                entry.state = .sent
                if let doubtful = entry.figures?.inDoubt, doubtful > 0 {
                    // Only the remote that sent the push knows which devices those are.
                    entry.figures?.inDoubt = 0
                    entry.reason = Reason(.answersLostElsewhere, .number(doubtful))
                }
                entry.fence = lease.fence
                entry.provenance = provenance
                if known[entry.delivery] == nil {
                    try await writer.insert(entry, under: lease)
                } else {
                    // The target has a record that would make it try again, such as a refusal.
                    try await writer.update(entry, under: lease)
                }
                count += 1
            }
            try await writer.startLedger()
            return count
        }
    }

    /// Reads the source; a scheduled push that is past its time and no longer pending counts as sent.
    ///
    /// - Throws: `RemoteError` when a request fails.
    func read() async throws(RemoteError) -> Content {
        let ledger = try await reader.ledger()
        let pending = Set(try await reader.scheduledPushes().compactMap(\.notificationID))
        let now = try await reader.now()
        let strongest = Dictionary(ledger.map { ($0.delivery, $0) }) { $0.outranks($1) ? $0 : $1 }.values
            .sorted { ($0.campaign, $0.revision, $0.delivery) < ($1.campaign, $1.revision, $1.delivery) }
        func isDelivered(_ entry: LedgerEntry) -> Bool {
            if entry.state == .sent { return true }
            guard entry.state == .scheduled, let at = entry.scheduledAt else { return false }
            return at <= now && !pending.contains(entry.notificationID.text)
        }
        return Content(
            delivered: strongest.filter(isDelivered),
            left: strongest.filter { $0.state == .scheduled && !isDelivered($0) },
            open: strongest.filter { $0.mayHaveBeenDelivered && !isDelivered($0) && $0.state != .scheduled })
    }
}
