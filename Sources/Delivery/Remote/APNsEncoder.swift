package import Base
package import Push

/// Builds the orders for pushes straight to Apple, and reports what Apple would refuse.
///
/// The request is not one of Apple's own: it is the order from which a delivery is carried out and resumed, device by
/// device.
package struct APNsEncoder: RequestEncoding {
    /// Creates an encoder.
    package init() {}

    package let version = 2

    package func encode(_ draft: PushDraft) -> EncodedPush {
        encode(OrderEncoder(draft: draft))
    }

    /// Same as ``encode(_:)``, but skips encoding messages that are far below the limit.
    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        let encoding = OrderEncoder(draft: draft)
        // The id of the delivery takes less than 100 bytes.
        let spare = draft.campaign.events == nil ? 0 : 100
        let mayBeTooLarge = draft.campaign.messages.contains {
            $0.encodedBytesBound(copies: 1) + spare > encoding.payloadLimit
        }
        return mayBeTooLarge ? encode(encoding).findings : encoding.findings
    }

    private func encode(_ encoding: OrderEncoder) -> EncodedPush {
        let draft = encoding.draft
        let order = encoding.order
        let bytes = order.payloadBytes
        let limit = encoding.payloadLimit
        var findings = encoding.findings
        if bytes > limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: limit, body: order.payload, what: "the payload",
                    of: draft.campaign))
        }
        return EncodedPush(request: order.request, bytes: bytes, limit: limit, findings: findings)
    }
}
