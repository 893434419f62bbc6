package import Push

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
        order = try PushDelivery.order(columns.text(2) ?? "")
        state = columns.text(1) ?? ""
        createdAt = columns.time(3) ?? Instant(milliseconds: 0)
        journal =
            state == PushDelivery.sendingToApple ? try db.figures(of: order.objectID) : nil
        record = try PushRecord.fetch(order.notificationID, at: now, in: db)?.json(objectID: order.objectID)
    }
}
