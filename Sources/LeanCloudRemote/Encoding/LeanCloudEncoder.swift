internal import Diagnostics
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
        let bytes = counted.canonicalBytes.count
        var findings = LeanCloudLimits(draft: draft).findings
        if bytes >= Self.limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: Self.limit - 1, body: counted, what: "the request",
                    at: draft.campaign.origin.range(of: ["message"])))
        }
        return EncodedPush(request: request, bytes: bytes, limit: Self.limit, findings: findings)
    }
}
