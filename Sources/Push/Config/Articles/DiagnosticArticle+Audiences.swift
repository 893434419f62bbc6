internal import Base

extension DiagnosticArticle {
    /// The article of a code about audiences and times in a plan; nil for another.
    static func audiences(_ code: DiagnosticCode) -> DiagnosticArticle? {
        switch code {
        case .emptyAudience:
            DiagnosticArticle(
                meaning: (
                    "An audience without any devices.",
                    "受众中没有任何设备。"
                ),
                why: (
                    "A push that reaches nobody is mostly a mistake in its audience.",
                    "触达不了任何设备的推送，多半是受众写错了。"
                ),
                example: "audience: {channels: [news], deviceProfile: driver}   # nobody is both",
                mend: (
                    "Check names and values of the audience: 'bugle plan' says how each condition narrows it.",
                    "检查受众中的名称与取值：bugle plan 会说明每个条件筛掉了多少。"
                ))
        case .absentField:
            DiagnosticArticle(
                meaning: (
                    "A field that an audience's condition tests but no installation has.",
                    "受众条件用到的字段，没有任何设备拥有。"
                ),
                why: (
                    "A misspelt field selects nobody, or with '$ne' everybody.",
                    "拼错的字段选不中任何设备，用 $ne 时则会选中全部。"
                ),
                example: "where: {scors: true}",
                mend: (
                    "Correct the field; devices get a new one when the app writes it.",
                    "改正字段名；新字段要等应用写入后设备才有。"
                ))
        case .absentClass:
            DiagnosticArticle(
                meaning: (
                    "A class that an audience's condition queries but that does not exist.",
                    "受众条件查询的 class 不存在。"
                ),
                why: (
                    "A query on a class that does not exist selects nobody.",
                    "查询不存在的 class，选不中任何设备。"
                ),
                example: "where: {owner: {$inQuery: {className: Usr}}}",
                mend: (
                    "Correct the name of the class.",
                    "改正 class 的名称。"
                ))
        case .reachedForgotten:
            DiagnosticArticle(
                meaning: (
                    "A frequency rule that looks back further than is known who was reached.",
                    "频次规则回溯的时间里，触达记录已不完整。"
                ),
                why: (
                    "Devices may get more than the rule allows.",
                    "设备收到的推送可能多于规则允许的数量。"
                ),
                example: "frequency: [{most: 2, per: 30d}]   # known for 7 days",
                mend: (
                    "Wait until the rule's time has passed, or shorten 'per'.",
                    "等待规则的时长过去，或缩短 per。"
                ))
        case .holdoutChanged:
            DiagnosticArticle(
                meaning: (
                    "A holdout that holds out other devices than it did in the last delivery.",
                    "对照组与上一次投递时的不同。"
                ),
                why: (
                    "Devices that were held out before get pushes now: the comparison starts anew.",
                    "原来的对照设备开始收到推送，比较要重新开始。"
                ),
                example: "holdout: {share: 5%, salt: 2027-q2}   # was 2027-q1",
                mend: (
                    "Put 'share' and 'salt' back, unless a new group is what you want.",
                    "除非确要更换对照组，否则恢复 share 与 salt。"
                ))
        case .notCounted:
            DiagnosticArticle(
                meaning: (
                    "An audience that was not counted.",
                    "受众没有统计设备数。"
                ),
                why: (
                    "Rules on its size could not be checked.",
                    "无法检查与受众规模有关的规则。"
                ),
                example: "bugle plan --against SNAPSHOT   # without this audience",
                mend: (
                    "Plan against the remote, or record the snapshot again.",
                    "直接对远端计划，或重新记录快照。"
                ))
        case .notExplained:
            DiagnosticArticle(
                meaning: (
                    "An audience that was counted but not broken down, or not compared with others.",
                    "受众只统计了总数，没有细分或与其他受众比较。"
                ),
                why: (
                    "Only its total is known; collisions with other pushes are not.",
                    "只知道总数，不知道与其他推送的重叠。"
                ),
                example: "a recorded state that holds totals only",
                mend: (
                    "Plan against the remote if you need the details.",
                    "需要细节时直接对远端计划。"
                ))
        case .audienceAtFiring:
            DiagnosticArticle(
                meaning: (
                    "A scheduled push whose audience is selected when it fires.",
                    "定时推送在发出时才确定受众。"
                ),
                why: (
                    "Devices that subscribe until then are reached too, and the count of the plan is an estimate.",
                    "此前新订阅的设备也会触达，计划中的数量只是估计。"
                ),
                example: "schedule: {at: 2026-12-24T09:00:00Z}   # at LeanCloud",
                mend: (
                    "Nothing; keep 'policy.maxAudience' close to what you expect.",
                    "无需处理；让 policy.maxAudience 接近预期即可。"
                ))
        case .collision:
            DiagnosticArticle(
                meaning: (
                    "Two deliveries that reach some of the same devices within `policy.minimumGap`.",
                    "两次投递在 `policy.minimumGap` 之内触达部分相同的设备。"
                ),
                why: (
                    "People get two pushes within a short time, and turn them off.",
                    "短时间内收到两条推送，用户会关掉通知。"
                ),
                example: "two campaigns to channel Giants at 09:00 and 09:05",
                mend: (
                    "Move one of them, or narrow its audience.",
                    "改动其中一个的时间，或缩小受众。"
                ))
        case .daylightSaving:
            DiagnosticArticle(
                meaning: (
                    "A clock change between now and a delivery, or during quiet hours.",
                    "从现在到投递之间或免打扰时段内会调整时钟（夏令时）。"
                ),
                why: (
                    "The hour that was meant may come twice, not at all, or an hour apart.",
                    "所指的时刻可能出现两次、不出现，或相差一小时。"
                ),
                example: "at: \"02:30\", timeZone: America/New_York   # on the day of the change",
                mend: (
                    "Choose a time outside the change, or check the time in the plan.",
                    "避开调整时刻，或核对计划中的时间。"
                ))
        case .registryOnRunner:
            DiagnosticArticle(
                meaning: (
                    "A registry on a disk that may be thrown away.",
                    "设备数据库位于可能被清空的磁盘上。"
                ),
                why: (
                    "The devices and the ledger would be lost with the disk, and pushes sent again.",
                    "设备与台账会随磁盘丢失，推送会重复发送。"
                ),
                example: "registry: {sqlite: devices.sqlite}   # on a runner of CI",
                mend: (
                    "Use PostgreSQL, or run on a machine that keeps its disk.",
                    "改用 PostgreSQL，或在磁盘不会清空的机器上运行。"
                ))
        default: nil
        }
    }
}
