internal import APNs
internal import APNsDelivery
internal import DeviceRegistry
internal import JSONValue
internal import PushModel

/// A push of LeanCloud's API as it is delivered to Apple.
struct AppleRequest {
    /// What is sent, and to whom.
    let order: DeliveryOrder

    /// Translates a push.
    ///
    /// - Throws: ``APIError`` for what Apple would refuse, and where no profile can push it.
    init(_ push: PushOrder, _ service: AppleService, at now: Timestamp) throws(APIError) {
        let message = try AppleMessage(push.data)
        let chosen = try AppleRoutes(push, message.pushType, service, at: now)
        order = DeliveryOrder(
            payload: message.payload, countsBadge: message.countsBadge, pushType: message.pushType,
            priority: message.priority, collapseID: message.collapseID,
            expiration: push.expiresAt.map { .at(OffsetInstant(Instant($0))) } ?? .never,
            environment: chosen.environment, routes: chosen.routes, target: Self.target(push.audience),
            throttle: push.apple.perSecond)
        let (bytes, limit) = (order.payloadBytes, message.pushType.payloadLimit)
        guard bytes <= limit else {
            throw APIError(413, 413, "Payload Too Large. Apple takes \(limit) bytes, and this has \(bytes).")
        }
    }

    private static func target(_ audience: PushOrder.Audience) -> DeliveryOrder.Target {
        switch audience {
        case .query(.array(let conditions)): .condition(conditions.isEmpty ? [:] : ["$and": .array(conditions)])
        case .query(let condition): .condition(condition)
        case .devices(_, let ids, _): .devices(ids)
        }
    }

    /// The delivery of a push that was taken.
    func job(_ push: ApplePush) -> DeliveryJob {
        DeliveryJob(
            id: push.order.objectID, workspace: "", order: order, start: push.order.fireAt ?? push.createdAt,
            window: AppleService.window, expiresAt: push.order.expiresAt)
    }
}
