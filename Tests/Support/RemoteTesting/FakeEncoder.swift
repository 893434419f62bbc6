internal import Base
package import Push

/// Makes requests that say whose they are: each message is `CAMPAIGN@REVISION`.
package struct FakeEncoder: RequestEncoding {
    /// Raised when the same draft gives other bytes.
    package var version: Int

    /// An encoder of a version; another one writes another format.
    package init(version: Int = 1) { self.version = version }

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let campaign = draft.campaign
        var data: JSONObject = [
            "id": .string("\(campaign.identityName)@\(campaign.revision)"), "format": .integer(Int64(version)),
        ]
        if case .text(let text) = campaign.message.common.body { data["alert"] = .string(text) }
        var body: JSONObject = [
            "data": .object(data), "notification_id": .string(draft.notificationID.text),
            "req_id": .string(draft.notificationID.text),
        ]
        if let condition = draft.condition {
            body["where"] = condition
        } else {
            body["device_ids"] = .array(campaign.audience.devices.map { .string($0) })
        }
        if let at = draft.scheduledAt { body["push_time"] = .string(at.isoText) }
        if case .after(let duration) = campaign.expiration {
            body["expiration_interval"] = .integer(duration.wholeSeconds)
        }
        if let profile = draft.profile, case .token = profile.credential { body["topic"] = .string(profile.topic) }
        let value = JSONValue.object(body)
        return EncodedPush(
            request: PushRequest(endpoint: draft.condition == nil ? .devices : .push, body: value),
            bytes: value.canonicalBytes.count, limit: 4096, findings: [])
    }
}
