internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

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
