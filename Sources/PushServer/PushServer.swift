package import DeviceRegistry
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Why a server did not start.
package struct PushServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    package let description: String
}

/// A push server that speaks LeanCloud's REST API, over a registry of simulated devices.
///
/// It runs in the process that starts it: the executable, or a test. Everything that was answered with success is on
/// the disk when the registry is a file.
package final class PushServer: Sendable {
    private typealias HTTPServer = Server<HTTP1Channel>

    private struct Running {
        let server: HTTPServer
        let serving: Task<Void, any Error>
        let following: Task<Void, Never>
        let faults: FaultList
        let console: Console
    }

    private let configuration: PushServerConfiguration
    private let registry: Registry
    private let clock: ServerClock
    private let observer: RequestObserver?
    private let logger: Logger
    private let running = Mutex<Running?>(nil)

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: the keys, the address and the limits.
    ///   - registry: what it serves; the caller closes it.
    ///   - clock: the time it goes by.
    ///   - observer: told about every request, for tests.
    ///   - logger: told what went wrong inside.
    package init(
        _ configuration: PushServerConfiguration, registry: Registry, clock: ServerClock = ServerClock(),
        observer: RequestObserver? = nil, logger: Logger = Logger(label: "bugle-server")
    ) {
        self.configuration = configuration
        self.registry = registry
        self.clock = clock
        self.observer = observer
        self.logger = logger
    }

    /// Sends what an earlier run left behind, and begins to listen.
    ///
    /// - Returns: the port.
    /// - Throws: ``PushServerError`` when the address cannot be used.
    package func start() async throws(PushServerError) -> Int {
        let pushes = PushDispatcher(registry, configuration, clock: clock, logger: logger)
        await pushes.catchUp()
        let faults = FaultList()
        let api = API(
            registry: registry, configuration: configuration, clock: clock, pushes: pushes,
            rate: PushRate(limit: configuration.pushesPerMinute), faults: faults, logger: logger)
        let console = Console(
            registry: registry, configuration: configuration, clock: clock, logger: logger,
            cancelScheduled: { id throws(RegistryError) in try await pushes.cancel(id) })
        let (ports, announce) = AsyncStream<Result<Int, PushServerError>>.makeStream()
        let server = httpServer(HTTPFrontend(api: api, console: console, observer: observer)) {
            announce.yield(.success($0))
        }
        let address = "\(configuration.host):\(configuration.port)"
        let serving = Task {
            do {
                try await server.run()
            } catch {
                announce.yield(.failure(PushServerError(description: "cannot listen on \(address): \(error)")))
                throw error
            }
        }
        var first: Result<Int, PushServerError>?
        for await result in ports {
            first = result
            break
        }
        let port = try (first ?? .failure(PushServerError(description: "cannot listen on \(address)"))).get()
        let following = Task { await pushes.run() }
        running.withLock {
            $0 = Running(server: server, serving: serving, following: following, faults: faults, console: console)
        }
        return port
    }

    private func httpServer(
        _ frontend: HTTPFrontend, onListening: @escaping @Sendable (Int) -> Void
    ) -> HTTPServer {
        // Hummingbird tells about each closed connection; only its failures matter here.
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .error)
        return HTTPServer(
            childChannelSetup: HTTP1Channel(
                responder: { request, writer, channel in try await frontend.respond(request, writer, channel) },
                configuration: .init(idleTimeout: .seconds(300))),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil, backlog: 1024),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quietLogger)
    }

    /// Stops listening, lets requests in flight end, and returns when they have.
    package func stop() async {
        let running = running.withLock { state in
            defer { state = nil }
            return state
        }
        guard let running else { return }
        running.faults.stop()
        running.console.stop()
        running.following.cancel()
        try? await running.server.shutdownGracefully()
        _ = await running.serving.result
        await running.following.value
    }
}
