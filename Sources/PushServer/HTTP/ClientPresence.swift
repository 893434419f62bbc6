internal import NIOCore
internal import Synchronization

/// Tells whether a client is still connected. A client that closes its sending side counts as gone: most that do so
/// are.
final class ClientPresence: Sendable {
    private struct State {
        var hasLeft = false
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// True once the client has gone.
    var hasLeft: Bool { state.withLock { $0.hasLeft } }

    func end() {
        let onEnd = state.withLock { state in
            state.hasLeft = true
            return state.onEnd
        }
        onEnd?()
    }

    /// Runs work for the client, in a task that is cancelled once the client has gone; one piece at a time.
    func serve<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let hasLeft = state.withLock { state in
            state.onEnd = { task.cancel() }
            return state.hasLeft
        }
        defer { state.withLock { $0.onEnd = nil } }
        if hasLeft { task.cancel() }
        return await task.value
    }

    /// The presence of a connection's client.
    static func on(_ channel: any Channel) async -> ClientPresence? {
        let finding = channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectionGuard.self).presence
        }
        return try? await finding.get()
    }
}
