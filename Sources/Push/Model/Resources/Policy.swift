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
}

extension Policy {
    package static let fields = FieldTable<Self>(
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

    private static let reached = FieldTable<Self>(
        "Workspace.policy.reached", "The record of which devices each delivery reached; straight to Apple only",
        "每次投递触达了哪些设备的记录；仅限直连 Apple", blank: Policy(),
        [
            FieldRow(
                "keep", .duration, default: "90d", "The time for which it is kept", "该记录保留多久",
                { $0.reachedKept }, { $0.reachedKept = $1 })
        ])

    private static let quotas = FieldTable<Self>(
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

/// The hours of a day in which no send starts, in one time zone or by each device's own clock.
package struct QuietHours: Hashable, Sendable {
    /// The first quiet minute, counted from midnight.
    package let from: Int
    /// The first minute that is no longer quiet; before ``from`` when the hours span midnight.
    package let to: Int
    /// The IANA name of the time zone; ``device`` when each device's own clock decides.
    package let timeZone: String
    private let clock: ZoneClock?

    /// The time zone of hours by each device's own clock.
    package static let device = "device"

    /// Makes quiet hours from minutes after midnight; nil when the time zone does not exist.
    package init?(from: Int, to: Int, timeZone: String) {
        let clock = timeZone == Self.device ? nil : ZoneClock(timeZone)
        guard clock != nil || timeZone == Self.device else { return nil }
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.clock = clock
    }

    /// True when each device's own clock decides: then an instant is in quiet hours for some devices only.
    package var isByDevice: Bool { clock == nil }

    /// True when a send at this instant would start in quiet hours for all; equal ends mean no quiet hours at all.
    package func contain(_ instant: Instant) -> Bool {
        clock.map { contain(minute: $0.reading(at: instant).minuteOfDay) } ?? false
    }

    /// True when clocks that show this minute, counted from midnight, show quiet hours.
    package func contain(minute: Int) -> Bool {
        from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// The time from a minute that is not quiet until the quiet hours begin; nil when there are none.
    package func begin(after minute: Int) -> Duration? {
        from == to ? nil : .seconds(60 * ((from - minute + 1440) % 1440))
    }

    /// The end of the quiet hours that an instant lies in; nil when they never end.
    package func end(after instant: Instant) -> Instant? {
        // A day on which clocks are set back has 25 hours.
        let minutes = (1...25 * 60).lazy.map { Instant(seconds: instant.seconds / 60 * 60) + .seconds(60 * $0) }
        return minutes.first { !contain($0) }
    }

    /// For people: `22:00–08:00 Asia/Shanghai`.
    package var text: String { "\(Self.timeOfDay(from))–\(Self.timeOfDay(to)) \(timeZone)" }

    /// A time of day from minutes after midnight: `08:05`.
    package static func timeOfDay(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension FieldForm<QuietHours> {
    /// Two times of day and their time zone.
    static let quietHours = FieldForm<WrittenQuietHours>.map(WrittenQuietHours.fields)
        .map({ $0.hours }, { WrittenQuietHours($0) })
}

/// Quiet hours as files and plans write them; their time zone may be unknown here.
struct WrittenQuietHours: Sendable {
    var from = 0
    var to = 0
    var timeZone = ""

    init() {}

    init(_ hours: QuietHours) { (from, to, timeZone) = (hours.from, hours.to, hours.timeZone) }

    /// The hours; nil when the time zone does not exist.
    var hours: QuietHours? { QuietHours(from: from, to: to, timeZone: timeZone) }

    static let fields = FieldTable<Self>(
        "Workspace.policy.quietHours", "Hours in which no send starts", "不发起推送的免打扰时段", blank: WrittenQuietHours(),
        [
            FieldRow(required: "from", .timeOfDay, "The time they begin", "开始时间", { $0.from }, { $0.from = $1 }),
            FieldRow(
                required: "to", .timeOfDay,
                "The time they end; on the next day if it is the earlier one, and none are quiet if it is that of from",
                "结束时间；早于开始时间则指次日，与 from 相同则没有免打扰时段", { $0.to }, { $0.to = $1 }),
            FieldRow(
                required: "timeZone", .string(.either([.timeZone, .constant(QuietHours.device)])),
                "The time zone of these hours; device: each device's own clock, for campaigns with zone: device",
                "以哪个时区的时钟为准；device 指每台设备自己的时钟，用于 zone: device 的推送活动", { $0.timeZone }, { $0.timeZone = $1 }),
        ])
}

/// How the events that devices report are treated.
package struct EventPolicy: Hashable, Sendable {
    /// The time after the end of a delivery for which single events are kept, and late ones accepted; then they are
    /// counts. 7 days by default.
    package var keep = EventPolicy.defaultKept

    /// The default of ``keep``: 7 days.
    package static let defaultKept = Duration.seconds(7 * 86_400)

    /// The member of a payload under which it names its delivery: `"bugle": {"delivery": "…"}`.
    package static let payloadKey = "bugle"
}

extension EventPolicy {
    static let fields = FieldTable<Self>(
        "Workspace.policy.events", "The events that apps report of notifications; straight to Apple only",
        "应用上报的通知事件；仅限直连 Apple", blank: EventPolicy(),
        [
            FieldRow(
                "keep", .duration, default: "7d",
                "How long single events are kept, and late ones taken, after the end of a delivery; then they are counts by part and hour",
                "投递结束后，逐条事件保留多久、迟到的上报还接受多久；之后只保留按分批与小时汇总的计数", unless: defaultKept, { $0.keep },
                { $0.keep = $1 })
        ])
}
