internal import Diagnostics

extension DiagnosticArticle {
    /// The article of a code about plans; nil for another.
    static func plan(_ code: DiagnosticCode) -> DiagnosticArticle? {
        switch code {
        case .editedAfterDelivery:
            DiagnosticArticle(
                meaning: (
                    "A campaign was edited after its delivery; nothing is sent.",
                    "推送活动在投递后被修改：不会再发送。"
                ),
                why: (
                    "What was delivered cannot be changed on people's devices.",
                    "已经送达的内容无法在设备上更改。"
                ),
                example: "a new body for a campaign that was sent yesterday",
                mend: (
                    "Raise 'revision' to deliver it once more, or undo the edit.",
                    "提高 revision 以再投递一次，或撤销修改。"
                ))
        case .revisionLowered:
            DiagnosticArticle(
                meaning: (
                    "The revision is lower than the delivered one.",
                    "revision 低于已投递的版本。"
                ),
                why: (
                    "Revisions only rise, so that each is delivered at most once.",
                    "revision 只增不减，每个版本最多投递一次。"
                ),
                example: "revision: 1   # 2 was delivered",
                mend: (
                    "Write the delivered revision, or a higher one to deliver it again.",
                    "写成已投递的版本；要再次投递则写更高的版本。"
                ))
        case .cancelledElsewhere:
            DiagnosticArticle(
                meaning: (
                    "A scheduled push vanished from the remote before its time.",
                    "定时推送未到时间就从远端消失了。"
                ),
                why: (
                    "Somebody cancelled it outside the repository, and may have had a reason.",
                    "有人在仓库之外取消了它，可能有其原因。"
                ),
                example: "a scheduled push that was deleted in LeanCloud's console",
                mend: (
                    "Raise 'revision' to schedule it again, or remove the campaign.",
                    "提高 revision 以重新安排，或删除该推送活动。"
                ))
        case .firedBeforeCancel:
            DiagnosticArticle(
                meaning: (
                    "A push fired before its cancel reached the remote.",
                    "取消请求到达远端之前，推送已经发出。"
                ),
                why: (
                    "The push had left when the cancel arrived.",
                    "取消到达时推送已经发出。"
                ),
                example: "a campaign removed a minute before its time",
                mend: (
                    "Nothing can be undone; check who got it with 'bugle status'.",
                    "无法撤回；用 bugle status 查看触达情况。"
                ))
        case .drift:
            DiagnosticArticle(
                meaning: (
                    "A remote resource that no file declares.",
                    "远端存在没有任何文件声明的内容。"
                ),
                why: (
                    "The repository no longer says what the remote has.",
                    "仓库已不能反映远端的实际内容。"
                ),
                example: "a channel that was created by hand",
                mend: (
                    "Declare it, with 'bugle import' or by hand, or remove it at the remote.",
                    "用 bugle import 或手工声明它，或在远端删除它。"
                ))
        case .unmanaged:
            DiagnosticArticle(
                meaning: (
                    "A scheduled push made by someone else.",
                    "由他人创建的定时推送。"
                ),
                why: (
                    "It reaches people beside what is planned here.",
                    "它会在本计划之外触达用户。"
                ),
                example: "a push scheduled in LeanCloud's console",
                mend: (
                    "Cancel it there, or keep it in mind; bugle leaves it alone.",
                    "在那里取消，或心中有数；bugle 不会改动它。"
                ))
        case .manualStep:
            DiagnosticArticle(
                meaning: (
                    "A step that a person has to do by hand.",
                    "有需要人工完成的操作。"
                ),
                why: (
                    "The service has no call for it.",
                    "服务没有为此提供接口。"
                ),
                example: "a certificate to be uploaded in LeanCloud's console",
                mend: (
                    "Do the step that the diagnostic names, then plan again.",
                    "完成诊断信息所说的操作，然后重新计划。"
                ))
        case .emptyLedger:
            DiagnosticArticle(
                meaning: (
                    "The ledger of this remote is empty.",
                    "该远端的台账是空的。"
                ),
                why: (
                    "If pushes were delivered before, the memory of them is gone and they would be sent again.",
                    "如果以前投递过，说明记录已丢失，会重复发送。"
                ),
                example: "the first plan, or a wrong appId",
                mend: (
                    "At a new remote nothing; else check its address, or take the ledger over with 'bugle ledger copy'.",
                    "新远端无需处理；否则检查地址，或用 bugle ledger copy 带来台账。"
                ))
        case .missed:
            DiagnosticArticle(
                meaning: (
                    "A campaign whose window or expiration has passed.",
                    "推送活动已过发送窗口或有效期。"
                ),
                why: (
                    "A push that comes too late is worse than none.",
                    "迟到的推送不如不发。"
                ),
                example: "schedule: {at: 2026-11-01T09:00:00+08:00, window: 1h}   # long ago",
                mend: (
                    "Give it a new time and raise 'revision', or remove it.",
                    "写上新的时间并提高 revision，或删除它。"
                ))
        case .unknownOutcome:
            DiagnosticArticle(
                meaning: (
                    "The outcome of a delivery is unknown.",
                    "投递结果未知。"
                ),
                why: (
                    "Sending again might deliver it twice, and not doing so might deliver it never.",
                    "再发可能重复，不发可能漏发。"
                ),
                example: "the connection broke while the answer was under way",
                mend: (
                    "Find out what happened, then say it: 'bugle resolve NAME --as sent|unsent --reason …'.",
                    "查明情况后告诉 bugle：bugle resolve NAME --as sent|unsent --reason …。"
                ))
        case .inDoubt:
            DiagnosticArticle(
                meaning: (
                    "A delivery that ended without responses for some devices.",
                    "投递已结束，但部分设备没有收到应答。"
                ),
                why: (
                    "Apple may have taken the push for them or not; they are not sent it twice.",
                    "Apple 可能收到，也可能没有；不会对这些设备再发。"
                ),
                example: "12 devices without an answer after a lost connection",
                mend: (
                    "Decide with 'bugle resolve'.",
                    "用 bugle resolve 决定。"
                ))
        case .rolloutStopped:
            DiagnosticArticle(
                meaning: (
                    "A rollout that was halted, or holds, after one of its stages.",
                    "分阶段发布在某一阶段之后中止，或在等待人工决定。"
                ),
                why: (
                    "Its answers were worse than 'stopWhen' allows, or too few for a verdict.",
                    "应答比 stopWhen 允许的更差，或太少而无法判定。"
                ),
                example: "stopWhen: {refused: 2%}   # 5% were",
                mend: (
                    "Find the cause, then 'bugle resolve NAME --as proceed|abandoned --reason …'.",
                    "查明原因，再执行 bugle resolve NAME --as proceed|abandoned --reason …。"
                ))
        case .smallStage:
            DiagnosticArticle(
                meaning: (
                    "A stage of a rollout with too few devices for a verdict.",
                    "分阶段发布中设备太少、无法判定的阶段。"
                ),
                why: (
                    "Chance alone could pass or fail it.",
                    "结果可能只是偶然。"
                ),
                example: "stages: [1%, 100%]   # of 500 devices",
                mend: (
                    "Make the first stage larger.",
                    "加大第一个阶段。"
                ))
        case .variantPower:
            DiagnosticArticle(
                meaning: (
                    "The difference between its variants that a campaign's test can show.",
                    "变体测试能够分辨的最小差异。"
                ),
                why: (
                    "A smaller difference would not be told from chance.",
                    "更小的差异无法与偶然区分。"
                ),
                example: "variants with shares of 1% of 2,000 devices",
                mend: (
                    "Give the variants larger shares, or expect only large differences.",
                    "加大各变体的份额，否则只能看出很大的差异。"
                ))
        case .quota:
            DiagnosticArticle(
                meaning: (
                    "A service limit that is nearly or already exceeded.",
                    "接近或超过服务的配额。"
                ),
                why: (
                    "The service refuses or delays what is over it.",
                    "超出的部分会被服务拒绝或延迟。"
                ),
                example: "more scheduled pushes than the service keeps",
                mend: (
                    "Remove what is no longer needed, or ask the service for more.",
                    "删除不再需要的内容，或向服务申请提高配额。"
                ))
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
