internal import HummingbirdCore

/// Counts the open connections, and takes no more than the limit: others wait in the system's queue.
struct ConnectionLimit: AvailableConnectionsDelegate {
    let limit: Int
    let gauge: ConnectionGauge

    mutating func connectionOpened() { gauge.opened() }
    mutating func connectionClosed() { gauge.closed() }
    func isAcceptingNewConnections() -> Bool { gauge.value < limit }
}
