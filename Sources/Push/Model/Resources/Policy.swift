/// The limits of a workspace, as `policy` declares them; docs/reference/safety.md#rules explains each.
package struct Policy: Hashable, Sendable {
    /// The most sends, schedules, reschedules and sending resumes in one apply; more are all blocked.
    package var maxSendsPerApply = 5
    /// The most cancels in one apply; more are all blocked.
    package var maxCancelsPerApply = 5
    /// The most devices a campaign may reach; nil: no limit.
    package var maxAudience: Int?
    /// Growth of an audience between a saved plan and its apply that makes the plan stale, as a fraction.
    package var maxAudienceGrowth = 0.2
    /// True when a campaign must have an expiration.
    package var requireExpiration = true
    /// True when `audience.everyone` may be sent.
    package var allowEveryone = false
    /// Hours in which no send starts.
    package var quietHours: QuietHours?
    /// The minimum time between two deliveries to the same devices; zero: no minimum.
    package var minimumGap = Policy.defaultMinimumGap
    /// The time before a certificate's expiry from which it is reported.
    package var certificateExpiryWarning = Duration.seconds(30 * 86_400)
    /// The most devices that a push to the development environment may reach.
    package var developmentAudience = 20_000
    /// The field of an installation that names the device's language; nil: none does.
    package var languageField: String?
    /// The share of devices that gets nothing; nil: none.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device.
    package var frequency: [FrequencyRule] = []
    /// The approvals without which a delivery is not sent.
    package var approvals: [ApprovalRule] = []
    /// The most pending pushes the service keeps, for a warning.
    package var pendingQuota = 1_000
    /// The most devices pushed to in a day, for a warning.
    package var dailyQuota = 1_000_000

    /// The time for which a journal knows which devices each delivery reached.
    package var reachedKept = Policy.defaultReachedKept

    /// The events that devices report of notifications; nil: none are taken.
    package var events: EventPolicy?

    /// The default of ``reachedKept``: 90 days.
    package static let defaultReachedKept = Duration.seconds(90 * 86_400)
    /// The default of ``minimumGap``: an hour.
    package static let defaultMinimumGap = Duration.seconds(3600)

    /// Creates the default limits.
    package init() {}
}

