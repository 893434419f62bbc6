internal import Base
internal import Push

/// Delivers one push to the inboxes of its devices, within a transaction.
struct PushDelivery {
    private let push: Int64
    private let order: PushOrder

    /// Reads `id, request`.
    init(_ row: any SQLRow) throws {
        push = row.integer(0) ?? 0
        order = try Self.order(row.string(1))
    }

    static func order(_ text: String) throws -> PushOrder {
        guard let json = try? JSONValue(parsing: text, limits: .anyMemory), let order = PushOrder(json) else {
            throw RegistryError(internal: "a stored push is damaged")
        }
        return order
    }

    /// Checks the condition of an order.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid.
    static func check(_ order: PushOrder, _ dialect: Dialect) throws(RegistryError) {
        guard case .query(let condition) = order.audience else { return }
        var translator = ConditionTranslator(dialect: dialect, className: .installation, access: .master)
        _ = try translator.plan(condition)
    }

    /// Returns the rows of the devices that a condition reaches, in ascending order: those that match, are valid, and were seen recently;
    /// all matches where there is no route to them; `nil` for an order with a list of devices.
    static func audience(
        _ order: PushOrder, by way: PushWay = .inboxes, at now: Instant, timeLimit: Duration,
        in db: any RegistryTransaction
    ) throws -> [Int64]? {
        guard case .query(let condition) = order.audience else { return nil }
        var translator = ConditionTranslator(
            dialect: db.dialect, className: .installation, access: .master, timeLimit: timeLimit)
        // Nearly every device is valid and fresh, so an index on that must not drive the query.
        let isServed =
            way != .inboxes
            ? SQLText(sql: "")
            : SQLText(
                sql: "\(isValid(db.dialect)) AND \(db.dialect.shield)t0.updatedAt >= ? AND ",
                arguments: [now.advanced(byDays: -InstallationRules.freshnessInDays)])
        let sql =
            SQLText(sql: "SELECT t0.id FROM installation AS t0 WHERE ") + isServed
            + (try translator.plan(condition).clause(in: db))
        var rows: [Int64] = []
        try db.each(sql) { row in
            rows.append(row.integer(0) ?? 0)
            return true
        }
        return rows.sorted()
    }

    /// Returns SQL that is true for a device of an audience that has not been disabled since the look-up.
    static func isReached(_ audience: some Sequence<Int64>, _ dialect: Dialect = .sqlite) -> SQLText {
        SQLText(
            sql: "t0.id \(dialect.isOneNumberOf) AND \(isValid(dialect))",
            arguments: [SQLValue.integers(Array(audience))])
    }

    private static func isValid(_ dialect: Dialect) -> String {
        dialect == .sqlite ? "+t0.valid = 1" : "t0.valid"
    }

    /// Sends the push to the next devices of an audience, `most` at once, and counts it in its record when all have it.
    ///
    /// If real Apple devices may be targeted, it is then sent to them: its state is `sending`, and its journal also
    /// counts devices without a route. `audience` has the rows of its devices, in ascending order, and is nil for an order
    /// with a list of devices. The rows that are left for the next step are returned, nil when there is none.
    func run(
        _ audience: ArraySlice<Int64>?, by way: PushWay = .inboxes, most: Int = .max, at now: Instant,
        in db: any RegistryTransaction
    ) throws -> ArraySlice<Int64>? {
        var record = try opened(at: now, in: db)
        if let expiresAt = order.expiresAt, expiresAt <= now {
            return try finish(.expired, "expired", &record, in: db)
        }
        record.note(try absentClasses(in: db))
        if way.leavesServices(of: order) { return try finish(.queued, Self.sendingToApple, &record, in: db) }
        switch order.audience {
        case .query:
            // A push whose audience was not looked up stays queued.
            guard let audience else { return nil }
            if way != .inboxes {
                record.leaveOut([.otherPlatform: audience.count])
                break
            }
            if order.environment == "dev", audience.count > Registry.mostDevelopmentDevices {
                record.simulate(["devices": audience.count])
                record.document["errors"] = "dev profile disabled for massive push"
                return try finish(.error, "refused", &record, in: db)
            }
            // Earlier steps, here or in another copy of the server, have reached the devices up to this one.
            let reached = try db.integer("SELECT MAX(installation) FROM inbox WHERE push = ?", [push])
            let rest = audience.drop { row in reached.map { row <= $0 } ?? false }
            let isReached = Self.isReached(rest.prefix(most), db.dialect)
            record.simulateInvalidTokens(try DeadTokens(db: db).report(among: isReached, at: now))
            try fillInboxes(isReached, at: now, in: db)
            if order.incrementsBadge { try raiseBadges(after: reached, in: db) }
            guard rest.count <= most else {
                try record.save(in: db)
                return rest.dropFirst(most)
            }
        case .devices(_, let ids, _):
            if way != .inboxes {
                record.leaveOut([.otherPlatform: Set(ids).count])
                break
            }
            try fillNamedInboxes(&record, at: now, in: db)
            if order.incrementsBadge { try raiseBadges(after: nil, in: db) }
        }
        if way == .inboxes {
            try count(into: &record, in: db)
            record.explainInvalidTokens()
        }
        return try finish(.done, "delivered", &record, in: db)
    }

