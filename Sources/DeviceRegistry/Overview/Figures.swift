internal import Base
package import Push

/// Figures of a registry that can be read quickly at any time.
package struct RegistryFigures: Hashable, Sendable {
    /// The number of pushes accepted since the file was created.
    package let pushes: Int
    /// The number of messages sent to devices since the file was created.
    package let messages: Int
    /// The number of scheduled pushes.
    package let scheduled: Int
    /// The size of the database in bytes, without its log.
    package let bytes: Int
}

extension Registry {
    /// Returns the figures; takes the same time at any size of the registry.
    package func figures() async throws(RegistryError) -> RegistryFigures {
        let bytes = try await database.size()
        return try await read { db in
            RegistryFigures(
                // Rows are numbered from 1 in order of arrival.
                pushes: try db.number("SELECT MAX(id) FROM push"), messages: try db.number("SELECT MAX(id) FROM inbox"),
                scheduled: try db.number("SELECT COUNT(*) FROM scheduledPush"), bytes: bytes)
        }
    }
}

/// The figures of one day.
package struct DayFigures: Hashable, Sendable {
    package let start: Instant
    /// The number of devices that registered for the first time and are still registered.
    package let registrations: Int
    /// The number of messages that Apple accepted, and that simulated devices received.
    package let deliveries: Int
    /// The number of devices that Apple refused, by the day when the delivery began.
    package let refusals: Int
    /// The number of tokens that were reported dead and have not registered again.
    package let deadTokens: Int

    /// The number up to which devices and tokens of one day are counted.
    package static let mostCounted = 50_000
    /// The number of deliveries of one day whose refusals are counted.
    fileprivate static let mostDeliveries = 1000
}

extension Registry {
    /// Returns the figures of the days between some boundaries, which are sorted: one day less than boundaries.
    ///
    /// Every figure is read from an index, and no more than ``DayFigures/mostCounted`` entries of it.
    package func dayFigures(between boundaries: [Instant]) async throws(RegistryError) -> [DayFigures] {
        try await read { db in
            let messages = try boundaries.map { try Self.firstMessage(since: $0, in: db) }
            return try boundaries.indices.dropLast().map { index in
                let day = [boundaries[index], boundaries[index + 1]]
                let accepted = try db.number(
                    "SELECT SUM(accepted) FROM journalBatch WHERE settledAt >= ? AND settledAt < ?", day)
                return DayFigures(
                    start: boundaries[index],
                    registrations: try Self.count("installation WHERE createdAt >= ? AND createdAt < ?", day, in: db),
                    deliveries: accepted + messages[index + 1] - messages[index],
                    refusals: try Self.count(Self.refused, day, in: db),
                    deadTokens: try Self.count("deadToken WHERE reportedAt >= ? AND reportedAt < ?", day, in: db))
            }
        }
    }

    private static let refused = """
        (SELECT delivery FROM journalBatch WHERE number = 1 AND claimedAt >= ? AND claimedAt < ?
          LIMIT \(DayFigures.mostDeliveries)) AS sent
        CROSS JOIN journalTarget WHERE journalTarget.delivery = sent.delivery
          AND journalTarget.state = \(TargetState.refused.rawValue)
        """

    /// Counts the rows of a day up to the bound.
    private static func count(_ rows: String, _ day: [Instant], in db: any RegistryTransaction) throws -> Int {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM \(rows) LIMIT \(DayFigures.mostCounted)) AS counted"
        return try db.number(sql, day)
    }

    /// Returns the number of the first message received at a time or later: messages are numbered one after another, in
    /// order of arrival.
    private static func firstMessage(since time: Instant, in db: any RegistryTransaction) throws -> Int {
        guard let first = try db.integer("SELECT MIN(id) FROM inbox"),
            let last = try db.integer("SELECT MAX(id) FROM inbox")
        else { return 0 }
        let sql = "SELECT id, receivedAt FROM inbox WHERE id >= ? ORDER BY id LIMIT 1"
        var (low, high) = (first, last + 1)
        while low < high {
            let middle = low + (high - low) / 2
            guard let row = try db.row(sql, [middle]) else { break }
            if let received = row.time(1), received >= time {
                high = middle
            } else {
                low = (row.integer(0) ?? middle) + 1
            }
        }
        return Int(low)
    }
}

/// The registered devices by what becomes of them in a push to everybody; each is counted once, as an audience does.
package struct DeviceCensus: Hashable, Sendable {
    /// The Apple devices that a push reaches.
    package var reachable = 0
    package var android = 0
    /// The Apple devices that were not seen for three months.
    package var stale = 0
    /// The Apple devices whose registration is no longer valid.
    package var dead = 0
    /// The Apple devices without a token, and devices of other platforms.
    package var other = 0

    /// The number of all devices.
    package var all: Int { reachable + android + stale + dead + other }
}

extension Registry {
    /// Counts the devices of the registry by the rule of audiences; reads every row once, so keep the result for a while.
    package func census(at now: Instant) async throws(RegistryError) -> DeviceCensus {
        try await read { db in
            // Which profiles have credentials is no matter of the devices.
            let everybody = DeliveryAudience(
                selection: .condition([:]), routes: [DeliveryRoute(profile: "", topic: "", isDefault: true)])
            let fate = AudienceFates(audience: everybody, dialect: db.dialect).fitting(at: now)
            let sql =
                SQLText(sql: "SELECT ") + fate
                + SQLText(sql: " AS fate, COUNT(*) FROM installation AS t0 GROUP BY 1")
            return try db.rows(sql).reduce(into: DeviceCensus()) { census, row in
                let devices = row.number(1)
                switch AudienceFate(row.integer(0) ?? 0) {
                case .reached, .leftOut(.otherProfile), .leftOut(.otherTopic): census.reachable += devices
                case .leftOut(.android): census.android += devices
                case .leftOut(.stale): census.stale += devices
                case .leftOut(.invalid): census.dead += devices
                case .leftOut: census.other += devices
                }
            }
        }
    }
}
