internal import Base
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
        var draw: FaultDraw
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

    init(_ service: Service, certificate: ClientCertificate?, cutter: ConnectionCutter, connections: ConnectionList) {
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
            if case .vendor = exchanges.values[index].route, !data.endStream {
                // A call for a thousand devices fills a stream's window.
                write(.windowUpdate(windowSizeIncrement: max(1, buffer.readableBytes)), on: id)
            }
            if exchanges.values[index].bodyCount <= exchanges.values[index].route.bodyLimit {
                if exchanges.values[index].body.readableBytes == 0 {
                    exchanges.values[index].body = buffer
                } else {
                    exchanges.values[index].body.writeBuffer(&buffer)
                }
            }
        }
        if data.endStream {
            complete(id)
        } else if exchanges.values[index].bodyCount > exchanges.values[index].route.bodyLimit {
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
        return service.faults.draw(for: device, of: route.service)
    }

    /// Writes a frame, to be flushed after the current read.
    func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        guard let context else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
        mustFlush = true
    }

    func flush() {
        guard mustFlush else { return }
        mustFlush = false
        context?.flush()
    }

    /// Resets the TCP connection, without a TLS close_notify.
    func cut() { cutter.cut() }
}

// MARK: - Answering

extension APNsConnection {
    /// Handles a request that has arrived completely.
    func complete(_ id: HTTP2StreamID) {
        guard case .receiving? = exchanges[id]?.stage else { return }
        service.statistics.change { $0.requests += 1 }
        if case .fcm? = exchanges[id]?.route, !service.faults.isEmpty,
            let body = exchanges[id].flatMap({ FCMBody($0.body) }),
            let device = DeviceToken(fcm: body.token)
        {
            // Apple's device is known with the path, Google's with the body.
            exchanges[id]?.draw = service.faults.draw(for: device, of: "fcm")
        }
        if case .vendor(let path)? = exchanges[id]?.route, !path.sendsNothing, !service.faults.isEmpty {
            // A call is for many devices: one draw, as for a device of its own.
            exchanges[id]?.draw = service.faults.draw(for: DeviceToken(vendor: "call", "\(id)"), of: path.vendor)
        }
        if service.gate.value == .beforeProcessing {
            exchanges[id]?.stage = .held
        } else {
            act(on: id)
        }
    }

    /// Processes a request, unless a fault prevents it.
    func act(on id: HTTP2StreamID) {
        guard let exchange = exchanges[id] else { return }
        let permission = Result { () throws(Refusal) in
            guard !exchange.route.isAndroids else { throw Refusal(.missingProviderToken) }
            return try authentication.check(exchange.head.authorization, at: service.clock.seconds)
        }
        if exchange.route.isAndroids { raiseStreamLimit() }
        if case .success = permission { raiseStreamLimit() }
        if let effect = exchange.draw.effect, prevent(id, effect) { return }
        newestActed = max(newestActed, id)
        let request = Request(
            head: exchange.head, route: exchange.route, body: exchange.body, bodyCount: exchange.bodyCount)
        let answer = service.answer(request, permission)
        if answer.isProcessed { service.statistics.change { $0.processed += 1 } }
        if service.gate.value == .afterProcessing {
            exchanges[id]?.stage = .acted(answer)
        } else {
            finish(id, answer)
        }
    }

    /// Sends the response to a processed request, unless a fault prevents it.
    func finish(_ id: HTTP2StreamID, _ answer: Answer) {
        guard let exchange = exchanges[id] else { return }
        if answer.isProcessed, let effect = exchange.draw.effect, swallow(id, effect) { return }
        answerLate(id, answer, exchange.draw.delay)
    }

