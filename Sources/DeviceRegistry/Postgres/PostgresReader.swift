internal import JSONValue
internal import PostgresClient

/// The reading half of a registry in PostgreSQL.
///
/// From ``PostgresRegistry/openReadOnly(_:clock:)`` its sessions cannot write.
package struct PostgresReader: RegistryReading {
    let database: PostgresDatabase

    package var access: DeployAccess { DeployAccess(database: database) }

    init(_ database: PostgresDatabase) {
        self.database = database
    }

    /// The ids of the objects of a class that fit a condition, in their order.
    func objectIDs(of className: ClassName, where condition: JSONValue) async throws(RegistryError) -> [String] {
        var translator = ConditionTranslator.postgres(className)
        let plan = try translator.plan(condition)
        var text = SQLText(sql: "SELECT t0.objectId FROM \(plan.table.source) WHERE ")
        if !className.isInstallation { text += SQLText(sql: "t0.class = ? AND ", arguments: [className.name]) }
        let query = translator.placed(text + plan.clause + SQLText(sql: " ORDER BY t0.objectId"))
        return try await database.run(.snapshot) { session in try session.rows(query).map { $0.text(0) ?? "" } }
    }
}
