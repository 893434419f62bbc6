/// The time in which a delivery may make requests: within its window, before its expiration, outside quiet hours.
package struct DeliveryTime: Sendable {
    /// The reason no request may be made at an instant.
    package enum Objection: Hashable, Sendable {
        /// The delivery's time is over; the value says why.
        case over(String)
        /// The request would start in quiet hours.
        case quietHours
    }

    private let scheduledAt: Instant?
    private let latest: Instant?
    private let expiresAt: Instant?
    private let quietHours: QuietHours?

    /// Creates the time of an entry's delivery.
    ///
    /// - Parameter start: when its window begins; nil: it has none, because a journal keeps its own.
    package init(_ entry: LedgerEntry, windowFrom start: Instant?, quietHours: QuietHours?) {
        scheduledAt = entry.scheduledAt
        latest = start.map { $0 + entry.window }
        expiresAt = entry.expiresAt
        self.quietHours = quietHours
    }

    /// The reason no request may be made at this instant; nil when one may.
    package func objection(at now: Instant) -> Objection? {
        if let expiresAt, expiresAt <= now { return .over("it expired at \(expiresAt.text)") }
        if let latest, now > latest { return .over("its window ended at \(latest.text)") }
        return isQuiet(now) ? .quietHours : nil
    }

    /// The last moment until which requests may be made from now on, at most `limit` from now.
    package func end(from now: Instant, within limit: Duration) -> Instant {
        let moment = Duration.milliseconds(1)
        let end = [latest, expiresAt.map { $0 - moment }, now + limit].compactMap { $0 }.min() ?? now
        guard quietHours != nil else { return end }
        // Quiet hours begin with a minute.
        let minutes = sequence(first: now.startOfNextMinute) { $0 + .seconds(60) }.prefix { $0 <= end }
        return minutes.first(where: isQuiet).map { $0 - moment } ?? end
    }

    /// True when a push requested now would reach devices in quiet hours.
    private func isQuiet(_ now: Instant) -> Bool { quietHours?.contain(max(now, scheduledAt ?? now)) ?? false }
}

extension LedgerEntry {
    /// The start of the delivery's window.
    package var windowStart: Instant { scheduledAt ?? intendedAt }

    /// The ids that the delivery's pushes may have: those of every generation up to this one.
    ///
    /// - Parameter names: the names that its campaign has or had, besides the one that it was recorded under.
    package func notificationIDs(names: [String] = []) -> Set<DeliveryID> {
        var ids: Set<DeliveryID> = [delivery, notificationID]
        guard generation > 1 else { return ids }
        func id(_ name: String, _ generation: Int) -> DeliveryID {
            DeliveryID(
                workspace: workspace, campaign: name, revision: revision, occurrence: occurrence, generation: generation
            )
        }
        if let name = ([campaign] + names).first(where: { id($0, 0) == delivery }) {
            // 1,000 generations are enough: no push of an older one can still be pending.
            ids.formUnion((max(1, generation - 1000)..<generation).map { id(name, $0) })
        }
        return ids
    }
}

extension Instant {
    fileprivate var startOfNextMinute: Instant { Instant(seconds: (seconds - (seconds % 60 + 60) % 60) + 60) }
}
