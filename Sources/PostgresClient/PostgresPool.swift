internal import Dispatch
internal import Synchronization

/// A few sessions with one server, each on its own thread and lent to one body at a time.
package final class PostgresPool: Sendable {
    private let state: Mutex<State>

    private struct State {
        var free: [Worker]
        var waiting: [CheckedContinuation<Worker?, Never>] = []
        var isClosed = false
    }

    /// Creates the sessions; each connects on first use.
    ///
    /// - Parameter width: the number of sessions; default 4.
    package init(_ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), width: Int = 4) {
        state = Mutex(State(free: (0..<max(1, width)).map { _ in Worker(address, settings) }))
    }

    /// Runs `body`, which blocks, with exclusive use of a session.
    ///
    /// - Throws: what `body` throws; ``PostgresError`` after ``close()``.
    @discardableResult
    package func use<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        guard let worker = await take() else { throw PostgresError(.unreachable, "The registry was closed.") }
        defer { give(worker) }
        return try await worker.run(body)
    }

    /// Closes every session once its body has returned. The pool cannot be used afterwards.
    package func close() async {
        let (free, waiting) = state.withLock { state in
            state.isClosed = true
            defer { (state.free, state.waiting) = ([], []) }
            return (state.free, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
        for worker in free { await worker.end() }
    }

    private func take() async -> Worker? {
        await withCheckedContinuation { continuation in
            let worker: Worker?? = state.withLock { state in
                if state.isClosed { return .some(nil) }
                // The most recently used session: those that are not needed never connect.
                if let worker = state.free.popLast() { return worker }
                state.waiting.append(continuation)
                return nil
            }
            if let worker { continuation.resume(returning: worker) }
        }
    }

    private func give(_ worker: Worker) {
        let next: CheckedContinuation<Worker?, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                if !state.isClosed { state.free.append(worker) }
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: worker)
    }
}

/// A session and its thread.
// Unchecked: only the serial queue touches the session.
private final class Worker: @unchecked Sendable {
    private let session: PostgresSession
    private let queue = DispatchQueue(label: "bugle.postgres")

    init(_ address: PostgresAddress, _ settings: PostgresSettings) {
        session = PostgresSession(address, settings)
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self.session) }) }
        }
    }

    func end() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.session.disconnect()
                continuation.resume()
            }
        }
    }
}
