internal import Synchronization

/// Counts deliveries in progress, so that the server can wait for the last one before it closes the database.
final class DeliveriesUnderWay: Sendable {
    private let state = Mutex((count: 0, waiting: [CheckedContinuation<Void, Never>]()))

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until no delivery is in progress.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
