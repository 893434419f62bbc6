internal import FoundationEssentials
internal import Synchronization

/// The broadcast channels of all apps.
final class ChannelBook: Sendable {
    private let state = Mutex<[String: [String: BroadcastChannel]]>([:])
    private let limit: Int
    private let apps: Set<String>?

    init(_ configuration: SimulatorConfiguration) {
        limit = configuration.channelLimit
        apps = configuration.broadcastApps
    }

    /// True if broadcasts are enabled for an app.
    func isEnabled(_ bundle: String) -> Bool { apps?.contains(bundle) ?? true }

    /// Creates a channel.
    func create(_ bundle: String, storagePolicy: Int64) throws(Refusal) -> BroadcastChannel {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let channel = BroadcastChannel(
            id: Data(bytes).base64EncodedString(), bundle: bundle, storagePolicy: storagePolicy)
        let isCreated = state.withLock { state in
            guard state[bundle, default: [:]].count < limit else { return false }
            state[bundle, default: [:]][channel.id] = channel
            return true
        }
        guard isCreated else { throw Refusal(.cannotCreateChannelConfig) }
        return channel
    }

    /// The channel of an app with this id.
    func channel(_ id: String, of bundle: String) -> BroadcastChannel? { state.withLock { $0[bundle]?[id] } }

    /// All channels of an app, sorted by id.
    func channels(of bundle: String) -> [BroadcastChannel] {
        state.withLock { ($0[bundle] ?? [:]).values.sorted { $0.id < $1.id } }
    }

    func delete(_ id: String, of bundle: String) { state.withLock { $0[bundle]?[id] = nil } }

    func subscribe(_ token: DeviceToken, to id: String, of bundle: String) -> Bool {
        state.withLock { $0[bundle]?[id]?.subscribers.insert(token) } != nil
    }

    /// Records a broadcast and returns the subscribers that get it.
    func broadcast(_ push: ReceivedPush, to id: String, of bundle: String) -> Set<DeviceToken> {
        state.withLock { state in
            state[bundle]?[id]?.received.append(push)
            return state[bundle]?[id]?.subscribers ?? []
        }
    }
}
