/// How many requests a connection is trusted with at a time.
///
/// A connection that ends leaves every request on it in doubt. So each such end takes three quarters away, for all
/// connections, and steady answers give them back: a network or server that keeps breaking off then leaves a few in
/// doubt each time, and one that does so once in a while is soon used in full again.
struct StreamTrust {
    private let maximum: Int
    /// How many now.
    private(set) var streams: Int
    /// Answers since it last changed.
    private var answers = 0

    /// However often connections end.
    static let fewest = 4

    /// Full trust.
    init(maximum: Int) {
        self.maximum = maximum
        streams = maximum
    }

    /// Notes a connection that ended with requests unanswered.
    mutating func noteLoss() {
        streams = max(min(Self.fewest, maximum), streams / 4)
        answers = 0
    }

    /// Notes an answer: sixteen for each stream double their number.
    mutating func noteAnswer() {
        guard streams < maximum else { return }
        answers += 1
        guard answers >= streams * 16 else { return }
        streams = min(maximum, streams * 2)
        answers = 0
    }
}
