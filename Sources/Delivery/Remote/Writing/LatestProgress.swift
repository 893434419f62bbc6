internal import Push
internal import Synchronization

/// Forwards progress reports and remembers the latest.
final class LatestProgress: Sendable {
    private let last = Mutex<DeliveryProgress?>(nil)
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    /// The latest report; nil when there was none.
    var value: DeliveryProgress? { last.withLock { $0 } }

    /// Forwards and stores a report.
    @Sendable func take(_ progress: DeliveryProgress) {
        last.withLock { $0 = progress }
        report(progress)
    }
}
