package import Push

extension Phrase {
    // MARK: Results of an apply

    static let wasCreated = Phrase("created", "已新建")
    static let wasUpdated = Phrase("updated", "已更新")
    static let wasDeleted = Phrase("deleted", "已删除")
    static let wasSent = Phrase("sent", "已发送")
    static let wasScheduled = Phrase("scheduled", "已定时")
    static let wasRescheduled = Phrase("rescheduled", "已改期")
    static let wasCancelled = Phrase("cancelled", "已取消")
    static let wasSettled = Phrase("settled", "已处理")
    static let findOut = Phrase("Find out what happened, then:", "请先查明实际结果，然后执行：")
    package static let resolveCommand = Phrase(
        "bugle resolve CAMPAIGN --as sent|unsent|proceed|abandoned --reason TEXT",
        "bugle resolve CAMPAIGN --as sent|unsent|proceed|abandoned --reason TEXT")
    static let whatColumn = Phrase("What", "对象")
    static let resultColumn = Phrase("Result", "结果")

    package static func nothingToApply(_ remote: String, waiting: Int) -> Phrase {
        Phrase(
            waiting == 0
                ? "Nothing to apply: \(remote) matches the workspace."
                : "Nothing to apply now: \(waiting.grouped) waiting.",
            waiting == 0 ? "没有需要执行的变更：\(remote) 与工作区一致。" : "现在没有可执行的内容：\(waiting.grouped) 项在等待。")
    }
    static let nothingChanged = Phrase("Nothing was changed.", "没有执行任何变更。")
    package static func applied(_ list: [String]) -> Phrase {
        Phrase("Applied: \(list.joined(separator: ", ")).", "执行完毕：\(list.joined(separator: "，"))。")
    }
    static func sentTo(pushes: Int, devices: Int, simulated: Int) -> Phrase {
        Phrase(
            pushes == 0
                ? "nothing sent"
                : counted(pushes, "push", "pushes") + " sent to "
                    + [
                        devices > 0 || simulated == 0 ? counted(devices, "device") : nil,
                        simulated > 0 ? counted(simulated, "simulated device") : nil,
                    ].compactMap(\.self).joined(separator: " and "),
            pushes == 0
                ? "没有发送"
                : "\(pushes.grouped) 次推送已发给 "
                    + [
                        devices > 0 || simulated == 0 ? "\(devices.grouped) 台设备" : nil,
                        simulated > 0 ? "\(simulated.grouped) 台模拟设备" : nil,
                    ].compactMap(\.self).joined(separator: "和 "))
    }
    static func sentUncounted(_ pushes: Int) -> Phrase {
        Phrase(counted(pushes, "push", "pushes") + " sent and not counted yet", "\(pushes.grouped) 次推送已发送、尚未计数")
    }
    package static func reached(_ devices: Int, simulated: Int) -> Phrase {
        Phrase(
            [
                devices > 0 || simulated == 0 ? devices.grouped : nil,
                simulated > 0 ? "\(simulated.grouped) simulated" : nil,
            ]
            .compactMap(\.self).joined(separator: " and "),
            [devices > 0 || simulated == 0 ? devices.grouped : nil, simulated > 0 ? "模拟 \(simulated.grouped)" : nil]
                .compactMap(\.self).joined(separator: " 与"))
    }
    static func inDoubtDevices(_ count: Int) -> Phrase { Phrase("\(count.grouped) in doubt", "\(count.grouped) 台存疑") }
    static func nextDue(_ campaign: String, _ at: OffsetInstant) -> Phrase {
        Phrase("Next: \(campaign), \(at.displayText).", "下一次：\(campaign)，\(Chinese.time(at))。")
    }
    package static func outcome(
        _ word: String, devices: Int?, simulated: Int, lost: [String], detail: String?
    ) -> Phrase {
        Phrase(
            word + (devices.map { $0 > 0 || simulated == 0 ? ", " + counted($0, "device") : "" } ?? "")
                + (simulated > 0 ? ", " + counted(simulated, "simulated device") : "") + lost.map { ", " + $0 }.joined()
                + (detail.map { ": " + $0 } ?? ""),
            word + (devices.map { $0 > 0 || simulated == 0 ? "，\($0.grouped) 台设备" : "" } ?? "")
                + (simulated > 0 ? "，\(simulated.grouped) 台模拟设备" : "") + lost.map { "，" + $0 }.joined()
                + (detail.map { "：" + $0 } ?? ""))
    }

