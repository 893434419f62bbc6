internal import Base
internal import DeviceRegistry
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Turns HTTP requests into API calls and sends the responses; injected faults apply here.
///
/// Authentication precedes reading the body, so that strangers cannot fill the memory.
struct HTTPFrontend: Sendable {
    let console: Console
    var api: API { console.api }
    var credentials: Credentials { console.credentials }
    let observer: RequestObserver?
    let metrics: ServerMetrics
    /// The places in memory for large bodies of clients.
    let clientsBodies: ClientGate
    /// The places for those with the master key, which no client can take.
    let mastersBodies: ClientGate
    /// Raised when the server is about to stop.
    let leaving: StopSignal
    /// The registry's id.
    let identity: String
    private let page: MetricsPage
    /// The header with the token for `/metrics`; nil where only this machine may read it.
    private let metricsToken: Fingerprint?
    private let counter = RequestCounter()

    init(
        console: Console, metrics: ServerMetrics, leaving: StopSignal, identity: String, observer: RequestObserver?
    ) {
        self.console = console
        self.metrics = metrics
        self.leaving = leaving
        self.identity = identity
        self.observer = observer
        let configuration = console.api.configuration
        let places = configuration.limits.largeBodies
        clientsBodies = ClientGate(places: places, share: places / 2)
        mastersBodies = ClientGate(places: places, share: places)
        page = MetricsPage(metrics, console.api)
        metricsToken = configuration.metricsToken.map { Fingerprint("Bearer " + $0.revealed) }
    }

    /// The header that names the ways this server reaches devices: a plan counts only devices within reach.
    private static let devices = HTTPField.Name("X-Bugle-Devices") ?? .server
    /// The header that names the registry, to check that a domain leads to it.
    private static let registry = HTTPField.Name("X-Bugle-Registry") ?? .server

