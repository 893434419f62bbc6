internal import Base
internal import Dispatch

/// A few sessions with one server, each on its own thread and lent to one body at a time.
package final class PostgresPool: Sendable {
    private let workers: Pool<Worker>
    private let address: PostgresAddress
    private let settings: PostgresSettings

    /// Creates `width` sessions, 4 by default; each connects on first use.
    package init(_ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), width: Int = 4) {
        (self.address, self.settings) = (address, settings)
        workers = Pool((0..<max(1, width)).map { _ in Worker(address, settings) })
    }

    /// Runs `body`, which blocks, with exclusive use of a session.
    ///
    /// - Throws: what `body` throws; ``PostgresError`` after ``close()``.
    @discardableResult
    package func use<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        // The last that was used: those that are not needed never connect.
        guard let worker = await workers.take() else { throw PostgresError(.unreachable, "The registry was closed.") }
        defer { workers.giveBack(worker) }
        return try await worker.run(body)
    }

    /// Listens on a channel, in a session of its own, until the stream is dropped: true for each time something was
    /// said there, false when the connection broke; it is made anew.
    ///
    /// The first true says that listening works: behind a proxy that shares connections between transactions nothing
    /// is ever heard. The channel's name is the program's own.
    package func news(on channel: String) -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let (worker, over) = (Worker(address, settings), StopSignal())
        continuation.onTermination = { _ in over.raise() }
        Task {
            while !over.isRaised {
                do {
                    try await worker.run { session in _ = try session.execute("LISTEN \(channel)") }
                    try await use { session in _ = try session.execute("NOTIFY \(channel)") }
                    while !over.isRaised {
                        if try await worker.run({ session in try session.hears(within: 500) }) {
                            continuation.yield(true)
                        }
                    }
                } catch {
                    continuation.yield(false)
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            await worker.end()
        }
        return stream
    }

    /// Closes every session once its body has returned. The pool cannot be used afterwards.
    package func close() async {
        for worker in workers.close() { await worker.end() }
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
