internal import Base
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A plain HTTP/1.1 server on the loopback interface, for programs that control a simulator: see ``ControlAPI``.
package final class ControlServer: Sendable {
    private let channel: any Channel
    private let children = ChannelList()

    /// The base URL of the server.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Starts a control server for a simulator on `port`; 0 for any free one.
    ///
    /// - Throws: the system's error when the address cannot be bound.
    package init(_ simulator: APNsSimulator, port: Int = 0) async throws {
        let api = ControlAPI(simulator: simulator)
        let children = children
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                children.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ControlHandler(api))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    /// Stops listening and closes every connection.
    package func stop() async {
        try? await channel.close()
        await children.closeAll()
    }
}

/// One connection to the control port.
private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let bodyLimit = 64 << 20

    private let api: ControlAPI
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ api: ControlAPI) { self.api = api }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.bodyLimit else { return context.close(promise: nil) }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = ControlRequest(
            method: head.method.rawValue, target: head.uri, body: Array(body.readableBytesView),
            // Keeps out pages in a browser on this machine: they send an origin, or another host.
            isForeign: head.headers.contains(name: "origin") || !Self.isLoopback(head.headers["host"].first ?? ""))
        let (api, channel) = (api, context.channel)
        let answered = context.eventLoop.makeFutureWithTask { await api.answer(request) }
        answered.whenSuccess { answer in
            let body = ByteBuffer(string: answer.json.canonicalText + "\n")
            let fields: HTTPHeaders = ["content-type": "application/json", "content-length": "\(body.readableBytes)"]
            let status = HTTPResponseStatus(statusCode: answer.status)
            channel.write(
                HTTPServerResponsePart.head(.init(version: .http1_1, status: status, headers: fields)), promise: nil)
            channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.prefix { $0 != ":" }
        return name == "127.0.0.1" || name == "localhost"
    }
}
