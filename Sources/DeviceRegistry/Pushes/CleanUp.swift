package import Push

extension Registry {
    /// The days after which a device that was not seen is removed. Source:
    /// docs/background/leancloud/devices.md#clean-up.
    static let deviceLifetimeInDays: Int64 = 90
    /// The days for which a simulated device keeps a message.
    static let inboxLifetimeInDays: Int64 = 30
    /// The number of rows removed per transaction, so that no other writer waits long.
    private static let rowsAtOnce = 5000

    /// Removes expired data: request ids, records of pushes, messages, and devices that were not seen for 90 days,
    /// unless `keepsStaleDevices` is true. A cancelled task ends after the transaction that it is at.
    ///
    /// - Returns: the number of removed devices.
    @discardableResult
    package func purge(at now: Instant, keepsStaleDevices: Bool = false) async throws(RegistryError) -> Int {
        try await write { db in
            try db.execute(
                "DELETE FROM pushRecord WHERE createdAt <= ?", [now.advanced(byDays: -PushRecord.lifetimeInDays)])
            try db.execute(
                "DELETE FROM pushRequest WHERE createdAt < ?", [now.advanced(bySeconds: -Self.requestWindow)])
            try db.forgetReached(before: now - Policy.defaultReachedKept, of: DeliveryFreeze.ofServer, under: nil)
            try db.execute("DELETE FROM pushRate WHERE minute < ?", [now.milliseconds / 60_000])
            // A push is claimed only while it is being sent.
            try db.execute(
                """
                DELETE FROM deployLock WHERE workspace LIKE '\(Self.claimPrefix)%' AND NOT EXISTS (
                  SELECT 1 FROM push WHERE state = '\(PushDelivery.sendingToApple)'
                  AND '\(Self.claimPrefix)' || objectId = deployLock.workspace)
                """, [])
        }
        try await Journal(self) { now }.foldEvents()
        let oldestMessage = now.advanced(byDays: -Self.inboxLifetimeInDays)
        // Rows are added in chronological order, so the oldest come first.
        try await removeInSteps { db in
            try db.execute(
                """
                DELETE FROM inbox WHERE id IN (
                  SELECT id FROM (SELECT id, receivedAt FROM inbox ORDER BY id LIMIT \(Self.rowsAtOnce)) AS oldest
                  WHERE receivedAt < ?)
                """, [oldestMessage])
        }
        try await removeInSteps { db in
            let ended = try db.rows(
                """
                SELECT id, request FROM (SELECT * FROM push ORDER BY id LIMIT \(Self.rowsAtOnce)) AS oldest
                WHERE createdAt < ? AND state NOT IN ('queued', 'scheduled', '\(PushDelivery.sendingToApple)')
                AND NOT (\(HeldState.isHeld)) AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.push = oldest.id)
                """, [oldestMessage])
            // One that was scheduled is as old as its time.
            let old = ended.filter { row in
                let order = try? PushDelivery.order(row.string(1))
                return order?.fireAt.map { $0 < oldestMessage } ?? true
            }
            return try db.execute(
                "DELETE FROM push WHERE id \(db.dialect.isOneNumberOf)",
                [SQLValue.integers(old.compactMap { $0.integer(0) })])
        }
        guard !keepsStaleDevices else { return 0 }
        let oldestDevice = now.advanced(byDays: -Self.deviceLifetimeInDays)
        return try await removeInSteps { db in
            let stale = SQLValue.integers(
                try db.rows(
                    "SELECT id FROM installation WHERE updatedAt < ? LIMIT \(Self.rowsAtOnce)", [oldestDevice]
                ).compactMap { $0.integer(0) })
            try db.rememberTokens(where: "t0.id \(db.dialect.isOneNumberOf)", [stale])
            // In PostgreSQL a device may have been seen meanwhile. An index that answers that would be read whole.
            return try db.execute(
                "DELETE FROM installation WHERE id \(db.dialect.isOneNumberOf) AND +updatedAt < ?",
                [stale, oldestDevice])
        }
    }

    /// Removes rows in transactions that each take little time.
    @discardableResult
    private func removeInSteps(
        _ step: @escaping @Sendable (any RegistryTransaction) throws -> Int
    ) async throws(RegistryError) -> Int {
        var total = 0
        while true {
            let removed = try await write(step)
            total += removed
            guard removed == Self.rowsAtOnce, !Task.isCancelled else { return total }
        }
    }
}

