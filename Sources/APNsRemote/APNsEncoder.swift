internal import APNs
internal import Diagnostics
internal import JSONValue
package import PushModel

/// Makes the payloads that go straight to Apple, and says what Apple would not take.
package struct APNsEncoder: RequestEncoding {
    /// An encoder.
    package init() {}

    package let version = 1

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let content = draft.campaign.message.content(for: .ios)
        let type = content.effectivePushType
        // The widest badge that an increment could become: a payload never grows past what was checked.
        let body = APNsPayload.body(content, badge: 99_999, deliveryID: draft.notificationID)
        let bytes = body.canonicalBytes.count
        var findings: [Diagnostic] = []
        if bytes > type.payloadLimit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: type.payloadLimit, body: body, what: "the payload",
                    at: draft.campaign.origin.range(of: ["message"])))
        }
        if !draft.platforms.contains(.ios) {
            findings.append(
                Diagnostic(
                    .error, .notSupported, "Apple reaches iOS devices only, and the audience has none",
                    at: draft.campaign.origin.range(of: ["audience", "platforms"]),
                    help: "restrict the campaign with 'remotes', or reach ios"))
        } else if draft.campaign.audience.platforms.contains(.android) {
            findings.append(
                Diagnostic(
                    .warning, .notSupported, "Apple reaches iOS devices only: Android devices are left out",
                    at: draft.campaign.origin.range(of: ["audience", "platforms"])))
        }
        if case .after(let duration) = draft.campaign.expiration, duration > .seconds(30 * 86_400) {
            findings.append(
                Diagnostic(
                    .error, .notSupported, "Apple stores a notification for at most 30 days",
                    at: draft.campaign.origin.range(of: ["expiration"]), help: "say {after: 30d} or less, or never"))
        }
        return EncodedPush(
            request: PushRequest(endpoint: .push, body: body), bytes: bytes, limit: type.payloadLimit,
            findings: findings)
    }
}
