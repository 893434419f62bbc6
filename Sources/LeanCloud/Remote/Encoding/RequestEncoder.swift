internal import Base
internal import Push

/// Builds the body of one request.
struct RequestEncoder {
    let draft: PushDraft

    private var campaign: Campaign { draft.campaign }
    private var apple: MessageContent { campaign.message.content(for: .ios) }
    private var id: JSONValue { .string(draft.notificationID.text) }

    /// The complete request.
    var request: PushRequest {
        var body = common
        guard campaign.audience.devices.isEmpty else {
            body.merge(devices) { $1 }
            return PushRequest(endpoint: .devices, body: .object(body))
        }
        body["where"] = draft.condition
        body["push_time"] = draft.scheduledAt.map { .string($0.isoText) }
        body["flow_control"] = campaign.throttlePerSecond.map {
            .integer(Int64(max($0, LeanCloudLimits.slowestThrottle)))
        }
        if draft.platforms.contains(.android) {
            body["_notificationChannel"] = campaign.message.content(for: .android).channel.map { .string($0) }
        }
        return PushRequest(endpoint: .push, body: .object(body))
    }

    /// The parameters that both calls take.
    private var common: JSONObject {
        var body: JSONObject = [
            "data": .object(DataLayout(draft: draft).data), "notification_id": id, "req_id": id,
            "prod": campaign.environment == .development ? "dev" : "prod",
        ]
        switch campaign.expiration {
        case .after(let duration): body["expiration_interval"] = .integer(duration.wholeSeconds)
        case .at(let time): body["expiration_time"] = .string(time.instant.isoText)
        case .never, nil: break
        }
        if draft.reachesApple, let profile = draft.profile, case .token(let teamId, _, _) = profile.credential {
            let suffix = apple.effectivePushType.topicSuffix
            body["topic"] = .string(profile.topic.hasSuffix(suffix) ? profile.topic : profile.topic + suffix)
            body["apns_team_id"] = .string(teamId)
        }
        return body
    }

    /// The parameters of the call by device only.
    private var devices: JSONObject {
        var body: JSONObject = [
            "device_type": .string((draft.reachesApple ? Platform.ios : .android).rawValue),
            "device_ids": .array(campaign.audience.devices.map { .string($0) }),
        ]
        if let profile = draft.profile, case .certificate = profile.credential, !profile.isDefault,
            campaign.audience.deviceProfile == profile.name
        {
            body["device_profile"] = .string(profile.name)
        }
        if !draft.reachesApple {
            body["channel"] = campaign.message.content(for: .android).channel.map { .string($0) }
        }
        return body
    }
}

extension PushDraft {
    /// True when the audience can include an iOS device; other kinds of Apple devices count as one.
    var reachesApple: Bool { platforms.contains(.ios) || platforms.isEmpty }

    /// True when the audience can include an Android device.
    var reachesAndroid: Bool { platforms.contains(.android) }
}
