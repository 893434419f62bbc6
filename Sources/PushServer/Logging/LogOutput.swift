internal import Base
internal import Dispatch
internal import Logging
internal import Synchronization

/// Writes lines to standard error on a thread of its own, so that a reader that stalls holds up no request.
///
/// Up to 1 MiB waits; lines beyond that are dropped and counted, and the count is logged once the reader goes on.
package final class LogOutput: Sendable {
    private struct Waiting {
        var lines = ""
        /// The bytes that wait or are being written.
        var bytes = 0
        var dropped = 0
        var isDraining = false
    }

    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "log")
    private let write: @Sendable (String) -> Void
    private let complaints: Logger

    /// The bytes that wait at most.
    private static let mostBytes = 1 << 20

    /// Creates an output; `write` writes one line or more, and may block.
    package init(
        format: LogFormat, _ write: @escaping @Sendable (String) -> Void = Descriptor.writeToStandardError
    ) {
        self.write = write
        complaints = Logger(label: "log") { _ in ServerLogHandler(level: .warning, format: format, write: write) }
    }

    /// Hands over a line with its line break; returns at once.
    package func add(_ line: String) {
        let mustDrain = waiting.withLock { waiting in
            guard waiting.bytes + line.utf8.count <= Self.mostBytes else {
                waiting.dropped += 1
                return false
            }
            waiting.bytes += line.utf8.count
            waiting.lines += line
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if mustDrain { queue.async { self.drain() } }
    }

    private func drain() {
        while let (lines, dropped) = next() {
            // In one go: a call for each would cost more than making the lines.
            if !lines.isEmpty { write(lines) }
            waiting.withLock { $0.bytes -= lines.utf8.count }
            if dropped > 0 { complaints.warning("\(dropped) lines of the log were dropped: its reader had stalled") }
        }
    }

    private func next() -> (lines: String, dropped: Int)? {
        waiting.withLock { waiting in
            guard !waiting.lines.isEmpty || waiting.dropped > 0 else {
                waiting.isDraining = false
                return nil
            }
            defer { (waiting.lines, waiting.dropped) = ("", 0) }
            return (waiting.lines, waiting.dropped)
        }
    }

    /// Waits until the lines so far are written, at most for `seconds`.
    package func flush(seconds: Double) {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + seconds)
    }
}
