internal import DeviceRegistry
internal import PushModel
internal import Synchronization

/// The limit on pushes per minute.
///
/// Above the limit, pushes are refused until the minute of the server's clock is over.
/// Source: <doc:/PushModel/LeanCloudPush#Limits>.
final class PushRate: Sendable {
    private let limit: Int
    private let state = Mutex((minute: Int64(0), count: 0))

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one push; `false` when it exceeds the limit.
    func take(at now: Instant) -> Bool {
        let minute = now.milliseconds / 60_000
        return state.withLock { state in
            if state.minute != minute { state = (minute, 0) }
            guard state.count < limit else { return false }
            state.count += 1
            return true
        }
    }
}
