internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A channel whose bytes are counted before they are HTTP, so that ``ConnectionGuard`` knows when a request begins.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ArrivalReporter())
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// So many bytes have come.
struct Arrival: Sendable {
    let bytes: Int
}

/// Tells the handlers behind it about each stretch of bytes before they get it.
private final class ArrivalReporter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireUserInboundEventTriggered(Arrival(bytes: unwrapInboundIn(data).readableBytes))
        context.fireChannelRead(data)
    }
}
