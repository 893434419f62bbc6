package import Base
package import Push

/// A push with its outcome.
package struct PushSummary: Hashable, Sendable {
    /// The row, for paging.
    package let row: Int64
    package let order: PushOrder
    /// The state in the database: `queued`, `scheduled`, `cancelled`, `sending`, `delivered`, `expired`, `refused`,
    /// or one of them after `held:`.
    package let state: String
    /// The time when it was accepted.
    package let createdAt: Instant
    /// The record with the counters; `nil` when it was deleted or is more than a week old.
    package let record: JSONValue?

    /// The progress on real devices, while it is being sent.
    package let journal: JournalFigures?
    /// The devices that were accepted while it is being sent, by profile.
    let acceptedUnderWay: [String: Int]

    /// A number of devices that a record counts.
    package enum Counter: String, CaseIterable, Sendable {
        case devices, successes, invalidTokens, inDoubt
    }

    /// The real devices that a counter has, including the delivery in progress; 0 when there is no record.
    package func count(_ counter: Counter) -> Int64 { (record?[counter.rawValue]?.integer ?? 0) + underWay(counter) }

    /// The simulated devices that a counter has, as if they had been real.
    package func simulated(_ counter: Counter) -> Int64 { simulation?[counter.rawValue]?.integer ?? 0 }

    /// The devices that a counter has, real and simulated.
    package func total(_ counter: Counter) -> Int64 { count(counter) + simulated(counter) }

    /// The devices, real and simulated, that each service took a push for, by its name in records, such as `ios`, `mi`;
    /// `vendors` are those of profiles.
    package func successesByService(of vendors: [String: PushVendor]) -> [String: Int64] {
        let ending = "Successes"
        var successes: [String: Int64] = [:]
        for counters in [record, simulation] {
            for (key, count) in counters?.object ?? [:] where key.hasSuffix(ending) {
                successes[String(key.dropLast(ending.count)), default: 0] += count.integer ?? 0
            }
        }
        for (profile, count) in acceptedUnderWay {
            let vendor = vendors[profile] ?? .apns
            successes[vendor == .apns ? "ios" : vendor.rawValue, default: 0] += Int64(count)
        }
        return successes.filter { $0.value > 0 }
    }

    /// True if simulated devices are counted apart.
    package var hasSimulation: Bool { simulation != nil }

    /// What the record says of its end: `done`, `error`.
    package var status: String? { record?["status"]?.string }

    /// What went wrong, in the service's words.
    package var errors: String? { record?["errors"].map { $0.string ?? $0.canonicalText } }

    /// The classes that its condition queries, and that do not exist.
    package var absentClasses: [String] { (record?["absentClasses"]?.array ?? []).compactMap(\.string) }

    /// The devices that were not reached in time.
    package var missed: Int64 { record?["missed"]?.integer ?? 0 }

    /// The devices that cannot be reached, by reason.
    package var leftOut: [String: Int64] { numbers("leftOut") }

    /// The devices that Apple refused, by its reason, including the delivery in progress.
    package var refused: [String: Int64] {
        numbers("refused").merging((journal?.refused ?? [:]).mapValues(Int64.init), uniquingKeysWith: +)
    }

    private var simulation: JSONValue? { record?["simulated"] }

    private func numbers(_ name: String) -> [String: Int64] {
        Dictionary((record?[name]?.object ?? [:]).map { ($0.key, $0.value.integer ?? 0) }, uniquingKeysWith: +)
    }

    private func underWay(_ counter: Counter) -> Int64 {
        switch counter {
        case .devices: Int64(journal?.targets ?? 0)
        case .successes: Int64(journal?.accepted ?? 0)
        case .inDoubt: Int64(journal?.inDoubt ?? 0)
        case .invalidTokens: 0
        }
    }
}

/// A range of the times when pushes were accepted.
package struct PushRange: Hashable, Sendable {
    /// The start; nil for the first push.
    package var start: Instant?
    /// The end, which is not part of it; nil for the newest push.
    package var end: Instant?

    /// Creates a range, of all pushes by default.
    package init(start: Instant? = nil, end: Instant? = nil) {
        self.start = start
        self.end = end
    }
}

