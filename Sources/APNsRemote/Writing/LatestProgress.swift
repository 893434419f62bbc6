internal import PushModel
internal import Synchronization

/// Passes progress on and remembers the last.
final class LatestProgress: Sendable {
    private let last = Mutex<DeliveryProgress?>(nil)
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    /// What was told last; nil: nothing.
    var value: DeliveryProgress? { last.withLock { $0 } }

    /// Passes it on.
    @Sendable func take(_ progress: DeliveryProgress) {
        last.withLock { $0 = progress }
        report(progress)
    }
}
