internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A channel that is set up only if a place is free, and closed if its client does not start in time.
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
            // In front of TLS, so that closing here does not wait for a close_notify.
            try channel.pipeline.syncOperations.addHandler(ConnectionDeadline(place, within: patience))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Closes a connection whose client has not finished the handshake and sent a first byte in time.
final class ConnectionDeadline: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The kind of place the connection takes.
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

    /// Marks the first byte of a request; the place for `/health` keeps its time limit regardless.
    func hasBegun() {
        guard place == .regular else { return }
        ending?.cancel()
        ending = nil
    }
}