/// The last push of a page, after which the next page starts.
package struct PushCursor: Hashable, Sendable {
    let createdAt: Int64
    let row: Int64

    /// The position before the newest push.
    static let start = PushCursor(createdAt: .max, row: .max)
}

extension PushCursor {
    /// Creates the cursor after a push.
    package init(after push: PushSummary) {
        self.init(createdAt: push.createdAt.milliseconds, row: push.row)
    }

    /// Parses the result of ``text``; nil when it is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let createdAt = parts[0], let row = parts[1], createdAt >= 0, row > 0 else {
            return nil
        }
        self.init(createdAt: createdAt, row: row)
    }

    /// The cursor in a URL.
    package var text: String { "\(createdAt)-\(row)" }
}

/// The sums of several pushes.
package struct PushTotals: Hashable, Sendable {
    /// The number of pushes.
    package let pushes: Int
    /// The number of devices that matched, real and simulated.
    package private(set) var devices: Int64 = 0
    /// The number of devices that it was accepted for.
    package private(set) var successes: Int64 = 0
    /// The number of tokens that are invalid.
    package private(set) var invalidTokens: Int64 = 0
    /// The number of pushes whose record is no longer kept, and that count in no other sum.
    package private(set) var withoutRecord = 0
    /// True if the range has more pushes than were summed up.
    package let stoppedEarly: Bool

    init(_ pushes: some Collection<PushSummary>, stoppedEarly: Bool) {
        self.pushes = pushes.count
        self.stoppedEarly = stoppedEarly
        var counted: Set<String> = []
        for push in pushes {
            if push.record == nil, push.state != "cancelled" { withoutRecord += 1 }
            // Pushes with the same id share a record.
            guard counted.insert(push.order.notificationID).inserted else { continue }
            devices += push.total(.devices)
            successes += push.total(.successes)
            invalidTokens += push.total(.invalidTokens)
        }
    }
}

// MARK: - Push summaries

extension Registry {
    /// Returns the newest pushes of a range, including those not yet sent, after the end of the previous page.
    ///
    /// At most `limit` are returned; records older than a week at `now` are left out.
    package func newestPushes(
        in range: PushRange = PushRange(), after cursor: PushCursor? = nil, limit: Int, at now: Instant
    ) async throws(RegistryError) -> [PushSummary] {
        try await read { db in
            let cursor = cursor ?? .start
            let sql = """
                SELECT id, state, request, createdAt FROM push
                WHERE createdAt >= ? AND createdAt < ? AND (createdAt, id) < (?, ?) ORDER BY createdAt DESC, id DESC LIMIT ?
                """
            let values: [any SQLBindable] = [
                range.start?.milliseconds ?? Int64.min, range.end?.milliseconds ?? Int64.max, cursor.createdAt,
                cursor.row, limit,
            ]
            return try db.rows(sql, values).map { try PushSummary($0, at: now, in: db) }
        }
    }

    /// The maximum number of pushes that are counted.
    private static let mostCountedPushes = 100_000

    /// Counts the pushes of a range, and those of them up to the end of a page; reads an index only.
    package func pushCount(
        in range: PushRange, upTo cursor: PushCursor?
    ) async throws(RegistryError) -> (all: ListCount, before: Int) {
        try await read { db in
            func count(_ condition: String, _ values: [any SQLBindable]) throws -> Int {
                let sql = "SELECT 1 AS one FROM push WHERE createdAt >= ? AND createdAt < ?\(condition) LIMIT ?"
                return try db.number(
                    "SELECT COUNT(*) FROM (\(sql)) AS counted",
                    [range.start?.milliseconds ?? Int64.min, range.end?.milliseconds ?? Int64.max] + values
                        + [Self.mostCountedPushes + 1])
            }
            let all = try count("", [])
            let before = try cursor.map { try count(" AND (createdAt, id) >= (?, ?)", [$0.createdAt, $0.row]) } ?? 0
            return (ListCount(min(all, Self.mostCountedPushes), isAtLeast: all > Self.mostCountedPushes), before)
        }
    }

