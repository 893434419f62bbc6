internal import Synchronization

/// Holds requests or answers back, so that a test can act while they are under way.
final class AnswerGate: Sendable {
    /// What is held back.
    enum Position: Sendable {
        /// Nothing.
        case open
        /// Requests, before they are acted on.
        case beforeProcessing
        /// Answers, after the request was acted on.
        case afterProcessing
    }

    private let state = Mutex(Position.open)

    var position: Position {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A limit that changes while connections are open.
final class StreamLimit: Sendable {
    private let state: Mutex<Int>

    init(_ value: Int) { state = Mutex(value) }

    var value: Int {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
