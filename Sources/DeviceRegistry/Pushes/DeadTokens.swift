internal import GRDB
internal import PushModel

/// The device tokens that Apple no longer delivers to, within a transaction.
///
/// A token is dead from when its app was removed. The first push to it is told so: the device's row goes, and the token
/// is black-listed, so that every later push drops it. Each such drop is counted in `invalidTokens`. A device that comes
/// with the token anew ends that: an app can only have got it from Apple.
/// Source: <doc:/PushModel/LeanCloudDevices#Clean-up>.
struct DeadTokens {
    let db: Database

    /// `reportedAt` is empty until a push was told.
    static let tables = [
        "CREATE TABLE deadToken (token TEXT PRIMARY KEY, reportedAt INTEGER) WITHOUT ROWID",
        "CREATE INDEX deadTokenUnreported ON deadToken(token) WHERE reportedAt IS NULL",
    ]

    /// From now on Apple does not deliver to a token.
    func kill(_ token: String) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO deadToken(token) VALUES (?)", arguments: [token])
    }

    /// A device has come with a token that it did not have.
    func forgive(_ token: String) throws {
        try db.cachedStatement(sql: "DELETE FROM deadToken WHERE token = ?").execute(arguments: [token])
    }

    /// Lets Apple report the dead tokens among a push's devices; gives how many there were.
    ///
    /// Dead tokens are few, so they are looked up among the devices and not the other way round.
    func report(among audience: SQL, at now: Instant) throws -> Int {
        let sql =
            SQL(
                sql: """
                    SELECT deadToken.token FROM deadToken CROSS JOIN installation AS t0 ON t0.deviceToken = deadToken.token
                    WHERE deadToken.reportedAt IS NULL AND t0.deviceType IN (\(InstallationRules.appleList)) AND
                    """) + SQL(sql: " ") + audience
        let tokens = try String.fetchAll(db, SQLRequest<String>(literal: sql))
        try record(tokens, at: now)
        return tokens.count
    }

    /// Which of some Apple devices' tokens are dead; those that nobody was told about are reported.
    func report(among tokens: [String], at now: Instant) throws -> Set<String> {
        let dead = try String.fetchAll(
            db, sql: "SELECT token FROM deadToken WHERE token IN (SELECT value FROM json_each(?))",
            arguments: [SQLFunctions.jsonList(tokens)])
        try record(dead, at: now)
        return Set(dead)
    }

    /// Black-lists a token that Apple reported.
    func list(_ token: String, at now: Instant) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO deadToken(token, reportedAt) VALUES (?, ?)
                ON CONFLICT(token) DO UPDATE SET reportedAt = coalesce(reportedAt, excluded.reportedAt)
                """
        ).execute(arguments: [token, now.milliseconds])
    }

    /// Whether Apple reported a token.
    func isListed(_ token: String) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM deadToken WHERE token = ? AND reportedAt IS NOT NULL"),
            arguments: [token]) ?? false
    }

    /// Removes the devices of tokens that Apple reported, and black-lists the tokens.
    func record(_ tokens: [String], at now: Instant) throws {
        guard !tokens.isEmpty else { return }
        let list = SQLFunctions.jsonList(tokens)
        try db.execute(
            sql: "DELETE FROM installation WHERE deviceToken IN (SELECT value FROM json_each(?))", arguments: [list])
        try db.execute(
            sql: """
                INSERT INTO deadToken(token, reportedAt) SELECT value, ? FROM json_each(?) WHERE true
                ON CONFLICT(token) DO UPDATE SET reportedAt = coalesce(reportedAt, excluded.reportedAt)
                """, arguments: [now.milliseconds, list])
    }
}

extension Registry {
    /// Makes Apple stop delivering to a simulated device; the next push to it finds out.
    package func killToken(_ token: String) async throws(RegistryError) {
        try await write { db in try DeadTokens(db: db).kill(AppleToken.normalized(token)) }
    }
}
