internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// A provider's HTTP/2 connection.
///
/// Works on frames without a channel per stream: a million pushes are a million streams.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// A request in flight.
    struct Exchange {
        let head: RequestHead
        let route: Route
        let draw: FaultDraw
        var body = ByteBuffer()
        var bodyCount = 0
        var stage = Stage.receiving
    }

    /// The progress of a request.
    enum Stage {
        /// The body is still arriving.
        case receiving
        /// The request is complete but not processed.
        case held
        /// The request was processed; the response is held, delayed or will never come.
        case acted(Answer?)
    }

    /// The bytes of a body that are kept: more than the largest payload, so that a longer body can be told apart.
    private static let bodyLimit = 16_384

    let service: Service
    var authentication: ConnectionAuthentication
    var exchanges: [HTTP2StreamID: Exchange] = [:]
    /// The number of streams the client may have open.
    var streamLimit: Int
    /// The newest stream that was processed.
    var newestActed = HTTP2StreamID.rootStream
    var newestSeen = HTTP2StreamID.rootStream
    /// True when the stream limit is that of an authenticated connection.
    var isStreamLimitRaised: Bool
    /// True once GOAWAY was sent.
    var isGoingAway = false
    /// True once the connection is scheduled to close.
    var isClosing = false
    var badDeviceTokens = 0
    var refusals = 0
    /// The time of the last frame, in milliseconds of UNIX time.
    var lastFrameAt: Int64
    private(set) var context: ChannelHandlerContext?
    private var mustFlush = false
    private let cutter: ConnectionCutter
    private let connections: ConnectionList

    init(
        _ service: Service, certificate: ClientCertificate?, cutter: ConnectionCutter, connections: ConnectionList
    ) {
        self.service = service
        self.cutter = cutter
        self.connections = connections
        authentication = ConnectionAuthentication(
            certificate: certificate, credentials: service.credentials, environment: service.configuration.environment)
        streamLimit = Self.firstLimit(service, hasCertificate: certificate != nil)
        isStreamLimitRaised = certificate != nil
        lastFrameAt = service.clock.now
    }

    /// The initial stream limit: only connections with provider tokens start with one.
    static func firstLimit(_ service: Service, hasCertificate: Bool) -> Int {
        hasCertificate ? service.streamLimit.value : service.configuration.firstStreams
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connections.add(self, on: context.eventLoop)
        service.statistics.change {
            $0.connections += 1
            $0.openConnections += 1
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        exchanges = [:]
        connections.remove(self)
        service.statistics.change { $0.openConnections -= 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastFrameAt = service.clock.now
        switch frame.payload {
        case .headers(let headers): receive(headers, on: frame.streamID)
        case .data(let data): receive(data, on: frame.streamID)
        case .rstStream: exchanges[frame.streamID] = nil
        case .ping(_, let isAnswer): if !isAnswer { service.statistics.change { $0.pings += 1 } }
        case .goAway: closeWhenDone()
        case .priority, .settings, .pushPromise, .windowUpdate, .alternativeService, .origin: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let closed as StreamClosedEvent:
            exchanges[closed.streamID] = nil
            closeWhenDone()
        case let window as NIOHTTP2WindowUpdatedEvent where window.streamID == .rootStream:
            // The connection window is topped up when half is used. Stream windows are not: no body fills one.
            if let size = window.inboundWindowSize, size <= 32_767 {
                write(.windowUpdate(windowSizeIncrement: 65_535 - size), on: .rootStream)
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream error has already reset its stream.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }

    private func receive(_ headers: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
        if exchanges[id] != nil {
            // Trailers.
            if headers.endStream { complete(id) }
            return
        }
        newestSeen = max(newestSeen, id)
        guard exchanges.count < streamLimit else {
            service.statistics.change { $0.refusedStreams += 1 }
            return write(.rstStream(.refusedStream), on: id)
        }
        let head = RequestHead(headers.headers)
        let route = Route(head.path)
        exchanges[id] = Exchange(head: head, route: route, draw: draw(route))
        if exchanges.count > mostStreams { noteStreams(exchanges.count) }
        if case .refuseAtHead(let reason)? = exchanges[id]?.draw.effect {
            service.statistics.change { $0.requests += 1 }
            newestActed = max(newestActed, id)
            refuse(id, reason)
            if !headers.endStream { refuseRest(of: id) }
        } else if headers.endStream {
            complete(id)
        }
    }

    private func receive(_ data: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID) {
        guard let index = exchanges.index(forKey: id) else { return }
        if case .byteBuffer(var buffer) = data.data {
            exchanges.values[index].bodyCount += buffer.readableBytes
            if exchanges.values[index].bodyCount <= Self.bodyLimit {
                if exchanges.values[index].body.readableBytes == 0 {
                    exchanges.values[index].body = buffer
                } else {
                    exchanges.values[index].body.writeBuffer(&buffer)
                }
            }
        }
        if data.endStream {
            complete(id)
        } else if exchanges.values[index].bodyCount > Self.bodyLimit {
            // The body is too long already, so there is no need to wait for its end.
            complete(id)
            if exchanges[id] == nil { refuseRest(of: id) }
        }
    }

    /// Tells a client that already has its response not to send the rest of the body.
    private func refuseRest(of id: HTTP2StreamID) {
        // A reset drops what was not flushed.
        flush()
        write(.rstStream(.noError), on: id)
    }

    /// The most streams open at a time; updated rarely.
    private var mostStreams = 0

    private func noteStreams(_ count: Int) {
        mostStreams = count
        service.statistics.change { $0.mostStreams = max($0.mostStreams, count) }
    }

    private func draw(_ route: Route) -> FaultDraw {
        guard case .device(let token) = route, let device = DeviceToken(token) else { return FaultDraw() }
        return service.faults.draw(for: device)
    }

    /// Writes a frame, to be flushed after the current read.
    func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        guard let context else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
        mustFlush = true
    }

    /// Flushes the frames written.
    func flush() {
        guard mustFlush else { return }
        mustFlush = false
        context?.flush()
    }

    /// Resets the TCP connection, without a TLS close_notify.
    func cut() { cutter.cut() }
}
