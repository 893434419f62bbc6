package import Push

extension Phrase {
    // MARK: Reports, by their kind

    static let planTitle = Phrase("Push plan", "推送计划")
    static let applyTitle = Phrase("Apply result", "执行结果")
    static let previewTitle = Phrase("Preview of a push", "推送预览")
    static let statusTitle = Phrase("Deliveries", "投递记录")
    static let historyTitle = Phrase("History", "执行记录")
    static let otherTitle = Phrase("bugle: findings", "bugle：诊断结果")

    // MARK: Kinds of resources

    package static let deviceProfileKind = Phrase("deviceProfile", "deviceProfile")
    static let channelKind = Phrase("channel", "频道")
    static let segmentKind = Phrase("segment", "分群")
    package static let campaignKind = Phrase("campaign", "推送活动")

    // MARK: Between words

    package static let comma = Phrase(", ", "，")
    package static let colon = Phrase(": ", "：")

    // MARK: Severities of remarks

    package static let error = Phrase("error", "错误")
    package static let warning = Phrase("warning", "警告")
    package static let note = Phrase("note", "提示")

    // MARK: Audiences

    package static let audience = Phrase("Audience", "受众")
    static let alsoReachedBy = Phrase("Also reached in this plan by", "本计划中同样会触达的活动")
    package static let platform = Phrase("Platform", "平台")
    package static let way = Phrase("Service", "推送通道")
    package static let environment = Phrase("Environment", "推送环境")
    package static let deviceProfile = Phrase("deviceProfile", "deviceProfile")
    package static let timeZone = Phrase("Time zone", "时区")
    static let noProfile = Phrase("none", "未设置")
    static let notKnown = Phrase("not known", "未知")
    static let notKnownOrOthers = Phrase("not known, or others", "未知或其他")
    package static let devicesColumn = Phrase("Devices", "设备数")
    package static let share = Phrase("Share", "占比")
    static let holdoutDetail = Phrase("held out", "对照组")
    static let variantsDetail = Phrase("variants", "变体")
    static let variantHead = Phrase("VARIANT", "变体")
    static let variantAnswers = Phrase("Variants", "变体")
    static let whenChosen = Phrase("once a winner is named", "选定胜出的变体之后")
    static let approvalsDetail = Phrase("requires", "须经批准")
    static let languageColumn = Phrase("Language", "语言")
    static let noLanguage = Phrase("none of these", "以上都不是")
    static let valueColumn = Phrase("Value of its own", "自己的字段值")
    static let notCounted = Phrase("not counted", "未统计")
    static let languagesDetail = Phrase("languages", "各语言")

    package static func lastDelivery(revision: Int, devices: Int, at: Instant, change: Int?, share: String?) -> Phrase {
        Phrase(
            English.lastDelivery(revision, devices, at, change, share),
            Chinese.lastDelivery(revision, devices, at, change, share))
    }
    static func zonesOfNewest(_ count: Int) -> Phrase {
        Phrase("Time zone, of the newest \(count.grouped) devices", "时区（最近的 \(count.grouped) 台设备）")
    }
    static func underShare(_ percent: String) -> Phrase { Phrase("under \(percent) %", "不到 \(percent)%") }
    package static func share(_ percent: String) -> Phrase { Phrase("\(percent) %", "\(percent)%") }

    // MARK: The calendar

    package static let calendar = Phrase("Calendar", "日程")
    static let sentAtColumn = Phrase("Sent at", "发送时间")
    package static let campaignColumn = Phrase("Campaign", "推送活动")
    static let happensColumn = Phrase("What happens", "操作")
    static let worthUntilColumn = Phrase("Expires", "有效期至")
    static let localTimesColumn = Phrase("Local times", "当地时间")
    static let notOurs = Phrase("not bugle's", "非 bugle 管理")
    package static let isBlocked = Phrase("blocked", "被拦截")
    package static let isPending = Phrase("pending", "等待发送")
    static let isSent = Phrase("sends", "发送")
    static let isScheduled = Phrase("is scheduled", "定时")
    static let isRescheduled = Phrase("is rescheduled", "改期")
    package static let isCancelled = Phrase("is cancelled", "取消")
    static let isSettled = Phrase("is settled", "处理未结投递")
    static let isWaiting = Phrase("waits", "等待")
    package static let isMissed = Phrase("is missed", "已错过")
    static let isChanged = Phrase("changes", "变更")
    static let isUnknown = Phrase("unknown", "结果未知")
    static let stagesAreEstimates = Phrase(
        "The times of later stages are estimates: each opens after the bake of the one before it, by its verdict.",
        "后续阶段的时间是估计：前一阶段等待 bake 之后，判定通过才会开始。")
    static let collisionsHeading = Phrase("Too close to each other", "间隔过近")

