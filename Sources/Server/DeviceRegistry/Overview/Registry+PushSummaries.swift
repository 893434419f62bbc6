internal import DeliveryJournal
internal import GRDB
package import PushModel
package import RegistryModel

extension Registry {
    /// Returns the newest pushes before `row`, or of all if it is `nil`, including those not yet sent.
    ///
    /// At most `limit` are returned; records older than a week at `now` are left out.
    package func newestPushes(
        before row: Int64? = nil, limit: Int, at now: Instant
    ) async throws(RegistryError) -> [PushSummary] {
        try await read { db in
            let sql = "SELECT id, state, request, createdAt FROM push WHERE id < ? ORDER BY id DESC LIMIT ?"
            return try Row.fetchAll(db, sql: sql, arguments: [row ?? .max, limit]).map {
                try PushSummary($0, at: now, in: db)
            }
        }
    }

    /// Returns the push with the `objectId` of the response to its request; `nil` when there is none.
    package func push(objectID: String, at now: Instant) async throws(RegistryError) -> PushSummary? {
        try await read { db in
            let sql = "SELECT id, state, request, createdAt FROM push WHERE objectId = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [objectID]).map { try PushSummary($0, at: now, in: db) }
        }
    }

    /// Returns some of the registered devices that a push reached, sorted by their tokens or ids.
    package func recipients(ofPush row: Int64, limit: Int) async throws(RegistryError) -> [StoredObject] {
        try await read { db in
            let sql = """
                SELECT \(ObjectStore.columns) FROM inbox CROSS JOIN installation AS t0 ON t0.id = inbox.installation
                WHERE inbox.push = ? ORDER BY inbox.device LIMIT ?
                """
            return try Row.fetchAll(db, sql: sql, arguments: [row, limit]).map(StoredObject.init)
        }
    }

    /// Returns the scheduled pushes, the next first, and true if there are more.
    package func nextScheduledPushes(
        limit: Int
    ) async throws(RegistryError) -> (pushes: [ScheduledPush], hasMore: Bool) {
        try await read { db in
            let sql = """
                SELECT scheduledPush.id, fireAt, push.createdAt, push.request
                FROM scheduledPush CROSS JOIN push ON push.id = scheduledPush.push
                ORDER BY fireAt, scheduledPush.id LIMIT ?
                """
            let pushes = try Row.fetchAll(db, sql: sql, arguments: [limit + 1]).map { row in
                ScheduledPush(
                    id: row["id"], fireAt: Instant(milliseconds: row["fireAt"]),
                    createdAt: Instant(milliseconds: row["createdAt"]),
                    order: try PushDelivery.order(row["request"]))
            }
            return (Array(pushes.prefix(limit)), pushes.count > limit)
        }
    }
}

extension PushSummary {
    /// Reads `id, state, request, createdAt`, and the record.
    fileprivate init(_ columns: Row, at now: Instant, in db: Database) throws {
        row = columns["id"]
        order = try PushDelivery.order(columns["request"])
        state = columns["state"]
        createdAt = Instant(milliseconds: columns["createdAt"])
        let machine = DeployMachine(SQLiteTransaction(db: db, now: now))
        journal = state == PushDelivery.sendingToApple ? try machine.figures(of: order.objectID) : nil
        record = try PushRecord.fetch(order.notificationID, at: now, in: db)?.json(objectID: order.objectID)
    }
}