    /// Returns the classes in subqueries of the condition that have never been written to.
    private func absentClasses(in db: any RegistryTransaction) throws -> [String] {
        guard case .query(let condition) = order.audience else { return [] }
        return try ConditionNames(condition).classes.filter { name in
            try !ObjectStore(db: db, className: ClassName(name), access: .master).classExists()
        }
    }

    /// The record of the push as its time has come.
    private func opened(at now: Instant, in db: any RegistryTransaction) throws -> PushRecord {
        var record = try PushRecord.opened(for: order, at: now, in: db)
        // A record is kept for a week, and the push may have waited for as long. One that pushes share goes on.
        if order.fireAt != nil, record.document["objectId"] == .string(order.objectID) { record.createdAt = now }
        return record
    }

    /// Records the reason why the push cannot be sent.
    func refuse(_ reason: String, at now: Instant, in db: any RegistryTransaction) throws {
        var record = try opened(at: now, in: db)
        record.document["errors"] = .string(reason)
        _ = try finish(.error, "refused", &record, in: db)
    }

    /// The state of a push to Apple that has not ended.
    static let sendingToApple = "sending"

    /// Records why a push waits, and for which service if it is one; nil: it goes on.
    func wait(_ reason: String?, for vendor: PushVendor?, at now: Instant, in db: any RegistryTransaction) throws {
        var record = try PushRecord.opened(for: order, at: now, in: db)
        record.document["status"] = .string(PushRecord.Status.queued.rawValue)
        record.document["waiting"] = reason.map { .string($0) }
        record.document["waitingFor"] = vendor.map { .string($0.rawValue) }
        try record.save(in: db)
    }

    func finish(_ result: ApplePushResult, at now: Instant, in db: any RegistryTransaction) throws {
        var record = try PushRecord.opened(for: order, at: now, in: db)
        record.add(result)
        switch result.ending {
        case .done: _ = try finish(.done, "delivered", &record, in: db)
        case .expired: _ = try finish(.expired, "expired", &record, in: db)
        case .failed: _ = try finish(.error, "refused", &record, in: db)
        }
    }

    /// Ends the push: no device is left.
    private func finish(
        _ status: PushRecord.Status, _ state: String, _ record: inout PushRecord, in db: any RegistryTransaction
    ) throws -> ArraySlice<Int64>? {
        record.document["status"] = .string(status.rawValue)
        try record.save(in: db)
        try db.execute("UPDATE push SET state = ? WHERE id = ?", [state, push])
        return nil
    }

    private func badge(_ installation: String, _ platform: String, _ dialect: Dialect) -> String {
        guard order.incrementsBadge else { return "CAST(NULL AS bigint)" }
        return
            "CASE WHEN \(platform) IN (\(InstallationRules.appleList)) THEN \(dialect.raisedBadge(of: installation)) END"
    }

