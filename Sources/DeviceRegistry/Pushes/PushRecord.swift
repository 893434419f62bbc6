package import Base
package import Push

/// The record of the pushes with one notification id: status and counters, kept for 7 days.
///
/// Source: docs/background/leancloud/records.md#records.
struct PushRecord {
    let notificationID: String
    /// When the push was accepted; of one that was scheduled, when it was sent.
    var createdAt: Instant
    var updatedAt: Instant
    var document: JSONObject

    /// The number of days for which a record is kept.
    static let lifetimeInDays: Int64 = 7

    /// The record as clients read it.
    func json(objectID: String?, in db: any RegistryTransaction) throws -> JSONValue {
        var members = document
        members["notificationId"] = .string(notificationID)
        members["objectId"] = objectID.map { .string($0) } ?? members["objectId"]
        members["createdAt"] = .string(createdAt.isoText)
        members["updatedAt"] = .string(updatedAt.isoText)
        // This server's own member: who keeps the push from being sent, from when on and why.
        if members["status"]?.string == Status.queued.rawValue, let push = members["objectId"]?.string,
            let order = try db.stop(of: push, in: DeliveryFreeze.ofServer)
        {
            members["stopped"] = [
                "by": .string(order.by), "at": .string(order.at.isoText), "reason": .string(order.why),
            ]
        }
        return .object(members)
    }
}

extension PushRecord {
    enum Status: String {
        /// The push was accepted, but not sent yet.
        case queued = "in-queue"
        case scheduled
        case done
        /// The push had expired when its time came.
        case expired
        /// The push was refused; `errors` has the reason.
        case error
    }

    /// Returns the record for a new push: a new one, or that of its notification id.
    static func opened(for order: PushOrder, at now: Instant, in db: any RegistryTransaction) throws -> PushRecord {
        var record =
            try fetch(order.notificationID, at: now, .changing, in: db)
            ?? PushRecord(
                notificationID: order.notificationID, createdAt: now, updatedAt: now,
                document: [
                    "devices": 0, "successes": 0, "iosSuccesses": 0, "lcSuccesses": 0, "invalidTokens": 0,
                    "from-service": "push", "objectId": .string(order.objectID),
                ])
        record.updatedAt = now
        record.document["msg"] = order.data
        record.document["prod"] = .string(order.environment)
        record.document["where"] = order.shownCondition
        record.document["status"] = .string((order.fireAt == nil ? Status.queued : .scheduled).rawValue)
        record.document["push-time"] = order.fireAt.map { .string($0.isoText) }
        record.document["errors"] = nil
        // This server's own members, which other clients ignore: why the push was not handed on yet, and to whom.
        for name in ["waiting", "waitingFor"] { record.document[name] = nil }
        return record
    }

    fileprivate static let columns = "notificationId, createdAt, updatedAt, document"

    /// Returns the record of an id, unless it is too old.
    static func fetch(
        _ notificationID: String, at now: Instant, _ hold: RowHold = .free, in db: any RegistryTransaction
    ) throws -> PushRecord? {
        try db.row(
            "SELECT \(columns) FROM pushRecord WHERE notificationId = ? AND createdAt > ?\(db.clause(hold))",
            [notificationID, now.advanced(byDays: -lifetimeInDays)]
        ).map(PushRecord.init)
    }

    init(_ row: any SQLRow) throws {
        guard let document = try? JSONValue(parsing: row.string(3), limits: .anyMemory).object else {
            throw RegistryError(internal: "a push record is damaged")
        }
        notificationID = row.string(0)
        createdAt = row.instant(1)
        updatedAt = row.instant(2)
        self.document = document
    }

    func save(in db: any RegistryTransaction) throws {
        try db.execute(
            """
            INSERT INTO pushRecord(notificationId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?)
            ON CONFLICT (notificationId) DO UPDATE SET createdAt = excluded.createdAt, updatedAt = excluded.updatedAt,
              document = excluded.document
            """, [notificationID, createdAt, updatedAt, JSONValue.object(document).canonicalText])
        try db.announce()
    }

    /// Adds to the counters for simulated devices, as if they were real. They are under `simulated`, this server's own
    /// member, because the counters beside it are for a real service.
    mutating func simulate(_ counts: [String: Int]) {
        merge(counts, into: "simulated")
    }

    /// Records the missing classes that the condition queries: a typo there reaches nobody, or everybody.
    mutating func note(_ absentClasses: [String]) {
        // An earlier push with this id may have queried others.
        document["absentClasses"] = absentClasses.isEmpty ? nil : .array(absentClasses.map { .string($0) })
    }

    mutating func simulateInvalidTokens(_ count: Int) {
        guard count > 0 else { return }
        simulate(["devices": count, "invalidTokens": count])
    }

