internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// One HTTP/2 connection of a provider.
///
/// It works on frames, without a channel a stream: a million pushes are a million streams.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// A request under way.
    struct Exchange {
        let head: RequestHead
        let route: Route
        let draw: FaultDraw
        var body = ByteBuffer()
        var bodyCount = 0
        var stage = Stage.receiving
    }

    /// How far it is.
    enum Stage {
        /// Its body is still coming.
        case receiving
        /// It is there, and was not acted on.
        case held
        /// It was acted on; the answer is held back, late, or never to come.
        case acted(Answer?)
    }

    /// What of a body is kept: more than the longest payload, so that one that is longer is known to be.
    private static let bodyLimit = 16_384

    let service: Service
    var authentication: ConnectionAuthentication
    var exchanges: [HTTP2StreamID: Exchange] = [:]
    /// How many streams the client may have open.
    var streamLimit: Int
    /// The newest stream that was acted on.
    var newestActed = HTTP2StreamID.rootStream
    var newestSeen = HTTP2StreamID.rootStream
    /// Whether the limit is that of a connection that has shown who it is.
    var isStreamLimitRaised: Bool
    /// Whether GOAWAY was sent.
    var isGoingAway = false
    /// Whether the end of the connection is arranged.
    var isClosing = false
    var badDeviceTokens = 0
    var refusals = 0
    /// When the last frame came, in milliseconds of UNIX time.
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

    /// How many streams a connection may have at first: only provider tokens have the start with one.
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
            // What was read is given back in halves. Streams get nothing back: no body fills a window.
            if let size = window.inboundWindowSize, size <= 32_767 {
                write(.windowUpdate(windowSizeIncrement: 65_535 - size), on: .rootStream)
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A fault of one stream has reset it already.
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
            // Nobody waits for the end of a body that is too long anyway.
            complete(id)
            if exchanges[id] == nil { refuseRest(of: id) }
        }
    }

    /// Asks the client, which has its answer, not to send the rest of a body.
    private func refuseRest(of id: HTTP2StreamID) {
        // A reset drops what was not flushed.
        flush()
        write(.rstStream(.noError), on: id)
    }

    /// The most streams that were open at a time; noted rarely.
    private var mostStreams = 0

    private func noteStreams(_ count: Int) {
        mostStreams = count
        service.statistics.change { $0.mostStreams = max($0.mostStreams, count) }
    }

    private func draw(_ route: Route) -> FaultDraw {
        guard case .device(let token) = route, let device = DeviceToken(token) else { return FaultDraw() }
        return service.faults.draw(for: device)
    }

    /// Writes a frame, to be flushed when what was read is done with.
    func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        guard let context else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
        mustFlush = true
    }

    /// Sends what was written.
    func flush() {
        guard mustFlush else { return }
        mustFlush = false
        context?.flush()
    }

    /// Ends the TCP connection with a reset, without TLS's farewell.
    func cut() { cutter.cut() }
}
