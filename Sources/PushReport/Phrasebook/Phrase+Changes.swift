package import Push

extension Phrase {
    // MARK: Effects of a change

    package static let sendsNow = Phrase("sends now", "立即发送")
    package static let now = Phrase("now", "现在")
    package static let settles = Phrase("settles an open delivery", "处理未结的投递")
    package static let outcomeUnknown = Phrase("a person must decide", "须人工决定")
    package static let audienceDetail = Phrase("audience", "受众")
    package static let leftOutDetail = Phrase("left out", "不会收到")
    package static let payloadDetail = Phrase("payload", "Payload")
    package static let reasonDetail = Phrase("reason", "原因")
    package static let nothing = Phrase("(none)", "（无）")
    package static let nextDetail = Phrase("next", "接下来")
    package static let followingDetail = Phrase("then", "之后")
    package static let absentDetail = Phrase("no such day", "没有这一天")
    package static let mustRunDetail = Phrase("must run", "须执行 apply")
    package static let looks = Phrase("What devices show", "设备上的样子")
    package static let request = Phrase("Request", "请求")
    package static let largestColumn = Phrase("Largest fields", "占用最多的字段")
    package static let bytesColumn = Phrase("Bytes", "字节")
    package static let simulated = Phrase(
        "made with --now or --against: it cannot be applied", "由 --now 或 --against 生成，不能执行")
    package static let lastGoodPlan = Phrase(
        "the files as they are now cannot be planned: below is the last plan that could be made",
        "无法为当前的文件生成计划，以下是最近一次成功生成的计划")
    package static let cannotBeTakenBack = Phrase("A push cannot be taken back.", "推送一旦发出便无法撤回。")

