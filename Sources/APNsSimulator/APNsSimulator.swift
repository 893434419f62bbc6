internal import NIOCore
internal import NIOPosix

/// Apple's push service, as <doc:/APNs/AppleService> and the pages beside it describe it, on a port of this machine.
///
/// It answers pushes to devices, broadcasts and the management of channels on one port. What Apple does not document
/// is guessed, and said so where it is done.
package final class APNsSimulator: Sendable {
    /// Its certificates; a client trusts `identity.authorityPEM`.
    package let identity: SimulatorIdentity
    /// Where it listens.
    package var url: String { "https://\(service.configuration.host):\(port)" }
    /// The port it listens on.
    package var port: Int { listener.port }
    /// The time it goes by.
    package var clock: SimulatorClock { service.clock }
    /// What it saw and did so far.
    package var statistics: SimulatorStatistics { service.statistics.counts }
    /// The world it stands for.
    package var environment: SimulatedEnvironment { service.configuration.environment }

    let service: Service
    let connections: ConnectionList
    private let listener: SimulatorListener
    private let group: MultiThreadedEventLoopGroup?

    /// Starts one.
    ///
    /// - Throws: what the system says when it cannot listen there.
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

    /// Starts one, runs `body` with it and stops it.
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

    /// Listens no more and closes every connection, answered or not.
    package func stop() async {
        await listener.close()
        try? await group?.shutdownGracefully()
    }
}
