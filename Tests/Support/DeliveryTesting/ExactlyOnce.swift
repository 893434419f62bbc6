package import DeviceRegistry

/// The guarantee of a delivery that ended, however often its runs were killed: no device got it twice, and none is
/// forgotten that is not reported in doubt.
package enum ExactlyOnce {
    /// Checks the figures of a delivery that ended.
    ///
    /// - Parameters:
    ///   - figures: what its journal counts.
    ///   - received: how often each device got it, whoever stood in for Apple.
    ///   - kills: how many runs were killed; each may leave two batches in doubt.
    ///   - batchSize: devices a batch.
    ///   - lost: answers that the service itself lost.
    /// - Returns: what does not hold; nothing when all does.
    package static func violations(
        _ figures: JournalFigures, received: [String: Int], kills: Int, batchSize: Int = 1000, lost: Int = 0
    ) -> [String] {
        var found: [String] = []
        func expect(_ holds: Bool, _ complaint: String) {
            if !holds { found.append(complaint) }
        }
        let twice = received.values.count { $0 > 1 }
        expect(twice == 0, "\(twice) devices got it more than once")
        expect(
            figures.inDoubt <= kills * 2 * batchSize + lost,
            "\(figures.inDoubt) devices are in doubt after \(kills) kills, with \(lost) answers lost")
        let left = figures.waiting + figures.underWay + figures.missed
        expect(left == 0, "\(left) devices were left")
        let refused = figures.refused.values.reduce(0, +)
        expect(
            figures.targets == figures.accepted + refused + figures.inDoubt, "the figures do not add up: \(figures)")
        expect(
            (figures.accepted...figures.accepted + figures.inDoubt).contains(received.count),
            "\(received.count) devices got it, \(figures.accepted) are accepted and \(figures.inDoubt) in doubt")
        return found
    }
}
