internal import CLibrary
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

struct SimulatorListener: Sendable {
    private let channel: any Channel
    private let children: ChannelList
    private let sweeping: RepeatedTask

    var port: Int { channel.localAddress?.port ?? 0 }

    init(
        _ service: Service, _ identity: SimulatorIdentity, _ connections: ConnectionList, on group: any EventLoopGroup
    ) async throws {
        let verification = ClientVerification(
            identity: identity, credentials: service.credentials, clock: service.clock)
        let tls = try NIOSSLContext(configuration: try Self.configuration(identity))
        let children = ChannelList()
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                children.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let handler = NIOSSLServerHandler(
                        context: tls, customVerificationCallback: { verification.verify($0, $1) })
                    let cutter = ConnectionCutter()
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(cutter)
                    try pipeline.addHandler(handler)
                    try pipeline.addHandler(HandshakeWatcher(service, verification, handler, cutter, connections))
                }
            }
            .bind(host: service.configuration.host, port: service.configuration.port).get()
        self.children = children
        // With a stopped clock, advancing it does the sweep.
        sweeping = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            connections.start { $0.sweep() }
        }
    }

    /// Stops listening and closes every connection.
    func close() async {
        sweeping.cancel()
        try? await channel.close()
        await children.closeAll()
    }

    private static func configuration(_ identity: SimulatorIdentity) throws -> TLSConfiguration {
        let server = try NIOSSLCertificate(bytes: Array(try identity.serverPEM.utf8), format: .pem)
        let authority = try NIOSSLCertificate(bytes: Array(try identity.authorityPEM.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(identity.serverKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(server)], privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates([authority])
        configuration.sendCANameList = true
        // Closing waits for the peer's close_notify, which an idle client does not send.
        configuration.shutdownTimeout = .milliseconds(1)
        return configuration
    }
}

/// Waits for the TLS handshake to finish, then sets up HTTP/2 on the connection.
final class HandshakeWatcher: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let service: Service
    private let verification: ClientVerification
    private let tls: NIOSSLServerHandler
    private let cutter: ConnectionCutter
    private let connections: ConnectionList
    private var deadline: Scheduled<Void>?

    init(
        _ service: Service, _ verification: ClientVerification, _ tls: NIOSSLServerHandler, _ cutter: ConnectionCutter,
        _ connections: ConnectionList
    ) {
        self.service = service
        self.verification = verification
        self.tls = tls
        self.cutter = cutter
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let cutter = cutter
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(60)) { cutter.cut() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard negotiated == "h2" else { return fail(context) }
        let pipeline = context.pipeline.syncOperations
        let certificate = tls.peerCertificate.flatMap(verification.accepted)
        do {
            try pipeline.addHandler(http2(hasCertificate: certificate != nil))
            try pipeline.addHandler(
                APNsConnection(service, certificate: certificate, cutter: cutter, connections: connections))
            pipeline.removeHandler(self, promise: nil)
        } catch {
            fail(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(context) }

    private func fail(_ context: ChannelHandlerContext) {
        service.statistics.change { $0.failedHandshakes += 1 }
        context.close(promise: nil)
    }

    /// The HTTP/2 handler, with the settings observed of Apple (docs/background/apple/service.md#observed-settings).
    private func http2(hasCertificate: Bool) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .headerTableSize, value: 4096),
            HTTP2Setting(
                parameter: .maxConcurrentStreams,
                value: APNsConnection.firstLimit(service, hasCertificate: hasCertificate)),
            HTTP2Setting(parameter: .initialWindowSize, value: 65_535),
            HTTP2Setting(parameter: .maxFrameSize, value: 16_384),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 8000),
        ]
        // libcurl resets every finished stream once more, and with faults requested refusals are frequent.
        connection.maximumRecentlyResetStreams = 4096
        connection.maximumConnectionGlitches = .max
        connection.controlFrameRateLimit.maximumCount = 100_000
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = .max
        stream.streamErrorRateLimit.maximumCount = .max
        return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
    }
}

/// A handler in front of TLS that can reset the connection beneath it.
final class ConnectionCutter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the socket with a TCP reset.
    func cut() {
        guard let context else { return }
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }
}

final class ConnectionList: Sendable {
    private struct Entry {
        let loop: any EventLoop
        let connection: NIOLoopBound<APNsConnection>
    }

    private let state = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Adds a connection; called on its event loop.
    func add(_ connection: APNsConnection, on loop: any EventLoop) {
        let entry = Entry(loop: loop, connection: NIOLoopBound(connection, eventLoop: loop))
        state.withLock { $0[ObjectIdentifier(connection)] = entry }
    }

    func remove(_ connection: APNsConnection) {
        state.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Runs `body` for each connection on its event loop, and waits for it.
    func each(_ body: @escaping @Sendable (APNsConnection) -> Void) async {
        for entry in state.withLock({ Array($0.values) }) {
            try? await entry.loop.submit { body(entry.connection.value) }.get()
        }
    }

    /// Runs `body` for each connection on its event loop, without waiting.
    func start(_ body: @escaping @Sendable (APNsConnection) -> Void) {
        for entry in state.withLock({ Array($0.values) }) { entry.loop.execute { body(entry.connection.value) } }
    }
}

/// The open accepted sockets.
final class ChannelList: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { _ = $0.removeValue(forKey: id) } }
    }

    func closeAll() async {
        for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
