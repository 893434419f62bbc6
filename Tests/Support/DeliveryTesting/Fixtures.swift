internal import Base
package import Delivery
internal import Push

extension DeliverySettings {
    /// Those of senders that all live: while one waits the clock runs, and another that a busy machine lets stand for a
    /// moment must not count as gone.
    package static let patient = DeliverySettings(batchTime: .seconds(1_000_000_000))
}

extension DeliveryOrder {
    /// An alert by these profiles, each with a topic of its own; the first one is the default.
    package static func score(
        to target: Target = .condition([:]), profiles: [String] = ["app"],
        _ change: (inout DeliveryOrder) -> Void = { _ in }
    ) -> DeliveryOrder {
        var order = DeliveryOrder(
            payload: ["aps": ["alert": "It's now 2-2."]], pushType: .alert, priority: 10, environment: .production,
            routes: profiles.map {
                Route(
                    profile: $0, topic: "com.example.\($0)", apnsTopic: "com.example.\($0)",
                    isDefault: $0 == profiles[0])
            },
            target: target)
        change(&order)
        return order
    }
}
