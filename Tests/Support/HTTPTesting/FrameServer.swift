internal import Base
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A local HTTP/2 server that writes its frames itself, so that it can misbehave in every way that a frame allows.
///
/// It notes upon whom it acted, which nobody but it knows.
package final class FrameServer: Sendable {
    private let channel: any Channel

    /// Runs `body` with a server, and ends it.
    ///
    /// `misbehaviour` is what its first `misbehaving` connections do after a while; the others behave. `seed` decides
    /// when they do so, to how many, and in what order.
    package static func run<Value>(
        _ misbehaviour: Misbehaviour, seed: UInt64, on misbehaving: Int = 6,
        _ body: (FrameServer, FrameRecord) async throws -> Value
    ) async throws -> Value {
        let record = FrameRecord(misbehaviour, seed: seed, misbehaving)
        let server = try await FrameServer(record)
        do {
            let value = try await body(server, record)
            try await server.close()
            return value
        } catch {
            try await server.close()
            throw error
        }
    }

    private init(_ record: FrameRecord) async throws {
        let tls = try ServerCertificate.trusted.context(protocols: ["h2"])
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls), name: "tls")
                    try pipeline.addHandler(FrameHandler(record.connection()))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// The port it listens on.
    package var port: Int { channel.localAddress?.port ?? 0 }

    private func close() async throws { try await channel.close() }
}

/// A server's misbehaviour.
package enum Misbehaviour: String, Sendable, CaseIterable {
    /// It refuses streams, on which it did not act.
    case refused
    /// GOAWAY names a stream below some that it was sent, acted on only up to there.
    case goAwayBelow
    /// GOAWAY names the last stream that it was sent; all are answered.
    case goAwayAt
    /// GOAWAY names every stream as acted on, and the connection ends before all are answered.
    case goAwayAbove
    /// GOAWAY without a last stream, then one with it, while all are answered.
    case drain
    /// It resets streams upon which it acted.
    case reset
    /// Resets, GOAWAY and the farewell of TLS, in every order, at once or one after the other.
    case farewells
    /// It resets streams upon which it acted, and answers another with a long body in the same breath.
    case bigBody
    /// WINDOW_UPDATE by nothing.
    case emptyWindowUpdate
    /// SETTINGS that cannot be.
    case badSettings
    /// An answer's head that cannot be unpacked.
    case badHPACK
    /// A frame that ends in its middle.
    case truncated
    /// A gateway's answer after it was acted on.
    case gatewayTimeout
    /// The head of an answer, and then nothing.
    case cutAnswer
    /// It acts and says nothing more, on a connection that stands.
    case stalled
    /// It answers with an interim head before and trailers after, as it may.
    case wordy
    /// GOAWAY before the first request.
    case unwilling
}

extension Misbehaviour {
    /// True if the protocol leaves anything open.
    package var leavesDoubt: Bool {
        switch self {
        case .refused, .goAwayBelow, .goAwayAt, .drain, .wordy, .unwilling: false
        case .goAwayAbove, .reset, .farewells, .bigBody, .emptyWindowUpdate, .badSettings, .badHPACK, .truncated,
            .gatewayTimeout, .cutAnswer, .stalled:
            true
        }
    }
}

/// A frame server's record, device by device.
package final class FrameRecord: Sendable {
    private struct State {
        var acted: [String: [String]] = [:]
        var disowned: Set<String> = []
        var connections = 0
    }

    private let state = Mutex(State())
    private let misbehaviour: Misbehaviour
    private let seed: UInt64
    private let misbehaving: Int

    init(_ misbehaviour: Misbehaviour, seed: UInt64, _ misbehaving: Int) {
        self.misbehaviour = misbehaviour
        self.seed = seed
        self.misbehaving = misbehaving
    }

    /// The streams on which it acted upon each path.
    package var acted: [String: [String]] { state.withLock { $0.acted } }
    /// Paths of which it said by the protocol that it had not acted on a request.
    package var disowned: Set<String> { state.withLock { $0.disowned } }

    func act(on path: String, _ stream: String) { state.withLock { $0.acted[path, default: []].append(stream) } }
    func disown(_ path: String) { state.withLock { _ = $0.disowned.insert(path) } }

    /// The behaviour of the next connection.
    func connection() -> FramePlan {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        return FramePlan(
            record: self, number: number, misbehaviour: number <= misbehaving ? misbehaviour : nil,
            chance: SeededGenerator(seed: seed &* 1000 &+ UInt64(number)))
    }
}

/// The behaviour of one connection of a frame server.
struct FramePlan {
    let record: FrameRecord
    /// From 1.
    let number: Int
    /// nil: it behaves.
    let misbehaviour: Misbehaviour?
    var chance: SeededGenerator
}
