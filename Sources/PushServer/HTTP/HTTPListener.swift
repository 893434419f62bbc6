internal import CLibrary
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix

/// The listening socket for requests, plain or with TLS.
struct HTTPListener: Sendable {
    private let serve: @Sendable () async throws -> Void
    private let end: @Sendable () async throws -> Void

    /// Creates a listener that is not yet listening; `onListening` gets the port.
    ///
    /// - Throws: ``PushServerError`` if the certificate cannot be used.
    init(
        _ configuration: PushServerConfiguration, _ frontend: HTTPFrontend, certificate: CurrentCertificate?,
        logger: Logger, onListening: @escaping @Sendable (Int) -> Void
    ) throws(PushServerError) {
        // Hummingbird logs each closed connection; only errors matter here.
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .error)
        let limits = configuration.limits
        let metrics = frontend.metrics
        let places = ConnectionPlaces(configuration, metrics.connections, logger)
        let plain = GuardedChannel(
            base: HTTP1Channel(
                responder: { request, writer, channel in try await frontend.respond(request, writer, channel) },
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard(limits: limits, metrics: metrics)],
                    idleTimeout: TimeAmount(limits.idleTimeout),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: ServerLimits.headerLimit, maxHeaderListSize: ServerLimits.headLimit,
                        maxHeaderFieldCount: ServerLimits.headerCountLimit))))
        guard let certificate else {
            self.init(plain, configuration, places, quietLogger, onListening)
            return
        }
        let secured: TLSChannel<GuardedChannel<HTTP1Channel>>
        do {
            secured = try TLSChannel(plain, tlsConfiguration: certificate.tls)
        } catch {
            throw PushServerError(description: "the certificate cannot be used: \(error)")
        }
        self.init(secured, configuration, places, quietLogger, onListening)
    }

    private init(
        _ channel: some ServerChildChannel, _ configuration: PushServerConfiguration, _ places: ConnectionPlaces,
        _ logger: Logger, _ onListening: @escaping @Sendable (Int) -> Void
    ) {
        let address = ServerConfiguration(
            address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil,
            backlog: 1024,
            availableConnectionsDelegate: places)
        let server = Server(
            childChannelSetup: AdmittedChannel(
                base: channel, places: places, patience: configuration.limits.openingTimeout),
            configuration: address,
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        serve = { try await server.run() }
        end = { try await server.shutdownGracefully() }
    }

    /// Listens until stopped and the last connection has closed.
    func run() async throws { try await serve() }

    /// Stops listening, and returns once the requests in flight have their responses.
    func stop() async { try? await end() }
}

extension PushServerError {
    /// Describes an address that cannot be listened on, and the remedy.
    init(cannotListenOn address: String, _ error: any Error) {
        let reason =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE:
                "another program listens there already; stop it, or choose another port with --listen HOST:PORT "
                    + "(port 0: any free one)"
            case EACCES: "this user may not listen there; choose a port from 1024 on with --listen HOST:PORT"
            case EADDRNOTAVAIL: "this machine has no such address; choose one with --listen HOST:PORT"
            default: "\(error)"
            }
        self.init(description: "cannot listen on \(address): \(reason)")
    }
}
