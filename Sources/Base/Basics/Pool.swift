internal import Synchronization

/// Lends each of its things to one task at a time; tasks that find none wait, and are served first come, first served.
package final class Pool<Thing: Sendable>: Sendable {
    private struct State {
        var free: [Thing]
        var isClosed = false
        var lastTicket = 0
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Thing?, Never>)] = []
    }

    private let state: Mutex<State>

    /// A pool of these things.
    package init(_ things: [Thing]) {
        state = Mutex(State(free: things))
    }

    /// Borrows the thing that was given back last; each goes back with ``giveBack(_:)``.
    ///
    /// - Parameter patience: how long to wait; nil: as long as it takes.
    /// - Returns: nil when none became free in time, or the pool is closed.
    @discardableResult
    package func take(within patience: Duration? = nil) async -> Thing? {
        await take(newTicket(), within: patience) { false }
    }

    /// As ``take(within:)``, but a cancelled task leaves the line.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, or the pool is closed.
    @discardableResult
    package func takeUnlessCancelled() async throws -> Thing {
        guard let thing = await takeUnlessCancelled(within: nil) else { throw CancellationError() }
        return thing
    }

    /// As ``take(within:)``, but a cancelled task leaves the line with nothing.
    package func takeUnlessCancelled(within patience: Duration?) async -> Thing? {
        let ticket = newTicket()
        return await withTaskCancellationHandler {
            await take(ticket, within: patience) { Task.isCancelled }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Returns a thing, which goes to the one that has waited longest.
    package func giveBack(_ thing: Thing) {
        let next = state.withLock { state -> CheckedContinuation<Thing?, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            if !state.isClosed { state.free.append(thing) }
            return nil
        }
        next?.resume(returning: thing)
    }

    /// Sends everybody away, now and later.
    ///
    /// - Returns: the things that nobody has; the others are dropped when they are given back.
    package func close() -> [Thing] {
        let (free, waiting) = state.withLock { state in
            defer { (state.isClosed, state.free, state.waiting) = (true, [], []) }
            return (state.free, state.waiting)
        }
        for (_, continuation) in waiting { continuation.resume(returning: nil) }
        return free
    }

    /// Tickets are never used again: it does no harm when one leaves the line that was served before.
    private func newTicket() -> Int {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    private func take(_ ticket: Int, within patience: Duration?, unless isOver: () -> Bool) async -> Thing? {
        await withCheckedContinuation { continuation in
            let answer: Thing?? = state.withLock { state in
                // Asked under the lock: whoever is cancelled later is found in the line.
                if state.isClosed || isOver() { return .some(nil) }
                if let thing = state.free.popLast() { return thing }
                state.waiting.append((ticket, continuation))
                return nil
            }
            if let answer { return continuation.resume(returning: answer) }
            guard let patience else { return }
            Task { [self] in
                try? await Task.sleep(for: patience)
                leave(ticket)
            }
        }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: nil)
    }
}

extension Pool<Void> {
    /// A pool of so many places.
    package convenience init(places: Int) {
        self.init(Array(repeating: (), count: places))
    }
}
