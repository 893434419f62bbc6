package import Base
package import Push

/// Builds the requests of `POST /push` and `POST /push/devices`, and reports what LeanCloud cannot do.
///
/// Source: LeanCloud, "推送 REST API 使用指南".
package struct LeanCloudEncoder: RequestEncoding {
    /// The size in bytes from which a request's body is refused.
    package static let limit = 4096

    /// Creates an encoder.
    package init() {}

    package let version = 1

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let request = RequestEncoder(draft: draft).request
        var counted = request.body
        // 500 tokens alone are 33 KB: the limit can only apply to the rest.
        counted["device_ids"] = nil
        let bytes = counted.canonicalByteCount
        var findings = LeanCloudLimits(draft: draft).findings
        if bytes >= Self.limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: Self.limit - 1, body: counted, what: "the request",
                    of: draft.campaign))
        }
        return EncodedPush(request: request, bytes: bytes, limit: Self.limit, findings: findings)
    }

    package func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
        var look = NotificationLook(message, on: platform)
        // One request for both platforms: Android finds no text in Apple's raw form.
        if platform == .android, platforms.contains(.ios), message.content(for: .ios).needsRawForm {
            (look.title, look.body) = (nil, nil)
        }
        return look
    }

    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        // The topic, ids, times and all parameter names together are smaller than this.
        let copies = draft.platforms.count == 1 ? 1 : 3
        let bound =
            1000 + draft.campaign.message.encodedBytesBound(copies: copies) + (draft.condition?.canonicalByteCount ?? 0)
        return bound < Self.limit ? LeanCloudLimits(draft: draft).findings : encode(draft).findings
    }
}
