/// The fields of a workspace's `policy`.
package enum PolicyField: Int, FieldKey {
    case maxAudience, maxSendsPerApply, maxCancelsPerApply, maxAudienceGrowth, requireExpiration, allowEveryone
    case quietHours, minimumGap, certificateExpiryWarning, developmentAudience, quotas

    package static let table = FieldTable<Self>(
        "Workspace.policy", "Limits that nothing overrides; they are raised where they are reviewed",
        "任何参数都无法绕过的上限；要放宽，只能改文件并经过评审")

    package var spec: FieldSpec {
        switch self {
        case .maxAudience: FieldSpec("maxAudience", Self.count, "Devices that one campaign may reach", "单个推送活动最多触达的设备数")
        case .maxSendsPerApply:
            FieldSpec(
                "maxSendsPerApply", Self.count, .byDefault("5"),
                "Sends, schedules, reschedules and sending resumes of one apply; more are all blocked",
                "一次 apply 中立即发送、定时、改期与续发的总数上限；超出则全部拦截")
        case .maxCancelsPerApply:
            FieldSpec(
                "maxCancelsPerApply", Self.count, .byDefault("5"), "Cancels of one apply; more are all blocked",
                "一次 apply 中取消的数量上限；超出则全部拦截")
        case .maxAudienceGrowth:
            FieldSpec(
                "maxAudienceGrowth", .percentage, .byDefault("20%"),
                "Growth of an audience between a saved plan and its apply that makes the plan stale",
                "从保存计划到 apply，受众增长超过这个比例，计划即失效")
        case .requireExpiration:
            FieldSpec(
                "requireExpiration", .boolean, .byDefault("true"),
                "Whether a campaign must say how long it is worth delivering", "推送活动是否必须写明有效期")
        case .allowEveryone:
            FieldSpec(
                "allowEveryone", .boolean, .byDefault("false"), "Whether a campaign may go to everyone", "是否允许推送给全部设备")
        case .quietHours:
            FieldSpec(
                "quietHours", .map(QuietHoursField.table.description), "Hours in which no send starts", "不发起推送的免打扰时段")
        case .minimumGap:
            FieldSpec(
                "minimumGap", .duration(FieldType.anyDuration), .byDefault("1h"),
                "How far apart two deliveries to the same devices should be; nearer ones are pointed out, and 0s "
                    + "points out none",
                "同一批设备两次收到推送至少应间隔多久；更近的会提示，0s 表示不提示")
        case .certificateExpiryWarning:
            FieldSpec(
                "certificateExpiryWarning", .duration(FieldType.anyDuration), .byDefault("30d"),
                "How long before its expiry a certificate is mentioned", "推送证书到期前多久开始提醒")
        case .developmentAudience:
            FieldSpec(
                "developmentAudience", Self.count, .byDefault("20000"),
                "Devices that a push to the development environment may reach", "推送到开发环境最多触达的设备数")
        case .quotas:
            FieldSpec(
                "quotas", .map(QuotasField.table.description), "The service's own quotas, for warnings", "服务自身的配额，用于警告")
        }
    }

    private static let count = FieldType.integer(FieldType.anyCount)
}

extension FieldType {
    /// Zero and up.
    static let anyCount = 0...Int.max
    /// Zero seconds and up.
    static let anyDuration: ClosedRange<Int64> = 0...Int64.max
}

/// The fields of `quietHours`.
package enum QuietHoursField: Int, FieldKey {
    case from, to, timeZone

    package static let table = FieldTable<Self>(
        "Workspace.policy.quietHours", "Hours in which no send starts", "不发起推送的免打扰时段")

    package var spec: FieldSpec {
        switch self {
        case .from: FieldSpec("from", .timeOfDay, .required, "When they begin", "开始时间")
        case .to:
            FieldSpec(
                "to", .timeOfDay, .required, "When they end; on the next day when it is the earlier one",
                "结束时间；早于开始时间则指次日")
        case .timeZone: FieldSpec("timeZone", .timeZone, .required, "Whose clock it is", "以哪个时区的时钟为准")
        }
    }
}

/// The fields of `quotas`.
package enum QuotasField: Int, FieldKey {
    case pending, devicesPerDay

    package static let table = FieldTable<Self>(
        "Workspace.policy.quotas", "The service's own quotas; passing one is a warning", "服务自身的配额；超过时给出警告")

    package var spec: FieldSpec {
        switch self {
        case .pending:
            FieldSpec(
                "pending", .integer(FieldType.anyCount), .byDefault("1000"), "Scheduled pushes that the service keeps",
                "服务最多保留的定时推送数")
        case .devicesPerDay:
            FieldSpec(
                "devicesPerDay", .integer(FieldType.anyCount), .byDefault("1000000"), "Devices pushed to in a day",
                "每天推送的设备数")
        }
    }
}
