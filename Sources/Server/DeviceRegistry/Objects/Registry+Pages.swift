internal import DeliveryJournal
package import RegistryModel

extension Registry: ObjectSource {
    package func page(of className: ClassName, after row: Int64, limit: Int) async throws(RegistryError)
        -> [StoredObject]
    {
        try await read { db in
            let store = ObjectStore(db: db, className: className, access: .master)
            let selection = store.selection(SQLText(sql: "t0.id > ?", arguments: [row]))
            let sql =
                SQLText(sql: "SELECT \(ObjectStore.columns)") + selection
                + SQLText(sql: " ORDER BY t0.id LIMIT ?", arguments: [limit])
            return try db.rows(sql).map(StoredObject.init)
        }
    }

    package func classesToCopy() async throws(RegistryError) -> [ClassName] {
        try await read { db in
            try db.texts("SELECT name FROM class ORDER BY name").map { try ClassName($0) }
                .filter { !$0.isInstallation }
        }
    }

    package func relations(after last: RelationRow?, limit: Int) async throws(RegistryError) -> [RelationRow] {
        let columns = "ownerClass, ownerId, key, targetClass, targetId"
        return try await read { db in
            try db.rows(
                """
                SELECT \(columns) FROM relation WHERE (\(columns)) > (?, ?, ?, ?, ?) ORDER BY \(columns) LIMIT ?
                """, (last?.columns ?? Array(repeating: "", count: 5)) + [limit]
            ).map { row in RelationRow(columns: (0..<5).map { row.text($0) ?? "" }) }
        }
    }
}
