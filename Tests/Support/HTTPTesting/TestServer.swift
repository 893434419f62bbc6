internal import BaseTesting
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The protocol by which a test server is reached.
package enum Transport: String, Sendable, CaseIterable {
    /// HTTP/1.1 without TLS.
    case plain
    /// HTTP/1.1 over TLS.
    case http1
    /// HTTP/2 over TLS.
    case http2

    /// The ways that have one request at a time on a connection.
    package static let oneAtATime: [Transport] = [.plain, .http1]
}

/// A local HTTP server on a free port that does what a script says.
package final class TestServer: Sendable {
    package let script: Script
    package let transport: Transport
    private let channel: any Channel
    private let connections: Connections
    private let host: String

    /// Runs `body` with a server on a host of this machine, and ends it.
    ///
    /// With `lingers`, a connection that it closes ends with the farewell of TLS only: its socket stays open until the
    /// client closes it.
    package static func run<Value>(
        _ transport: Transport, _ script: Script, certificate: ServerCertificate? = nil, maximumStreams: Int? = nil,
        lingers: Bool = false, host: String = "127.0.0.1", _ body: (TestServer) async throws -> Value
    ) async throws -> Value {
        let server = try await TestServer(transport, script, certificate ?? .trusted, maximumStreams, lingers, host)
        do {
            let value = try await body(server)
            try await server.close()
            return value
        } catch {
            try await server.close()
            throw error
        }
    }

    private init(
        _ transport: Transport, _ script: Script, _ certificate: ServerCertificate, _ maximumStreams: Int?,
        _ lingers: Bool, _ host: String
    ) async throws {
        let accepted = Counter()
        let connections = Connections()
        let tls = try certificate.context(protocols: transport == .http2 ? ["h2"] : ["http/1.1"], lingers: lingers)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                script.opened()
                channel.closeFuture.whenComplete { _ in script.closed() }
                return channel.eventLoop.makeCompletedFuture {
                    try Self.configure(channel, transport, script, tls, maximumStreams, accepted.next())
                }
            }
            .bind(host: host, port: 0).get()
        self.connections = connections
        self.script = script
        self.transport = transport
        self.host = host
    }

    /// The connections accepted so far.
    private final class Connections: Sendable {
        private let channels = Mutex<[any Channel]>([])
        func add(_ channel: any Channel) { channels.withLock { $0.append(channel) } }
        var all: [any Channel] { channels.withLock { $0 } }
    }

    /// The port it listens on.
    package var port: Int { channel.localAddress?.port ?? 0 }

    /// The address of a path on it.
    package func url(_ path: String) -> String {
        "\(transport == .plain ? "http" : "https")://\(host):\(port)\(path)"
    }

    private func close() async throws {
        try await channel.close()
        for connection in connections.all { try? await connection.close() }
    }

    private static func configure(
        _ channel: any Channel, _ transport: Transport, _ script: Script, _ tls: NIOSSLContext, _ maximumStreams: Int?,
        _ connection: Int
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        if transport != .plain { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        guard transport == .http2 else {
            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
            return try pipeline.addHandler(HTTP1Handler(script))
        }
        let counter = Counter()
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        if let maximumStreams {
            settings.initialSettings = [.init(parameter: .maxConcurrentStreams, value: maximumStreams)]
        }
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: settings, streamConfiguration: .init()
        ) { stream in
            let place = counter.next()
            return stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    HTTP2StreamHandler(script, place: place, connection: connection))
            }
        }
    }
}