    /// Answers one request.
    // The writer belongs to the task that Hummingbird runs this on, whose functions are all concurrent.
    @concurrent func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel)
        async throws
    {
        let exchange = Exchange(
            request.head, peer: channel.remoteAddress, api.configuration, number: counter.next(), at: api.clock.now)
        metrics.begin()
        var record = RequestRecord(exchange, logsAddress: api.configuration.logsAddresses)
        defer { record.finish(metrics, api.logger) }
        let reader = BodyReader(request)
        if exchange.route == .console, let target = exchange.target {
            return try await respondConsole(exchange, target, reader, &record, writer, channel)
        }
        guard let answer = try await answer(exchange, reader, writer, channel) else { return }
        record.status = answer.status
        record.bytes = answer.body.count
        do {
            try await write(answer, for: exchange, to: writer)
        } catch {
            record.status = RequestRecord.unanswered
            throw error
        }
        if answer.closes {
            try? await drain(reader)
            try await channel.close()
        }
    }

    /// The response; nil when a fault closed the connection instead.
    @concurrent private func answer(
        _ exchange: Exchange, _ reader: BodyReader, _ writer: borrowing ResponseWriter, _ channel: any Channel
    ) async throws -> HTTPAnswer? {
        switch exchange.route {
        case .preflight: return CrossOrigin.preflight
        case .health: return health(exchange)
        case .ready: return await ready(exchange)
        case .metrics: return await metricsPage(exchange)
        case .router: return AppRouter.answer(exchange)
        default: break
        }
        if let upstream = api.upstream, let target = exchange.target, PushPaths.owner(of: target) == .upstream {
            return try await passOn(exchange, to: upstream, reader, writer, channel)
        }
        // Neither the response nor its timing reveals which credential was wrong.
        let shown = ShownCredentials { exchange.header($0) }
        if shown.isEmpty, EscapedRequest.isMeant(method: exchange.method, contentType: exchange.headers[.contentType]) {
            return try await escaped(exchange, reader, writer, channel)
        }
        let access: Access
        do throws(APIError) {
            access = try credentials.access(shown, at: api.clock.machineTime)
        } catch {
            return HTTPAnswer(error, closes: exchange.hasLargeBody)
        }
        let limit = api.configuration.limits.bodyLimit
        switch try await body(reader, of: exchange, as: access, upTo: limit, writer, channel) {
        case .refused(let error): return HTTPAnswer(error, closes: true)
        case .read(let bytes, let place):
            // The place is kept until the response exists: a parsed body takes many times its size.
            defer { withExtendedLifetime(place) {} }
            let batch = passedBatch(bytes, of: exchange)
            if let batch, batch.isUpstreams { return await passOn(bytes, of: exchange, to: batch.upstream, channel) }
            return try await answer(exchange, access, body: bytes, batch, channel)
        }
    }

    /// Handles a request with its credentials in the body.
    @concurrent private func escaped(
        _ exchange: Exchange, _ reader: BodyReader, _ writer: borrowing ResponseWriter, _ channel: any Channel
    ) async throws -> HTTPAnswer? {
        let bytes: [UInt8]
        switch try await body(reader, of: exchange, upTo: ServerLimits.unknownSenderBodyLimit, writer, channel) {
        case .refused(let error): return HTTPAnswer(error, closes: true)
        case .read(let body, _): bytes = body
        }
        let access: Access
        do throws(APIError) {
            access = try credentials.access(EscapedRequest.shown(in: bytes), at: api.clock.machineTime)
        } catch {
            return HTTPAnswer(error)
        }
        if let batch = passedBatch(bytes, of: exchange) {
            if batch.isUpstreams { return await passOn(bytes, of: exchange, to: batch.upstream, channel) }
            // Its parts would need credentials that are in the body of the whole.
            if batch.hasUpstreams { return HTTPAnswer(APIError.unsplittable) }
        }
        guard let escaped = EscapedRequest(bytes) else { return HTTPAnswer(APIError.malformed) }
        let meant = exchange.meaning(escaped)
        return try await answer(meant, access, body: meant.escapedBody(escaped), nil, channel)
    }

    /// Carries out an authenticated request.
    @concurrent private func answer(
        _ exchange: Exchange, _ access: Access, body: [UInt8], _ batch: PassedBatch?, _ channel: any Channel
    ) async throws -> HTTPAnswer? {
        let observed = ObservedRequest(number: exchange.number, method: exchange.method, path: exchange.rawPath)
        await observer?(observed, .beforeHandling)
        let isControl = exchange.rawPath.hasPrefix("/1.1/bugle/")
        let fault = isControl ? nil : api.faults.meet(method: observed.method, path: exchange.rawPath)
        if fault == .close {
            try await channel.close()
            return nil
        }
        let presence = exchange.route == .batch ? await ClientPresence.on(channel) : nil
        let response = await call(exchange, access, body: body, batch, presence)
        await observer?(observed, .beforeAnswering)
        switch fault {
        case nil, .close: break
        case .delay(let seconds): await api.faults.hold(for: seconds)
        case .status(let status):
            return HTTPAnswer(status: status, json: ["code": .integer(Int64(status)), "error": "An injected fault."])
        case .dropResponse:
            try await channel.close()
            return nil
        case .reset:
            try await reset(channel)
            return nil
        }
        return HTTPAnswer(response)
    }

    private func call(
        _ exchange: Exchange, _ access: Access, body: [UInt8], _ batch: PassedBatch?, _ presence: ClientPresence?
    ) async -> APIResponse {
        do throws(APIError) {
            guard let target = exchange.target else { throw APIError(400, 1, "The request's target cannot be read.") }
            guard let path = target.versioned else { throw APIError.noSuchPath }
            guard let method = APIRequest.Method(rawValue: exchange.method) else { throw APIError.methodNotAllowed }
            return await api.respond(
                APIRequest(
                    method: method, path: path, query: target.query, body: body, access: access,
                    client: exchange.client.text,
                    productionHeader: exchange.productionHeader, origin: exchange.origin, now: exchange.now,
                    presence: presence, batch: batch))
        } catch {
            return APIResponse(error)
        }
    }

    // MARK: Without credentials

    /// Handles `GET /health`: tells that the server runs. It does not ask the database, whose failure no restart of
    /// this server would mend.
    private func health(_ exchange: Exchange) -> HTTPAnswer {
        guard exchange.isReading else { return HTTPAnswer(APIError.methodNotAllowed) }
        var answer = HTTPAnswer(status: 200, json: ["status": "ok"])
        answer.headers[Self.registry] = identity
        return answer
    }

    /// Handles `GET /ready`, for load balancers: checks that the database can be read and written, and answers 503 from
    /// the moment the server is told to stop, while it still takes new connections.
    private func ready(_ exchange: Exchange) async -> HTTPAnswer {
        guard !leaving.isRaised else { return HTTPAnswer(APIError(503, 503, "The server is stopping.")) }
        do throws(APIError) {
            _ = try await api.ask(try await Journal(api.registry).identity())
        } catch {
            return HTTPAnswer(APIError(503, 503, "Nothing can be read: see the log."))
        }
        do throws(RegistryError) {
            try await api.registry.checkWriting()
        } catch {
            return HTTPAnswer(APIError(503, 503, "Nothing can be written: \(error.description)."))
        }
        return health(exchange)
    }

    private func metricsPage(_ exchange: Exchange) async -> HTTPAnswer {
        let isAllowed = metricsToken?.isSame(exchange.headers[.authorization] ?? "") ?? exchange.client.isLocal
        guard isAllowed else { return HTTPAnswer(APIError.unauthorized) }
        guard exchange.isReading else { return HTTPAnswer(APIError.methodNotAllowed) }
        do throws(APIError) {
            let text = try await api.ask(try await page.text())
            return HTTPAnswer(status: 200, text: text, type: MetricsPage.contentType)
        } catch {
            return HTTPAnswer(error)
        }
    }

    /// Closes the connection with a TCP reset; data the peer has not read is lost.
    private func reset(_ channel: any Channel) async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: Linger(isOn: 1, seconds: 0)
            ).get()
        }
        try await channel.close()
    }

    @concurrent private func write(
        _ answer: HTTPAnswer, for exchange: Exchange, to writer: consuming ResponseWriter
    ) async throws {
        var head = HTTPResponse(status: .init(code: answer.status), headerFields: answer.headers)
        if answer.status != 204 { head.headerFields[.contentLength] = String(answer.body.count) }
        head.headerFields[.date] = api.clock.httpDate
        if answer.closes { head.headerFields[.connection] = "close" }
        let isCall = exchange.target?.versioned != nil || exchange.route == .router
        if isCall {
            // For a response from upstream, upstream decides which pages may read it.
            if head.headerFields[.accessControlAllowOrigin] == nil {
                CrossOrigin.allow(exchange.headers, in: &head.headerFields)
            }
            head.headerFields[Self.devices] = api.devices
        }
        if exchange.method == "HEAD" || answer.body.isEmpty {
            try await writer.writeResponse(head)
        } else {
            try await writer.write(response: head, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
    }
}

/// The C type `struct linger`, whose module NIO keeps private.
private struct Linger {
    let isOn: CInt
    let seconds: CInt
}

private final class RequestCounter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

// MARK: - Body

enum BodyResult: Sendable {
    /// The complete body; a large one with its place in memory.
    case read([UInt8], ClientGate.Place?)
    /// The body was refused; the rest of it is yet to come.
    case refused(APIError)
}

/// Reads a request's body chunk by chunk; each use continues where the last one stopped.
final class BodyReader {
    private let body: RequestBody
    private var iterator: RequestBody.AsyncIterator?

    init(_ request: Request) {
        body = request.body
    }

    /// Returns the next chunk; nil at the end.
    @concurrent func next() async throws -> ByteBuffer? {
        // A body allows only one iterator.
        var iterator = iterator ?? body.makeAsyncIterator()
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

/// The client left, or was cut off, before its request was complete.
struct IncompleteRequest: Error {}

extension HTTPFrontend {
    /// The bytes still read of a refused body, so that the client sees the response rather than a reset.
    private static let drainLimit = 1024 * 1024

    /// Reads a body, taking a place in memory when it is large; from then on the rest must keep coming.
    ///
    /// Bodies with the master key have places of their own.
    ///
    /// - Throws: ``IncompleteRequest``, or the connection's error.
    @concurrent func body(
        _ reader: BodyReader, of exchange: Exchange, as access: Access? = nil, upTo limit: Int,
        _ writer: borrowing ResponseWriter, _ channel: any Channel
    ) async throws -> BodyResult {
        if let declared = exchange.declaredLength, declared > limit { return .refused(.payloadTooLarge) }
        if exchange.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
        var bytes: [UInt8] = []
        var place: ClientGate.Place?
        while let buffer = try await reader.next() {
            guard bytes.count + buffer.readableBytes <= limit else { return .refused(.payloadTooLarge) }
            if place == nil, bytes.count + buffer.readableBytes > ServerLimits.largeBodySize {
                place = await largeBodyPlace(exchange, access, channel)
                guard place != nil else { return .refused(.tooBusy) }
                ConnectionGuard.hurry(channel)
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        if let declared = exchange.declaredLength, bytes.count != declared { throw IncompleteRequest() }
        return .read(bytes, place)
    }

    private func largeBodyPlace(
        _ exchange: Exchange, _ access: Access?, _ channel: any Channel
    ) async -> ClientGate.Place? {
        let limits = api.configuration.limits
        let (gate, address) = access == .master ? (mastersBodies, nil) : (clientsBodies, sharer(exchange))
        return await ClientPresence.on(channel)?.serve {
            await gate.enter(from: address, within: limits.largeBodyPatience ?? limits.requestTimeout / 2)
        }
    }

    /// The address that has a share of the places for clients; nil where one address stands for many clients.
    func sharer(_ exchange: Exchange) -> String? {
        let (configuration, address) = (api.configuration, exchange.client.text)
        guard configuration.limits.connectionShare != .off, !configuration.trustedProxies.contains(address) else {
            return nil
        }
        return ClientAddress.network(of: address)
    }

    /// Reads some more of a request that already has its response.
    @concurrent func drain(_ reader: BodyReader) async throws {
        var count = 0
        while let buffer = try await reader.next() {
            count += buffer.readableBytes
            guard count < Self.drainLimit else { return }
        }
    }
}

// MARK: - Upstream

extension HTTPFrontend {
    /// Forwards a request that is not about push, with its body unchanged.
    ///
    /// The backend authenticates it; only a client with this app's keys may send a large body through here, get a large
    /// response, and use more than a share of the connections to the backend.
    @concurrent func passOn(
        _ exchange: Exchange, to upstream: Upstream, _ reader: BodyReader, _ writer: borrowing ResponseWriter,
        _ channel: any Channel
    ) async throws -> HTTPAnswer {
        let access = try? credentials.access(ShownCredentials { exchange.header($0) }, at: api.clock.machineTime)
        let most = api.configuration.limits.bodyLimit
        let limit = access == nil ? min(most, ServerLimits.unknownSenderBodyLimit) : most
        switch try await body(reader, of: exchange, as: access, upTo: limit, writer, channel) {
        case .refused(let error): return HTTPAnswer(error, closes: true)
        case .read(let bytes, let place):
            defer { withExtendedLifetime(place) {} }
            return await passOn(bytes, of: exchange, to: upstream, isStrange: access == nil, channel)
        }
    }

    /// Forwards a request whose body was read, unless its client leaves before the backend has answered.
    @concurrent func passOn(
        _ body: [UInt8], of exchange: Exchange, to upstream: Upstream, isStrange: Bool = false, _ channel: any Channel
    ) async -> HTTPAnswer {
        let (head, address) = (PassedHead(exchange), sharer(exchange))
        let answer = await ClientPresence.on(channel)?.serve {
            isStrange
                ? await upstream.passForStranger(head, body: body, from: address)
                : await upstream.pass(head, body: body)
        }
        return answer ?? HTTPAnswer(APIError.clientLeft)
    }

    /// A batch whose calls another backend may share; nil for all other requests, and without another backend.
    func passedBatch(_ body: [UInt8], of exchange: Exchange) -> PassedBatch? {
        guard let upstream = api.upstream, let target = exchange.target, PushPaths.owner(of: target) == nil else {
            return nil
        }
        return PassedBatch(body, head: PassedHead(exchange), upstream: upstream)
    }
}

// MARK: - Console

extension HTTPFrontend {
    /// Handles a request for the console; its forms are small, and injected faults do not apply to it.
    @concurrent func respondConsole(
        _ exchange: Exchange, _ target: RequestTarget, _ reader: BodyReader, _ record: inout RequestRecord,
        _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let body: [UInt8]
        switch try await self.body(reader, of: exchange, upTo: Console.bodyLimit, writer, channel) {
        case .read(let bytes, _): body = bytes
        case .refused(let error):
            record.status = error.status
            try await write(.text(error.status, error.message), to: writer, isHead: false, closes: true)
            try? await drain(reader)
            return try await channel.close()
        }
        var headers: [String: String] = [:]
        for field in exchange.headers where headers[field.name.canonicalName] == nil {
            headers[field.name.canonicalName] = field.value
        }
        // HTTPTypes keeps the host apart from the headers, and cookies from several headers separate.
        headers["host"] = exchange.authority
        headers["cookie"] = exchange.headers[values: .cookie].joined(separator: "; ")
        let response = await console.respond(
            WebRequest(
                method: exchange.method, path: target.path, query: target.query, headers: headers, body: body,
                remoteAddress: exchange.client.text, isSecure: exchange.client.isSecure))
        record.status = response.status
        record.bytes = response.bytes?.count ?? 0
        if case .events(let stream) = response.body {
            // Nothing reads from this connection meanwhile: only its close tells that the browser has gone.
            channel.closeFuture.whenComplete { _ in stream.end() }
        }
        try await write(response, to: writer, isHead: exchange.method == "HEAD", closes: false)
    }

    @concurrent private func write(
        _ response: WebResponse, to writer: consuming ResponseWriter, isHead: Bool, closes: Bool
    ) async throws {
        var head = HTTPResponse(status: .init(code: response.status))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        head.headerFields[.date] = api.clock.httpDate
        if closes { head.headerFields[.connection] = "close" }
        switch response.body {
        case .bytes(let bytes):
            if response.status != 304 { head.headerFields[.contentLength] = String(bytes.count) }
            try await writer.write(
                response: head, body: isHead || bytes.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .events(let stream) where isHead:
            stream.end()
            try await writer.write(response: head, body: .init())
        case .events(let stream):
            defer { stream.end() }
            var body = try await writer.writeHead(head)
            for await chunk in stream.chunks { try await body.write(ByteBuffer(bytes: chunk)) }
            try await body.finish(nil)
        }
    }
}

extension WebResponse {
    /// The bytes of a response that is not streamed.
    fileprivate var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { return bytes }
        return nil
    }
}
