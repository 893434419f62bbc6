internal import PushModel

/// The fields of a Campaign document.
package enum CampaignField: Int, FieldKey {
    case kind, name, description, revision, formerly, hold, labels, remotes, environment, audience, message, schedule
    case expiration, inDoubt, throttle, limits

    package static let table = FieldTable<Self>(
        "Campaign", "A message to an audience, at a time", "推送活动：在某个时间把一条消息发给一批受众", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Campaign"), .required, "What the document declares", "文档声明的资源类型")
        case .name:
            FieldSpec(
                "name", .name(.resource), .required, "The campaign's name; part of its identity", "推送活动的名称；是其标识的一部分")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for", "用途说明")
        case .revision:
            FieldSpec(
                "revision", .integer(1...Int.max), .byDefault("1"), "Raise it to deliver once more, on purpose",
                "有意再发一次时，把它加一")
        case .formerly:
            FieldSpec(
                "formerly", .list(of: .name(.resource)),
                "Names it had before, the oldest first; their deliveries are its own", "曾用名，最早的在前；以这些名称做过的投递都算它的")
        case .hold:
            FieldSpec(
                "hold", .boolean, .byDefault("false"), "Whether it waits; a pending delivery is cancelled",
                "是否暂停；尚未发出的定时推送会被取消")
        case .labels:
            FieldSpec(
                "labels", .entries(of: .text(FieldType.anyCount), keys: .label), "For --target and reports",
                "供 --target 与报告使用的标签")
        case .remotes:
            FieldSpec(
                "remotes", .list(of: .name(.remote)), .byDefault("all"), "The remotes it is meant for", "要部署到的远端")
        case .environment:
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)),
                .byDefault("that of audience.deviceProfile, else production"), "Apple's environment", "Apple 的推送环境")
        case .audience:
            FieldSpec("audience", .map(AudienceField.table.description), .required, "Whom it reaches", "推送给谁")
        case .message:
            FieldSpec("message", .map(MessageField.description(for: .common)), .required, "What it shows", "显示什么")
        case .schedule:
            FieldSpec(
                "schedule", .map(ScheduleField.table.description), "When it is sent; as soon as it is applied without",
                "发送时间；不写则在 apply 时立即发送")
        case .expiration:
            FieldSpec(
                "expiration", .either([.map(ExpirationField.table.description), .constant("never")]),
                "How long the service keeps trying; never: as long as it can", "有效期，即服务尝试投递多久；never 表示尽可能久")
        case .inDoubt:
            FieldSpec(
                "inDoubt", .choice(Campaign.InDoubt.allCases.map(\.rawValue)), .byDefault("leave"),
                "Straight to Apple: what happens to tokens whose answer was lost; resend needs a collapseId",
                "直连 Apple 时：没有收到应答的设备如何处理；resend 要求设置 collapseId")
        case .throttle: FieldSpec("throttle", .map(ThrottleField.table.description), "Steady sending", "限速发送")
        case .limits:
            FieldSpec("limits", .map(LimitsField.table.description), "This campaign's own limits", "本推送活动自己的上限")
        }
    }
}

/// The fields of a campaign's `audience`.
package enum AudienceField: Int, FieldKey {
    case everyone, channels, segments, `where`, platforms, deviceProfile, devices

    package static let table = FieldTable<Self>(
        "Campaign.audience", "Whom it reaches; every field narrows, and several must all hold",
        "推送给谁；每个字段都会缩小范围，写多个则须同时满足", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .everyone:
            FieldSpec(
                "everyone", .onlyTrue, "Everyone; beside it only platforms and deviceProfile may stand",
                "全部设备；只能与 platforms 和 deviceProfile 同时写")
        case .channels:
            FieldSpec("channels", .list(of: .name(.channel)), "Devices subscribed to any of them", "订阅了其中任意一个频道的设备")
        case .segments: FieldSpec("segments", .list(of: .name(.resource)), "Devices in all of them", "同时属于这些分群的设备")
        case .where: FieldSpec("where", .condition(on: .installations), "Devices that meet a condition", "满足查询条件的设备")
        case .platforms:
            FieldSpec(
                "platforms", .list(of: .choice(Platform.allCases.map(\.rawValue))),
                "Devices of these platforms", "这些平台的设备")
        case .deviceProfile:
            FieldSpec(
                "deviceProfile", .name(.deviceProfile), "Devices that bear this declared profile",
                "deviceProfile 为这一项的设备，须已声明")
        case .devices:
            FieldSpec(
                "devices", .list(of: .text, ListRule(maximum: 500)),
                "These devices: tokens in hexadecimal (ios) or installation ids (android); needs one platform",
                "指定的设备：iOS 写十六进制的 device token，Android 写 installationId；须写明一个平台")
        }
    }
}

/// The fields of a campaign's `schedule`.
package enum ScheduleField: Int, FieldKey {
    case at, window

    package static let table = FieldTable<Self>("Campaign.schedule", "When it is sent", "发送时间")

    package var spec: FieldSpec {
        switch self {
        case .at:
            FieldSpec("at", .instant, "When it is sent; as soon as it is applied without", "发送时间；不写则在 apply 时立即发送")
        case .window:
            FieldSpec(
                "window", .duration(FieldType.anyDuration), .byDefault("1h"),
                "How late it may still start; past that it is missed and never sent", "最多可以晚多久开始；超过即为错过，不再发送")
        }
    }
}

/// The fields of a campaign's `expiration`.
package enum ExpirationField: Int, FieldKey {
    case after, at

    package static let table = FieldTable<Self>(
        "Campaign.expiration", "How long the service keeps trying; exactly one of its fields",
        "有效期，即服务尝试投递多久；只能写其中一个字段",
        rules: [.exactlyOne(of: ["after", "at"])])

    package var spec: FieldSpec {
        switch self {
        case .after:
            FieldSpec(
                "after", .duration(FieldType.anyDuration), "So long after the delivery; 0s: one attempt, not stored",
                "从发送算起多久；0s 表示只尝试一次，不留存")
        case .at: FieldSpec("at", .instant, "Until then", "到这一时刻为止")
        }
    }
}

/// The fields of a campaign's `throttle`.
package enum ThrottleField: Int, FieldKey {
    case perSecond

    package static let table = FieldTable<Self>("Campaign.throttle", "Steady sending", "限速发送")

    package var spec: FieldSpec {
        switch self {
        case .perSecond:
            FieldSpec(
                "perSecond", .integer(1...Int.max), .required,
                "Devices a second; LeanCloud counts less than 1,000 as 1,000",
                "每秒推送的设备数；LeanCloud 把小于 1,000 的值按 1,000 处理")
        }
    }
}

/// The fields of a campaign's `limits`.
package enum LimitsField: Int, FieldKey {
    case maxAudience, minAudience

    package static let table = FieldTable<Self>("Campaign.limits", "This campaign's own limits", "本推送活动自己的上限")

    package var spec: FieldSpec {
        switch self {
        case .maxAudience:
            FieldSpec(
                "maxAudience", .integer(FieldType.anyCount),
                "Devices it may reach; the narrower of this and the policy's holds", "最多触达的设备数；与 policy 中的上限取较小者")
        case .minAudience:
            FieldSpec(
                "minAudience", .integer(FieldType.anyCount), .byDefault("1"),
                "With fewer devices it is not sent: an empty audience is usually a typing error",
                "设备数少于它就不发送：受众为空通常是写错了")
        }
    }
}
