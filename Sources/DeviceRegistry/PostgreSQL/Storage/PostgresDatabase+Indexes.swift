extension PostgresDatabase {
    /// The pause before a copy looks again at an index that another builds.
    private static let patience = Duration.milliseconds(500)

    /// Builds the index over the next custom field, while others write, or waits a moment while another copy does.
    ///
    /// A statement that builds an index so runs outside of a transaction, once for each part of the table. What an
    /// interrupted attempt left behind is removed first.
    func fillIndexes() async throws(RegistryError) -> Bool {
        let field = try await read(.current) { db in
            try db.row("SELECT id, name FROM indexedField WHERE filledTo IS NOT NULL ORDER BY id LIMIT 1").map {
                (id: $0.integer(0) ?? 0, name: $0.text(1) ?? "")
            }
        }
        guard let field else { return false }
        do {
            let isMine = try await pool.use { session in
                try session.execute("SET statement_timeout = 0")
                defer { _ = try? session.execute("RESET statement_timeout") }
                // Only one copy of the server builds it; if it dies, another does.
                let isMine = try session.row("SELECT pg_try_advisory_lock(hashtextextended('bugle index', 16))")
                guard isMine?.boolean(0) ?? false else { return false }
                defer { _ = try? session.row("SELECT pg_advisory_unlock(hashtextextended('bugle index', 16))") }
                try build(field.id, field.name, in: session)
                return true
            }
            if !isMine { try? await Task.sleep(for: Self.patience) }
        } catch {
            throw Self.registryError(from: error)
        }
        return true
    }

    private func build(_ id: Int64, _ name: String, in session: PostgresSession) throws {
        let parts = try session.rows(
            """
            SELECT relid::regclass::text, isleaf FROM pg_partition_tree('installation') WHERE isleaf ORDER BY 1
            """)
        for (number, part) in parts.enumerated() {
            let (table, index) = (part.text(0) ?? "", "installationField\(id)_\(number)")
            let isValid = try session.row(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('\(index)')")?.boolean(0)
            if isValid == true { continue }
            if isValid == false { try session.execute("DROP INDEX CONCURRENTLY IF EXISTS \(index)") }
            // A name has letters, digits and '_' only.
            try session.execute(
                """
                CREATE INDEX CONCURRENTLY \(index) ON \(table) USING gin ((document -> '\(name)') jsonb_path_ops)
                """)
        }
        try session.execute("UPDATE indexedField SET filledTo = NULL WHERE id = $1", [.integer(id)])
    }
}
