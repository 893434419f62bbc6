internal import Synchronization

/// Holds requests or responses, so that a test can act while they are in flight.
final class AnswerGate: Sendable {
    /// The point at which messages are held.
    enum Position: Sendable {
        /// Nothing is held.
        case open
        /// Requests are held before they are processed.
        case beforeProcessing
        /// Responses are held after the request was processed.
        case afterProcessing
    }

    private let state = Mutex(Position.open)

    var position: Position {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A stream limit that can change while connections are open.
final class StreamLimit: Sendable {
    private let state: Mutex<Int>

    init(_ value: Int) { state = Mutex(value) }

    var value: Int {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
