package import Base
package import Push

/// A delivery that a device did not get from Apple, or perhaps not.
package struct DeviceFailure: Hashable, Sendable {
    /// The delivery's id, which is the `objectId` of one of the server's own pushes.
    package let delivery: String
    /// The content of one of the server's own pushes; nil for the delivery of a workspace.
    package let data: JSONValue?
    /// The workspace of the delivery; empty for the server's own pushes.
    package let workspace: String
    /// The outcome so far.
    package let ending: Ending
    /// Apple's reason, or our own.
    package let reason: String
    /// The time of the push, or of the delivery's first batch; nil when it is not known.
    package let at: Instant?

    /// The outcomes of a device that was not accepted.
    package enum Ending: Hashable, Sendable {
        /// The push was refused.
        case refused
        /// The push is retried later.
        case waits
        /// The response was lost.
        case inDoubt
    }
}

extension Registry {
    /// The number of failures of one token that are read.
    private static let mostFailures = 200

    /// Returns the deliveries that a device token did not get, the newest first, at most `limit`.
    package func failures(ofToken token: String, limit: Int) async throws(RegistryError) -> [DeviceFailure] {
        try await read { db in
            let sql = """
                SELECT target.delivery, target.state, target.reason, journal.workspace, push.request, push.createdAt,
                  batch.settledAt, batch.claimedAt
                FROM (SELECT delivery, state, reason FROM journalTarget WHERE token IN (?, ?) LIMIT ?) AS target
                LEFT JOIN journal ON journal.delivery = target.delivery
                LEFT JOIN push ON push.objectId = target.delivery
                LEFT JOIN journalBatch AS batch ON batch.delivery = target.delivery AND batch.number = 1
                """
            let values: [any SQLBindable] = [token, AppleToken.normalized(token), Self.mostFailures]
            let failures = try db.rows(sql, values).map(DeviceFailure.init)
            return Array(failures.sorted { $0.isNewer(than: $1) }.prefix(limit))
        }
    }
}

extension DeviceFailure {
    fileprivate init(_ row: any SQLRow) throws {
        delivery = row.text(0) ?? ""
        data = try row.text(4).map { try PushDelivery.order($0).data }
        workspace = row.text(3) ?? ""
        ending =
            switch TargetState(rawValue: row.integer(1) ?? 0) {
            case .refused?: .refused
            case .waits?: .waits
            case .inDoubt?, nil: .inDoubt
            }
        reason = row.text(2) ?? ""
        at = row.time(5) ?? row.time(6) ?? row.time(7)
    }

    fileprivate func isNewer(than other: DeviceFailure) -> Bool {
        (at?.milliseconds ?? 0, delivery) > (other.at?.milliseconds ?? 0, other.delivery)
    }
}
