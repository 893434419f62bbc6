internal import GRDB
internal import JSONValue
internal import PushModel
package import RegistryModel

extension Registry {
    /// Returns the messages of a simulated device, the oldest first.
    ///
    /// `device` is a device token, an installation id, or an objectId.
    package func inbox(of device: String) async throws(RegistryError) -> [ReceivedPush] {
        try await read { db in
            let sql = """
                WITH named(device) AS (
                  SELECT ?1 UNION SELECT deviceToken FROM installation WHERE installationId = ?1 OR objectId = ?1
                  UNION SELECT installationId FROM installation WHERE deviceToken = ?1 OR objectId = ?1)
                SELECT \(ReceivedPush.columns)
                FROM inbox JOIN push ON push.id = inbox.push
                WHERE device IN (SELECT device FROM named WHERE device IS NOT NULL) ORDER BY inbox.id
                """
            return try Row.fetchAll(db, sql: sql, arguments: [device]).map(ReceivedPush.init)
        }
    }

    /// Returns the counts of a notification's messages.
    package func inboxSummary(notificationID: String) async throws(RegistryError) -> InboxSummary {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT COUNT(DISTINCT device) AS devices, COUNT(*) AS messages
                    FROM inbox WHERE push IN (SELECT id FROM push WHERE notificationId = ?)
                    """, arguments: [notificationID])
            return InboxSummary(devices: row?["devices"] ?? 0, messages: row?["messages"] ?? 0)
        }
    }
}

extension ReceivedPush {
    /// The columns of `inbox` joined to `push` that ``init(_:)`` reads.
    static let columns = "push.notificationId, push.objectId, push.request, platform, vendor, badge, receivedAt"

    init(_ row: Row) throws {
        self.init(
            notificationID: row["notificationId"], objectID: row["objectId"], platform: row["platform"],
            vendor: row["vendor"], data: try PushDelivery.order(row["request"]).data, badge: row["badge"],
            receivedAt: Instant(milliseconds: row["receivedAt"]))
    }
}
