/// The time in which requests of a delivery may be made: its window, its expiration, and the hours that are not quiet.
package struct DeliveryTime: Sendable {
    /// The reason no request may be made at an instant.
    package enum Objection: Hashable, Sendable {
        /// Its time is over, and how.
        case over(Reason)
        /// It would start in quiet hours.
        case quietHours
    }

    private let scheduledAt: Instant?
    private let latest: Instant?
    private let expiresAt: Instant?
    private let quietHours: QuietHours?

    /// The time of an entry's delivery, whose window begins at `start`; nil for no window, because a journal keeps its
    /// own.
    package init(_ entry: LedgerEntry, windowFrom start: Instant?, quietHours: QuietHours?) {
        scheduledAt = entry.scheduledAt
        latest = start.map { $0 + entry.window }
        expiresAt = entry.expiresAt
        self.quietHours = quietHours
    }

    /// The reason no request may be made at this instant; nil: one may.
    package func objection(at now: Instant) -> Objection? {
        if let expiresAt, expiresAt <= now { return .over(Reason(.expired, .instant(expiresAt))) }
        if let latest, now > latest { return .over(Reason(.windowEnded, .instant(latest))) }
        return isQuiet(now) ? .quietHours : nil
    }

    /// The last moment of a request that may be made now, at most `limit` from now.
    package func end(from now: Instant, within limit: Duration) -> Instant {
        let moment = Duration.milliseconds(1)
        let end = [latest, expiresAt.map { $0 - moment }, now + limit].compactMap { $0 }.min() ?? now
        guard quietHours != nil else { return end }
        // Quiet hours begin with a minute.
        let minutes = sequence(first: now.startOfNextMinute) { $0 + .seconds(60) }.prefix { $0 <= end }
        return minutes.first(where: isQuiet).map { $0 - moment } ?? end
    }

    /// True if a request made now would reach devices in quiet hours.
    private func isQuiet(_ now: Instant) -> Bool { quietHours?.contain(max(now, scheduledAt ?? now)) ?? false }
}

extension LedgerEntry {
    /// When its window begins.
    package var windowStart: Instant { scheduledAt ?? intendedAt }

    /// The name that its ids are made of; nil when it is none that the campaign had.
    package var identityName: String? {
        names.first {
            DeliveryID(workspace: workspace, campaign: $0, revision: revision, occurrence: occurrence) == delivery
        }
    }

    /// The ids that its pushes may bear: those of every generation up to this one.
    package func notificationIDs() -> Set<DeliveryID> {
        var ids: Set<DeliveryID> = [delivery, notificationID]
        guard generation > 1 else { return ids }
        if let name = identityName {
            // No delivery has so many that a push of the first could still be pending.
            ids.formUnion(
                (max(1, generation - 1000)..<generation).map {
                    DeliveryID(
                        workspace: workspace, campaign: name, revision: revision, occurrence: occurrence,
                        generation: $0)
                })
        }
        return ids
    }
}

extension Instant {
    fileprivate var startOfNextMinute: Instant { Instant(seconds: (seconds - (seconds % 60 + 60) % 60) + 60) }
}
