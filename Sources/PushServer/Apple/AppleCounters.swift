internal import Push
internal import Synchronization

/// Counts the outcomes of notifications to Apple since the server started.
final class AppleCounters: Sendable {
    /// The counts by outcome.
    struct Counts: Sendable {
        var accepted = 0
        var refused = 0
        var inDoubt = 0
    }

    private let state = Mutex(Counts())

    /// The counts so far.
    var counts: Counts { state.withLock { $0 } }

    fileprivate func add(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0) }
    }
}

/// Counts one run of a delivery; the results of earlier runs are not counted again.
final class RunCounter: Sendable {
    private let counters: AppleCounters
    private let last = Mutex<DeliveryProgress?>(nil)

    init(_ counters: AppleCounters) {
        self.counters = counters
    }

    /// Adds the progress since the last report; true if Apple answered since.
    @discardableResult
    func note(_ progress: DeliveryProgress) -> Bool {
        // The first report of a frozen audience holds the results of earlier runs.
        guard progress.targets != nil else { return false }
        return last.withLock { last in
            defer { last = progress }
            guard let last else { return false }
            counters.add { counts in
                counts.accepted += max(0, progress.accepted - last.accepted)
                counts.refused += max(0, progress.refusals - last.refusals)
                counts.inDoubt += max(0, progress.inDoubt - last.inDoubt)
            }
            return progress.accepted + progress.refusals > last.accepted + last.refusals
        }
    }
}

extension DeliveryProgress {
    fileprivate var refusals: Int { refused.values.reduce(0, +) }
}
