internal import DeviceRegistry
internal import JSONValue
internal import PushModel
internal import PushRemote

/// What was begun of one broadcast: its intent is durable before its request may leave.
///
/// A broadcast has one request, so this is all of its journal.
struct BroadcastMark: Hashable, Sendable {
    /// How far it came.
    var state: State
    /// When that was written.
    var at: Instant

    /// How far a broadcast came.
    enum State: String, Hashable, Sendable {
        /// Its request may have left.
        case begun
        /// Apple took it.
        case accepted
    }

    /// The key of a delivery's mark among the workspace's marks.
    static func key(_ entry: LedgerEntry) -> String { "broadcast/" + entry.notificationID.text }

    /// Joins the two.
    init(_ state: State, at: Instant) {
        self.state = state
        self.at = at
    }

    /// Reads a record back.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` naming the record and the field.
    init(_ record: DeployRecord) throws(RemoteError) {
        self.init(
            try record.fields.required("state") { $0.string.flatMap { State(rawValue: $0) } },
            at: try record.fields.required("at", \.instant))
    }

    /// The record of a delivery's mark.
    func record(of entry: LedgerEntry, workspace: String) -> DeployRecord {
        DeployRecord(
            workspace: workspace, kind: .mark, key: Self.key(entry),
            document: ["state": .string(state.rawValue), "at": .string(at.textWithMilliseconds)])
    }

    /// The broadcast as a journal of one device: Apple does not tell how many it reaches.
    var journal: JournalState {
        JournalState(
            targets: 1, answered: state == .accepted ? 1 : 0, inDoubt: state == .begun ? 1 : 0, waiting: 0,
            lastOutcomeAt: at)
    }

    /// The same as figures.
    var figures: DeliveryFigures {
        DeliveryFigures(
            devices: 1, successes: state == .accepted ? 1 : 0, invalidTokens: 0, inDoubt: state == .begun ? 1 : 0)
    }
}

extension PushRequest {
    /// Whether it goes to an Apple broadcast channel.
    var isBroadcast: Bool { body["broadcast"] != nil }
}
