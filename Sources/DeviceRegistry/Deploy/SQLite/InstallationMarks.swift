internal import GRDB

/// What a delivery writes into installations, within a transaction; none of it counts as seeing the device.
struct InstallationMarks {
    let db: Database

    /// The rows of a token: that of the installation it was found in, unless that has another by now, and its own.
    private static let isToken = "((id = ? AND lower(deviceToken) = ?) OR deviceToken = ?)"

    /// Raises a device's badge by one; 1 for one that the registry does not know.
    func raiseBadge(_ target: TargetPack.Target) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    UPDATE installation SET document = json_set(document, '$.badge', \(PushDelivery.raised("badge")))
                    WHERE \(Self.isToken) RETURNING json_extract(document, '$.badge')
                    """), arguments: [target.row, target.token, target.token]) ?? 1
    }

    /// Marks a device whose token is dead as invalid, and black-lists the token.
    ///
    /// - Parameter since: since when Apple knows it; a device whose app registered later stays as it is: its
    ///   `updatedAt`, which every registration renews, is after it.
    func markDead(_ target: TargetPack.Target, since: Timestamp?, at now: Timestamp) throws {
        let isSeenSince = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM installation WHERE \(Self.isToken) AND updatedAt > ?"),
            arguments: [target.row, target.token, target.token, since?.milliseconds ?? .max])
        guard isSeenSince != true else { return }
        try db.cachedStatement(
            sql: """
                UPDATE installation SET document = json_set(document, '$.valid', json('false'))
                WHERE \(Self.isToken) AND +valid = 1
                """
        ).execute(arguments: [target.row, target.token, target.token])
        try DeadTokens(db: db).list(target.token, at: now)
    }

    /// Marks a device as ``markDead(_:since:at:)`` does when its environment accepted its token before.
    func markDead(_ target: TargetPack.Target, ifIn proven: ProvenTokens, at now: Timestamp) throws {
        let row = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM installation WHERE \(Self.isToken)"),
            arguments: [target.row, target.token, target.token])
        guard let row, try proven.contains(row) else { return }
        try markDead(target, since: nil, at: now)
    }
}
