internal import PushModel

/// The fields of a Campaign document.
package enum CampaignField: Int, FieldKey {
    case kind, name, description, revision, formerly, hold, labels, remotes, environment, audience, message, schedule
    case expiration, inDoubt, throttle, limits

    package static let table = FieldTable<Self>("Campaign", "A message to an audience, at a time", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Campaign"), .required, "What the document declares")
        case .name: FieldSpec("name", .name(.resource), .required, "The campaign's name; part of its identity")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for")
        case .revision:
            FieldSpec(
                "revision", .integer(1...Int.max), .byDefault("1"), "Raise it to deliver once more, on purpose")
        case .formerly:
            FieldSpec(
                "formerly", .list(of: .name(.resource)),
                "Names it had before, the oldest first; their deliveries are its own")
        case .hold:
            FieldSpec("hold", .boolean, .byDefault("false"), "Whether it waits; a pending delivery is cancelled")
        case .labels:
            FieldSpec("labels", .entries(of: .text(FieldType.anyCount), keys: .label), "For --target and reports")
        case .remotes:
            FieldSpec(
                "remotes", .list(of: .name(.remote)), .byDefault("all"), "The remotes it is meant for")
        case .environment:
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)),
                .byDefault("that of audience.deviceProfile, else production"), "Apple's environment")
        case .audience: FieldSpec("audience", .map(AudienceField.table.description), .required, "Whom it reaches")
        case .message:
            FieldSpec("message", .map(MessageField.description(for: .common)), .required, "What it shows")
        case .schedule:
            FieldSpec(
                "schedule", .map(ScheduleField.table.description), "When it is sent; as soon as it is applied without")
        case .expiration:
            FieldSpec(
                "expiration", .either([.map(ExpirationField.table.description), .constant("never")]),
                "How long the service keeps trying; never: as long as it can")
        case .inDoubt:
            FieldSpec(
                "inDoubt", .choice(Campaign.InDoubt.allCases.map(\.rawValue)), .byDefault("leave"),
                "Straight to Apple: what happens to tokens whose answer was lost; resend needs a collapseId")
        case .throttle: FieldSpec("throttle", .map(ThrottleField.table.description), "Steady sending")
        case .limits: FieldSpec("limits", .map(LimitsField.table.description), "This campaign's own limits")
        }
    }
}

/// The fields of a campaign's `audience`.
package enum AudienceField: Int, FieldKey {
    case everyone, channels, segments, `where`, platforms, deviceProfile, devices

    package static let table = FieldTable<Self>(
        "Campaign.audience", "Whom it reaches; every field narrows, and several must all hold", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .everyone:
            FieldSpec("everyone", .onlyTrue, "Everyone; beside it only platforms and deviceProfile may stand")
        case .channels:
            FieldSpec("channels", .list(of: .name(.channel)), "Devices subscribed to any of them")
        case .segments: FieldSpec("segments", .list(of: .name(.resource)), "Devices in all of them")
        case .where: FieldSpec("where", .condition(on: .installations), "Devices that meet a condition")
        case .platforms:
            FieldSpec(
                "platforms", .list(of: .choice(Platform.allCases.map(\.rawValue))),
                "Devices of these platforms")
        case .deviceProfile:
            FieldSpec("deviceProfile", .name(.deviceProfile), "Devices that bear this declared profile")
        case .devices:
            FieldSpec(
                "devices", .list(of: .text, ListRule(maximum: 500)),
                "These devices: tokens in hexadecimal (ios) or installation ids (android); needs one platform")
        }
    }
}

/// The fields of a campaign's `schedule`.
package enum ScheduleField: Int, FieldKey {
    case at, window

    package static let table = FieldTable<Self>("Campaign.schedule", "When it is sent")

    package var spec: FieldSpec {
        switch self {
        case .at: FieldSpec("at", .instant, "When it is sent; as soon as it is applied without")
        case .window:
            FieldSpec(
                "window", .duration(FieldType.anyDuration), .byDefault("1h"),
                "How late it may still start; past that it is missed and never sent")
        }
    }
}

/// The fields of a campaign's `expiration`.
package enum ExpirationField: Int, FieldKey {
    case after, at

    package static let table = FieldTable<Self>(
        "Campaign.expiration", "How long the service keeps trying; exactly one of its fields",
        rules: [.exactlyOne(of: ["after", "at"])])

    package var spec: FieldSpec {
        switch self {
        case .after:
            FieldSpec(
                "after", .duration(FieldType.anyDuration), "So long after the delivery; 0s: one attempt, not stored")
        case .at: FieldSpec("at", .instant, "Until then")
        }
    }
}

/// The fields of a campaign's `throttle`.
package enum ThrottleField: Int, FieldKey {
    case perSecond

    package static let table = FieldTable<Self>("Campaign.throttle", "Steady sending")

    package var spec: FieldSpec {
        switch self {
        case .perSecond:
            FieldSpec(
                "perSecond", .integer(1...Int.max), .required,
                "Devices a second; LeanCloud counts less than 1,000 as 1,000")
        }
    }
}

/// The fields of a campaign's `limits`.
package enum LimitsField: Int, FieldKey {
    case maxAudience, minAudience

    package static let table = FieldTable<Self>("Campaign.limits", "This campaign's own limits")

    package var spec: FieldSpec {
        switch self {
        case .maxAudience:
            FieldSpec(
                "maxAudience", .integer(FieldType.anyCount),
                "Devices it may reach; the narrower of this and the policy's holds")
        case .minAudience:
            FieldSpec(
                "minAudience", .integer(FieldType.anyCount), .byDefault("1"),
                "With fewer devices it is not sent: an empty audience is usually a typing error")
        }
    }
}
