internal import Synchronization

/// Limits the number of large bodies in memory; others wait in order of arrival.
final class BodyGate: Sendable {
    private let state: Mutex<State>

    private struct State {
        var free: Int
        var next = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    /// Creates a gate with `places` places.
    init(places: Int) {
        state = Mutex(State(free: places))
    }

    /// Takes a place, waiting until one is free.
    ///
    /// - Returns: nil when none became free in time.
    func enter(within patience: Duration) async -> Place? {
        let number = state.withLock { state -> Int? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            state.next += 1
            return state.next
        }
        guard let number else { return Place(self) }
        let isIn = await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                // A place may have become free in the meantime.
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append((number, continuation))
                return false
            }
            guard !isFree else { return continuation.resume(returning: true) }
            // Numbers are never reused, so giving up does no harm if the place came first.
            Task { [self] in
                try? await Task.sleep(for: patience)
                giveUp(number)
            }
        }
        return isIn ? Place(self) : nil
    }

    private func giveUp(_ number: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: false)
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }

    /// A place in the gate, freed when this object is deallocated.
    final class Place: Sendable {
        private let gate: BodyGate

        fileprivate init(_ gate: BodyGate) {
            self.gate = gate
        }

        deinit { gate.leave() }
    }
}
