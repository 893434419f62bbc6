internal import DeviceRegistry
package import Push

/// One delivery that the engine starts or resumes.
package struct DeliveryJob: Sendable {
    /// The id of its request, which identifies its journal.
    package var id: String
    /// The workspace; empty for the server's own pushes.
    package var workspace: String
    /// The notification and its recipients.
    package var order: DeliveryOrder
    /// Apple's id of a broadcast's channel; nil for devices, or when the channel is already frozen.
    package var channelID: String?
    /// The start of the delivery, from which an expiration counts.
    package var start: Instant
    /// The time it was due, from which its window counts until there is an outcome.
    package var due: Instant
    /// The window after its last outcome in which it may resume; docs/background/sending.md#straight-to-apple.
    package var window: Duration
    /// The expiration; nil: none.
    package var expiresAt: Instant?
    /// The numbers of devices that the audience may have when it is frozen: one of any other size is sent nothing.
    package var allowed: Range<Int>
    /// The salt of its stages: the delivery's own id, whatever the request's.
    package var salt: String

    /// Creates a job; a nil `due` means its start, a nil `salt` its id.
    package init(
        id: String, workspace: String, order: DeliveryOrder, start: Instant, due: Instant? = nil, window: Duration,
        expiresAt: Instant? = nil, allowed: Range<Int> = 0..<Int.max, salt: String? = nil
    ) {
        self.id = id
        self.salt = salt ?? id
        self.workspace = workspace
        self.order = order
        self.start = start
        self.due = due ?? start
        self.window = window
        self.expiresAt = expiresAt
        self.allowed = allowed
    }

    /// The reason nothing more of it may be sent at an instant; nil when it may.
    ///
    /// Once a divided audience is frozen, each of its parts is over at a time of its own.
    func reasonItIsOver(at now: Instant, _ figures: JournalFigures?) -> String? {
        if let expiresAt, expiresAt <= now { return "it expired at \(expiresAt.isoText)" }
        if order.timing != .together, figures?.isFrozen == true { return nil }
        let end =
            switch order.timing {
            case .together: windowEnd(figures?.lastOutcomeAt)
            case .localTime(let schedule): schedule.last + schedule.window
            case .stages, .variants: due + window
            }
        return end < now ? "its window ended at \(end.isoText)" : nil
    }

    /// The time from which nothing more of a part may be sent; of the whole when `opensAt` is nil.
    func end(opensAt: Instant?, lastOutcome: Instant?) -> Instant {
        let start = [opensAt, lastOutcome].compactMap(\.self).max()
        let afterWindow = windowEnd(start) + .milliseconds(1)
        let expiry = opensAt.flatMap { order.expiration.end(startingAt: $0) } ?? expiresAt
        return expiry.map { min($0, afterWindow) } ?? afterWindow
    }

    private func windowEnd(_ start: Instant?) -> Instant {
        // A part has its whole window, however late the delivery began.
        start.map { $0 + (order.timing.window ?? window) } ?? due + window
    }

    private var division: AudienceDivision {
        switch order.timing {
        case .together: .whole
        case .localTime(let schedule): .localTime(schedule)
        case .stages(let rollout): .stages(rollout, Buckets(salt: salt))
        case .variants(let test): .variants(test, Buckets(salt: salt))
        }
    }

    /// The audience for the registry to freeze; nil: a broadcast whose channel is not known.
    var freeze: DeliveryFreeze? {
        let selection: DeliveryAudience.Selection
        var isBroadcast = false
        switch order.target {
        case .condition(let condition): selection = .condition(condition)
        case .devices(let tokens): selection = .tokens(tokens)
        case .broadcast:
            guard let channelID else { return nil }
            (selection, isBroadcast) = (.tokens([ChannelToken.token(of: channelID)]), true)
        }
        return DeliveryFreeze(
            delivery: id, workspace: workspace,
            audience: DeliveryAudience(
                selection: selection,
                routes: order.routes.map {
                    // A broadcast's one target is not an installation: it takes the default route.
                    DeliveryRoute(
                        profile: $0.profile, topic: $0.topic,
                        isDefault: $0.isDefault || isBroadcast)
                }, words: order.words, holdout: order.holdout, frequency: order.frequency),
            batchSize: batchSize, raisesBadges: order.countsBadge, environment: order.environment.rawValue,
            allowed: isBroadcast ? 0..<Int.max : allowed, division: division,
            events: order.eventsKept.map { EventRetention(keep: $0, expiresAt: lastExpiration) })
    }

    /// The time after which Apple tries none of its notifications any more; nil when they do not expire.
    private var lastExpiration: Instant? {
        let last =
            switch order.timing {
            case .together: start
            case .localTime(let schedule): schedule.last + schedule.window
            case .stages: due + window
            case .variants(let test): due + window + test.decideBy + test.window
            }
        return order.expiration.end(startingAt: last)
    }

    /// The number of devices per batch: under a throttle two seconds' worth, so that a stop or a crash leaves little
    /// open.
    private var batchSize: Int {
        guard let throttle = order.throttle else { return 1000 }
        return min(1000, max(1, min(throttle, 1000) * 2))
    }
}
