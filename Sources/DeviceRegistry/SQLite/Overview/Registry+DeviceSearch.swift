internal import Base
package import Push

/// The devices that the indexes found at once.
package struct FoundDevices: Hashable, Sendable {
    /// The device whose token or id is exactly what was looked for.
    package let exact: StoredObject?
    /// The devices, those found exactly or by the beginning of a token or id first.
    package let objects: [StoredObject]
}

extension Registry {
    /// Returns devices that an index finds: by a token or id or the beginning of one, by the user, or by an indexed
    /// field; at most `limit`.
    ///
    /// Anything else, such as the middle of a token, is found by ``installations(_:after:limit:mostExamined:)``.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
    package func devices(_ search: DeviceSearch, limit: Int) async throws(RegistryError) -> FoundDevices {
        let timeLimit = queryTimeLimit
        let condition: JSONValue =
            switch search {
            case .condition(let condition): condition
            case .text(let text): DeviceSearch.isOf(user: text)
            }
        return try await query(condition) { db in
            var objects: [StoredObject] = []
            var exact: StoredObject?
            if case .text(let text) = search {
                exact = try Self.device(named: text, in: db)
                objects = exact.map { [$0] } ?? []
                objects += try Self.devices(beginningWith: text, limit: limit, in: db)
            }
            objects += try Self.indexed(condition, limit: limit, timeLimit, in: db)
            var seen: Set<Int64> = []
            return FoundDevices(
                exact: exact, objects: Array(objects.filter { seen.insert($0.row).inserted }.prefix(limit)))
        }
    }

    /// Returns the time when a token was reported dead; nil for any other token.
    package func deathOfToken(_ token: String) async throws(RegistryError) -> Instant? {
        try await read { db in
            let sql = "SELECT MAX(reportedAt) FROM deadToken WHERE token IN (?, ?)"
            return try db.integer(sql, [token, AppleToken.normalized(token)])
                .map(Instant.init(milliseconds:))
        }
    }

    private static func device(named text: String, in db: any RegistryTransaction) throws -> StoredObject? {
        let store = ObjectStore(db: db, className: .installation, access: .master)
        for (column, value) in [
            ("objectId", text), ("deviceToken", text), ("deviceToken", AppleToken.normalized(text)),
            ("installationId", text),
        ] {
            if let found = try store.first(column, value) { return found }
        }
        return nil
    }

    private static func devices(beginningWith text: String, limit: Int, in db: any RegistryTransaction) throws
        -> [StoredObject]
    {
        guard !text.isEmpty else { return [] }
        return try ["deviceToken", "installationId", "objectId"].flatMap { column in
            // Tokens of Apple's are kept in lower case.
            try Set([text, text.lowercased()]).sorted().flatMap { start in
                let sql = """
                    SELECT \(ObjectStore.columns) FROM installation AS t0
                    WHERE t0.\(column) >= ? AND t0.\(column) < ? ORDER BY t0.\(column) LIMIT ?
                    """
                return try db.rows(sql, [start, start + "\u{10FFFF}", limit]).map(StoredObject.init)
            }
        }
    }

    /// Devices that match a condition, if an index drives every alternative of it.
    private static func indexed(
        _ condition: JSONValue, limit: Int, _ timeLimit: Duration, in db: any RegistryTransaction
    ) throws -> [StoredObject] {
        let ready = try FieldIndexes.ready(in: db)
        return try (condition["$or"]?.array ?? [condition]).flatMap { part -> [StoredObject] in
            var translator = ConditionTranslator(
                dialect: db.dialect, className: .installation, access: .master, timeLimit: timeLimit)
            let plan = try translator.plan(part)
            guard plan.terms.contains(where: { $0.leads.contains { $0.fields.isSubset(of: ready) } }) else { return [] }
            let sql =
                SQLText(sql: "SELECT \(ObjectStore.columns) FROM installation AS t0 WHERE ") + (try plan.clause(in: db))
                + SQLText(sql: " LIMIT ?", arguments: [limit])
            return try db.rows(sql).map(StoredObject.init)
        }
    }
}