/// The device tokens that Apple no longer delivers to, within a transaction.
///
/// A token is dead once its app was removed. The first push to it gets that response: the device's row is removed, and
/// the token is blocklisted, so that every later push drops it. Each such drop is counted in `invalidTokens`. A device
/// that registers with the token again ends that: an app can only have got it from Apple.
/// Source: docs/background/leancloud/devices.md#clean-up.
struct DeadTokens {
    let db: any RegistryTransaction

    /// The column of a device that is compared with the list.
    private var column: String { db.dialect == .sqlite ? "deviceToken" : "token" }

    /// Returns a token as listed: in lower case in PostgreSQL, where devices are keyed by it; an Android device's address as
    /// it is.
    private func key(_ token: String) -> String {
        db.dialect == .sqlite || PushAddress.isOne(token.utf8) ? token : AppleToken.lowercased(token)
    }

    /// Marks a token to which Apple no longer delivers.
    func kill(_ token: String) throws {
        try db.execute("INSERT INTO deadToken(token) VALUES (?) ON CONFLICT DO NOTHING", [key(token)])
    }

    /// Takes a token off the list, when a device sends it as its new token.
    func forgive(_ token: String) throws {
        let text = forgiving([token])
        try db.execute(text.sql, text.values)
    }

    /// The statement that takes tokens off the list.
    func forgiving(_ tokens: [String]) -> SQLText {
        // By the tokens, which name the parts of the table, and not part by part.
        SQLText(
            sql: "DELETE FROM deadToken WHERE token IN (SELECT value FROM \(db.dialect.listed))",
            arguments: [SQLValue.texts(tokens.map(key))])
    }

    /// Reports the dead tokens among a push's devices, as Apple would; returns their number.
    ///
    /// Dead tokens are few, so they are looked up among the devices and not the other way round.
    func report(among audience: SQLText, at now: Instant) throws -> Int {
        let tokens = try db.rows(search(among: audience)).compactMap { $0.text(0) }
        try record(tokens, at: now)
        return tokens.count
    }

    /// Selects the dead tokens among a push's devices that no push has found yet.
    func search(among audience: SQLText) -> SQLText {
        SQLText(
            sql: """
                SELECT deadToken.token FROM deadToken \(db.dialect.thenJoin) installation AS t0
                ON t0.\(column) = deadToken.token
                WHERE deadToken.reportedAt IS NULL AND t0.deviceType IN (\(InstallationRules.appleList)) AND
                """) + SQLText(sql: " ") + audience
    }

    /// Returns the dead tokens among those of some Apple devices, and reports the new ones.
    func report(among tokens: [String], at now: Instant) throws -> Set<String> {
        let listed = Set(
            try db.texts(
                "SELECT token FROM deadToken WHERE token \(db.dialect.isOneOf)", [SQLValue.texts(tokens.map(key))]))
        try record(Array(listed), at: now)
        return Set(tokens.filter { listed.contains(key($0)) })
    }

    /// Blocklists a token that Apple reported.
    func list(_ token: String, at now: Instant) throws {
        try db.execute(
            """
            INSERT INTO deadToken(token, reportedAt) VALUES (?, ?)
            ON CONFLICT(token) DO UPDATE SET reportedAt = coalesce(deadToken.reportedAt, excluded.reportedAt)
            """, [key(token), now])
    }

    /// True if Apple has reported a token.
    func isListed(_ token: String) throws -> Bool {
        try db.exists("SELECT 1 FROM deadToken WHERE token = ? AND reportedAt IS NOT NULL", [key(token)])
    }

    /// Removes the devices with tokens that Apple reported, and blocklists the tokens.
    func record(_ tokens: [String], at now: Instant) throws {
        guard !tokens.isEmpty else { return }
        let list = SQLValue.texts(tokens.map(key))
        try db.rememberTokens(where: "t0.\(column) \(db.dialect.isOneOf)", [list])
        try db.execute("DELETE FROM installation WHERE \(column) \(db.dialect.isOneOf)", [list])
        try db.execute(
            """
            INSERT INTO deadToken(token, reportedAt) SELECT DISTINCT value, CAST(? AS bigint) FROM \(db.dialect.listed)
            WHERE true
            ON CONFLICT(token) DO UPDATE SET reportedAt = coalesce(deadToken.reportedAt, excluded.reportedAt)
            """, [now, list])
    }
}

extension Registry {
    /// Simulates that Apple no longer delivers to a device; the next push to it finds out.
    package func killToken(_ token: String) async throws(RegistryError) {
        try await write { db in try DeadTokens(db: db).kill(AppleToken.normalized(token)) }
    }
}