    /// The maximum number of pushes that are summed up.
    package static let mostSummedPushes = 2000

    /// Returns the sums of a range's newest pushes, at most ``mostSummedPushes``.
    package func totals(
        of range: PushRange, at now: Instant, mostPushes: Int = mostSummedPushes
    ) async throws(RegistryError) -> PushTotals {
        let pushes = try await newestPushes(in: range, limit: mostPushes + 1, at: now)
        return PushTotals(pushes.prefix(mostPushes), stoppedEarly: pushes.count > mostPushes)
    }

    /// Returns the push with the `objectId` of the response to its request; `nil` when there is none.
    package func push(objectID: String, at now: Instant) async throws(RegistryError) -> PushSummary? {
        try await read { db in
            let sql = "SELECT id, state, request, createdAt FROM push WHERE objectId = ?"
            return try db.row(sql, [objectID]).map { try PushSummary($0, at: now, in: db) }
        }
    }

    /// Returns some of the registered devices that a push reached, sorted by their tokens or ids.
    package func recipients(ofPush row: Int64, limit: Int) async throws(RegistryError) -> [StoredObject] {
        try await read { db in
            let sql = """
                SELECT \(ObjectStore.columns) FROM inbox \(db.dialect.thenJoin) installation AS t0 ON t0.id = inbox.installation
                WHERE inbox.push = ? ORDER BY inbox.device LIMIT ?
                """
            return try db.rows(sql, [row, limit]).map(StoredObject.init)
        }
    }

    /// Returns the scheduled pushes, the next first, and true if there are more.
    package func nextScheduledPushes(
        limit: Int
    ) async throws(RegistryError) -> (pushes: [ScheduledPush], hasMore: Bool) {
        try await read { db in
            let sql = """
                SELECT scheduledPush.id, fireAt, push.createdAt, push.request
                FROM scheduledPush \(db.dialect.thenJoin) push ON push.id = scheduledPush.push
                ORDER BY fireAt, scheduledPush.id LIMIT ?
                """
            let pushes = try db.rows(sql, [limit + 1]).map(ScheduledPush.init)
            return (Array(pushes.prefix(limit)), pushes.count > limit)
        }
    }
}

extension PushSummary {
    /// Reads `id, state, request, createdAt`, and the record.
    fileprivate init(_ columns: any SQLRow, at now: Instant, in db: any RegistryTransaction) throws {
        row = columns.integer(0) ?? 0
        order = try PushDelivery.order(columns.string(2))
        state = columns.string(1)
        createdAt = columns.instant(3)
        let isUnderWay = state == PushDelivery.sendingToApple
        journal = isUnderWay ? try db.figures(of: order.objectID) : nil
        acceptedUnderWay = isUnderWay ? try db.accepted(of: order.objectID) : [:]
        record = try PushRecord.fetch(order.notificationID, at: now, in: db)?.json(objectID: order.objectID, in: db)
    }
}

// MARK: - Ledger entries

extension Registry {
    /// The days before a push within which its delivery was first recorded.
    private static let ledgerDays: Int64 = 90

    /// Returns the ledger entry of the campaign that a push belongs to; nil for a push that `bugle apply` did not make.
    package func ledgerEntry(of order: PushOrder, createdAt: Instant) async throws(RegistryError) -> LedgerEntry? {
        // The index over the time of creation bounds what is read.
        let (start, end) = (createdAt.advanced(byDays: -Self.ledgerDays), createdAt.advanced(byDays: 1))
        let condition: JSONValue = [
            "$or": [["notificationId": .string(order.notificationID)], ["pushId": .string(order.objectID)]],
            "createdAt": ["$gte": start.typed, "$lte": end.typed],
        ]
        let query = ObjectQuery(where: condition, limit: 1, order: ["-createdAt"])
        let found: [JSONValue]
        do {
            found = try await find(query, in: .ledger, as: .master).results
        } catch  where error == .notFound {
            return nil
        }
        return found.first?.object.flatMap { try? LedgerFields.entry(StoredFields($0, at: "BugleLedger")) }
    }
}
