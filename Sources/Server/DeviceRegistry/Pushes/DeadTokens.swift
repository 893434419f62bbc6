internal import GRDB
internal import PushModel
package import RegistryModel

/// The device tokens that Apple no longer delivers to, within a transaction.
///
/// A token is dead once its app was removed. The first push to it gets that response: the device's row is removed, and
/// the token is blocklisted, so that every later push drops it. Each such drop is counted in `invalidTokens`. A device
/// that registers with the token again ends that: an app can only have got it from Apple.
/// Source: <doc:/PushModel/LeanCloudDevices#Clean-up>.
struct DeadTokens {
    let db: Database

    /// `reportedAt` is NULL until a push has found out.
    static let tables = [
        "CREATE TABLE deadToken (token TEXT PRIMARY KEY, reportedAt INTEGER) WITHOUT ROWID",
        "CREATE INDEX deadTokenUnreported ON deadToken(token) WHERE reportedAt IS NULL",
    ]

    /// Marks a token to which Apple no longer delivers.
    func kill(_ token: String) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO deadToken(token) VALUES (?)", arguments: [token])
    }

    /// Takes a token off the list, when a device sends it as its new token.
    func forgive(_ token: String) throws {
        try db.cachedStatement(sql: "DELETE FROM deadToken WHERE token = ?").execute(arguments: [token])
    }

    /// Reports the dead tokens among a push's devices, as Apple would; returns their number.
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

    /// Returns the dead tokens among those of some Apple devices, and reports the new ones.
    func report(among tokens: [String], at now: Instant) throws -> Set<String> {
        let dead = try String.fetchAll(
            db, sql: "SELECT token FROM deadToken WHERE token IN (SELECT value FROM json_each(?))",
            arguments: [SQLFunctions.jsonList(tokens)])
        try record(dead, at: now)
        return Set(dead)
    }

    /// Blocklists a token that Apple reported.
    func list(_ token: String, at now: Instant) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO deadToken(token, reportedAt) VALUES (?, ?)
                ON CONFLICT(token) DO UPDATE SET reportedAt = coalesce(reportedAt, excluded.reportedAt)
                """
        ).execute(arguments: [token, now.milliseconds])
    }

    /// True if Apple has reported a token.
    func isListed(_ token: String) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM deadToken WHERE token = ? AND reportedAt IS NOT NULL"),
            arguments: [token]) ?? false
    }

    /// Removes the devices with tokens that Apple reported, and blocklists the tokens.
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
    /// Simulates that Apple no longer delivers to a device; the next push to it finds out.
    package func killToken(_ token: String) async throws(RegistryError) {
        try await write { db in try DeadTokens(db: db).kill(AppleToken.normalized(token)) }
    }
}
