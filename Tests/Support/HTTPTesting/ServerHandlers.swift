internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

/// One HTTP/1.1 connection of a test server.
final class HTTP1Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let script: Script
    private var request = Seen()

    init(_ script: Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = Seen(
                method: head.method.rawValue, path: head.uri, headers: fields(head.headers.map { ($0, $1) }),
                place: request.place + 1)
            if script.repliesAtHead { carryOut(script.reply(to: request), context) }
        case .body(let buffer): request.body += buffer.readableBytesView
        case .end: if !script.repliesAtHead { carryOut(script.reply(to: request), context) }
        }
    }

    private func carryOut(_ reply: Reply, _ context: ChannelHandlerContext) {
        switch reply {
        case .answer(let status, let headers, let body):
            let length = ("content-length", "\(body.count)")
            send(status, headers + [length], body, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cut(let headers, let body):
            send(200, headers, body, context)
            context.flush()
            context.close(promise: nil)
        case .hold: break
        case .close, .goAway, .leave, .reset, .leaveAndReset, .answerAndReset: context.close(promise: nil)
        }
    }

    private func send(_ status: Int, _ headers: [(String, String)], _ body: [UInt8], _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: status), headers: HTTPHeaders(headers))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !body.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil) }
    }
}

/// One HTTP/2 stream of a test server.
final class HTTP2StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let script: Script
    private var request: Seen

    init(_ script: Script, place: Int, connection: Int) {
        self.script = script
        request = Seen(place: place, connection: connection)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var hasEnded = false
        switch unwrapInboundIn(data) {
        case .headers(let head):
            request.method = head.headers.first(name: ":method") ?? ""
            request.path = head.headers.first(name: ":path") ?? ""
            request.headers = fields(head.headers.map { ($0.name, $0.value) })
            if script.repliesAtHead { return carryOut(script.reply(to: request), context) }
            hasEnded = head.endStream
        case .data(let data):
            if case .byteBuffer(let buffer) = data.data { request.body += buffer.readableBytesView }
            hasEnded = data.endStream
        default: break
        }
        if hasEnded && !script.repliesAtHead { carryOut(script.reply(to: request), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func carryOut(_ reply: Reply, _ context: ChannelHandlerContext) {
        switch reply {
        case .answer(let status, let headers, let body):
            send(status, headers + [("content-length", "\(body.count)")], end: body.isEmpty, context)
            if !body.isEmpty { send(body, end: true, context) }
        case .answerAndReset(let status, let headers):
            send(status, headers, end: true, context)
            context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
        case .cut(let headers, let body):
            send(200, headers, end: false, context)
            send(body, end: false, context)
            context.channel.parent?.close(promise: nil)
        case .reset(let code): context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
        case .leaveAndReset(let code):
            goAway(Int(Int32.max), context)
            context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
        case .goAway(let last):
            goAway(last, context)
            context.channel.parent?.close(promise: nil)
        case .leave(let last): goAway(last, context)
        case .close: context.channel.parent?.close(promise: nil)
        case .hold: break
        }
    }

    private func goAway(_ last: Int, _ context: ChannelHandlerContext) {
        let frame = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: HTTP2StreamID(last), errorCode: .noError, opaqueData: nil))
        context.channel.parent?.writeAndFlush(frame, promise: nil)
    }

    private func send(_ status: Int, _ headers: [(String, String)], end: Bool, _ context: ChannelHandlerContext) {
        let names = headers.filter { $0.0.lowercased() != "transfer-encoding" }
        let head = HPACKHeaders([(":status", "\(status)")] + names.map { ($0.0.lowercased(), $0.1) })
        context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: head, endStream: end))), promise: nil)
    }

    private func send(_ body: [UInt8], end: Bool, _ context: ChannelHandlerContext) {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: end)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: nil)
    }
}

private func fields(_ headers: [(String, String)]) -> [String: String] {
    Dictionary(headers.map { ($0.0.lowercased(), $0.1) }) { $0 + ", " + $1 }
}
