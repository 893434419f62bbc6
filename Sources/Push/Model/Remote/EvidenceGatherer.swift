/// Looks up the outcome of open deliveries, and tells when a negative result can be trusted.
///
/// A negative result is trusted only if the same look-up, in this run, finds a control: the newest `sent` delivery of
/// the ledger, one hour to six days old. Without such a delivery an answer of the expected shape is enough.
package struct EvidenceGatherer: Sendable {
    private let reader: any RemoteReading
    private let control: DeliveryID?
    /// The entries that have a journal, by the ids of their requests; empty if the remote keeps none.
    private let journaled: [DeliveryID: LedgerEntry]

    /// Looks up through `reader`; the ledger's newest suitable delivery becomes the control.
    package init(_ reader: any RemoteReading, ledger: [LedgerEntry], now: Instant) {
        self.reader = reader
        journaled =
            reader.capabilities.keepsJournal
            ? Dictionary(ledger.map { ($0.notificationID, $0) }) { $0.outranks($1) ? $0 : $1 } : [:]
        control =
            ledger
            .filter { entry in
                let age = now - Self.startOf(entry)
                return entry.state == .sent && age >= .seconds(3600) && age <= .seconds(6 * 86_400)
            }
            .max { (Self.startOf($0), $0.notificationID) < (Self.startOf($1), $1.notificationID) }?
            .notificationID
    }

    /// The time a delivery's push was created, from which its record's age counts.
    private static func startOf(_ entry: LedgerEntry) -> Instant {
        max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt)
    }

    /// The remote's knowledge of the push whose request bore this id; queried anew every time.
    package func evidence(for notification: DeliveryID) async -> Evidence {
        do throws(RemoteError) {
            if let entry = journaled[notification] { return .journal(try await reader.journal(of: entry)) }
            // The list before the record: a push that fires between the two queries is then seen by the second.
            let scheduled = try await reader.scheduledPushes()
            if let record = try await reader.record(notification: notification) { return .found(record) }
            if scheduled.contains(where: { $0.notificationID == notification.text }) {
                return .found(
                    PushRecord(
                        objectID: nil, .scheduled,
                        figures: DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)))
            }
            guard let control else { return .none }
            guard try await reader.record(notification: control) != nil else {
                return .failed(Reason(.controlMissing, .text(control.text)))
            }
            return .none
        } catch {
            return .failed(.verbatim(error.description))
        }
    }
}
