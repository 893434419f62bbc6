internal import PushModel
internal import Synchronization

/// Counts what became of notifications to Apple, since the server started.
final class AppleCounters: Sendable {
    /// The counts.
    struct Counts: Sendable {
        var accepted = 0
        var refused = 0
        var inDoubt = 0
    }

    private let state = Mutex(Counts())

    /// What was counted until now.
    var counts: Counts { state.withLock { $0 } }

    fileprivate func add(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0) }
    }
}

/// Counts one run of a delivery: what earlier runs came to is not counted again.
final class RunCounter: Sendable {
    private let counters: AppleCounters
    private let last = Mutex<DeliveryProgress?>(nil)

    init(_ counters: AppleCounters) {
        self.counters = counters
    }

    /// Hears how far it is.
    func note(_ progress: DeliveryProgress) {
        // The first of a frozen audience says what was known before.
        guard progress.targets != nil else { return }
        last.withLock { last in
            if let last {
                counters.add { counts in
                    counts.accepted += max(0, progress.accepted - last.accepted)
                    counts.refused += max(0, progress.refusals - last.refusals)
                    counts.inDoubt += max(0, progress.inDoubt - last.inDoubt)
                }
            }
            last = progress
        }
    }
}

extension DeliveryProgress {
    fileprivate var refusals: Int { refused.values.reduce(0, +) }
}
