internal import GRDB
package import RegistryModel

extension Registry: ObjectSource {
    package func page(of className: ClassName, after row: Int64, limit: Int) async throws(RegistryError)
        -> [StoredObject]
    {
        try await read { db in
            let store = ObjectStore(db: db, className: className, access: .master)
            let selection = store.selection(SQL(sql: "t0.id > ?", arguments: [row]))
            let sql =
                SQL(sql: "SELECT \(ObjectStore.columns)") + selection
                + SQL(sql: " ORDER BY t0.id LIMIT ?", arguments: [limit])
            return try Row.fetchAll(db, SQLRequest<Row>(literal: sql)).map(StoredObject.init)
        }
    }

    package func classesToCopy() async throws(RegistryError) -> [ClassName] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT name FROM class ORDER BY name").map { try ClassName($0) }
                .filter { !$0.isInstallation }
        }
    }

    package func relations(after last: RelationRow?, limit: Int) async throws(RegistryError) -> [RelationRow] {
        let columns = "ownerClass, ownerId, key, targetClass, targetId"
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(columns) FROM relation WHERE (\(columns)) > (?, ?, ?, ?, ?) ORDER BY \(columns) LIMIT ?
                    """, arguments: StatementArguments(last?.columns ?? Array(repeating: "", count: 5)) + [limit]
            ).map { row in RelationRow(columns: (0..<5).map { row[$0] }) }
        }
    }
}