    // MARK: Many workspaces

    package static let workspaceColumn = Phrase("Workspace", "工作区")
    static let inShortColumn = Phrase("In short", "概要")
    static let noWorkspace = Phrase("No workspace has changed.", "没有工作区有改动。")
    package static func workspaces(_ count: Int) -> Phrase {
        Phrase(counted(count, "workspace"), "\(count.grouped) 个工作区")
    }
    /// How many workspaces ended as they should, and which did not.
    static func ofWorkspaces(_ count: Int, wrong: [String]) -> Phrase {
        guard !wrong.isEmpty else {
            return Phrase("Nothing was wrong in \(counted(count, "workspace")).", "\(count.grouped) 个工作区均无异常。")
        }
        let (names, rest) = (wrong.prefix(5), wrong.count - 5)
        return Phrase(
            "Look at \(wrong.count.grouped) of \(counted(count, "workspace")): "
                + names.joined(separator: ", ") + (rest > 0 ? " and \(rest.grouped) more." : "."),
            "\(count.grouped) 个工作区中有 \(wrong.count.grouped) 个需要查看："
                + names.joined(separator: "、") + (rest > 0 ? " 等。" : "。"))
    }

    // MARK: The ledger

    static let nothingDelivered = Phrase("Nothing was delivered yet.", "还没有任何投递。")
    static let nothingApplied = Phrase("Nothing was applied.", "没有执行过任何投递。")
    static let campaignHead = Phrase("CAMPAIGN", "推送活动")
    static let revisionHead = Phrase("REVISION", "版本")
    static let occurrenceHead = Phrase("DAY", "日期")
    static let stateHead = Phrase("STATE", "状态")
    static let atHead = Phrase("AT", "时间")
    static let devicesHead = Phrase("DEVICES", "设备数")
    static let successesHead = Phrase("SUCCESSES", "成功")
    static let receivedHead = Phrase("RECEIVED", "送达")
    static let openedHead = Phrase("OPENED", "打开")
    static let dismissedHead = Phrase("DISMISSED", "清除")
    static let invalidHead = Phrase("INVALID", "token 失效")
    static let inDoubtHead = Phrase("IN DOUBT", "存疑")
    static let missedHead = Phrase("MISSED", "错过")
    static let tooLargeHead = Phrase("TOO LARGE", "过大")
    static let heldOutHead = Phrase("HELD OUT", "对照组")
    static let cappedHead = Phrase("CAPPED", "频次已满")
    static let appliedHead = Phrase("APPLIED", "执行时间")
    static let actorHead = Phrase("BY", "执行人")
    static let runHead = Phrase("RUN", "运行")
    static let pushHead = Phrase("PUSH", "推送 ID")
    static let commitHead = Phrase("COMMIT", "提交")
    static let reasonHead = Phrase("REASON", "原因")
    package static let sendingState = Phrase("sending", "发送中")
    package static let scheduledState = Phrase("scheduled", "已定时")
    static let sentState = Phrase("sent", "已发送")
    package static let refusedState = Phrase("refused", "被拒绝")
    static let cancellingState = Phrase("cancelling", "取消中")
    package static let cancelledState = Phrase("cancelled", "已取消")
    package static let heldState = Phrase("held back after a restore", "恢复后扣住")
    static let unsentState = Phrase("unsent", "未发送")
    static let unknownState = Phrase("unknown", "结果未知")
    static let haltedState = Phrase("halted", "已中止")
    static let holdingState = Phrase("holding", "待决定")
    package static let part = Phrase("Part", "部分")
    static let rolloutDetail = Phrase("rollout", "分阶段")
    static let localTimeDetail = Phrase("local time", "当地时间")
    static let wavesDetail = Phrase("waves", "各批")
    static let whenItIsSent = Phrase("When it is sent", "何时发送")
    static let firstWave = Phrase("the first clocks on earth", "全球最早的时钟")
    static let lastWave = Phrase("the last clocks on earth", "全球最晚的时钟")
    package static let verdicts = Phrase("Verdicts on stages", "各阶段的判定")
    static let stageHead = Phrase("STAGE", "阶段")
    static let verdictHead = Phrase("VERDICT", "判定")
    static let refusedHead = Phrase("REFUSED", "被拒绝")
    static let goVerdict = Phrase("go", "通过")
    static let haltVerdict = Phrase("halt", "中止")
    static let holdVerdict = Phrase("hold", "待决定")
    static let proceedVerdict = Phrase("proceed", "人工放行")

