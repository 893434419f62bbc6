internal import PushModel
internal import PushPlan

/// What one remote delivered, for another remote's ledger.
struct LedgerCopy: Sendable {
    private let reader: any RemoteReading

    init(from reader: any RemoteReading) { self.reader = reader }

    /// What was read: what is copied, what stays because the source keeps it for later, and what nobody knows yet.
    struct Content: Sendable {
        let delivered: [LedgerEntry]
        let left: [LedgerEntry]
        let open: [LedgerEntry]

        /// What settles each delivery that was begun, in one line: the target would send it to everybody again.
        func remedies(on source: String) -> [String] {
            open.map { entry in
                let remedy =
                    entry.state == .unknown
                    ? "'\(entry.resolveCommand) --remote \(source)' closes it"
                    : "'bugle apply --remote \(source)' settles it"
                return "open on \(source): \(entry.campaign)@\(entry.revision) is \(entry.state.rawValue); \(remedy)"
            }
        }

        /// Writes what the target does not know yet; the number of entries written.
        ///
        /// - Throws: `RemoteError` when one could not be written; running it again goes on.
        func write(
            to writer: any RemoteWriting, knowing known: [LedgerEntry], under lease: Lease, provenance: Provenance
        ) async throws(RemoteError) -> Int {
            let known = Dictionary(known.map { ($0.delivery, $0) }) { $0.outranks($1) ? $0 : $1 }
            var count = 0
            for var entry in delivered where !(known[entry.delivery]?.mayHaveBeenDelivered ?? false) {
                entry.state = .sent
                if let doubtful = entry.figures?.inDoubt, doubtful > 0 {
                    // Only the remote that sent it knows which devices those are.
                    entry.figures?.inDoubt = 0
                    entry.reason = "the answers of \(doubtful) devices were lost on another remote"
                }
                entry.fence = lease.fence
                entry.provenance = provenance
                if known[entry.delivery] == nil {
                    try await writer.insert(entry, under: lease)
                } else {
                    // The target was refused it, say, and would try again.
                    try await writer.update(entry, under: lease)
                }
                count += 1
            }
            try await writer.startLedger()
            return count
        }
    }

    /// Reads the source; a scheduled push whose time has passed and that is not pending any more counts as sent.
    ///
    /// - Throws: `RemoteError` when the source cannot be asked.
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
