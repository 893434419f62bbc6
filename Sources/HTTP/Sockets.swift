/// The sockets that libcurl has opened for one loop.
final class Sockets {
    /// Every descriptor ever opened: one that was closed, and perhaps reopened elsewhere, has another port.
    private var descriptors: Set<Int32> = []
    /// Descriptors by local port, as last found.
    private var known: [Int: Int32] = [:]

    /// Records a new socket.
    func insert(_ descriptor: Int32) { descriptors.insert(descriptor) }

    /// True when the server has closed the connection with this local port.
    func hasPeerClosed(localPort: Int) -> Bool {
        guard let descriptor = descriptor(localPort: localPort) else { return false }
        return Platform.hasPeerClosed(descriptor)
    }

    private func descriptor(localPort: Int) -> Int32? {
        if let descriptor = known[localPort], Platform.localPort(of: descriptor) == localPort { return descriptor }
        known = [:]
        for descriptor in descriptors {
            if let port = Platform.localPort(of: descriptor) {
                known[port] = descriptor
            } else {
                descriptors.remove(descriptor)
            }
        }
        return known[localPort]
    }
}

@available(*, unavailable, message: "the sockets belong to the thread of their loop")
extension Sockets: Sendable {}
