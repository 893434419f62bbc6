/// Lets a limited number of tasks through at a time, in order of arrival.
actor Lane {
    private var free: Int
    private var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var nextTicket = 0

    init(width: Int) {
        free = width
    }

    /// Waits for a slot, to be returned with ``leave()``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before a slot is free.
    func enter() async throws {
        guard free == 0 else {
            free -= 1
            return
        }
        let ticket = nextTicket
        nextTicket += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting.append((ticket, continuation))
                }
            }
        } onCancel: {
            Task { await giveUp(ticket) }
        }
    }

    /// Returns a slot.
    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().continuation.resume()
        }
    }

    private func giveUp(_ ticket: Int) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
