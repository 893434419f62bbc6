import Dispatch
import Foundation
import Synchronization

/// A small load balancer: each connection goes to the next server that takes it.
///
/// A connection that no server takes, or whose server dies, is closed.
final class BalancingProxy: Sendable {
    /// The port it listens on.
    let port: Int
    private let listener: CInt
    private let servers: Mutex<(ports: [Int?], next: Int)>

    init(_ ports: [Int]) throws {
        (listener, port) = try HTTPClient.listening(512)
        servers = Mutex((ports as [Int?], 0))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Another server takes the place of one; nil: none does yet.
    func replace(_ index: Int, _ port: Int?) { servers.withLock { $0.ports[index] = port } }

    /// Takes no more connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
        // Closed by the last to use it: its number is soon another's.
        defer { close(listener) }
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            Thread.detachNewThread { [self] in
                defer { close(client) }
                guard let server = connected() else { return }
                defer { close(server) }
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    Self.pass(from: client, to: server)
                    shutdown(server, Int32(SHUT_WR))
                    isDone.signal()
                }
                Self.pass(from: server, to: client)
                // The other thread reads no more.
                for descriptor in [client, server] { shutdown(descriptor, Int32(SHUT_RDWR)) }
                isDone.wait()
            }
        }
    }

    private func connected() -> CInt? {
        let (ports, next) = servers.withLock { servers in
            servers.next += 1
            return servers
        }
        // A lazy sequence would connect twice, once to find the first that answers and once to return it.
        for place in ports.indices {
            guard let port = ports[(place + next) % ports.count] else { continue }
            if let server = try? HTTPClient.connected(port) { return server }
        }
        return nil
    }

    private static func pass(from source: CInt, to target: CInt) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, write(target, buffer, count) == count else { return }
        }
    }
}
