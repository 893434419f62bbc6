internal import Base
package import Push

extension Registry {
    /// The seconds within which a request with a known `req_id` does nothing.
    ///
    /// Source: docs/background/leancloud/push.md#push-by-query.
    package static let requestWindow = 300.0

    /// The maximum number of scheduled pushes. Source: docs/background/leancloud/push.md#limits.
    package static let mostScheduledPushes = 1000

    /// Accepts a push: its record exists when this returns, and it will be sent even if the process ends.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid, or with code 154 when `mostScheduled` pushes
    ///   (default 1000) are scheduled already.
    package func accept(
        _ order: PushOrder, at now: Instant, mostScheduled: Int = mostScheduledPushes
    ) async throws(RegistryError) -> PushReceipt {
        try await write { db in
            // Two requests with one id: the second one finds the first.
            try db.hold(
                [order.requestID.map { "req_id " + $0 }, "notification " + order.notificationID].compactMap(\.self))
            if let first = try Self.earlier(order.requestID, at: now, in: db) { return first }
            try PushDelivery.check(order, db.dialect)
            if order.fireAt != nil {
                let waiting = try db.number("SELECT COUNT(*) FROM scheduledPush")
                guard waiting < mostScheduled else {
                    throw RegistryError(
                        .thresholdExceeded, "Exceeded an application threshold setting: \(waiting) pushes wait.")
                }
            }
            let push = try db.addPush([
                ("objectId", order.objectID), ("notificationId", order.notificationID),
                ("state", order.fireAt == nil ? "queued" : "scheduled"), ("request", order.json.canonicalText),
                ("createdAt", now),
            ])
            if let requestID = order.requestID {
                try db.execute(
                    """
                    INSERT INTO pushRequest(requestId, push, createdAt) VALUES (?, ?, ?)
                    ON CONFLICT (requestId) DO UPDATE SET push = excluded.push, createdAt = excluded.createdAt
                    """, [requestID, push, now])
            }
            if let fireAt = order.fireAt {
                try db.execute("INSERT INTO scheduledPush(push, fireAt) VALUES (?, ?)", [push, fireAt])
            }
            try PushRecord.opened(for: order, at: now, in: db).save(in: db)
            return PushReceipt(objectID: order.objectID, createdAt: now, isRepeated: false)
        }
    }

    /// The number of inboxes that are filled in one transaction: about a quarter of a second.
    static let mostInboxesAtOnce = 25_000

    /// Sends an accepted push that is not scheduled; does nothing when it was sent already.
    ///
    /// The route to its devices is simulated inboxes by default, filled `most` at once, so that a push to everybody
    /// does not hold up registrations.
    package func deliver(
        objectID: String, by way: PushWay = .inboxes, most: Int = mostInboxesAtOnce, at now: Instant
    ) async throws(RegistryError) {
        do {
            // The audience is looked up outside the queue of changes: a slow condition must not block them.
            var rest = try await audience(objectID: objectID, by: way, at: now)?[...]
            repeat { rest = try await step(objectID: objectID, rest, by: way, most: most, at: now) } while rest != nil
        } catch  where !error.isInternal {
            try await refuse(objectID: objectID, error, at: now)
        }
    }

    /// Sends a push to the next devices of its audience; returns those that are left, nil when the push has ended.
    func step(
        objectID: String, _ rest: ArraySlice<Int64>?, by way: PushWay, most: Int, at now: Instant
    ) async throws(RegistryError) -> ArraySlice<Int64>? {
        try await write { db in
            guard let row = try Self.queued(objectID, in: db) else { return nil }
            return try PushDelivery(row).run(rest, by: way, most: most, at: now, in: db)
        }
    }