    package static func blocked(_ list: [String]) -> Phrase {
        Phrase("blocked: " + list.joined(separator: "; "), "被拦截：" + list.joined(separator: "；"))
    }
    package static func approvals(_ count: Int, teams: [String]) -> Phrase {
        Phrase(
            counted(count, "approval") + (teams.isEmpty ? "" : " from " + teams.joined(separator: " or ")),
            "\(count.grouped) 人批准" + (teams.isEmpty ? "" : "（须属于 \(teams.joined(separator: " 或 "))）"))
    }
    package static func approvalsFrom(devices: Int) -> Phrase {
        Phrase("\(counted(devices, "device")) or more", "\(devices.grouped) 台设备及以上")
    }
    package static func approvedBy(_ names: [String]) -> Phrase {
        Phrase("approved by " + names.joined(separator: ", "), "已由 \(names.joined(separator: "、")) 批准")
    }
    package static func scheduled(_ moment: OffsetInstant, expires: String?) -> Phrase {
        Phrase(
            "\(English.time(moment))\(expires.map { ", expires \($0)" } ?? "")",
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
    package static func occurrencesAhead(_ count: Int) -> Phrase {
        Phrase(counted(count, "occurrence") + " ahead", "后续还有 \(count.grouped) 次")
    }
    package static func furtherUntil(_ count: Int, _ day: String?) -> Phrase {
        Phrase(
            "\(count.grouped) more" + (day.map { " until \($0)" } ?? ""),
            "还有 \(count.grouped) 次" + (day.map { "，最后一次在 \($0)" } ?? ""))
    }
    package static func between(_ start: String, _ end: String) -> Phrase {
        Phrase("between \(start) and \(end)", "\(start) 与 \(end) 之间")
    }
    package static func showsNothing(_ name: String) -> Phrase { Phrase("\(name): nothing is shown", "\(name)：不显示") }
    package static func lastApplied(commit: String?, ago: Duration, run: String?) -> Phrase {
        Phrase(
            "last applied\(commit.map { " \($0)," } ?? "") \(English.duration(ago)) ago"
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

    package static let sendsNothing = Phrase("sends nothing", "不会发送任何推送")
    package static let nothingBlocked = Phrase("nothing is blocked", "没有被拦截的内容")
    package static let uncountedDevices = Phrase("an uncounted audience", "未统计的受众")
    package static let ruleQuietHours = Phrase("quiet hours", "免打扰时段")
    package static let ruleCertificate = Phrase("a certificate that ends too soon", "推送证书到期过早")
    package static let rulePayload = Phrase("a payload that is too large", "payload 过大")
    package static let ruleProtected = Phrase("protection", "保护")
    package static let ruleInnerQuery = Phrase("the service's limit on inner queries", "内层查询的上限")
    package static let ruleTooLate = Phrase("a time that is too close", "发送时间过近")
    package static let ruleNewLedger = Phrase("an empty ledger", "台账为空")
    package static let ruleRenamed = Phrase("a name that may be new", "名称可能已更改")
    package static let ruleNotCounted = Phrase("a count that is missing", "受众未统计")
    package static let ruleWinner = Phrase("the choice of a winner", "胜出变体的选择")
    package static let ruleMissed = Phrase("a time that has passed", "时间已过")
    package static let ruleApprovals = Phrase("missing approvals", "缺少批准")

    package static func merging(_ verbs: [String], then clauses: [String], isNothing: Bool) -> Phrase {
        Phrase(
            "Merging " + anded(verbs) + (isNothing && verbs.count == 1 ? ": " : "; ") + clauses.joined(separator: "; ")
                + ".",
            "合并后" + verbs.joined(separator: "，") + (isNothing && verbs.count == 1 ? "：" : "；")
                + clauses.joined(separator: "；") + "。")
    }
    package static func verbSends(_ count: Int, to devices: String) -> Phrase {
        Phrase("sends \(counted(count, "push", "pushes")) to \(devices) now", "立即发送 \(count.grouped) 次推送给 \(devices)")
    }
    package static func verbSchedules(_ count: Int, to devices: String?, isFirst: Bool) -> Phrase {
        Phrase(
            "schedules \(isFirst ? counted(count, "push", "pushes") : count.grouped)"
                + (devices.map { " to \($0)" } ?? ""),
            "定时发送 \(count.grouped) 次" + (isFirst ? "推送" : "") + (devices.map { "给 \($0)" } ?? ""))
    }
    package static func verbReschedules(_ count: Int) -> Phrase {
        Phrase("reschedules \(counted(count, "push", "pushes"))", "改期 \(count.grouped) 次推送")
    }
    package static func verbGoesOn(_ count: Int, to devices: String?) -> Phrase {
        Phrase(
            "goes on with \(counted(count, "open delivery", "open deliveries"))" + (devices.map { " to \($0)" } ?? ""),
            "继续 \(count.grouped) 次未结的投递" + (devices.map { "，发给 \($0)" } ?? ""))
    }
    package static func verbCancels(_ count: Int) -> Phrase {
        Phrase("cancels \(counted(count, "push", "pushes"))", "取消 \(count.grouped) 次推送")
    }
    package static func verbStarts(_ count: Int) -> Phrase {
        Phrase("starts \(counted(count, "recurring campaign"))", "开始 \(count.grouped) 个周期推送活动")
    }
    package static func verbCreates(_ count: Int) -> Phrase {
        Phrase("creates \(counted(count, "resource"))", "新建 \(count.grouped) 项资源")
    }
    package static func verbUpdates(_ count: Int, isFirst: Bool) -> Phrase {
        Phrase(
            "updates \(isFirst ? counted(count, "resource") : count.grouped)",
            "更新 \(count.grouped) 项\(isFirst ? "资源" : "")")
    }
    package static func verbDeletes(_ count: Int, isFirst: Bool) -> Phrase {
        Phrase(
            "deletes \(isFirst ? counted(count, "resource") : count.grouped)",
            "删除 \(count.grouped) 项\(isFirst ? "资源" : "")")
    }
    package static func atLeast(_ devices: String) -> Phrase { Phrase("at least \(devices)", "至少 \(devices)") }
    package static func areBlocked(pushes: Int, others: Int, by rules: [String]) -> Phrase {
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
    package static func byRule(_ rule: String, until: String?, count: Int?) -> Phrase {
        Phrase(
            (count.map { $0.grouped + " " } ?? "") + "by \(rule)" + (until.map { " until \($0)" } ?? ""),
            rule + (count.map { " \($0.grouped) 项" } ?? "") + (until.map { "（到 \($0) 为止）" } ?? ""))
    }
    package static func needPerson(_ count: Int) -> Phrase {
        Phrase(
            counted(count, "delivery needs", "deliveries need") + " a person's decision",
            "\(count.grouped) 次投递须人工决定")
    }
    package static func areOnHold(_ count: Int) -> Phrase {
        Phrase(counted(count, "delivery is", "deliveries are") + " on hold", "\(count.grouped) 次投递搁置")
    }
    package static func goOnInParts(_ count: Int) -> Phrase {
        Phrase(counted(count, "delivery goes", "deliveries go") + " on in parts", "\(count.grouped) 次投递分批继续")
    }
    package static func waitForTime(_ count: Int) -> Phrase {
        Phrase(counted(count, "push waits", "pushes wait") + " for the time to come", "\(count.grouped) 次推送等待到时")
    }
    package static func wereMissed(_ count: Int) -> Phrase {
        Phrase(counted(count, "push was", "pushes were") + " missed", "\(count.grouped) 次推送已错过")
    }

    // MARK: Headings of groups

    package static let created = Phrase("Will create", "新建")
    package static let updated = Phrase("Will update", "更新")
    package static let deleted = Phrase("Will delete", "删除")
    package static let sentNow = Phrase("Will send now", "立即发送")
    package static let scheduled = Phrase("Will schedule", "定时发送")
    package static let cancelled = Phrase("Will cancel", "取消")
    package static let settled = Phrase("Will settle", "处理未结投递")
    package static let blockedGroup = Phrase("Blocked", "被拦截")
    package static let waitingGroup = Phrase("Waiting", "等待")
    package static let missedGroup = Phrase("Missed", "已错过")
    package static let unknownGroup = Phrase("Unknown", "结果未知")
    package static let doneGroup = Phrase("Done", "完成")
    package static let ongoingGroup = Phrase("Goes on", "进行中")
    package static let partlyGroup = Phrase("Done in part", "部分完成")
    package static let failedGroup = Phrase("Not done", "未完成")
    package static let skippedGroup = Phrase("Not tried", "未执行")
    package static let restGroup = Phrase("Everything else", "其余变更")
    package static let warnings = Phrase("Warnings", "警告")
    package static let warningsHeading = Phrase("What bugle warns about", "bugle 的警告")
    package static let notes = Phrase("Notes", "提示")
}
