package import Base
package import Push

/// The JSON body of a push to Apple.
///
/// Source: "Generating a remote notification": `aps`, and custom keys beside it;
/// docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload.
package enum APNsPayload {
    /// Builds the iOS payload of a campaign's content.
    ///
    /// - Parameters:
    ///   - content: the content, for any push type.
    ///   - badge: the number for `badge: increment`; nil omits the badge.
    ///   - deliveryID: the value of the member named by `deliveryKey`.
    ///   - isReported: true if apps report events of the delivery, by its id under ``EventPolicy/payloadKey``.
    /// - Returns: the payload, without the fields that its push type does not support.
    package static func body(
        _ content: MessageContent, badge: Int? = nil, deliveryID: DeliveryID, isReported: Bool = false
    )
        -> JSONValue
    {
        var body = content.data ?? [:]
        if let aps = aps(content, badge: badge) { body["aps"] = .object(aps) }
        if let key = content.deliveryKey { body[key] = .string(deliveryID.text) }
        if isReported { body[EventPolicy.payloadKey] = ["delivery": .string(deliveryID.text)] }
        return .object(body)
    }

    private static func aps(_ content: MessageContent, badge: Int?) -> JSONObject? {
        switch content.effectivePushType {
        // Device management does not use `aps`: its one member is the device's PushMagic.
        case .mdm: return nil
        case .background: return ["content-available": 1]
        case .widgets, .controls: return ["content-changed": true]
        case .liveactivity:
            var aps = content.liveActivity?.apsFields ?? [:]
            aps["alert"] = content.liveActivityAlert
            aps["relevance-score"] = content.relevanceScore.map { .number($0) }
            return aps
        case .alert, .voip, .complication, .fileprovider, .location, .pushtotalk:
            var aps = content.apsFields
            aps["alert"] = content.apsAlert
            switch content.badge {
            case .number(let number): aps["badge"] = .integer(Int64(number))
            case .increment: aps["badge"] = badge.map { .integer(Int64($0)) }
            case nil: break
            }
            return aps
        }
    }
}
