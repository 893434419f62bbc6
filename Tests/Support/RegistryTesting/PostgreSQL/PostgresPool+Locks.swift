package import DeviceRegistry

/// For a pool of one session, that of somebody else at the database.
extension PostgresPool {
    /// Locks a table, so that all others wait for it until ``letGo()``.
    package func hold(_ table: String) async throws {
        try await use { session in
            try session.execute("BEGIN")
            _ = try session.execute("LOCK TABLE \(table)")
        }
    }

    /// Gives back what ``hold(_:)`` took.
    package func letGo() async throws {
        try await use { session in _ = try session.execute("ROLLBACK") }
    }

    /// Ends the statements that wait for a lock, as their time limit would; returns how many.
    package func cutOff() async throws -> Int {
        try await use { session in
            let sql = """
                SELECT count(pg_cancel_backend(pid)) FROM pg_locks WHERE NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            let row = try session.row(sql)
            return Int(row?.integer(0) ?? 0)
        }
    }
}
