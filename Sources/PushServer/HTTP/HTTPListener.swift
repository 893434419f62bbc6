internal import CLibrary
internal import FoundationEssentials
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

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
        let places = ConnectionPlaces(configuration, metrics, logger)
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
            onServerRunning: { channel in
                // Whether there is a place is asked before each read, which otherwise accepts up to four.
                try? await channel.setOption(.maxMessagesPerRead, value: 1).get()
                onListening(channel.localAddress?.port ?? 0)
            },
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

/// The server's TLS certificate with its key.
///
/// TLS 1.2 and 1.3 are supported, with forward-secret, authenticated ciphers only.
package struct ServerCertificate: Sendable {
    /// The time the certificate expires, in seconds since 1970.
    package let notAfter: Int
    let tls: TLSConfiguration

    /// The ciphers for TLS 1.2; all of 1.3 qualify.
    private static let ciphers = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]
        .map { "ECDHE-ECDSA-\($0):ECDHE-RSA-\($0)" }.joined(separator: ":")

    /// Reads a certificate and its key from PEM files.
    ///
    /// - Parameters:
    ///   - path: the certificate, followed by the chain that signed it.
    ///   - keyPath: the private key, without a password.
    /// - Throws: ``PushServerError`` if a file cannot be read, or if certificate and key do not match.
    package init(path: String, keyPath: String) throws(PushServerError) {
        let pem = try Self.bytes(path, "certificate")
        let chain = try Self.trying("the certificate '\(path)' is not a PEM file of certificates") {
            try NIOSSLCertificate.fromPEMBytes(pem)
        }
        let keyPEM = try Self.bytes(keyPath, "key of the certificate")
        let key = try Self.trying("the key of the certificate '\(keyPath)' is not a PEM file of an unencrypted key") {
            try NIOSSLPrivateKey(bytes: keyPEM, format: .pem)
        }
        guard let leaf = chain.first else {
            throw PushServerError(description: "the certificate '\(path)' contains no certificate")
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuites = Self.ciphers
        tls.applicationProtocols = ["http/1.1"]
        _ = try Self.trying("the key '\(keyPath)' does not belong to the certificate '\(path)'") {
            try NIOSSLContext(configuration: tls)
        }
        self.tls = tls
        notAfter = leaf.notValidAfter
    }

    /// Runs what fails with the one problem.
    private static func trying<Value>(
        _ problem: String, _ work: () throws -> Value
    ) throws(PushServerError) -> Value {
        do {
            return try work()
        } catch {
            throw PushServerError(description: problem)
        }
    }

    private static func bytes(_ path: String, _ name: String) throws(PushServerError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw PushServerError(description: "the \(name) '\(path)' cannot be read")
        }
        return Array(data)
    }
}

/// The certificate for the next handshakes; connections that are open keep theirs.
final class CurrentCertificate: Sendable {
    private let current: Mutex<ServerCertificate>

    init(_ certificate: ServerCertificate) {
        current = Mutex(certificate)
    }

    func use(_ certificate: ServerCertificate) {
        current.withLock { $0 = certificate }
    }

    /// The settings of the listening socket, which ask for the certificate at each handshake.
    var tls: TLSConfiguration {
        var tls = current.withLock { $0.tls }
        tls.sslContextCallback = { [self] _, promise in
            let latest = current.withLock { $0.tls }
            var change = NIOSSLContextConfigurationOverride()
            change.certificateChain = latest.certificateChain
            change.privateKey = latest.privateKey
            promise.succeed(change)
        }
        return tls
    }
}
