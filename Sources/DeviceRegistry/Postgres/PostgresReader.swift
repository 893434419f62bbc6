internal import JSONValue
internal import PostgresClient

/// The reading half of a registry in PostgreSQL.
///
/// From ``PostgresRegistry/openReadOnly(_:clock:)`` its sessions cannot write.
package struct PostgresReader: DeployReading {
    let database: PostgresDatabase

    /// The survey looks at so many installations. Source: ``DeviceSurvey/size``.
    private static let surveyed = 1000

    init(_ database: PostgresDatabase) {
        self.database = database
    }

    package func now() async throws(RegistryError) -> Timestamp {
        try await database.read { session in try database.now(in: session) }
    }

    package func identity() async throws(RegistryError) -> String {
        try await database.read { session in
            guard let id = try session.row("SELECT id FROM bugleRegistry")?.text(0) else {
                throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
            }
            return id
        }
    }

    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await database.read { session in try PostgresRecords(session).records(kind, of: workspace) }
    }

    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await database.read { session in try PostgresLocks(session).lock(of: workspace) }
    }

    package func count(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceFigures {
        try await database.read { session in try PostgresAudience(audience, at: now).count(in: session) }
    }

    package func explain(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await database.read { session in try PostgresAudience(audience, at: now).explain(in: session) }
    }

    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await database.read { session in
            let newest =
                "(SELECT channels, deviceProfile FROM installation ORDER BY updatedAt DESC LIMIT \(Self.surveyed)) AS t"
            func number(_ sql: String, _ value: PostgresValue) throws -> Int {
                Int(try session.row(sql, [value])?.integer(0) ?? 0)
            }
            func counts(_ sql: String) throws -> [String: Int] {
                try session.rows(sql).reduce(into: [:]) { $0[$1.text(0) ?? ""] = Int($1.integer(1) ?? 0) }
            }
            var survey = DeviceSurvey(
                size: Int(try session.row("SELECT count(*) FROM \(newest)")?.integer(0) ?? 0),
                channels: try counts(
                    """
                    SELECT name, count(*) FROM (
                      SELECT DISTINCT n, c.value #>> '{}' AS name
                      FROM (SELECT channels, row_number() OVER () AS n FROM \(newest)) AS d, jsonb_array_elements(
                        CASE jsonb_typeof(d.channels) WHEN 'array' THEN d.channels ELSE '[]' END) AS c
                      WHERE jsonb_typeof(c.value) = 'string') AS names GROUP BY name
                    """),
                profiles: try counts(
                    "SELECT deviceProfile, count(*) FROM \(newest) WHERE deviceProfile <> '' GROUP BY deviceProfile"))
            for channel in channels {
                survey.subscribers[channel] = try number(
                    "SELECT count(*) FROM installation WHERE channels @> $1::jsonb",
                    .text(JSONValue.array([.string(channel)]).canonicalText))
            }
            for profile in profiles {
                survey.bearers[profile] = try number(
                    "SELECT count(*) FROM installation WHERE deviceProfile = $1", .text(profile))
            }
            return survey
        }
    }

    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await database.read { session in try PostgresJournal.figures(delivery, in: session) }
    }

    package func close() async {
        await database.pool.close()
    }

    /// The ids of the objects of a class that fit a condition, in their order.
    func objectIDs(of className: ClassName, where condition: JSONValue) async throws(RegistryError) -> [String] {
        var translator = ConditionTranslator.postgres(className)
        let plan = try translator.plan(condition)
        var text = SQLText(sql: "SELECT t0.objectId FROM \(plan.table.source) WHERE ")
        if !className.isInstallation { text += SQLText(sql: "t0.class = ? AND ", arguments: [className.name]) }
        let query = translator.placed(text + plan.clause + SQLText(sql: " ORDER BY t0.objectId"))
        return try await database.read { session in try session.rows(query).map { $0.text(0) ?? "" } }
    }
}
