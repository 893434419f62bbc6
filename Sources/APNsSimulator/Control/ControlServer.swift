internal import JSONValue
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Plain HTTP/1.1 on the loopback, for programs that steer a simulator: see ``ControlAPI``.
package final class ControlServer: Sendable {
    private let channel: any Channel
    private let children = ChannelList()

    /// Where it listens.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Starts one beside a simulator.
    ///
    /// - Parameter port: the port; 0 for any that is free.
    /// - Throws: what the system says when it cannot listen there.
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

    /// Listens no more.
    package func stop() async {
        try? await channel.close()
        await children.closeAll()
    }
}

/// One connection of whoever steers.
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
            // A page in a browser of this machine must not steer: it names its origin, or another host.
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
