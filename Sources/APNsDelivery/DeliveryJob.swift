internal import APNs
internal import DeviceRegistry
package import PushModel

/// One delivery as the engine carries it out, or goes on with it.
package struct DeliveryJob: Sendable {
    /// The id of its request, by which its journal is found.
    package var id: String
    /// The workspace; empty for the server's own pushes.
    package var workspace: String
    /// What is sent, and to whom.
    package var order: DeliveryOrder
    /// Apple's id of the channel that a broadcast goes to; nil: it goes to devices, or its channel is frozen already.
    package var channelID: String?
    /// When it started: an expiration counts from here.
    package var start: Instant
    /// When it was due; its window counts from here until there is an outcome.
    package var due: Instant
    /// How long after its last outcome it may go on; <doc:/PushApply/Sending#Straight-to-Apple>.
    package var window: Duration
    /// When it stops being worth delivering; nil: never.
    package var expiresAt: Instant?
    /// An audience of more devices, when it is frozen, is sent nothing; nil: any number.
    package var mostDevices: Int?

    /// Joins them.
    ///
    /// - Parameter due: nil: when it started.
    package init(
        id: String, workspace: String, order: DeliveryOrder, start: Instant, due: Instant? = nil, window: Duration,
        expiresAt: Instant? = nil, mostDevices: Int? = nil
    ) {
        self.id = id
        self.workspace = workspace
        self.order = order
        self.start = start
        self.due = due ?? start
        self.window = window
        self.expiresAt = expiresAt
        self.mostDevices = mostDevices
    }

    /// Why nothing more of it may be sent at an instant; nil: it may.
    func reasonItIsOver(at now: Instant, lastOutcome: Instant?) -> String? {
        if let expiresAt, expiresAt <= now { return "it expired at \(expiresAt.isoText)" }
        let end = windowEnd(lastOutcome)
        return end < now ? "its window ended at \(end.isoText)" : nil
    }

    /// From when on nothing more of it may be sent.
    func end(lastOutcome: Instant?) -> Instant {
        let afterWindow = windowEnd(lastOutcome) + .milliseconds(1)
        return expiresAt.map { min($0, afterWindow) } ?? afterWindow
    }

    private func windowEnd(_ lastOutcome: Instant?) -> Instant { (lastOutcome ?? due) + window }

    /// Its audience as the registry freezes it; nil: a broadcast whose channel is not known.
    var freeze: DeliveryFreeze? {
        let selection: DeliveryAudience.Selection
        switch order.target {
        case .condition(let condition): selection = .condition(condition)
        case .devices(let tokens): selection = .tokens(tokens)
        case .broadcast:
            guard let channelID else { return nil }
            selection = .tokens([ChannelToken.token(of: channelID)])
        }
        return DeliveryFreeze(
            delivery: id, workspace: workspace,
            audience: DeliveryAudience(
                selection: selection,
                routes: order.routes.map {
                    // A broadcast's one target is no installation: it goes by the default.
                    DeliveryRoute(
                        profile: $0.profile, topic: $0.topic,
                        isDefault: $0.isDefault || order.destination == .broadcastChannels)
                }
            ),
            batchSize: batchSize, raisesBadges: order.countsBadge, environment: order.environment.rawValue,
            mostDevices: mostDevices)
    }

    /// Devices a batch: under a throttle two seconds' worth, so that a stop or a crash leaves little open.
    private var batchSize: Int {
        guard let throttle = order.throttle else { return 1000 }
        return min(1000, max(1, min(throttle, 1000) * 2))
    }
}
