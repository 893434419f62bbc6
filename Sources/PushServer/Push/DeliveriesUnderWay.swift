internal import Synchronization

/// Counts deliveries, so that the server can wait for the last one before the database is closed.
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

    /// Returns when none is under way.
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
