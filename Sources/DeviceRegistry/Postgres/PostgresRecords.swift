internal import JSONValue
internal import PostgresClient

/// The records of applies, within a transaction.
struct PostgresRecords {
    private let session: PostgresSession

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// Every record of a kind, in the order of their keys.
    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try session.rows(
            "SELECT key, document, fence FROM deployRecord WHERE workspace = $1 AND kind = $2 ORDER BY key",
            [.text(workspace), .text(kind.rawValue)]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row.text(0) ?? "",
                document: try RecordTable.document(row.text(1) ?? ""),
                fence: Int(row.integer(2) ?? 0))
        }
    }

    /// Writes a record under a fence.
    func put(_ record: DeployRecord, fence: Int) throws {
        guard record.document.object != nil else { throw RegistryError(.incorrectType, "A record is an object.") }
        try session.execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document, fence = excluded.fence
            """,
            [
                .text(record.workspace), .text(record.kind.rawValue), .text(record.key),
                .text(record.document.canonicalText), .integer(Int64(fence)),
            ])
    }

    /// Removes a record.
    func remove(_ record: DeployRecord) throws {
        try session.execute(
            "DELETE FROM deployRecord WHERE workspace = $1 AND kind = $2 AND key = $3",
            [.text(record.workspace), .text(record.kind.rawValue), .text(record.key)])
    }
}
