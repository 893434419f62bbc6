internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// A channel that counts bytes before they are parsed, so that ``ConnectionGuard`` knows when a request begins, and
/// checks heads while they still hold everything that was sent.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ArrivalReporter())
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HeadCheck(), position: .after(decoder))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// The arrival of some bytes.
struct Arrival: Sendable {
    let bytes: Int
    /// The use their connection was admitted for.
    let place: ConnectionPlace
}

/// Tells that the next head is the last of its connection, because the client says so or speaks HTTP/1.0.
struct LastRequest: Sendable {}

/// Reports each chunk of bytes to the handlers behind it before they receive it.
private final class ArrivalReporter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var opening: ConnectionDeadline?

    func handlerAdded(context: ChannelHandlerContext) {
        opening = try? context.pipeline.syncOperations.handler(type: ConnectionDeadline.self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        opening?.hasBegun()
        context.fireUserInboundEventTriggered(
            Arrival(bytes: unwrapInboundIn(data).readableBytes, place: opening?.place ?? .regular))
        context.fireChannelRead(data)
    }
}

/// Refuses heads that an intermediary may interpret differently: RFC 9112, sections 3.2 and 6.1.
private final class HeadCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            guard Self.isClear(head) else {
                hasRefused = true
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            // An older client would have to be told that the connection stays open.
            if Self.isOlder(head) || !head.isKeepAlive { context.fireUserInboundEventTriggered(LastRequest()) }
        }
        context.fireChannelRead(data)
    }

    private static func isOlder(_ head: HTTPRequestHead) -> Bool {
        head.version.major < 1 || head.version == .http1_0
    }

    private static func isClear(_ head: HTTPRequestHead) -> Bool {
        let isOlder = isOlder(head)
        let hosts = head.headers["Host"].count
        return hosts <= 1 && (hosts == 1 || isOlder) && !(isOlder && head.headers.contains(name: "Transfer-Encoding"))
    }
}
