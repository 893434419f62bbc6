internal import Base
internal import DeviceRegistry
internal import Dispatch
package import Logging
internal import Push
internal import Synchronization

/// Writes the log, one line per entry, whatever its texts contain.
package struct ServerLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let format: LogFormat
    private let write: @Sendable (String) -> Void

    /// Creates a log handler.
    ///
    /// - Parameters:
    ///   - level: The lowest level that is written.
    ///   - format: The format of the lines.
    ///   - write: Writes a line with its line break; called from any thread.
    package init(
        level: LogLevel, format: LogFormat,
        write: @escaping @Sendable (String) -> Void = Descriptor.writeToStandardError
    ) {
        self.format = format
        self.write = write
        logLevel =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, last in last }
        switch format {
        case .text: write(text(event, fields))
        case .json: write(json(event, fields))
        }
    }

    private func text(_ event: LogEvent, _ fields: Logger.Metadata) -> String {
        var line = "\(Instant.system.isoText) \(event.level.rawValue) \(escaped("\(event.message)"))"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += " \(escaped(name))=\(Self.value("\(value)"))"
        }
        return line + "\n"
    }

    /// The value, quoted unless it is one plain word.
    private static func value(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D }
        guard !isPlain else { return text }
        let quoted = text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
        return "\"" + escaped(quoted) + "\""
    }

    private func json(_ event: LogEvent, _ fields: Logger.Metadata) -> String {
        var members: JSONObject = [:]
        for (name, value) in fields { members[name] = JSONValue(value) }
        members["time"] = .string(Instant.system.isoText)
        members["level"] = .string(event.level.rawValue)
        members["message"] = .string("\(event.message)")
        return JSONValue.object(members).canonicalText + "\n"
    }
}

extension JSONValue {
    /// Converts a value of a log entry; numbers stay numbers.
    fileprivate init(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .stringConvertible(let number as Int): self = .integer(Int64(number))
        case .stringConvertible(let number as Double): self = .number(number)
        case .stringConvertible(let other): self = .string("\(other)")
        case .array(let values): self = .array(values.map { JSONValue($0) })
        case .dictionary(let members): self = .object(JSONObject(members.mapValues { JSONValue($0) }))
        }
    }
}

/// The lowest level that is logged.
package enum LogLevel: String, Hashable, Sendable, CaseIterable {
    /// Details for debugging.
    case debug
    /// One line per request, and everything below.
    case info
    /// Rare but normal events.
    case notice
    /// Problems that need attention.
    case warning
    case error
}

package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// Human-readable lines: time, level, message, `name=value`.
    case text
    /// One JSON object per line.
    case json
}

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

    private static let mostBytes = 1 << 20

    /// Creates an output; `write` writes one line or more, and may block.
    package init(format: LogFormat, _ write: @escaping @Sendable (String) -> Void = Descriptor.writeToStandardError) {
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
