internal import Delivery
internal import DeviceRegistry
internal import Base
internal import Push

/// A push of LeanCloud's API as a delivery to Apple.
struct AppleRequest {
    /// The content and the recipients.
    let order: DeliveryOrder

    /// Translates a push.
    ///
    /// - Throws: ``APIError`` for content that Apple would refuse, or if no profile can push it.
    init(_ push: PushOrder, _ service: AppleService, at now: Instant) throws(APIError) {
        let message = try AppleMessage(push.data)
        let chosen = try AppleRoutes(push, message.pushType, service, at: now)
        order = DeliveryOrder(
            payload: message.payload, countsBadge: message.countsBadge, pushType: message.pushType,
            priority: message.priority, collapseID: message.collapseID,
            expiration: push.expiresAt.map { .at(OffsetInstant($0)) } ?? .never,
            environment: chosen.environment, routes: chosen.routes, target: Self.target(push.audience),
            throttle: push.apple.perSecond)
        let (bytes, limit) = (order.payloadBytes, message.pushType.payloadLimit)
        guard bytes <= limit else {
            throw APIError(413, 413, "Payload Too Large. Apple accepts \(limit) bytes, and this has \(bytes).")
        }
    }

    private static func target(_ audience: PushOrder.Audience) -> DeliveryOrder.Target {
        switch audience {
        case .query(.array(let conditions)): .condition(conditions.isEmpty ? [:] : ["$and": .array(conditions)])
        case .query(let condition): .condition(condition)
        case .devices(_, let ids, _): .devices(ids)
        }
    }

    /// The delivery job of an accepted push.
    func job(_ push: ApplePush) -> DeliveryJob {
        DeliveryJob(
            id: push.order.objectID, workspace: DeliveryFreeze.ofServer, order: order,
            start: push.order.fireAt ?? push.createdAt,
            window: AppleService.window, expiresAt: push.order.expiresAt)
    }
}
