internal import GRDB
internal import JSONValue

/// The records of applies, within a transaction.
struct RecordTable {
    let db: Database

    /// Every record of a kind, in the order of their keys.
    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try Row.fetchAll(
            db, sql: "SELECT key, document, fence FROM deployRecord WHERE workspace = ? AND kind = ? ORDER BY key",
            arguments: [workspace, kind.rawValue]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row["key"], document: try Self.document(row["document"]),
                fence: row["fence"])
        }
    }

    /// Writes a record under a fence.
    func put(_ record: DeployRecord, fence: Int) throws {
        guard record.document.object != nil else { throw RegistryError(.incorrectType, "A record is an object.") }
        try db.execute(
            sql: "INSERT OR REPLACE INTO deployRecord(workspace, kind, key, document, fence) VALUES (?, ?, ?, ?, ?)",
            arguments: [record.workspace, record.kind.rawValue, record.key, record.document.canonicalText, fence])
    }

    /// Removes a record.
    func remove(_ record: DeployRecord) throws {
        try db.execute(
            sql: "DELETE FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            arguments: [record.workspace, record.kind.rawValue, record.key])
    }

    /// Reads what was written by ``put(_:fence:)``.
    static func document(_ text: String) throws -> JSONValue {
        guard let document = try? JSONValue(parsing: text) else {
            throw RegistryError(internal: "a stored record is damaged")
        }
        return document
    }
}