    package static func quietHours(_ hours: String) -> Phrase { Phrase("Quiet hours: \(hours).", "免打扰时段：\(hours)。") }
    static func atTheEarliest(_ moment: OffsetInstant) -> Phrase {
        Phrase("\(moment.displayText) at the earliest", "最早 \(Chinese.time(moment))")
    }
    static func laterAtTheEarliest(_ delay: Duration) -> Phrase {
        Phrase("\(delay.configurationText) later at the earliest", "最早在 \(Chinese.exactly(delay))后")
    }
    static func devicesWithoutZone(_ zone: String) -> Phrase {
        Phrase("devices without a time zone, as in \(zone)", "没有时区的设备，按 \(zone)")
    }
    static func timesOfZone(_ zone: String) -> Phrase {
        Phrase("Days and times of \(zone), where most of the devices are.", "日期与时间按 \(zone)，多数设备在这个时区。")
    }
    package static func until(_ text: String, _ end: String) -> Phrase {
        Phrase("\(text), expires \(end)", "\(text)，有效期至 \(end)")
    }
    static func closeTo(_ count: Int) -> Phrase {
        Phrase("too close to \(counted(count, "other"))", "与其他 \(count.grouped) 次间隔过近")
    }
    package static func pair(_ first: String, _ second: String, apart: Duration, devices: Int?) -> Phrase {
        Phrase(
            "\(first) and \(second): " + (apart == .zero ? "at the same time" : "\(apart.roundedText) apart")
                + (devices.map { ", \(counted($0, "device"))" } ?? ", some devices perhaps"),
            "\(first) 与 \(second)：" + (apart == .zero ? "同时" : "相隔 \(Chinese.duration(apart))")
                + (devices.map { "，\($0.grouped) 台设备" } ?? "，可能有重复的设备"))
    }
    package static func minimumGap(_ gap: Duration) -> Phrase {
        Phrase(
            "These pairs are closer than \(gap.configurationText), the policy's minimumGap: move one, or narrow an audience.",
            "以下各对的间隔小于策略的 minimumGap（\(Chinese.exactly(gap))）：请移动其中之一，或缩小受众。")
    }
    package static func remarked(_ text: String, _ remark: String) -> Phrase {
        Phrase("\(text) (\(remark))", "\(text)（\(remark)）")
    }

    // MARK: The table of pushes

    static let pushColumn = Phrase("Push", "推送")
    static let whenColumn = Phrase("When", "何时")
    static let whomColumn = Phrase("To whom", "发给谁")
    static let lookOutColumn = Phrase("Look out", "请留意")
    static let eachPush = Phrase("What devices show, audiences and exact requests", "设备上的样子、受众与完整请求")

    // MARK: Certificates

    package static let certificates = Phrase("Certificates", "推送证书")
    static let topicsColumn = Phrase("Topics", "Topic")
    static let fingerprintColumn = Phrase("Fingerprint", "指纹")
    static let endsColumn = Phrase("Ends", "到期日")
    static let daysLeftColumn = Phrase("Days left", "剩余天数")
    static let campaignsColumn = Phrase("Campaigns", "推送活动")

    static func certificateEnded(_ name: String) -> Phrase {
        Phrase("the certificate of \(name) has ended", "\(name) 的推送证书已过期")
    }
    static func certificateEnds(_ name: String, days: Int) -> Phrase {
        Phrase("the certificate of \(name) ends in \(counted(days, "day"))", "\(name) 的推送证书还有 \(days.grouped) 天到期")
    }
    package static func key(_ name: String) -> Phrase { Phrase("key \(name)", "密钥 \(name)") }

    // MARK: Counts

    static let toCreate = Phrase("to create", "新建")
    static let toUpdate = Phrase("to update", "更新")
    static let toDelete = Phrase("to delete", "删除")
    static let toSend = Phrase("to send", "立即发送")
    static let toSchedule = Phrase("to schedule", "定时发送")
    static let toReschedule = Phrase("to reschedule", "改期")
    static let toCancel = Phrase("to cancel", "取消")
    static let toResume = Phrase("to resume", "继续未结投递")
    package static let blocked = Phrase("blocked", "被拦截")
    package static let waiting = Phrase("waiting", "等待")
    package static let missed = Phrase("missed", "已错过")
    package static let unknown = Phrase("unknown", "结果未知")
    package static let done = Phrase("done", "完成")
    package static let ongoing = Phrase("ongoing", "进行中")
    package static let partly = Phrase("in part", "部分完成")
    package static let failed = Phrase("failed", "失败")
    package static let refused = Phrase("refused", "被拒绝")
    package static let skipped = Phrase("skipped", "未执行")

