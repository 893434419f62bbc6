internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The listening socket for providers.
struct SimulatorListener: Sendable {
    private let channel: any Channel
    private let children: ChannelList
    private let sweeping: RepeatedTask

    /// The port the socket listens on.
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
