internal import NIOCore
internal import Synchronization

/// The open accepted sockets.
final class ChannelList: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { _ = $0.removeValue(forKey: id) } }
    }

    func closeAll() async {
        for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
