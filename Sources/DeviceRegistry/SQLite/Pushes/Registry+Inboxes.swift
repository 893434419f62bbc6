internal import Base
internal import Push

extension Registry {
    /// Returns the messages of a simulated device, the oldest first.
    ///
    /// `device` is a device token, an installation id, or an objectId.
    package func inbox(of device: String) async throws(RegistryError) -> [ReceivedPush] {
        try await read { db in
            let isToken = ObjectTable(dialect: db.dialect, className: .installation, alias: "t0")
                .identity("deviceToken", device)
            let sql = """
                WITH named(device) AS (
                  SELECT CAST(? AS text) UNION SELECT deviceToken FROM installation WHERE installationId = ? OR objectId = ?
                  UNION SELECT installationId FROM installation AS t0 WHERE \(isToken.sql) OR objectId = ?)
                SELECT \(ReceivedPush.columns)
                FROM inbox JOIN push ON push.id = inbox.push
                WHERE device IN (SELECT device FROM named WHERE device IS NOT NULL) ORDER BY inbox.id
                """
            return try db.rows(sql, [device, device, device] + isToken.values + [device]).map(ReceivedPush.init)
        }
    }

    /// Returns the counts of a notification's messages.
    package func inboxSummary(notificationID: String) async throws(RegistryError) -> InboxSummary {
        try await read { db in
            let row = try db.row(
                """
                SELECT COUNT(DISTINCT device) AS devices, COUNT(*) AS messages
                FROM inbox WHERE push IN (SELECT id FROM push WHERE notificationId = ?)
                """, [notificationID])
            return InboxSummary(devices: row?.number(0) ?? 0, messages: row?.number(1) ?? 0)
        }
    }
}

extension ReceivedPush {
    /// The columns of `inbox` joined to `push` that ``init(_:)`` reads.
    static let columns = "push.notificationId, push.objectId, push.request, platform, vendor, badge, receivedAt"

    init(_ row: any SQLRow) throws {
        self.init(
            notificationID: row.text(0) ?? "", objectID: row.text(1) ?? "", platform: row.text(3) ?? "",
            vendor: row.text(4), data: try PushDelivery.order(row.text(2) ?? "").data,
            badge: row.integer(5), receivedAt: row.time(6) ?? Instant(milliseconds: 0))
    }
}
