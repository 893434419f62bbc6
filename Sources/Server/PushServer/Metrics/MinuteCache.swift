internal import RegistryModel
internal import Synchronization

/// A value that costs much to read: it is read again a minute later.
final class MinuteCache<Value: Sendable>: Sendable {
    private let kept = Mutex<(value: Value, until: ContinuousClock.Instant)?>(nil)
    private let read: @Sendable () async throws(RegistryError) -> Value

    init(_ read: @escaping @Sendable () async throws(RegistryError) -> Value) { self.read = read }

    /// The value, at most a minute old.
    var value: Value {
        get async throws(RegistryError) {
            let now = ContinuousClock.now
            if let kept = kept.withLock({ $0 }), kept.until > now { return kept.value }
            let value = try await read()
            kept.withLock { $0 = (value, now.advanced(by: .seconds(60))) }
            return value
        }
    }
}