    package static func devices(_ count: Int, of whole: Int) -> Phrase {
        Phrase("\(count.grouped) of \(counted(whole, "device"))", "\(whole.grouped) 台设备中的 \(count.grouped) 台")
    }
    package static func devices(_ count: Int) -> Phrase { Phrase(counted(count, "device"), "\(count.grouped) 台设备") }
    static func missedDevices(_ count: Int) -> Phrase { Phrase("\(count.grouped) missed", "错过 \(count.grouped) 台") }
    package static func pushes(_ count: Int) -> Phrase {
        Phrase(counted(count, "push", "pushes"), "\(count.grouped) 次推送")
    }
    package static func ofRegistered(_ count: Int) -> Phrase {
        Phrase("of \(counted(count, "device")) registered", "共注册 \(count.grouped) 台设备")
    }
    package static func collisions(_ count: Int) -> Phrase {
        Phrase(counted(count, "collision"), "\(count.grouped) 处冲突")
    }
    package static func notes(_ count: Int) -> Phrase { Phrase(counted(count, "note"), "\(count.grouped) 条提示") }
    package static func errors(_ count: Int) -> Phrase { Phrase(counted(count, "error"), "\(count.grouped) 个错误") }
    package static func warnings(_ count: Int) -> Phrase { Phrase(counted(count, "warning"), "\(count.grouped) 个警告") }
    package static func valid(files: Int, campaigns: Int) -> Phrase {
        Phrase(
            "\(counted(files, "file")), \(counted(campaigns, "campaign")): valid",
            "\(files.grouped) 个文件、\(campaigns.grouped) 个推送活动：有效")
    }
    /// No error came since a commit; the earlier ones are not shown.
    package static func nothingIntroduced(since revision: String, earlier: Int) -> Phrase {
        Phrase(
            "no error is new since \(revision); \(counted(earlier, "earlier diagnostic")) not shown",
            "自 \(revision) 以来没有新增错误，此前已有的 \(earlier.grouped) 条诊断未列出")
    }
    package static func others(_ count: Int) -> Phrase { Phrase("\(count.grouped) others", "其他 \(count.grouped) 项") }
    package static func more(_ count: Int) -> Phrase { Phrase("\(count.grouped) more", "还有 \(count.grouped) 项") }
    static func moreRows(_ count: Int) -> Phrase { Phrase(counted(count, "more row"), "还有 \(count.grouped) 行") }
    package static func morePushes(_ count: Int) -> Phrase {
        Phrase("\(count.grouped) more pushes", "还有 \(count.grouped) 次推送")
    }
    package static func daysLeft(_ count: Int) -> Phrase {
        Phrase(counted(count, "day") + " left", "剩余 \(count.grouped) 天")
    }
    package static func count(_ count: Int, of: String) -> Phrase {
        Phrase("\(count.grouped) \(of)", "\(of) \(count.grouped)")
    }
    package static func size(bytes: Int, limit: Int) -> Phrase {
        Phrase("\(bytes.grouped) of \(limit.grouped) bytes", "\(bytes.grouped) 字节，上限 \(limit.grouped) 字节")
    }
    static func namesAndMore(_ list: [String], _ count: Int) -> Phrase {
        Phrase(
            list.joined(separator: ", ") + " and \(count.grouped) more",
            list.joined(separator: "、") + " 等 \((list.count + count).grouped) 项")
    }

    // MARK: Reasons to look at something first

    static let heldBack = Phrase("a rule holds it back", "被规则拦截")
    static let personLooks = Phrase("a person must decide", "需要人工确认")
    static let reachesEveryone = Phrase("it reaches everyone", "推送给全部设备")
    static let largeAudience = Phrase("a large audience", "受众很大")
    package static let uncounted = Phrase("its audience was not counted", "受众未统计")
    static let warned = Phrase("it has a warning", "有相关警告")
}

// MARK: - Changes

extension Phrase {
    // MARK: Effects of a change

