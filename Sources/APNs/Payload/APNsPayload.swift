package import JSONValue
package import PushModel

/// The JSON body of a push to Apple.
///
/// Source: "Generating a remote notification": `aps`, and custom keys beside it.
package enum APNsPayload {
    /// The body for a campaign's content on iOS.
    ///
    /// - Parameters:
    ///   - badge: the number for `badge: increment`; nil leaves the badge out.
    ///   - deliveryID: what `deliveryKey` bears.
    package static func body(_ content: MessageContent, badge: Int?, deliveryID: DeliveryID) -> JSONValue {
        var aps = content.apsFields
        aps["alert"] = content.apsAlert
        switch content.badge {
        case .number(let number): aps["badge"] = .integer(Int64(number))
        case .increment: aps["badge"] = badge.map { .integer(Int64($0)) }
        case nil: break
        }
        var body = content.data ?? [:]
        body["aps"] = .object(aps)
        if let key = content.deliveryKey { body[key] = .string(deliveryID.text) }
        return .object(body)
    }
}
