internal import GRDB

/// The reading half of a registry's deploy store; behind ``Registry/openReadOnly(path:clock:)`` stands a connection that
/// cannot write.
package struct RegistryReader: DeployReading {
    private let database: any DatabaseReader
    private let isInline: Bool
    private let clock: @Sendable () -> Timestamp

    /// The survey looks at so many installations. Source: ``DeviceSurvey/size``.
    private static let surveyed = 1000

    init(_ database: any DatabaseReader, isInline: Bool = false, clock: @escaping @Sendable () -> Timestamp) {
        self.database = database
        self.isInline = isInline
        self.clock = clock
    }

    package func now() async throws(RegistryError) -> Timestamp { clock() }

    package func identity() async throws(RegistryError) -> String {
        try await read { db in
            guard let id = try String.fetchOne(db, sql: "SELECT id FROM registryIdentity") else {
                throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
            }
            return id
        }
    }

    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await read { db in try RecordTable(db: db).records(kind, of: workspace) }
    }

    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await read { db in try LockTable(db: db).lock(of: workspace) }
    }

    package func count(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceFigures {
        try await read { db in try AudienceSQL(audience: audience, now: now).count(in: db) }
    }

    package func explain(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await read { db in try AudienceSQL(audience: audience, now: now).explain(in: db) }
    }

    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await read { db in
            let newest = "(SELECT id, deviceProfile FROM installation ORDER BY updatedAt DESC LIMIT \(Self.surveyed))"
            func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
                try Int.fetchOne(db, sql: sql, arguments: arguments) ?? 0
            }
            func counts(_ sql: String) throws -> [String: Int] {
                Dictionary(uniqueKeysWithValues: try Row.fetchAll(db, sql: sql).map { ($0[0], $0[1]) })
            }
            var survey = DeviceSurvey(
                size: try number("SELECT COUNT(*) FROM \(newest)"),
                channels: try counts(
                    """
                    SELECT name, COUNT(*) FROM channel
                    WHERE installation IN (SELECT id FROM \(newest)) GROUP BY name
                    """),
                profiles: try counts(
                    "SELECT deviceProfile, COUNT(*) FROM \(newest) WHERE deviceProfile <> '' GROUP BY 1"))
            for channel in channels {
                survey.subscribers[channel] = try number("SELECT COUNT(*) FROM channel WHERE name = ?", [channel])
            }
            for profile in profiles {
                survey.bearers[profile] = try number(
                    "SELECT COUNT(*) FROM installation WHERE deviceProfile = ?", [profile])
            }
            return survey
        }
    }

    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await read { db in try JournalRow.figures(delivery, in: db) }
    }

    package func close() async {
        try? database.close()
    }

    /// Runs `body` on one snapshot of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            return try await isInline ? inline(body) : database.read(body)
        } catch {
            throw Registry.registryError(from: error)
        }
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // Alone on its thread it needs no isolation, and to forbid writing would throw away every prepared statement.
        try database.unsafeRead(body)
    }
}
