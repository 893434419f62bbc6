internal import GRDB
internal import JSONValue
package import PushModel
package import RegistryModel

extension Registry {
    /// The seconds within which a request with a known `req_id` does nothing.
    ///
    /// Source: <doc:/PushModel/LeanCloudPush#Push-by-query>.
    package static let requestWindow = 300.0

    /// The maximum number of scheduled pushes. Source: <doc:/PushModel/LeanCloudPush#Limits>.
    package static let mostScheduledPushes = 1000

    /// Accepts a push: its record exists when this returns, and it will be sent even if the process ends.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid, or with code 154 when `mostScheduled` pushes
    ///   (default 1000) are scheduled already.
    package func accept(
        _ order: PushOrder, at now: Instant, mostScheduled: Int = mostScheduledPushes
    ) async throws(RegistryError) -> PushReceipt {
        try await write { db in
            if let first = try Self.earlier(order.requestID, at: now, in: db) { return first }
            try PushDelivery.check(order)
            if order.fireAt != nil {
                let waiting = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM scheduledPush") ?? 0
                guard waiting < mostScheduled else {
                    throw RegistryError(
                        .thresholdExceeded, "Exceeded an application threshold setting: \(waiting) pushes wait.")
                }
            }
            try db.execute(
                sql: "INSERT INTO push(objectId, notificationId, state, request, createdAt) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    order.objectID, order.notificationID, order.fireAt == nil ? "queued" : "scheduled",
                    order.json.canonicalText, now.milliseconds,
                ])
            let push = db.lastInsertedRowID
            if let requestID = order.requestID {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO pushRequest(requestId, push, createdAt) VALUES (?, ?, ?)",
                    arguments: [requestID, push, now.milliseconds])
            }
            if let fireAt = order.fireAt {
                try db.execute(
                    sql: "INSERT INTO scheduledPush(push, fireAt) VALUES (?, ?)",
                    arguments: [push, fireAt.milliseconds])
            }
            try PushRecord.opened(for: order, at: now, in: db).save(in: db)
            return PushReceipt(objectID: order.objectID, createdAt: now, isRepeated: false)
        }
    }

    /// Sends an accepted push that is not scheduled; does nothing when it was sent already.
    ///
    /// The route to its devices is simulated inboxes by default.
    package func deliver(
        objectID: String, by way: PushWay = .inboxes, at now: Instant
    ) async throws(RegistryError) {
        do {
            // The audience is looked up outside the queue of changes: a slow condition must not block them.
            let audience = try await audience(objectID: objectID, by: way, at: now)
            try await write { db in
                let sql = "SELECT id, request FROM push WHERE objectId = ? AND state = 'queued'"
                guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return }
                try PushDelivery(row).run(audience, by: way, at: now, in: db)
            }
        } catch  where !error.isInternal {
            try await refuse(objectID: objectID, error, at: now)
        }
    }

    private func audience(
        objectID: String, by way: PushWay, at now: Instant
    ) async throws(RegistryError) -> [Int64]? {
        let sql = "SELECT request FROM push WHERE objectId = ? AND state = 'queued'"
        let request = try await read { db in try String.fetchOne(db, sql: sql, arguments: [objectID]) }
        guard let request else { return nil }
        let order: PushOrder
        do {
            order = try PushDelivery.order(request)
        } catch {
            throw (error as? RegistryError) ?? RegistryError(internal: "a stored push is damaged")
        }
        guard case .query(let condition) = order.audience, !way.leavesApple(of: order) else { return nil }
        // Nobody waits for it and it blocks nothing, so an audience among a million devices may take a while.
        let timeLimit = condition.mentions("$regex") ? queryTimeLimit : queryTimeLimit * 6
        return try await query(condition, within: timeLimit) { db in
            try PushDelivery.audience(order, by: way, at: now, timeLimit: timeLimit, in: db)
        }
    }

    /// Records that a push cannot be sent, so that it is not retried for ever; `false` when it was sent meanwhile.
    @discardableResult
    private func refuse(
        objectID: String, _ reason: RegistryError, at now: Instant, forgetsRequest: Bool = false
    ) async throws(RegistryError) -> Bool {
        try await write { db in
            let sql = "SELECT id, request FROM push WHERE objectId = ? AND state = 'queued'"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return false }
            if forgetsRequest {
                try db.execute(sql: "DELETE FROM pushRequest WHERE push = ?", arguments: [row["id"] as Int64])
            }
            try PushDelivery(row).refuse(reason.description, at: now, in: db)
            return true
        }
    }

    /// Withdraws a push that could not be sent, with the reason in its record; its `req_id` may be used again.
    ///
    /// - Returns: true if nothing was sent and nothing will be.
    package func takeBack(
        objectID: String, _ reason: RegistryError, at now: Instant
    ) async throws(RegistryError) -> Bool {
        try await refuse(objectID: objectID, reason, at: now, forgetsRequest: true)
    }

    /// Sends pushes that were accepted but not sent before the process ended; one that fails does not hold up the
    /// others.
    ///
    /// Pushes in `besides` are left to whoever is sending them.
    package func deliverQueued(
        by way: PushWay = .inboxes, at now: Instant, besides: Set<String> = []
    ) async throws(RegistryError) {
        let waiting = try await read { db in
            try String.fetchAll(db, sql: "SELECT objectId FROM push WHERE state = 'queued' ORDER BY id")
        }
        var failure: RegistryError?
        for objectID in waiting where !besides.contains(objectID) {
            do throws(RegistryError) {
                try await deliver(objectID: objectID, by: way, at: now)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Sends the scheduled pushes that are due, the earliest first.
    ///
    /// A late push, because no server was running, is sent unless it has expired.
    package func fireDue(by way: PushWay = .inboxes, at now: Instant) async throws(RegistryError) {
        while let objectID = try await takeFirstDue(at: now) {
            try await deliver(objectID: objectID, by: way, at: now)
        }
    }

    /// Moves the first due push to the queued ones.
    private func takeFirstDue(at now: Instant) async throws(RegistryError) -> String? {
        try await write { db in
            let sql = """
                SELECT push.id, push.objectId, scheduledPush.id AS scheduled FROM scheduledPush
                JOIN push ON push.id = scheduledPush.push
                WHERE fireAt <= ? ORDER BY fireAt, scheduledPush.id LIMIT 1
                """
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [now.milliseconds]) else { return nil }
            try db.execute(sql: "DELETE FROM scheduledPush WHERE id = ?", arguments: [row["scheduled"] as Int64])
            try db.execute(sql: "UPDATE push SET state = 'queued' WHERE id = ?", arguments: [row["id"] as Int64])
            return row["objectId"]
        }
    }

    /// Returns the time of the next scheduled push.
    package func nextFiring() async throws(RegistryError) -> Instant? {
        try await read { db in
            try Int64.fetchOne(db, sql: "SELECT MIN(fireAt) FROM scheduledPush").map(Instant.init(milliseconds:))
        }
    }

    /// Returns the scheduled pushes, sorted by time.
    package func scheduledPushes() async throws(RegistryError) -> [ScheduledPush] {
        try await read { db in
            let sql = """
                SELECT scheduledPush.id, fireAt, push.createdAt, push.request FROM scheduledPush
                JOIN push ON push.id = scheduledPush.push ORDER BY fireAt, scheduledPush.id
                """
            return try Row.fetchAll(db, sql: sql).map { row in
                ScheduledPush(
                    id: row["id"], fireAt: Instant(milliseconds: row["fireAt"]),
                    createdAt: Instant(milliseconds: row["createdAt"]),
                    order: try PushDelivery.order(row["request"]))
            }
        }
    }

    /// Cancels a scheduled push; `false` when none has that number. Its record is deleted too, unless other pushes
    /// share it.
    package func cancelScheduled(_ id: Int64) async throws(RegistryError) -> Bool {
        try await write { db in
            let sql = "SELECT push FROM scheduledPush WHERE id = ?"
            guard let push = try Int64.fetchOne(db, sql: sql, arguments: [id]) else { return false }
            try db.execute(sql: "DELETE FROM scheduledPush WHERE id = ?", arguments: [id])
            try db.execute(sql: "UPDATE push SET state = 'cancelled' WHERE id = ?", arguments: [push])
            try db.execute(
                sql: """
                    DELETE FROM pushRecord WHERE notificationId = (SELECT notificationId FROM push WHERE id = ?)
                    AND NOT EXISTS (
                      SELECT 1 FROM push WHERE push.notificationId = pushRecord.notificationId AND state <> 'cancelled')
                    """, arguments: [push])
            return true
        }
    }

    private static func earlier(_ requestID: String?, at now: Instant, in db: Database) throws -> PushReceipt? {
        guard let requestID else { return nil }
        let sql = """
            SELECT push.objectId, push.createdAt FROM pushRequest JOIN push ON push.id = pushRequest.push
            WHERE requestId = ? AND pushRequest.createdAt > ?
            """
        let oldest = now.advanced(bySeconds: -requestWindow).milliseconds
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [requestID, oldest]) else { return nil }
        return PushReceipt(
            objectID: row["objectId"], createdAt: Instant(milliseconds: row["createdAt"]), isRepeated: true)
    }
}