    static let sendsNow = Phrase("sends now", "立即发送")
    package static let now = Phrase("now", "现在")
    package static let settles = Phrase("settles an open delivery", "处理未结的投递")
    static let outcomeUnknown = Phrase("a person must decide", "须人工决定")
    static let audienceDetail = Phrase("audience", "受众")
    static let waysDetail = Phrase("by service", "按通道")
    static func noProfileOf(_ vendor: PushVendor, _ devices: Int) -> Phrase {
        let name = vendor.phrase
        return Phrase(
            "\(devices.grouped) \(name.english) without a profile",
            "\(devices.grouped) 台\(name.chinese)没有对应的 DeviceProfile")
    }
    static func noVendor(_ devices: Int) -> Phrase {
        Phrase(
            "\(devices.grouped) of no vendor (LeanCloud's own channel)", "\(devices.grouped) 台没有厂商通道（LeanCloud 自有通道）")
    }
    static let leftOutDetail = Phrase("left out", "不会收到")
    static let payloadDetail = Phrase("payload", "Payload")
    static let reasonDetail = Phrase("reason", "原因")
    package static let nothing = Phrase("(none)", "（无）")
    static let nextDetail = Phrase("next", "接下来")
    static let followingDetail = Phrase("then", "之后")
    static let absentDetail = Phrase("no such day", "没有这一天")
    static let mustRunDetail = Phrase("must run", "须执行 apply")
    package static let looks = Phrase("What devices show", "设备上的样子")
    package static let request = Phrase("Request", "请求")
    static let largestColumn = Phrase("Largest fields", "占用最多的字段")
    static let bytesColumn = Phrase("Bytes", "字节")
    package static let simulated = Phrase(
        "made with --now or --against: it cannot be applied", "由 --now 或 --against 生成，不能执行")
    static let lastGoodPlan = Phrase(
        "the files as they are now cannot be planned: below is the last plan that could be made",
        "无法为当前的文件生成计划，以下是最近一次成功生成的计划")
    static let cannotBeTakenBack = Phrase("A push cannot be taken back.", "推送一旦发出便无法撤回。")

    package static func blocked(_ list: [String]) -> Phrase {
        Phrase("blocked: " + list.joined(separator: "; "), "被拦截：" + list.joined(separator: "；"))
    }
    package static func approvals(_ count: Int, teams: [String]) -> Phrase {
        Phrase(
            counted(count, "approval") + (teams.isEmpty ? "" : " from " + teams.joined(separator: " or ")),
            "\(count.grouped) 人批准" + (teams.isEmpty ? "" : "（须属于 \(teams.joined(separator: " 或 "))）"))
    }
    static func approvalsFrom(devices: Int) -> Phrase {
        Phrase("\(counted(devices, "device")) or more", "\(devices.grouped) 台设备及以上")
    }
    static func approvedBy(_ names: [String]) -> Phrase {
        Phrase("approved by " + names.joined(separator: ", "), "已由 \(names.joined(separator: "、")) 批准")
    }
    package static func scheduled(_ moment: OffsetInstant, expires: String?) -> Phrase {
        Phrase(
            "\(moment.displayText)\(expires.map { ", expires \($0)" } ?? "")",
            "\(Chinese.time(moment))\(expires.map { "，有效期：\($0)" } ?? "")")
    }
    package static func rescheduled(to: String) -> Phrase { Phrase("rescheduled to \(to)", "改期至 \(to)") }
    package static func cancels(_ time: String?) -> Phrase {
        Phrase("cancels" + (time.map { " \($0)" } ?? ""), "取消" + (time.map { " \($0) 的推送" } ?? ""))
    }
    package static func waits(_ time: String?) -> Phrase {
        Phrase("waits" + (time.map { " for \($0)" } ?? ""), "等待" + (time.map { " \($0)" } ?? ""))
    }
    package static func missed(_ time: String?) -> Phrase {
        Phrase("missed" + (time.map { " \($0)" } ?? ""), "已错过" + (time.map { " \($0)" } ?? ""))
    }
    static func occurrencesAhead(_ count: Int) -> Phrase {
        Phrase(counted(count, "occurrence") + " ahead", "后续还有 \(count.grouped) 次")
    }
    static func furtherUntil(_ count: Int, _ day: String?) -> Phrase {
        Phrase(
            "\(count.grouped) more" + (day.map { " until \($0)" } ?? ""),
            "还有 \(count.grouped) 次" + (day.map { "，最后一次在 \($0)" } ?? ""))
    }
    package static func between(_ start: String, _ end: String) -> Phrase {
        Phrase("between \(start) and \(end)", "\(start) 与 \(end) 之间")
    }
    static func showsNothing(_ name: String) -> Phrase { Phrase("\(name): nothing is shown", "\(name)：不显示") }
    package static func lastApplied(commit: String?, ago: Duration, run: String?) -> Phrase {
        Phrase(
            "last applied\(commit.map { " \($0)," } ?? "") \(ago.roundedText) ago"
                + (run.map { ", by \($0)" } ?? ""),
            "上次执行：\(commit.map { "\($0)，" } ?? "")\(Chinese.duration(ago))前" + (run.map { "，由 \($0)" } ?? ""))
    }
    package static func noChanges(_ remote: String) -> Phrase {
        Phrase("No changes: \(remote) matches the workspace.", "没有变更：\(remote) 与工作区一致。")
    }
    package static func sums(resources: [String], deliveries: [String]) -> Phrase {
        Phrase(
            "Plan: \(resources.joined(separator: ", ")). Deliveries: \(deliveries.joined(separator: ", ")).",
            "计划：\(resources.joined(separator: "，"))。投递：\(deliveries.joined(separator: "，"))。")
    }

