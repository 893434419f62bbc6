internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

enum ConnectionPlace: Hashable, Sendable {
    case regular
    /// A single request for `/health`, so that a load balancer gets an answer when all other places are taken.
    case health
}

/// Admits connections: a limited number in total, and at most a share of it per address.
///
/// Each of the two limits has one extra place, for `/health` only. The share does not apply to trusted proxies, whose
/// connections serve many clients.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private let limit: Int
    private let share: Int?
    private let trustedProxies: TrustedProxies
    private let metrics: ServerMetrics
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// The number of connections with a regular place.
        var regular = 0
        /// The number of open connections per network.
        var open: [String: Int] = [:]
        var lastWarning: ContinuousClock.Instant?

        /// The place of a new connection, and whether its network already has its full share.
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

    /// A place that a connection has, and its way to leave it, once.
    struct Taken: Sendable {
        let place: ConnectionPlace
        let leave: @Sendable () -> Void
    }

    init(_ configuration: PushServerConfiguration, _ metrics: ServerMetrics, _ logger: Logger) {
        limit = configuration.limits.maxConnections
        share = configuration.limits.connectionShare.most(of: limit)
        trustedProxies = configuration.trustedProxies
        self.metrics = metrics
        self.logger = logger
    }

    func connectionOpened() { metrics.connections.add(1, ordering: .relaxed) }
    func connectionClosed() { metrics.connections.subtract(1, ordering: .relaxed) }
    /// True while there is a place, including the one for `/health`; other clients wait in the system's queue.
    func isAcceptingNewConnections() -> Bool { metrics.connections.load(ordering: .relaxed) <= limit }

    /// Takes a place for a connection from an address; nil when the address already has its share and the place for
    /// `/health`.
    func take(_ peer: SocketAddress?) -> Taken? {
        let address = peer?.ipAddress.flatMap(ClientAddress.canonical)
        let bounded = share == nil ? nil : address.flatMap { trustedProxies.contains($0) ? nil : $0 }
        let network = bounded.map(ClientAddress.network)
        let (place, isOverShare) = state.withLock { $0.take(network, share ?? .max, limit) }
        if isOverShare, let bounded, let share { warn(bounded, share) }
        return place.map { place in Taken(place: place) { [self] in leave(place, network) } }
    }

    private func leave(_ place: ConnectionPlace, _ network: String?) {
        state.withLock { state in
            if place == .regular { state.regular -= 1 }
            guard let network else { return }
            let others = (state.open[network] ?? 1) - 1
            state.open[network] = others > 0 ? others : nil
        }
    }

    /// Warns at most once a minute that an address has its full share: it may be a proxy missing from the settings.
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

/// A channel that is set up only if a place is free, and closed if its client does not start in time.
struct AdmittedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let places: ConnectionPlaces
    let patience: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        guard let taken = places.take(channel.remoteAddress) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        return channel.eventLoop.makeCompletedFuture { () throws -> Void in
            do {
                // In front of TLS, so that closing here does not wait for a close_notify.
                try channel.pipeline.syncOperations.addHandler(ConnectionDeadline(taken, within: patience))
            } catch {
                taken.leave()
                throw error
            }
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Closes a connection whose client has not finished the handshake and sent a first byte in time, and leaves its place
/// when it ends.
final class ConnectionDeadline: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let taken: ConnectionPlaces.Taken
    private let patience: Duration
    private var ending: Scheduled<Void>?

    init(_ taken: ConnectionPlaces.Taken, within patience: Duration) {
        self.taken = taken
        self.patience = patience
    }

    var place: ConnectionPlace { taken.place }

    func handlerAdded(context: ChannelHandlerContext) {
        let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
        ending = context.eventLoop.scheduleTask(in: TimeAmount(patience)) { loop.value.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ending?.cancel()
        ending = nil
        // Before the listener hears of the end, on its own thread, and accepts the next.
        taken.leave()
    }

    /// Marks the first byte of a request; the place for `/health` keeps its time limit regardless.
    func hasBegun() {
        guard place == .regular else { return }
        ending?.cancel()
        ending = nil
    }
}