extension Policy {
    package static let fields = FieldTable(
        "Workspace.policy", "Limits that nothing overrides; they are raised in the files, where they are reviewed",
        "任何参数都无法绕过的上限；要放宽，只能改文件并经过评审", blank: Policy(),
        [
            FieldRow(
                "maxAudience", .count, "Devices that one campaign may reach", "单个推送活动最多触达的设备数", { $0.maxAudience },
                { $0.maxAudience = $1 }),
            FieldRow(
                "maxSendsPerApply", .count, default: "5",
                "Sends, schedules, reschedules and sending resumes of one apply; more are all blocked",
                "一次 apply 中立即发送、定时、改期与续发的总数上限；超出则全部拦截", { $0.maxSendsPerApply },
                { $0.maxSendsPerApply = $1 }),
            FieldRow(
                "maxCancelsPerApply", .count, default: "5", "Cancels of one apply; more are all blocked",
                "一次 apply 中取消的数量上限；超出则全部拦截", { $0.maxCancelsPerApply }, { $0.maxCancelsPerApply = $1 }),
            FieldRow(
                "maxAudienceGrowth", .percentage, default: "20%",
                "Growth of an audience between a saved plan and its apply that makes the plan stale",
                "从保存计划到 apply，受众增长超过这个比例，计划即失效", { $0.maxAudienceGrowth }, { $0.maxAudienceGrowth = $1 }),
            FieldRow(
                "requireExpiration", .flag, default: "true",
                "Requires an expiration of every campaign", "推送活动是否必须写明有效期",
                { $0.requireExpiration }, { $0.requireExpiration = $1 }),
            FieldRow(
                "allowEveryone", .flag, default: "false", "Allows campaigns to everyone", "是否允许推送给全部设备",
                { $0.allowEveryone }, { $0.allowEveryone = $1 }),
            FieldRow(
                "quietHours", .quietHours, "Hours in which no send starts", "不发起推送的免打扰时段", { $0.quietHours },
                { $0.quietHours = $1 }),
            FieldRow(
                "minimumGap", .duration, default: "1h",
                """
                How far apart two deliveries to the same devices should be; nearer ones are pointed out, and 0s points \
                out none
                """, "同一批设备两次收到推送至少应间隔多久；更近的会提示，0s 表示不提示", { $0.minimumGap },
                { $0.minimumGap = $1 }),
            FieldRow(
                "certificateExpiryWarning", .duration, default: "30d",
                "The time before its expiry from which a certificate is reported", "推送证书到期前多久开始提醒",
                { $0.certificateExpiryWarning }, { $0.certificateExpiryWarning = $1 }),
            FieldRow(
                "developmentAudience", .count, default: "20000",
                "Devices that a push to the development environment may reach", "推送到开发环境最多触达的设备数",
                { $0.developmentAudience }, { $0.developmentAudience = $1 }),
            FieldRow(
                "languageField", .name(.installationField),
                "The field of an installation that names the device's language, for message.languages",
                "设备语言所在的 _Installation 字段，供 message.languages 使用", { $0.languageField }, { $0.languageField = $1 }),
            FieldRow(
                "holdout", .map(Holdout.fields), "A share of all devices that gets nothing, for comparison",
                "对照组：这一比例的设备什么都不收，用于比较", { $0.holdout }, { $0.holdout = $1 }),
            FieldRow(
                "frequency", .maps(FrequencyRule.fields), "Limits on the deliveries to one device",
                "同一台设备收到的投递次数上限", unless: [], { $0.frequency }, { $0.frequency = $1 }),
            FieldRow(
                "approvals", .maps(ApprovalRule.fields),
                "Approvals by people other than the author, without which a delivery is not sent",
                "须由作者以外的人批准，否则不发送", unless: [], { $0.approvals }, { $0.approvals = $1 }),
            FieldRow("quotas", "The service's own quotas, for warnings", "服务自身的配额，用于警告", inside: quotas),
            FieldRow(
                "reached", "The record of which devices each delivery reached; straight to Apple only",
                "每次投递触达了哪些设备的记录；仅限直连 Apple", inside: reached),
            FieldRow(
                "events", .map(EventPolicy.fields),
                """
                Counts what apps report of notifications: received, opened, dismissed. The payload then names its \
                delivery under bugle; straight to Apple only
                """, "统计应用上报的通知事件：送达、打开、清除。声明后，推送内容的 bugle 字段带有投递 ID；仅限直连 Apple", { $0.events },
                { $0.events = $1 }),
        ])

    private static let reached = FieldTable(
        "Workspace.policy.reached", "The record of which devices each delivery reached; straight to Apple only",
        "每次投递触达了哪些设备的记录；仅限直连 Apple", blank: Policy(),
        [
            FieldRow(
                "keep", .duration, default: "90d", "The time for which it is kept", "该记录保留多久",
                { $0.reachedKept }, { $0.reachedKept = $1 })
        ])

    private static let quotas = FieldTable(
        "Workspace.policy.quotas", "The service's own quotas; passing one is a warning", "服务自身的配额；超过时给出警告",
        blank: Policy(),
        [
            FieldRow(
                "pending", .count, default: "1000", "Scheduled pushes that the service keeps", "服务最多保留的定时推送数",
                { $0.pendingQuota }, { $0.pendingQuota = $1 }),
            FieldRow(
                "devicesPerDay", .count, default: "1000000", "Devices pushed to in a day", "每天推送的设备数",
                { $0.dailyQuota }, { $0.dailyQuota = $1 }),
        ])
}
