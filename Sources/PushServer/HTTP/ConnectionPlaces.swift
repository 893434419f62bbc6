internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// What a connection may be used for.
enum ConnectionPlace: Hashable, Sendable {
    /// Everything.
    case regular
    /// One request for `/health`: a load balancer is answered when all other places are taken.
    case health
}

/// Gives connections their places: so many for all of them, and no more than a share of these for one address.
///
/// Beyond each of the two bounds stands one place more, for `/health` only. A trusted proxy's connections are those of many clients,
/// so that it has no share.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private let limit: Int
    private let share: Int?
    private let trustedProxies: Set<String>
    private let gauge: ConnectionGauge
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// How many connections have regular places.
        var regular = 0
        /// How many connections each network has open that has any.
        var open: [String: Int] = [:]
        var lastWarning: ContinuousClock.Instant?

        /// The place of a new connection, and whether its network has its share already.
        mutating func take(_ network: String?, _ share: Int, _ limit: Int) -> (ConnectionPlace?, isOverShare: Bool) {
            let others = network.map { open[$0, default: 0] } ?? 0
            guard others <= share else { return (nil, true) }
            if let network { open[network] = others + 1 }
            let isOverShare = others == share
            guard !isOverShare, regular < limit else { return (.health, isOverShare) }
            regular += 1
            return (.regular, false)
        }
    }

    init(_ configuration: PushServerConfiguration, _ gauge: ConnectionGauge, _ logger: Logger) {
        limit = configuration.limits.maxConnections
        share = configuration.limits.connectionShare.most(of: limit)
        trustedProxies = configuration.trustedProxies
        self.gauge = gauge
        self.logger = logger
    }

    func connectionOpened() { gauge.opened() }
    func connectionClosed() { gauge.closed() }
    /// Whether there is a place, the one for `/health` included; others wait in the system's queue.
    func isAcceptingNewConnections() -> Bool { gauge.value <= limit }

    /// Takes a place until the connection is closed; nil when its address has its share, and the place for `/health`, already.
    func take(_ channel: any Channel) -> ConnectionPlace? {
        let address = channel.remoteAddress?.ipAddress.flatMap(ClientAddress.canonical)
        let bounded = share == nil ? nil : address.flatMap { trustedProxies.contains($0) ? nil : $0 }
        let network = bounded.map(ClientAddress.network)
        let (place, isOverShare) = state.withLock { $0.take(network, share ?? .max, limit) }
        if isOverShare, let bounded, let share { warn(bounded, share) }
        if let place { channel.closeFuture.whenComplete { [self] _ in leave(place, network) } }
        return place
    }

    private func leave(_ place: ConnectionPlace, _ network: String?) {
        state.withLock { state in
            if place == .regular { state.regular -= 1 }
            guard let network else { return }
            let others = (state.open[network] ?? 1) - 1
            state.open[network] = others > 0 ? others : nil
        }
    }

    /// Says once a minute that an address has its share: it may be a proxy that nobody named.
    private func warn(_ address: String, _ share: Int) {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            guard state.lastWarning.map({ now - $0 >= .seconds(60) }) ?? true else { return false }
            state.lastWarning = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            """
            \(address) has \(share) connections, the most for one address, and gets no more; if it is a proxy, name it in \
            trustedProxies, or raise maxConnectionsPerAddress
            """)
    }
}