    package static func deliveries(_ count: Int, _ list: [String]) -> Phrase {
        Phrase(
            counted(count, "delivery", "deliveries") + ": \(list.joined(separator: ", ")).",
            "共 \(count.grouped) 次投递：\(list.joined(separator: "，"))。")
    }
    static func appliedSince(_ moment: String) -> Phrase { Phrase("applied since \(moment)", "自 \(moment) 起执行") }
    static func appliedBefore(_ count: Int) -> Phrase {
        Phrase(
            counted(count, "earlier delivery", "earlier deliveries") + ": a longer --since lists them.",
            "更早还有 \(count.grouped) 次投递：用更长的 --since 列出。")
    }
    package static func absentClass(_ name: String) -> Phrase {
        Phrase("Its condition queries the class \(name), which does not exist.", "条件中用到的 class \(name) 不存在。")
    }

    // MARK: The content of a push

    static let whatIsSent = Phrase("What is sent", "发送的内容")
    static let everyDeviceGets = Phrase("What every device gets:", "每台设备收到的内容：")
    static let carriedOutFrom = Phrase("The recorded request of the delivery:", "投递所依据的内容：")

    // MARK: Previews

    static func previewed(revision: Int, delivery: String) -> Phrase {
        Phrase("revision \(revision), delivery \(delivery)", "版本 \(revision)，投递 \(delivery)")
    }
    package static func revision(of: String, _ count: Int) -> Phrase {
        Phrase("campaign \(of), revision \(count)", "推送活动 \(of)，版本 \(count)")
    }
    package static func at(_ audience: String, _ moment: OffsetInstant?) -> Phrase {
        Phrase(
            audience + (moment.map { ", \($0.displayText)" } ?? ""),
            audience + (moment.map { "，\(Chinese.time($0))" } ?? ""))
    }
    static func notMeant(_ remote: String) -> Phrase {
        Phrase("it is not deployed to \(remote): its 'remotes' do not include it", "它不部署到 \(remote)：'remotes' 中没有这一项")
    }
    static func theRequest(_ call: String) -> Phrase { Phrase("The request (\(call)):", "请求（\(call)）：") }

    // MARK: The page

    package static let pageLanguage = Phrase("en", "zh-Hans")
    package static let skipToContent = Phrase("Skip to the content", "跳到正文")
    static let moreViews = Phrase("Banner and expanded views", "横幅与展开视图")

    static func figureRest(_ count: Int, of: Int) -> Phrase {
        Phrase(
            "This page shows the \(of) campaigns to look at first; \(count.grouped) of these are not shown: bugle preview draws any one.",
            "本页只绘制最需要先看的 \(of) 个推送活动，其中 \(count.grouped) 个没有绘制；bugle preview 可以绘制任意一个。")
    }

    // MARK: The comment of a pull request

    package static let reviewedPlan = Phrase("The plan that was reviewed", "评审过的计划")
    static let tooLong = Phrase(
        "bugle's report does not fit into this comment; see the HTML or JSON artifact.",
        "bugle 的报告超出评论长度，请查看 HTML 或 JSON 产物。")
    static let seeArtifact = Phrase(": in the HTML or JSON artifact.", "：见 HTML 或 JSON 产物。")
    package static let nothingToApply = Phrase("Nothing can be applied.", "没有可执行的内容。")
    package static let invalidConfiguration = Phrase(
        "The configuration is invalid: nothing can be planned or applied until it is fixed.", "配置有误：改正之前无法生成计划，也无法执行。")
    package static let whoeverApproves = Phrase("Whoever approves it", "批准者")
    package static let aMerge = Phrase("A merge", "合并")
    package static let endedWell = Phrase("nothing was wrong", "一切正常")
    package static let endedWithChanges = Phrase("there are changes", "有变更")
    package static let endedFailed = Phrase("the remote or the machine failed", "远端或本机出错")
    package static let endedInvalid = Phrase("the configuration is invalid", "配置有误")
    package static let endedCredentials = Phrase("credentials are refused or missing", "凭据缺失或被拒绝")
    package static let endedLimited = Phrase("a rate limit outlasted the retries", "多次重试后仍被限流")
    package static let endedBlocked = Phrase("a policy or a limit blocks something", "有变更被规则或上限拦截")
    package static let endedUnknown = Phrase(
        "a person must decide: an outcome is unknown, or something was stopped", "须人工决定：某次投递的结果未知，或有投递已停下")
    package static let endedPartial = Phrase("applied in part", "只执行了一部分")
    package static let endedStale = Phrase("the reviewed plan is stale, and nothing was applied", "评审过的计划已失效，没有执行任何操作")
    package static let endedUnconfirmed = Phrase("confirmation was needed, and there was nobody to ask", "无人确认")
    package static let endedLocked = Phrase("another apply holds the lock", "另一个 apply 持有锁")
    package static let endedUsage = Phrase("it was used wrongly", "命令用法不对")
    package static let endedOtherwise = Phrase("bugle was terminated", "bugle 并非自行结束")

