/// Server-sent events on their way to one browser.
package final class EventStream: Sendable {
    /// The bytes, as they come; it ends with the server, with the session, or when the browser does not read.
    package let chunks: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    /// This many chunks wait for a browser that does not read before it is given up; it asks anew when it wakes.
    private static let mostWaiting = 32

    init(onEnd: @escaping @Sendable () -> Void) {
        (chunks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        continuation.onTermination = { _ in onEnd() }
    }

    /// Ends the events: the browser has gone, or the server goes.
    package func end() {
        continuation.finish()
    }

    /// Sends an event.
    func send(_ name: String, _ data: String) {
        // A line of data has no line breaks: JSON escapes them.
        send("event: \(name)\ndata: \(data)\n\n")
    }

    /// Sends a comment, which browsers pass over: it finds out whether one is still there.
    func sendHeartbeat() {
        send(":\n\n")
    }

    /// Sends how long a browser waits before it connects anew.
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