    // MARK: What a merge does, and the rules that block

    static let sendsNothing = Phrase("sends nothing", "不会发送任何推送")
    static let nothingBlocked = Phrase("nothing is blocked", "没有被拦截的内容")
    static let uncountedDevices = Phrase("an uncounted audience", "未统计的受众")
    static let ruleQuietHours = Phrase("quiet hours", "免打扰时段")
    static let ruleCertificate = Phrase("a certificate that ends too soon", "推送证书到期过早")
    static let rulePayload = Phrase("a payload that is too large", "payload 过大")
    static let ruleProtected = Phrase("protection", "保护")
    static let ruleInnerQuery = Phrase("the service's limit on inner queries", "内层查询的上限")
    static let ruleTooLate = Phrase("a time that is too close", "发送时间过近")
    static let ruleNewLedger = Phrase("an empty ledger", "台账为空")
    static let ruleRenamed = Phrase("a name that may be new", "名称可能已更改")
    static let ruleNotCounted = Phrase("a count that is missing", "受众未统计")
    static let ruleWinner = Phrase("the choice of a winner", "胜出变体的选择")
    static let ruleMissed = Phrase("a time that has passed", "时间已过")
    static let ruleApprovals = Phrase("missing approvals", "缺少批准")
    static let ruleStopped = Phrase("stopped by a person", "已被叫停")
    static let ruleFence = Phrase("the remote's audience", "远端的 audience")

