internal import APNsDelivery
internal import DeliveryJournal
internal import JSONValue
internal import PushModel
internal import RegistryModel

/// The mark of a broadcast from before broadcasts had a journal: it still counts, so that no broadcast is sent twice.
struct FormerMark: Hashable, Sendable {
    /// The progress of the broadcast.
    private let state: State
    private let at: Instant
    private let record: DeployRecord

    private enum State: String {
        /// Its request may have left.
        case begun
        /// Apple accepted it.
        case accepted
    }

    /// Finds the mark of a delivery; nil when it has none.
    ///
    /// - Throws: `RemoteError` when the registry cannot be queried, or the mark cannot be read.
    init?(
        of entry: LedgerEntry, in store: any DeployReading, workspace: String
    ) async throws(RemoteError) {
        let key = "broadcast/" + entry.notificationID.text
        let marks = try await asking { () throws(RegistryError) in try await store.records(.mark, of: workspace) }
        guard let record = marks.first(where: { $0.key == key }) else { return nil }
        self.record = record
        state = try record.fields.required("state") { $0.string.flatMap { State(rawValue: $0) } }
        at = try record.fields.required("at", \.instant)
    }

    /// The mark as a closed journal; Apple does not tell how many devices a broadcast reaches.
    var journal: JournalFigures {
        JournalFigures(
            targets: 1, accepted: state == .accepted ? 1 : 0, inDoubt: state == .begun ? 1 : 0, isClosed: true,
            lastOutcomeAt: at)
    }

    /// Removes the mark of a broadcast that may have been sent: a person has found that it was not.
    func removeDoubt(in store: any DeployWriting, under lease: Lease) async throws(RemoteError) {
        guard state == .begun else { return }
        try await asking { () throws(RegistryError) in try await store.remove(record, under: lease) }
    }
}

extension DeployReading {
    /// The journal of a delivery, or its former mark; nil when the delivery was never begun.
    func journal(of entry: LedgerEntry, workspace: String) async throws(RemoteError) -> JournalFigures? {
        let id = entry.notificationID.text
        let known = try await asking { () throws(RegistryError) in try await journal(of: id) }
        guard known == nil, entry.request?.body["broadcast"] != nil else { return known }
        return try await FormerMark(of: entry, in: self, workspace: workspace)?.journal
    }
}
