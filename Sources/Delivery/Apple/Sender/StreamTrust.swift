/// The adaptive limit on a connection's concurrent requests.
///
/// A connection that ends leaves every request on it in doubt. So each such end cuts the limit to a quarter, for all
/// connections, and steady answers raise it again: a network or server that keeps breaking off then leaves few requests
/// in doubt each time, and one that does so occasionally is soon used in full again.
struct StreamTrust {
    private let maximum: Int
    /// The current limit.
    private(set) var streams: Int
    /// Answers since the limit last changed.
    private var answers = 0

    /// The lowest limit, however often connections end.
    static let fewest = 4

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        streams = maximum
    }

    /// Records a connection that ended with unanswered requests.
    mutating func noteLoss() {
        streams = max(min(Self.fewest, maximum), streams / 4)
        answers = 0
    }

    /// Records an answer; sixteen for each stream double the limit.
    mutating func noteAnswer() {
        guard streams < maximum else { return }
        answers += 1
        guard answers >= streams * 16 else { return }
        streams = min(maximum, streams * 2)
        answers = 0
    }
}
