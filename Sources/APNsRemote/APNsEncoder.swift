internal import APNs
internal import APNsDelivery
package import Diagnostics
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
        encode(OrderEncoding(draft: draft))
    }

    /// As ``encode(_:)``, without encoding messages that are far below the limit.
    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        let encoding = OrderEncoding(draft: draft)
        let mayBeTooLarge = draft.campaign.message.encodedBytesBound(copies: 1) > encoding.payloadLimit
        return mayBeTooLarge ? encode(encoding).findings : encoding.findings
    }

    private func encode(_ encoding: OrderEncoding) -> EncodedPush {
        let draft = encoding.draft
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
