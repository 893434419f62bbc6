internal import NIOCore
internal import NIOPosix

/// A local simulator of Apple's push service, as docs/background/apple/service.md and its sibling pages describe it.
///
/// One port serves device pushes, broadcasts and channel management. Behaviour that Apple does not document is guessed;
/// a comment marks each guess.
package final class APNsSimulator: Sendable {
    /// The simulator's certificates; a client trusts `identity.authorityPEM`.
    package let identity: SimulatorIdentity
    /// The base URL of the simulator.
    package var url: String { "https://\(service.configuration.host):\(port)" }
    /// The port the simulator listens on.
    package var port: Int { listener.port }
    /// The simulator's clock.
    package var clock: SimulatorClock { service.clock }
    /// Counts of what has happened so far.
    package var statistics: SimulatorStatistics { service.statistics.counts }
    /// The environment the simulator stands for.
    package var environment: SimulatedEnvironment { service.configuration.environment }

    let service: Service
    let connections: ConnectionList
    private let listener: SimulatorListener
    private let group: MultiThreadedEventLoopGroup?

    /// Starts a simulator.
    ///
    /// - Throws: the system's error when the address cannot be bound.
    package init(_ configuration: SimulatorConfiguration = .init()) async throws {
        identity = try configuration.identity ?? SimulatorIdentity()
        service = Service(configuration)
        connections = ConnectionList()
        group = configuration.threads.map { MultiThreadedEventLoopGroup(numberOfThreads: max(1, $0)) }
        do {
            listener = try await SimulatorListener(
                service, identity, connections, on: group ?? MultiThreadedEventLoopGroup.singleton)
        } catch {
            try? await group?.shutdownGracefully()
            throw error
        }
    }

    /// Starts a simulator, runs `body` with it and stops it.
    package static func with<Value>(
        _ configuration: SimulatorConfiguration = .init(), _ body: (APNsSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = try await APNsSimulator(configuration)
        do {
            let value = try await body(simulator)
            await simulator.stop()
            return value
        } catch {
            await simulator.stop()
            throw error
        }
    }

    /// Stops listening and closes every connection, even with requests unanswered.
    package func stop() async {
        await listener.close()
        try? await group?.shutdownGracefully()
    }
}