    package static func merging(_ verbs: [String], then clauses: [String], isNothing: Bool) -> Phrase {
        Phrase(
            "Merging " + anded(verbs) + (isNothing && verbs.count == 1 ? ": " : "; ") + clauses.joined(separator: "; ")
                + ".",
            "合并后" + verbs.joined(separator: "，") + (isNothing && verbs.count == 1 ? "：" : "；")
                + clauses.joined(separator: "；") + "。")
    }
    static func verbSends(_ count: Int, to devices: String) -> Phrase {
        Phrase("sends \(counted(count, "push", "pushes")) to \(devices) now", "立即发送 \(count.grouped) 次推送给 \(devices)")
    }
    static func verbSchedules(_ count: Int, to devices: String?, isFirst: Bool) -> Phrase {
        Phrase(
            "schedules \(isFirst ? counted(count, "push", "pushes") : count.grouped)"
                + (devices.map { " to \($0)" } ?? ""),
            "定时发送 \(count.grouped) 次" + (isFirst ? "推送" : "") + (devices.map { "给 \($0)" } ?? ""))
    }
    static func verbReschedules(_ count: Int) -> Phrase {
        Phrase("reschedules \(counted(count, "push", "pushes"))", "改期 \(count.grouped) 次推送")
    }
    static func verbGoesOn(_ count: Int, to devices: String?) -> Phrase {
        Phrase(
            "goes on with \(counted(count, "open delivery", "open deliveries"))" + (devices.map { " to \($0)" } ?? ""),
            "继续 \(count.grouped) 次未结的投递" + (devices.map { "，发给 \($0)" } ?? ""))
    }
    static func verbCancels(_ count: Int) -> Phrase {
        Phrase("cancels \(counted(count, "push", "pushes"))", "取消 \(count.grouped) 次推送")
    }
    static func verbStarts(_ count: Int) -> Phrase {
        Phrase("starts \(counted(count, "recurring campaign"))", "开始 \(count.grouped) 个周期推送活动")
    }
    static func verbCreates(_ count: Int) -> Phrase {
        Phrase("creates \(counted(count, "resource"))", "新建 \(count.grouped) 项资源")
    }
    static func verbUpdates(_ count: Int, isFirst: Bool) -> Phrase {
        Phrase(
            "updates \(isFirst ? counted(count, "resource") : count.grouped)",
            "更新 \(count.grouped) 项\(isFirst ? "资源" : "")")
    }
    static func verbDeletes(_ count: Int, isFirst: Bool) -> Phrase {
        Phrase(
            "deletes \(isFirst ? counted(count, "resource") : count.grouped)",
            "删除 \(count.grouped) 项\(isFirst ? "资源" : "")")
    }
    static func atLeast(_ devices: String) -> Phrase { Phrase("at least \(devices)", "至少 \(devices)") }
    static func areBlocked(pushes: Int, others: Int, by rules: [String]) -> Phrase {
        Phrase(
            (others == 0
                ? counted(pushes, "push", "pushes")
                : pushes == 0 ? counted(others, "resource") : counted(pushes + others, "change"))
                + (pushes + others == 1 ? " is" : " are") + " blocked" + (rules.count > 1 ? ": " : " ")
                + rules.joined(separator: ", "),
            (others == 0
                ? "\(pushes.grouped) 次推送" : pushes == 0 ? "\(others.grouped) 项资源" : "\((pushes + others).grouped) 项变更")
                + "被拦截：" + rules.joined(separator: "，"))
    }
    static func byRule(_ rule: String, until: String?, count: Int?) -> Phrase {
        Phrase(
            (count.map { $0.grouped + " " } ?? "") + "by \(rule)" + (until.map { " until \($0)" } ?? ""),
            rule + (count.map { " \($0.grouped) 项" } ?? "") + (until.map { "（到 \($0) 为止）" } ?? ""))
    }
    static func needPerson(_ count: Int) -> Phrase {
        Phrase(
            counted(count, "delivery needs", "deliveries need") + " a person's decision",
            "\(count.grouped) 次投递须人工决定")
    }
    static func areOnHold(_ count: Int) -> Phrase {
        Phrase(counted(count, "delivery is", "deliveries are") + " on hold", "\(count.grouped) 次投递搁置")
    }
    static func goOnInParts(_ count: Int) -> Phrase {
        Phrase(counted(count, "delivery goes", "deliveries go") + " on in parts", "\(count.grouped) 次投递分批继续")
    }
    static func waitForTime(_ count: Int) -> Phrase {
        Phrase(counted(count, "push waits", "pushes wait") + " for the time to come", "\(count.grouped) 次推送等待到时")
    }
    static func wereMissed(_ count: Int) -> Phrase {
        Phrase(counted(count, "push was", "pushes were") + " missed", "\(count.grouped) 次推送已错过")
    }

    // MARK: Headings of groups

    package static let created = Phrase("Will create", "新建")
    package static let updated = Phrase("Will update", "更新")
    package static let deleted = Phrase("Will delete", "删除")
    static let sentNow = Phrase("Will send now", "立即发送")
    package static let scheduled = Phrase("Will schedule", "定时发送")
    package static let cancelled = Phrase("Will cancel", "取消")
    package static let settled = Phrase("Will settle", "处理未结投递")
    static let blockedGroup = Phrase("Blocked", "被拦截")
    static let waitingGroup = Phrase("Waiting", "等待")
    static let missedGroup = Phrase("Missed", "已错过")
    static let unknownGroup = Phrase("Unknown", "结果未知")
    static let doneGroup = Phrase("Done", "完成")
    static let ongoingGroup = Phrase("Goes on", "进行中")
    static let partlyGroup = Phrase("Done in part", "部分完成")
    static let failedGroup = Phrase("Not done", "未完成")
    static let skippedGroup = Phrase("Not tried", "未执行")
    static let restGroup = Phrase("Everything else", "其余变更")
    package static let warnings = Phrase("Warnings", "警告")
    static let warningsHeading = Phrase("What bugle warns about", "bugle 的警告")
    package static let notes = Phrase("Notes", "提示")
}

extension PushVendor {
    /// The service's name.
    package var phrase: Phrase {
        switch self {
        case .apns: Phrase(title, "苹果")
        case .hms: Phrase(title, "华为")
        case .honor: Phrase(title, "荣耀")
        case .mi: Phrase(title, "小米")
        case .miGlobal: Phrase(title, "小米（海外）")
        case .fcm, .harmony, .oppo, .vivo: Phrase(title, title)
        }
    }
}
