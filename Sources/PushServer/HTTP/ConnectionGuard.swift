internal import Base
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOSSL
internal import Synchronization

/// Closes connections whose client is too slow, sends too large a head, or does not speak HTTP, with an error response
/// where one can still be sent.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    private let metrics: ServerMetrics
    /// The timeout from a request's first byte to its last.
    private var arriving: Scheduled<Void>?
    /// The timeout from a response's last part until the client has read it.
    private var leaving: Scheduled<Void>?
    /// The last part of the last response, until the socket has taken it.
    private var departing: EventLoopFuture<Void>?
    private var isReadingBody = false
    private var headBytes = 0
    /// The number of requests without a complete response.
    private var open = 0
    private var hasBegunAnswer = false
    private var refusal: APIError?
    private var place = ConnectionPlace.regular
    /// Tells whether the client is still connected.
    let presence = ClientPresence()
    /// True once nothing more is read: a request was refused for lack of a place, or the last one has begun.
    private var isTurnedAway = false
    /// True once the head of the next request, or of this one, says that it is the client's last.
    private var isLast = false
    /// True once the client's last request has begun.
    private var hasLastRequest = false
    /// The next look at how much of a body has come that must arrive at a least speed.
    private var hurrying: Scheduled<Void>?
    /// The bytes that came since the last such look.
    private var bytesSinceLook = 0

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimers()
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.end()
        stopTimers()
        context.fireChannelInactive()
    }

    private func stopTimers() {
        arriving?.cancel()
        arriving = nil
        leaving?.cancel()
        leaving = nil
        stopHurrying()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { presence.end() }
        if event is LastRequest { isLast = true }
        guard let arrival = event as? Arrival else { return context.fireUserInboundEventTriggered(event) }
        place = arrival.place
        if arriving == nil { awaitRest(context) }
        bytesSinceLook += arrival.bytes
        guard !isReadingBody else { return }
        // The bytes before this chunk did not complete a head.
        if headBytes > ServerLimits.headLimit { return refuse(context, .headTooLarge) }
        headBytes += arrival.bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isTurnedAway else { return }
        switch unwrapInboundIn(data) {
        case .head where hasLastRequest:
            isTurnedAway = true
            return
        case .head(let head)
        where place == .health && !RouteClass(RequestTarget(head.path ?? "")?.path ?? []).isProbe:
            isTurnedAway = true
            return refuse(context, .noPlace)
        case .head:
            isReadingBody = true
            headBytes = 0
            open += 1
            hasLastRequest = isLast
        case .body: break
        case .end:
            isReadingBody = false
            arriving?.cancel()
            arriving = nil
            stopHurrying()
            // It was answered before all of it had come.
            if hasLastRequest, open == 0 { close(context: context, mode: .all, promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // If the connection itself failed there is nobody to answer.
        let isLost = error is IOError || error is ChannelError || error is NIOSSLError || error is BoringSSLError
        guard !isLost else { return context.fireErrorCaught(error) }
        // Only the first error counts: what arrives before the response to it causes errors of its own.
        if refusal == nil {
            if case .headerOverflow? = error as? HTTPParserError {
                refusal = .headTooLarge
            } else {
                refusal = .notHTTP
            }
        }
        // An error that is not an HTTP parser's would close the connection without a response.
        context.fireErrorCaught(error is HTTPParserError ? error : HTTPParserError.invalidHeaderToken)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind == .informational: context.write(data, promise: promise)
        case .head(let head) where refusal != nil && head.status == .badRequest && isEmpty(head):
            // Hummingbird's response to unparsable input has no body.
            send(refusal ?? .notHTTP, context, promise)
        case .head(var head):
            hasBegunAnswer = true
            if endsWithAnswer { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let isEnd = endsWithAnswer
            open -= 1
            hasBegunAnswer = false
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            awaitReader(context, written.futureResult)
            context.write(data, promise: written)
            // What still comes is read first: the client would see a reset rather than the response.
            if isEnd, place == .health || !isReadingBody {
                context.flush()
                close(context: context, mode: .all, promise: nil)
            }
        }
    }

    /// Waits until the responses have left, as long as a client may take to read: a channel that is closed drops what
    /// its socket has not taken yet.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, let departing else { return context.close(mode: mode, promise: promise) }
        let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
        departing.whenComplete { _ in loop.value.close(mode: mode, promise: promise) }
    }

    /// True if the connection ends with the response that is being written.
    private var endsWithAnswer: Bool { place == .health || hasLastRequest && open == 1 }

    private func isEmpty(_ head: HTTPResponse) -> Bool { head.headerFields[.contentLength] == "0" }

    // MARK: Time

    private func awaitRest(_ context: ChannelHandlerContext) {
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        arriving = context.eventLoop.scheduleTask(in: TimeAmount(limits.requestTimeout)) {
            let (guarding, context) = loop.value
            guarding.arriving = nil
            // An earlier request on this connection is still being handled, and its response comes first.
            guard guarding.open <= (guarding.isReadingBody ? 1 : 0), !guarding.hasBegunAnswer else {
                return guarding.awaitRest(context)
            }
            // A request answered before it had fully arrived gets no second response.
            guard guarding.open > 0 || !guarding.isReadingBody else { return context.close(promise: nil) }
            guarding.refuse(context, .tooSlow)
        }
    }

    /// Asks a least speed of the rest of the body that is being read: it has a place that others wait for.
    private func hurry(_ context: ChannelHandlerContext) {
        guard isReadingBody else { return }
        bytesSinceLook = 0
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        hurrying = context.eventLoop.scheduleTask(in: TimeAmount(limits.bodySpeedInterval)) { [limits] in
            let (guarding, context) = loop.value
            guard guarding.isReadingBody else { return }
            let least = limits.bodySpeedInterval / .seconds(1) * ServerLimits.leastBodySpeed
            guard Double(guarding.bytesSinceLook) < least else { return guarding.hurry(context) }
            guarding.refuse(context, .tooSlow)
        }
    }

    /// As ``hurry(_:)``, for a connection.
    static func hurry(_ channel: any Channel) {
        channel.eventLoop.execute {
            let found = try? channel.pipeline.syncOperations.context(handlerType: ConnectionGuard.self)
            if let found { (found.handler as? ConnectionGuard)?.hurry(found) }
        }
    }

    private func stopHurrying() {
        hurrying?.cancel()
        hurrying = nil
    }

    private func awaitReader(_ context: ChannelHandlerContext, _ written: EventLoopFuture<Void>) {
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        departing = written
        leaving?.cancel()
        leaving = context.eventLoop.scheduleTask(in: TimeAmount(limits.idleTimeout)) {
            loop.value.1.close(promise: nil)
        }
        written.whenComplete { _ in
            let (guarding, _) = loop.value
            // A later response may have begun to leave.
            guard guarding.departing === written else { return }
            guarding.leaving?.cancel()
            (guarding.leaving, guarding.departing) = (nil, nil)
        }
    }

    // MARK: Refusing

    private func refuse(_ context: ChannelHandlerContext, _ error: APIError) {
        guard !hasBegunAnswer, context.channel.isActive else { return context.close(promise: nil) }
        send(error, context, nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
        context.close(promise: nil)
    }

    private func send(_ error: APIError, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        hasBegunAnswer = true
        metrics.countRefused(error.status)
        let body = ByteBuffer(bytes: error.body.canonicalBytes)
        var head = HTTPResponse(status: .init(code: error.status))
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.contentLength] = String(body.readableBytes)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }
}

extension APIError {
    static let headTooLarge = APIError(431, 431, "The request's line and headers are too large.")
    static let notHTTP = APIError(400, 1, "This is not a readable HTTP request.")
    static let tooSlow = APIError(408, 408, "The request did not arrive in time.")
    static let noPlace = APIError(503, 503, "Too many connections; try again in a moment.")
    static let tooBusy = APIError(503, 503, "Too many large bodies at once; try again in a moment.")
}

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

/// Tells whether a client is still connected. A client that closes its sending side counts as gone: most that do so
/// are.
final class ClientPresence: Sendable {
    private struct State {
        var hasLeft = false
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// True once the client has gone.
    var hasLeft: Bool { state.withLock { $0.hasLeft } }

    func end() {
        let onEnd = state.withLock { state in
            state.hasLeft = true
            return state.onEnd
        }
        onEnd?()
    }

    /// Runs work for the client, in a task that is cancelled once the client has gone; one piece at a time.
    func serve<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let hasLeft = state.withLock { state in
            state.onEnd = { task.cancel() }
            return state.hasLeft
        }
        defer { state.withLock { $0.onEnd = nil } }
        if hasLeft { task.cancel() }
        return await task.value
    }

    /// The presence of a connection's client.
    static func on(_ channel: any Channel) async -> ClientPresence? {
        let finding = channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectionGuard.self).presence
        }
        return try? await finding.get()
    }
}
