internal import APNsSimulator
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A provider's connection, down to its frames.
final class ProviderClient: Sendable {
    let log = ProviderLog()
    private let channel: any Channel
    private let last = Mutex(-1)

    /// Connects; does not wait for the handshake.
    ///
    /// If not `isListening`, it hears nothing, SETTINGS neither, until ``listen()``.
    init(
        _ simulator: APNsSimulator, certificate: PushCertificate? = nil, trusting authority: SimulatorIdentity? = nil,
        version: TLSVersion? = nil, isListening: Bool = true
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        let root = try (authority ?? simulator.identity).authorityPEM
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(root.utf8), format: .pem)])
        tls.applicationProtocols = ["h2"]
        tls.maximumTLSVersion = version
        if let certificate {
            let pem = Array(certificate.certificatePEM.utf8)
            tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: pem, format: .pem))]
            let key = try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem)
            tls.privateKey = .privateKey(key)
        }
        let context = try NIOSSLContext(configuration: tls)
        let log = log
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: isListening)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .client))
                    try pipeline.addHandler(FrameReader(log))
                }
            }
            .connect(host: "127.0.0.1", port: simulator.port).get()
    }

    /// Runs `body` with a connection and ends it.
    static func with<Value>(
        _ simulator: APNsSimulator, certificate: PushCertificate? = nil, _ body: (ProviderClient) async throws -> Value
    ) async throws -> Value {
        let client = try await ProviderClient(simulator, certificate: certificate)
        do {
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    func listen() async throws { try await channel.setOption(.autoRead, value: true).get() }

    func close() async { try? await channel.close() }

    /// Sends a request and waits for its end.
    func send(_ request: TestRequest) async -> StreamEnd { await log.end(of: start(request)) }

    /// Sends the first request, and once it has lifted the limit all others at once; returns their ends.
    func send(all requests: [TestRequest]) async -> [StreamEnd] {
        guard let first = requests.first else { return [] }
        var ends = [await send(first)]
        _ = await log.limits(2)
        for id in requests.dropFirst().map({ start($0) }) { ends.append(await log.end(of: id)) }
        return ends
    }

    /// Sends a request, without its body's end when `isOpen`.
    @discardableResult
    func start(_ request: TestRequest, isOpen: Bool = false) -> HTTP2StreamID {
        let id = last.withLock { last in
            last += 2
            return HTTP2StreamID(last)
        }
        let head = HPACKHeaders(request.fields)
        let endsAtHead = request.body.isEmpty && !isOpen
        write(HTTP2Frame(streamID: id, payload: .headers(.init(headers: head, endStream: endsAtHead))))
        if !request.body.isEmpty { send(request.body, on: id, isLast: !isOpen) }
        return id
    }

    /// Sends more of a body.
    func send(_ body: [UInt8], on id: HTTP2StreamID, isLast: Bool) {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: isLast)
        write(HTTP2Frame(streamID: id, payload: .data(data)))
    }

    /// Takes a request back.
    func reset(_ id: HTTP2StreamID) { write(HTTP2Frame(streamID: id, payload: .rstStream(.cancel))) }

    /// Sends PING.
    func ping() { write(HTTP2Frame(streamID: .rootStream, payload: .ping(.init(withInteger: 1), ack: false))) }

    private func write(_ frame: HTTP2Frame) { channel.writeAndFlush(frame, promise: nil) }
}

private final class FrameReader: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    private let log: ProviderLog

    init(_ log: ProviderLog) { self.log = log }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let head): log.headers(frame.streamID, head.headers, isLast: head.endStream)
        case .data(let data):
            guard case .byteBuffer(let buffer) = data.data else { return }
            log.data(frame.streamID, String(buffer: buffer), isLast: data.endStream)
        case .rstStream(let code): log.reset(frame.streamID, code)
        case .settings(.settings(let settings)):
            for setting in settings where setting.parameter == .maxConcurrentStreams { log.limit(setting.value) }
        case .goAway(let last, _, let data): log.goAway(Int(last), data.map { String(buffer: $0) } ?? "")
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { log.closed() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}
