internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A channel that is set up only when there is a place for it, and ends when its client does not begin in time.
struct AdmittedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let places: ConnectionPlaces
    let patience: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        guard let place = places.take(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        return channel.eventLoop.makeCompletedFuture {
            // Before TLS: what ends the connection here waits for no farewell.
            try channel.pipeline.syncOperations.addHandler(ConnectionOpening(place, within: patience))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Ends a connection whose client has not shaken hands and sent a first byte in time.
final class ConnectionOpening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What the connection may be used for.
    let place: ConnectionPlace
    private let patience: Duration
    private var ending: Scheduled<Void>?

    init(_ place: ConnectionPlace, within patience: Duration) {
        self.place = place
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
        ending = context.eventLoop.scheduleTask(in: TimeAmount(patience)) { loop.value.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ending?.cancel()
        ending = nil
    }

    /// The first byte of a request has come. The place for `/health` is lent for this long, whatever comes.
    func hasBegun() {
        guard place == .regular else { return }
        ending?.cancel()
        ending = nil
    }
}
