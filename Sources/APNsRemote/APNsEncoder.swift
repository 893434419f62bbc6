internal import APNs
internal import Diagnostics
internal import JSONValue
package import PushModel

/// Makes what goes straight to Apple, and says what Apple would not take.
///
/// The request is no call of Apple's: it is the order from which a delivery is carried out and resumed, device by device.
package struct APNsEncoder: RequestEncoding {
    /// An encoder.
    package init() {}

    package let version = 2

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let encoding = OrderEncoding(draft: draft)
        let order = encoding.order
        let bytes = order.payloadBytes
        let limit = encoding.payloadLimit
        var findings = encoding.findings
        if bytes > limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: limit, body: order.payload, what: "the payload",
                    at: draft.campaign.origin.range(of: ["message"])))
        }
        return EncodedPush(request: order.request, bytes: bytes, limit: limit, findings: findings)
    }
}
