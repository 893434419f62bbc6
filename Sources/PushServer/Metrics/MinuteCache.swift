internal import DeviceRegistry
internal import Synchronization

/// A value that costs much to read: it is read again a minute later, or another time, or so late that reading takes a
/// hundredth of the time, and once for all who ask meanwhile.
final class MinuteCache<Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, RegistryError>

    /// The last reading, and the time until which it is good; nil while it is under way.
    private let last = Mutex<(task: Task<Outcome, Never>, until: ContinuousClock.Instant?)?>(nil)
    private let least: Duration
    private let read: @Sendable () async throws(RegistryError) -> Value

    init(least: Duration = .seconds(60), _ read: @escaping @Sendable () async throws(RegistryError) -> Value) {
        self.least = least
        self.read = read
    }

    /// The value as it was last read.
    var value: Value {
        get async throws(RegistryError) {
            let task = last.withLock { last in
                if let last, last.until.map({ $0 > .now }) ?? true { return last.task }
                // Not a caller's: one that goes away must not take it from the others.
                let task = Task { await outcome() }
                last = (task, nil)
                return task
            }
            return try await task.value.get()
        }
    }

    private func outcome() async -> Outcome {
        let start = ContinuousClock.now
        do throws(RegistryError) {
            let value = try await read()
            let end = ContinuousClock.now
            last.withLock { $0?.until = end + max(least, (end - start) * 100) }
            return .success(value)
        } catch {
            let end = ContinuousClock.now
            last.withLock { $0?.until = end + (end - start) * 100 }
            return .failure(error)
        }
    }
}