    private func fillInboxes(_ audience: SQLText, at now: Instant, in db: any RegistryTransaction) throws {
        let device = """
            CASE WHEN t0.deviceType IN (\(InstallationRules.appleList)) THEN coalesce(t0.deviceToken, t0.installationId, t0.objectId)
            ELSE coalesce(t0.installationId, t0.deviceToken, t0.objectId) END
            """
        try db.addMessages(
            SQLText(
                sql: """
                    SELECT \(device), CAST(? AS bigint), t0.id, t0.deviceType,
                    \(db.dialect.text(at: "vendor", of: "t0.document")), \(badge("t0", "t0.deviceType", db.dialect)),
                    CAST(? AS bigint) FROM installation AS t0 WHERE
                    """, arguments: [push, now]) + SQLText(sql: " ") + audience)
    }

    private func fillNamedInboxes(_ record: inout PushRecord, at now: Instant, in db: any RegistryTransaction) throws {
        guard case .devices(let platform, let named, let vendor) = order.audience else { return }
        let isApple = InstallationRules.applePlatforms.contains(platform)
        let dead = isApple ? try DeadTokens(db: db).report(among: named, at: now) : []
        record.simulateInvalidTokens(dead.count)
        let ids = named.filter { !dead.contains($0) }
        let (document, isPostgres) = ("t0.document", db.dialect == .postgres)
        let isNamed =
            isApple
            ? (isPostgres ? "t0.token = lower(named.value COLLATE \"C\")" : "t0.deviceToken = named.value")
            : vendor == nil
                ? "t0.installationId = named.value"
                : "\(db.dialect.text(at: "registrationId", of: document)) = named.value"
        try db.addMessages(
            SQLText(
                sql: """
                    SELECT coalesce(\(isApple ? "NULL" : "t0.installationId"), named.value), CAST(? AS bigint), t0.id,
                    CAST(? AS text), CAST(? AS text), \(badge("t0", "CAST(? AS text)", db.dialect)), CAST(? AS bigint)
                    FROM (SELECT DISTINCT value FROM \(db.dialect.listed)) AS named
                    LEFT JOIN installation AS t0 ON \(isNamed)
                    """,
                arguments: [push, platform, vendor] + (order.incrementsBadge ? [platform] : [])
                    + [now, SQLValue.texts(ids)]))
    }

    private func raiseBadges(after row: Int64?, in db: any RegistryTransaction) throws {
        try db.execute(
            """
            UPDATE installation SET document = \(db.dialect.documentWithRaisedBadge(of: "installation"))
            WHERE id IN (SELECT installation FROM inbox WHERE push = ? AND installation > ? AND badge IS NOT NULL)
            """, [push, row ?? 0])
    }

    private func count(into record: inout PushRecord, in db: any RegistryTransaction) throws {
        let rows = try db.rows(
            """
            SELECT platform IN (\(InstallationRules.appleList)) AS isApple, lower(vendor) AS vendor, COUNT(*) AS devices
            FROM inbox WHERE push = ? GROUP BY 1, 2
            """, [push])
        record.simulate(["devices": 0, "successes": 0])
        for row in rows {
            let devices = row.number(2)
            let counter = Self.counter(isApple: row.boolean(0), vendor: row.text(1))
            record.simulate(["devices": devices, "successes": devices, counter: devices])
        }
    }

    private static func counter(isApple: Bool, vendor: String?) -> String {
        if isApple { return "iosSuccesses" }
        switch vendor {
        case "mz": return "meizuSuccesses"
        case "hms", "harmony", "mi", "oppo", "vivo", "fcm", "honor": return "\(vendor ?? "lc")Successes"
        default: return "lcSuccesses"
        }
    }
}

// MARK: - Inboxes

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
            notificationID: row.string(0), objectID: row.string(1), platform: row.string(3), vendor: row.text(4),
            data: try PushDelivery.order(row.string(2)).data, badge: row.integer(5), receivedAt: row.instant(6))
    }
}