    static func moreItems(_ count: Int, _ list: [String]) -> Phrase {
        Phrase(
            "… \(count.grouped) more: \(list.joined(separator: ", ")); the full report is in the HTML or JSON artifact.",
            "… 还有 \(count.grouped) 项：\(list.joined(separator: "，"))；完整内容见 HTML 或 JSON 产物。")
    }
    package static func noPlan(_ ending: (meaning: String, code: UInt8)?) -> Phrase {
        Phrase(
            "**There is no plan**\(ending.map { ": \($0.meaning) (exit code \($0.code))" } ?? ""). The log says why.",
            "**没有生成计划**\(ending.map { "：\($0.meaning)（退出码 \($0.code)）" } ?? "")。原因见日志。")
    }
    package static func exitCode(_ code: UInt8, _ meaning: String) -> Phrase {
        Phrase("**Exit code \(code)**: \(meaning).", "**退出码 \(code)**：\(meaning)。")
    }
    package static func noResult(_ ending: (meaning: String, code: UInt8)?) -> Phrase {
        Phrase(
            "**There is no result of the apply**\(ending.map { ": \($0.meaning) (exit code \($0.code))" } ?? ""). The log says why; the next apply continues.",
            "**没有执行结果**\(ending.map { "：\($0.meaning)（退出码 \($0.code)）" } ?? "")。原因见日志；下一次执行会继续。")
    }
    package static func appliedFrom(commit: String, page: String?) -> Phrase {
        Phrase(
            page.map { "Applied from [`\(commit)`](<\($0)>)." } ?? "Applied from `\(commit)`.",
            page.map { "执行自 [`\(commit)`](<\($0)>)。" } ?? "执行自 `\(commit)`。")
    }
    package static func job(_ address: String) -> Phrase {
        Phrase("[The job and its log](<\(address)>).", "[作业与日志](<\(address)>)。")
    }
    package static func pullRequest(_ address: String) -> Phrase {
        Phrase("[The pull request](<\(address)>).", "[合并请求](<\(address)>)。")
    }
    package static func plannedFrom(_ commit: String) -> Phrase {
        Phrase("Planned from `\(commit)`.", "计划基于 `\(commit)`。")
    }
    package static func wholePage(_ address: String) -> Phrase {
        Phrase("[Full report](<\(address)>).", "[完整页面](<\(address)>)。")
    }
    package static func carriesOut(who: String) -> Phrase {
        Phrase(
            "\(who) applies exactly this plan, or nothing if anything has changed by then (exit code 9). By hand: `bugle apply PLAN`. A push cannot be taken back.",
            "\(who)后将严格执行这份计划；届时若有任何变化，则什么都不执行（退出码 9）。手动执行：`bugle apply PLAN`。推送一旦发出便无法撤回。")
    }
    package static func neverApplied(_ name: String) -> Phrase {
        Phrase(
            "The plan for \(name) was made with `--now` or `--against`: it is never applied.",
            "\(name) 的计划由 `--now` 或 `--against` 生成，不会被执行。")
    }
    package static func holdsUntil(_ name: String, _ moment: Instant) -> Phrase {
        Phrase(
            "The plan for \(name) is valid until \(moment.text).",
            "\(name) 的计划有效至 \(Chinese.instant(moment))。")
    }
}
