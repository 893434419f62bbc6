package import Diagnostics
internal import JSONValue
package import PushModel

/// Makes the requests of `POST /push` and `POST /push/devices`, and says what LeanCloud would not do.
///
/// Source: LeanCloud, "推送 REST API 使用指南".
package struct LeanCloudEncoder: RequestEncoding {
    /// A body of so many bytes, or more, is refused.
    package static let limit = 4096

    /// An encoder.
    package init() {}

    package let version = 1

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let request = RequestEncoder(draft: draft).request
        var counted = request.body
        // 500 tokens alone are 33 KB: the limit can only mean the rest.
        counted["device_ids"] = nil
        let bytes = counted.canonicalByteCount
        var findings = LeanCloudLimits(draft: draft).findings
        if bytes >= Self.limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: Self.limit - 1, body: counted, what: "the request",
                    at: draft.campaign.origin.range(of: ["message"])))
        }
        return EncodedPush(request: request, bytes: bytes, limit: Self.limit, findings: findings)
    }

    package func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
        var look = NotificationLook(message, on: platform)
        // One request for both platforms: Android finds no text in Apple's own form.
        if platform == .android, platforms.contains(.ios), message.content(for: .ios).needsRawForm {
            (look.title, look.body) = (nil, nil)
        }
        return look
    }

    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        // Topic, ids, times and the names of all parameters are less than this.
        let copies = draft.platforms.count == 1 ? 1 : 3
        let bound =
            1000 + draft.campaign.message.encodedBytesBound(copies: copies) + (draft.condition?.canonicalByteCount ?? 0)
        return bound < Self.limit ? LeanCloudLimits(draft: draft).findings : encode(draft).findings
    }
}
