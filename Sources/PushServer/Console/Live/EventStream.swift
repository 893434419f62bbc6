/// A stream of server-sent events to one browser.
package final class EventStream: Sendable {
    /// The bytes to send; they end with the server or the session, or when the browser stops reading.
    package let chunks: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    /// The most chunks queued for a browser that does not read before it is dropped; it reconnects when it wakes.
    private static let mostWaiting = 32

    init(onEnd: @escaping @Sendable () -> Void) {
        (chunks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        continuation.onTermination = { _ in onEnd() }
    }

    /// Ends the stream: the browser has gone, or the server is stopping.
    package func end() {
        continuation.finish()
    }

    /// Sends an event.
    func send(_ name: String, _ data: String) {
        // The data must be one line: JSON escapes line breaks.
        send("event: \(name)\ndata: \(data)\n\n")
    }

    /// Sends a comment, which browsers ignore, to find out whether the browser is still there.
    func sendHeartbeat() {
        send(":\n\n")
    }

    /// Sends the time a browser waits before it reconnects.
    func sendRetry(milliseconds: Int) {
        send("retry: \(milliseconds)\n\n")
    }

    private func send(_ text: String) {
        switch continuation.yield(Array(text.utf8)) {
        case .enqueued: break
        case .dropped, .terminated: continuation.finish()
        @unknown default: break
        }
    }
}