    /// Says that simulated devices had dead tokens, if there were any.
    mutating func explainInvalidTokens() {
        guard document["simulated"]?["invalidTokens"] != nil else { return }
        // The observed text of the service, with Apple's reason.
        // Source: docs/background/leancloud/records.md#records.
        document["errors"] = "部分推送被 APNs 拒绝，拒绝原因是: Unregistered"
    }

    /// Counts the devices of a push that went to Apple.
    ///
    /// `refused`, `inDoubt`, `missed` and `leftOut` are this server's own members, present only when not 0; `leftOut`
    /// is by reason, where `notApple` means devices of other vendors.
    mutating func add(_ result: ApplePushResult) {
        if let figures = result.figures {
            add(figures.targets, to: "devices")
            add(figures.accepted, to: "successes")
            for (vendor, count) in result.accepted { add(count, to: vendor.successes) }
            add(result.invalidTokens, to: "invalidTokens")
            if figures.inDoubt > 0 { add(figures.inDoubt, to: "inDoubt") }
            if figures.missed > 0 { add(figures.missed, to: "missed") }
            merge(figures.refused, into: "refused")
            leaveOut(figures.leftOut)
            if !figures.refused.isEmpty {
                // The observed text of the service, with Apple's reasons; the others' are said like it.
                // Source: docs/background/leancloud/records.md#records.
                let services = Dictionary(grouping: figures.refused.keys.sorted()) { word in
                    switch ServiceReason(word: word) {
                    case .apple, nil: "APNs"
                    case .fcm: "FCM"
                    case .vendor(let reason): reason.vendor.title
                    }
                }
                let texts = services.sorted { $0.key < $1.key }.map { service, words in
                    "部分推送被 \(service) 拒绝，拒绝原因是: " + words.joined(separator: ", ")
                }
                document["errors"] = .string(texts.joined(separator: "; "))
            }
        }
        if case .failed(let reason) = result.ending { document["errors"] = .string(reason) }
    }

    /// Counts matching devices without a route. Apple devices that are invalid, or were not seen for long, are not
    /// included: the service does not count them either.
    mutating func leaveOut(_ counts: [LeftOut: Int]) {
        let counted = counts.filter { $0.key != .invalid && $0.key != .stale && $0.value > 0 }
        // Its readers know other vendors' devices by one name.
        let named = counted.map { ($0.key == .android ? LeftOut.otherPlatform : $0.key, $0.value) }
        merge(Dictionary(named.map { ($0.0.rawValue, $0.1) }, uniquingKeysWith: +), into: "leftOut")
    }

    private mutating func merge(_ counts: [String: Int], into key: String) {
        guard !counts.isEmpty else { return }
        var known = document[key]?.object ?? [:]
        for (name, count) in counts { known[name] = .integer((known[name]?.integer ?? 0) + Int64(count)) }
        document[key] = .object(known)
    }

    mutating func add(_ count: Int, to key: String) {
        document[key] = .integer((document[key]?.integer ?? 0) + Int64(count))
    }
}

extension Registry {
    /// Returns the record of a push, by the `objectId` in the response to its request.
    package func record(objectID: String, at now: Instant) async throws(RegistryError) -> JSONValue? {
        try await read { db in
            let sql = "SELECT notificationId FROM push WHERE objectId = ?"
            guard let notificationID = try db.text(sql, [objectID]) else { return nil }
            return try PushRecord.fetch(notificationID, at: now, in: db)?.json(objectID: objectID, in: db)
        }
    }

    /// Returns the record of a notification id.
    package func record(notificationID: String, at now: Instant) async throws(RegistryError) -> JSONValue? {
        try await read { db in try PushRecord.fetch(notificationID, at: now, in: db)?.json(objectID: nil, in: db) }
    }

    /// Returns the records, the newest first, and their total number.
    package func records(
        limit: Int, skip: Int, at now: Instant
    ) async throws(RegistryError) -> (results: [JSONValue], count: Int) {
        try await read { db in
            let oldest = now.advanced(byDays: -PushRecord.lifetimeInDays)
            let rows = try db.rows(
                """
                SELECT \(PushRecord.columns) FROM pushRecord WHERE createdAt > ?
                ORDER BY createdAt DESC, rowid DESC LIMIT ? OFFSET ?
                """, [oldest, limit, skip])
            let count = try db.number("SELECT COUNT(*) FROM pushRecord WHERE createdAt > ?", [oldest])
            return (try rows.map { try PushRecord($0).json(objectID: nil, in: db) }, count)
        }
    }

    /// Deletes the record of a notification id; `false` when there is none. Scheduled pushes are still sent.
    package func deleteRecord(notificationID: String) async throws(RegistryError) -> Bool {
        try await write { db in
            try db.execute("DELETE FROM pushRecord WHERE notificationId = ?", [notificationID]) > 0
        }
    }
}

extension PushVendor {
    /// The counter of a record for the devices that the service accepted.
    fileprivate var successes: String { self == .apns ? "iosSuccesses" : "\(rawValue)Successes" }
}
