internal import GRDB

/// What a delivery writes into installations, within a transaction; none of it counts as seeing the device.
struct InstallationMarks {
    let db: Database

    /// The rows of a token: that of the installation it was found in, unless that has another by now, and its own.
    private static let isToken = "((id = ? AND lower(deviceToken) = ?) OR deviceToken = ?)"

    /// Raises a device's badge by one; 1 for one that the registry does not know.
    func raiseBadge(_ token: String, in row: Int64) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    UPDATE installation SET document = json_set(document, '$.badge', \(PushDelivery.raised("badge")))
                    WHERE \(Self.isToken) RETURNING json_extract(document, '$.badge')
                    """), arguments: [row, token, token]) ?? 1
    }

    /// Marks a device whose token is dead as invalid, and black-lists the token.
    ///
    /// - Parameter since: since when Apple knows it; a device whose app registered later stays as it is: its
    ///   `updatedAt`, which every registration renews, is after it.
    func markDead(_ token: String, in row: Int64, since: Timestamp?, at now: Timestamp) throws {
        let isSeenSince = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM installation WHERE \(Self.isToken) AND updatedAt > ?"),
            arguments: [row, token, token, since?.milliseconds ?? .max])
        guard isSeenSince != true else { return }
        try db.cachedStatement(
            sql: """
                UPDATE installation SET document = json_set(document, '$.valid', json('false'))
                WHERE \(Self.isToken) AND +valid = 1
                """
        ).execute(arguments: [row, token, token])
        try DeadTokens(db: db).list(token, at: now)
    }

    /// Marks a device as ``markDead(_:in:since:at:)`` does when its environment accepted its token before.
    func markDead(_ token: String, in row: Int64, ifProven proven: ProvenTokens, at now: Timestamp) throws {
        let found = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM installation WHERE \(Self.isToken)"),
            arguments: [row, token, token])
        guard let found, try proven.contains(found) else { return }
        try markDead(token, in: row, since: nil, at: now)
    }
}
