package import Push
internal import Synchronization

/// The gate of one batch: no request of it starts later than others give it up.
package final class BatchGate: Sendable {
    private let delivery: DeliveryGate
    private let end: Duration
    private let over: Duration
    private let heldBack = Atomic<Bool>(false)

    /// The gate of a batch whose requests may start until `end`, and while its part is not `over`.
    init(_ delivery: DeliveryGate, until end: Duration, over: Duration) {
        self.delivery = delivery
        self.end = end
        self.over = over
    }

    /// True if the delivery's gate was closed to one of its requests, or its time was over: that those were not sent
    /// says nothing of Apple.
    var wasHeldBack: Bool { heldBack.load(ordering: .acquiring) }

    /// True while a request may start.
    package var isOpen: Bool {
        guard delivery.isOpen, delivery.now < over else {
            heldBack.store(true, ordering: .releasing)
            return false
        }
        return delivery.now < end
    }

    /// Passes on an answer.
    package func note(_ answer: Verdict) { delivery.note(answer) }
}