    /// Sends the response after a delay in milliseconds.
    private func answerLate(_ id: HTTP2StreamID, _ answer: Answer, _ delay: Int64) {
        guard delay > 0, let context else { return write(answer, on: id) }
        exchanges[id]?.stage = .acted(answer)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(delay)) {
            guard self.exchanges[id] != nil else { return }
            self.write(answer, on: id)
            self.flush()
        }
    }

    /// Refuses a request because of a fault.
    func refuse(_ id: HTTP2StreamID, _ reason: APNsReason) {
        guard let exchange = exchanges[id] else { return }
        let refusal = Refusal(reason, timestamp: reason.status == 410 ? service.clock.now : nil)
        if case .vendor(let path) = exchange.route {
            return answerLate(id, Answer(reason, of: path.vendor), exchange.draw.delay)
        }
        if exchange.route.isAndroids { return answerLate(id, Answer(fcm: reason), exchange.draw.delay) }
        let answer = Answer(refusal, headers: [("apns-id", Service.id(of: exchange.head))])
        answerLate(id, answer, exchange.draw.delay)
    }

    /// Applies the faults that strike before processing; true if one did.
    private func prevent(_ id: HTTP2StreamID, _ effect: Fault.Effect) -> Bool {
        switch effect {
        case .refuse(let reason):
            newestActed = max(newestActed, id)
            refuse(id, reason)
        case .refuseStream:
            exchanges[id] = nil
            service.statistics.change { $0.refusedStreams += 1 }
            write(.rstStream(.refusedStream), on: id)
        case .reset(processed: false): reset(id)
        case .disconnect(processed: false): disconnect()
        case .stall(processed: false): leave(id)
        case .goAway(let reason): goAway(reason, before: id)
        case .refuseAtHead, .reset, .disconnect, .stall, .goAwayProcessed, .delay: return false
        }
        return true
    }

    /// Applies the faults that strike after processing; true if one did.
    private func swallow(_ id: HTTP2StreamID, _ effect: Fault.Effect) -> Bool {
        switch effect {
        case .reset(processed: true): reset(id)
        case .disconnect(processed: true): disconnect()
        case .stall(processed: true): leave(id)
        case .goAwayProcessed:
            service.statistics.change { $0.unanswered += 1 }
            sendGoAway(nil, last: newestSeen)
            flush()
            context?.close(promise: nil)
        case .refuse, .refuseAtHead, .refuseStream, .reset, .disconnect, .stall, .goAway, .delay: return false
        }
        return true
    }

    private func reset(_ id: HTTP2StreamID) {
        exchanges[id] = nil
        service.statistics.change { $0.unanswered += 1 }
        write(.rstStream(.internalError), on: id)
    }

    private func disconnect() {
        service.statistics.change { $0.unanswered += 1 }
        flush()
        cut()
    }

    private func leave(_ id: HTTP2StreamID) {
        exchanges[id]?.stage = .acted(nil)
        service.statistics.change { $0.unanswered += 1 }
    }

    private func write(_ answer: Answer, on id: HTTP2StreamID) {
        exchanges[id] = nil
        var headers = HPACKHeaders([(":status", String(answer.status))])
        for (name, value) in answer.headers {
            // Values that never repeat would only fill the client's header table.
            headers.add(name: name, value: value, indexing: name == "content-type" ? .indexable : .nonIndexable)
        }
        write(.headers(.init(headers: headers, endStream: answer.body.isEmpty)), on: id)
        if !answer.body.isEmpty {
            write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: answer.body)), endStream: true)), on: id)
        }
        note(answer)
        closeWhenDone()
    }

    /// Counts a response; too many refusals close the connection (docs/background/apple/service.md#connections).
    private func note(_ answer: Answer) {
        service.statistics.change { counts in
            if let reason = answer.reason {
                counts.refused[reason, default: 0] += 1
            } else {
                counts.accepted += 1
            }
        }
        guard let reason = answer.reason, (400..<500).contains(answer.status), answer.status != 410 else { return }
        refusals += 1
        if reason == APNsReason.badDeviceToken.name { badDeviceTokens += 1 }
        let configuration = service.configuration
        if badDeviceTokens >= configuration.badDeviceTokenLimit ?? .max
            || refusals >= configuration.refusalLimit ?? .max
        {
            sendGoAway(reason, last: newestSeen)
        }
    }
}

// MARK: - Control

extension APNsConnection {
    /// Raises the stream limit once the client has sent a valid token.
    func raiseStreamLimit() {
        guard !isStreamLimitRaised else { return }
        isStreamLimitRaised = true
        announce(service.streamLimit.value)
    }

    /// Changes the stream limit of the connection; unprocessed requests beyond it are refused.
    func limitStreams(to limit: Int) {
        guard isStreamLimitRaised else { return }
        announce(limit)
        for id in unacted.suffix(max(0, exchanges.count - limit)) {
            exchanges[id] = nil
            service.statistics.change { $0.refusedStreams += 1 }
            write(.rstStream(.refusedStream), on: id)
        }
        flush()
    }

    private func announce(_ limit: Int) {
        guard limit != streamLimit else { return }
        streamLimit = limit
        write(.settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)])), on: .rootStream)
    }

    /// The unprocessed requests, oldest first.
    private var unacted: [HTTP2StreamID] {
        exchanges.filter { exchange in
            switch exchange.value.stage {
            case .receiving, .held: true
            case .acted: false
            }
        }.keys.sorted()
    }

    /// Sends GOAWAY, leaving out the `refused` newest unprocessed requests; fewer if a newer request was processed.
    func goAway(_ reason: String?, refusingNewest refused: Int) {
        let open = unacted.filter { $0 > newestActed }
        let last = refused == 0 ? newestSeen : open.dropLast(refused).last ?? newestActed
        sendGoAway(reason, last: last)
        flush()
    }

    /// Sends GOAWAY with the stream before `id` as the last; if a newer one was processed, only `id` is refused.
    func goAway(_ reason: String?, before id: HTTP2StreamID) {
        guard newestActed > id else {
            let older = unacted.last { $0 < id } ?? newestActed
            return sendGoAway(reason, last: max(older, newestActed))
        }
        exchanges[id] = nil
        service.statistics.change { $0.refusedStreams += 1 }
        write(.rstStream(.refusedStream), on: id)
        sendGoAway(reason, last: newestSeen)
    }

    /// Sends GOAWAY with Apple's debug data (docs/background/apple/service.md#connections); the connection closes when
    /// the streams up to `last` are answered.
    func sendGoAway(_ reason: String?, last: HTTP2StreamID) {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        let json = reason.map { JSONValue.object(["reason": .string($0)]).canonicalBytes }
        let data = json.map { context.channel.allocator.buffer(bytes: $0) }
        exchanges = exchanges.filter { $0.key <= last }
        write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: data), on: .rootStream)
        closeWhenDone()
    }

    /// Closes the connection if GOAWAY was sent and no request is in flight.
    func closeWhenDone() {
        guard isGoingAway, exchanges.isEmpty, !isClosing, let context else { return }
        isClosing = true
        // Closing while the client still sends would reset the connection and lose what the client has not read.
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(200)) {
            self.context?.close(promise: nil)
        }
    }

    /// Closes the connection if it has been idle for too long.
    func sweep() {
        let idle = service.clock.now - lastFrameAt
        guard exchanges.isEmpty, idle >= service.configuration.idleTimeout * 1000 else { return }
        sendGoAway(APNsReason.idleTimeout.name, last: newestSeen)
        flush()
    }

    /// Continues the requests that the gate held.
    func release() {
        for id in exchanges.keys.sorted() {
            switch exchanges[id]?.stage {
            case .held: act(on: id)
            case .acted(let answer?): finish(id, answer)
            case .receiving, .acted(nil), nil: break
            }
        }
        flush()
    }
}