    func audience(objectID: String, by way: PushWay, at now: Instant) async throws(RegistryError) -> [Int64]? {
        let sql = "SELECT request FROM push WHERE objectId = ? AND state = 'queued'"
        let request = try await read { db in try db.text(sql, [objectID]) }
        guard let request else { return nil }
        let order: PushOrder
        do {
            order = try PushDelivery.order(request)
        } catch {
            throw (error as? RegistryError) ?? RegistryError(internal: "a stored push is damaged")
        }
        guard case .query(let condition) = order.audience, !way.leavesServices(of: order) else { return nil }
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
            guard let row = try Self.queued(objectID, in: db) else { return false }
            if forgetsRequest { try db.execute("DELETE FROM pushRequest WHERE push = ?", [row.integer(0)]) }
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
            try db.texts("SELECT objectId FROM push WHERE state = 'queued' ORDER BY id")
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
                WHERE fireAt <= ? ORDER BY fireAt, scheduledPush.id LIMIT 1\(db.clause(.passing))
                """
            guard let row = try db.row(sql, [now]) else { return nil }
            try db.execute("DELETE FROM scheduledPush WHERE id = ?", [row.integer(2)])
            try db.execute("UPDATE push SET state = 'queued' WHERE id = ?", [row.integer(0)])
            return row.text(1)
        }
    }

    /// Returns the time of the next scheduled push.
    package func nextFiring() async throws(RegistryError) -> Instant? {
        try await read { db in
            try db.integer("SELECT MIN(fireAt) FROM scheduledPush").map(Instant.init(milliseconds:))
        }
    }

    /// Returns the scheduled pushes, sorted by time.
    package func scheduledPushes() async throws(RegistryError) -> [ScheduledPush] {
        try await read { db in
            let sql = """
                SELECT scheduledPush.id, fireAt, push.createdAt, push.request FROM scheduledPush
                JOIN push ON push.id = scheduledPush.push ORDER BY fireAt, scheduledPush.id
                """
            return try db.rows(sql, []).map(ScheduledPush.init)
        }
    }

    /// Cancels a scheduled push; `false` when none has that number. Its record is deleted too, unless other pushes
    /// share it.
    package func cancelScheduled(_ id: Int64) async throws(RegistryError) -> Bool {
        try await write { db in
            // Whoever removes its row from the schedule decides: here, or the one that sends it.
            let sql = "DELETE FROM scheduledPush WHERE id = ? RETURNING push"
            guard let push = try db.integer(sql, [id]) else { return false }
            try db.execute("UPDATE push SET state = 'cancelled' WHERE id = ?", [push])
            try db.execute(
                """
                DELETE FROM pushRecord WHERE notificationId = (SELECT notificationId FROM push WHERE id = ?)
                AND NOT EXISTS (
                  SELECT 1 FROM push WHERE push.notificationId = pushRecord.notificationId AND state <> 'cancelled')
                """, [push])
            try db.announce()
            return true
        }
    }

    /// Returns a push that waits to be sent, `id` and `request`; its row is locked.
    private static func queued(_ objectID: String, in db: any RegistryTransaction) throws -> (any SQLRow)? {
        try db.row(
            "SELECT id, request FROM push WHERE objectId = ? AND state = 'queued'\(db.clause(.changing))", [objectID])
    }

    private static func earlier(
        _ requestID: String?, at now: Instant, in db: any RegistryTransaction
    ) throws -> PushReceipt? {
        guard let requestID else { return nil }
        let sql = """
            SELECT push.objectId, push.createdAt FROM pushRequest JOIN push ON push.id = pushRequest.push
            WHERE requestId = ? AND pushRequest.createdAt > ?
            """
        let oldest = now.advanced(bySeconds: -requestWindow)
        return try db.row(sql, [requestID, oldest]).map { row in
            PushReceipt(objectID: row.string(0), createdAt: row.instant(1), isRepeated: true)
        }
    }
}

extension ScheduledPush {
    /// Reads `scheduledPush.id, fireAt, push.createdAt, push.request`.
    init(_ row: any SQLRow) throws {
        self.init(
            id: row.integer(0) ?? 0, fireAt: row.instant(1),
            createdAt: row.instant(2), order: try PushDelivery.order(row.string(3)))
    }
}

// MARK: - Apple pushes

/// A push to Apple that has not ended.
package struct ApplePush: Hashable, Sendable {
    /// The push to send.
    package let order: PushOrder
    /// The time when it was accepted.
    package let createdAt: Instant
}

/// The result of a push on Apple devices.
package struct ApplePushResult: Hashable, Sendable {
    package var ending: Ending
    /// The figures of its journal; nil when none was started.
    package var figures: JournalFigures?
    /// The number of devices that each service accepted.
    package var accepted: [PushVendor: Int]
    /// The number of refused tokens that are invalid.
    package var invalidTokens: Int

    /// The endings of a push to Apple.
    package enum Ending: Hashable, Sendable {
        /// Every device has an outcome, or is counted.
        case done
        /// The push expired before the first device.
        case expired
        case failed(String)
    }

    package init(ending: Ending, figures: JournalFigures?, accepted: [PushVendor: Int] = [:], invalidTokens: Int) {
        self.accepted = accepted
        self.ending = ending
        self.figures = figures
        self.invalidTokens = invalidTokens
    }
}

extension Registry {
    /// The maximum number of devices for a push to development devices. Source:
    /// docs/background/leancloud/push.md#limits.
    package static let mostDevelopmentDevices = 20_000

    private static let isSending = "state = '\(PushDelivery.sendingToApple)'"

    /// Returns a push to be sent to Apple; nil when it has ended, or none has this `objectId`.
    package func applePush(objectID: String) async throws(RegistryError) -> ApplePush? {
        try await read { db in
            let sql = "SELECT request, createdAt FROM push WHERE objectId = ? AND \(Self.isSending)"
            return try db.row(sql, [objectID]).map { row in
                ApplePush(order: try PushDelivery.order(row.string(0)), createdAt: row.instant(1))
            }
        }
    }

    /// Returns the `objectId`s of all pushes to be sent to Apple, the oldest first.
    package func applePushes() async throws(RegistryError) -> [String] {
        try await read { db in
            try db.texts("SELECT objectId FROM push WHERE \(Self.isSending) ORDER BY id")
        }
    }

    /// Records the result of a push to Apple; does nothing when that was done already.
    package func finishApplePush(
        objectID: String, _ result: ApplePushResult, at now: Instant
    ) async throws(RegistryError) {
        try await change(objectID) { delivery, db in try delivery.finish(result, at: now, in: db) }
    }

    /// Records why a push waits, nil once it goes on, and for which service if it is one; does nothing when it has
    /// ended.
    package func noteApplePush(
        objectID: String, waits reason: String?, for vendor: PushVendor? = nil, at now: Instant
    ) async throws(RegistryError) {
        try await change(objectID) { delivery, db in try delivery.wait(reason, for: vendor, at: now, in: db) }
    }

    private func change(
        _ objectID: String, _ body: @escaping @Sendable (PushDelivery, any RegistryTransaction) throws -> Void
    ) async throws(RegistryError) {
        try await write { db in
            let sql = "SELECT id, request FROM push WHERE objectId = ? AND \(Self.isSending)\(db.clause(.changing))"
            if let row = try db.row(sql, [objectID]) { try body(PushDelivery(row), db) }
        }
    }
}

// MARK: - Numbers

/// The numbers of pushes and messages: from 1, in the order of their commits, without gaps.
///
/// SQLite numbers rows itself. In PostgreSQL one row holds the last number, so that whoever takes the next ones waits
/// for whoever took the last.
extension RegistryTransaction {
    func addPush(_ columns: [(name: String, value: any SQLBindable)]) throws -> Int64 {
        var columns = columns
        if dialect == .postgres { columns.insert(("id", try numbers(1, of: "push")), at: 0) }
        let names = columns.map(\.name).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        return try integer("INSERT INTO push(\(names)) VALUES (\(places)) RETURNING id", columns.map(\.value)) ?? 0
    }

    /// Adds the messages that a statement selects, without their numbers.
    func addMessages(_ selected: SQLText) throws {
        let columns = "device, push, installation, platform, vendor, badge, receivedAt"
        guard dialect == .postgres else {
            try execute(SQLText(sql: "INSERT INTO inbox(\(columns)) ") + selected)
            return
        }
        let last = try numbers(0, of: "inbox")
        let added = try execute(
            SQLText(
                sql: """
                    INSERT INTO inbox(id, \(columns)) SELECT CAST(? AS bigint) + row_number() OVER (), selected.* FROM (
                    """, arguments: [last]) + selected + SQLText(sql: ") AS selected"))
        _ = try numbers(Int64(added), of: "inbox")
    }

    /// Takes the next numbers of a table; returns the last one taken.
    private func numbers(_ count: Int64, of table: String) throws -> Int64 {
        try integer("UPDATE serverNumber SET last = last + ? WHERE name = ? RETURNING last", [count, table]) ?? 0
    }
}
