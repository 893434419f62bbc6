package import Delivery

extension DeliverySettings {
    /// Those of senders that all live: while one waits the clock runs, and another that a busy machine lets stand for a
    /// moment must not count as gone.
    package static let patient = DeliverySettings(batchTime: .seconds(1_000_000_000))
}
