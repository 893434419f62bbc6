internal import NIOCore
internal import Synchronization

/// The open connections.
final class ConnectionList: Sendable {
    private struct Entry {
        let loop: any EventLoop
        let connection: NIOLoopBound<APNsConnection>
    }

    private let state = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Adds a connection; called on its event loop.
    func add(_ connection: APNsConnection, on loop: any EventLoop) {
        let entry = Entry(loop: loop, connection: NIOLoopBound(connection, eventLoop: loop))
        state.withLock { $0[ObjectIdentifier(connection)] = entry }
    }

    func remove(_ connection: APNsConnection) {
        state.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Runs `body` for each connection on its event loop, and waits for it.
    func each(_ body: @escaping @Sendable (APNsConnection) -> Void) async {
        for entry in state.withLock({ Array($0.values) }) {
            try? await entry.loop.submit { body(entry.connection.value) }.get()
        }
    }

    /// Runs `body` for each connection on its event loop, without waiting.
    func start(_ body: @escaping @Sendable (APNsConnection) -> Void) {
        for entry in state.withLock({ Array($0.values) }) { entry.loop.execute { body(entry.connection.value) } }
    }
}
