internal import PushModel

extension Chinese {
    /// A sentence in Chinese.
    static func text(_ phrase: Phrase) -> String {
        switch phrase {
        // Counts.
        case .devices(let count): "\(count.grouped) 台设备"
        case .missedDevices(let count): "错过 \(count.grouped) 台"
        case .pushes(let count): "\(count.grouped) 次推送"
        case .ofRegistered(let count): "共注册 \(count.grouped) 台设备"
        case .collisions(let count): "\(count.grouped) 处冲突"
        case .notes(let count): "\(count.grouped) 条提示"
        case .errors(let count): "\(count.grouped) 个错误"
        case .warnings(let count): "\(count.grouped) 个警告"
        case .valid(let files, let campaigns): "\(files.grouped) 个文件、\(campaigns.grouped) 个推送活动：有效"
        case .nothingIntroduced(let revision, let earlier): "自 \(revision) 以来没有新增错误，此前已有的 \(earlier.grouped) 条诊断未列出"
        case .others(let count): "其他 \(count.grouped) 项"
        case .more(let count): "还有 \(count.grouped) 项"
        case .moreRows(let count): "还有 \(count.grouped) 行"
        case .morePushes(let count): "还有 \(count.grouped) 次推送"
        case .daysLeft(let count): "剩余 \(count.grouped) 天"
        case .count(let count, let of): "\(of) \(count.grouped)"
        case .size(let bytes, let limit): "\(bytes.grouped) 字节，上限 \(limit.grouped) 字节"
        case .namesAndMore(let list, let count): list.joined(separator: "、") + " 等 \((list.count + count).grouped) 项"
        // Audiences.
        case .lastDelivery(let revision, let devices, let at, let change, let share):
            lastDelivery(revision, devices, at, change, share)
        case .zonesOfNewest(let count): "时区（最近的 \(count.grouped) 台设备）"
        case .underShare(let percent): "不到 \(percent)%"
        case .share(let percent): "\(percent)%"
        // The calendar.
        case .quietHours(let hours): "免打扰时段：\(hours)。"
        case .atTheEarliest(let moment): "最早 \(time(moment))"
        case .laterAtTheEarliest(let delay): "最早在 \(exactly(delay))后"
        case .devicesWithoutZone(let zone): "没有时区的设备，按 \(zone)"
        case .timesOfZone(let zone): "日期与时间按 \(zone)，多数设备在这个时区。"
        case .until(let text, let end): "\(text)，有效期至 \(end)"
        case .closeTo(let count): "与其他 \(count.grouped) 次间隔过近"
        case .pair(let first, let second, let apart, let devices):
            "\(first) 与 \(second)：" + (apart == .zero ? "同时" : "相隔 \(duration(apart))")
                + (devices.map { "，\($0.grouped) 台设备" } ?? "，可能有重复的设备")
        case .minimumGap(let gap): "以下各对的间隔小于策略的 minimumGap（\(exactly(gap))）：请移动其中之一，或缩小受众。"
        case .remarked(let text, let remark): "\(text)（\(remark)）"
        // Certificates.
        case .certificateEnded(let name): "\(name) 的推送证书已过期"
        case .certificateEnds(let name, let days): "\(name) 的推送证书还有 \(days.grouped) 天到期"
        case .key(let name): "密钥 \(name)"
        // Effects of a change.
        case .blocked(let list): "被拦截：" + list.joined(separator: "；")
        case .approvals(let count, let teams):
            "\(count.grouped) 人批准" + (teams.isEmpty ? "" : "（须属于 \(teams.joined(separator: " 或 "))）")
        case .approvalsFrom(let devices): "\(devices.grouped) 台设备及以上"
        case .approvedBy(let names): "已由 \(names.joined(separator: "、")) 批准"
        case .scheduled(let moment, let expires): "\(time(moment))\(expires.map { "，有效期：\($0)" } ?? "")"
        case .rescheduled(let to): "改期至 \(to)"
        case .cancels(let time): "取消" + (time.map { " \($0) 的推送" } ?? "")
        case .waits(let time): "等待" + (time.map { " \($0)" } ?? "")
        case .missed(let time): "已错过" + (time.map { " \($0)" } ?? "")
        case .occurrencesAhead(let count): "后续还有 \(count.grouped) 次"
        case .furtherUntil(let count, let day): "还有 \(count.grouped) 次" + (day.map { "，最后一次在 \($0)" } ?? "")
        case .between(let start, let end): "\(start) 与 \(end) 之间"
        case .showsNothing(let name): "\(name)：不显示"
        case .lastApplied(let commit, let ago, let run):
            "上次执行：\(commit.map { "\($0)，" } ?? "")\(duration(ago))前" + (run.map { "，由 \($0)" } ?? "")
        case .noChanges(let remote): "没有变更：\(remote) 与工作区一致。"
        case .sums(let resources, let deliveries):
            "计划：\(resources.joined(separator: "，"))。投递：\(deliveries.joined(separator: "，"))。"
        // What a merge does.
        case .merging(let verbs, let clauses, let isNothing):
            "合并后" + verbs.joined(separator: "，") + (isNothing && verbs.count == 1 ? "：" : "；")
                + clauses.joined(separator: "；") + "。"
        case .verbSends(let count, let devices): "立即发送 \(count.grouped) 次推送给 \(devices)"
        case .verbSchedules(let count, let devices, let isFirst):
            "定时发送 \(count.grouped) 次" + (isFirst ? "推送" : "") + (devices.map { "给 \($0)" } ?? "")
        case .verbReschedules(let count): "改期 \(count.grouped) 次推送"
        case .verbGoesOn(let count, let devices):
            "继续 \(count.grouped) 次未结的投递" + (devices.map { "，发给 \($0)" } ?? "")
        case .verbCancels(let count): "取消 \(count.grouped) 次推送"
        case .verbStarts(let count): "开始 \(count.grouped) 个周期推送活动"
        case .verbCreates(let count): "新建 \(count.grouped) 项资源"
        case .verbUpdates(let count, let isFirst): "更新 \(count.grouped) 项\(isFirst ? "资源" : "")"
        case .verbDeletes(let count, let isFirst): "删除 \(count.grouped) 项\(isFirst ? "资源" : "")"
        case .atLeast(let devices): "至少 \(devices)"
        case .areBlocked(let pushes, let others, let rules):
            (others == 0
                ? "\(pushes.grouped) 次推送" : pushes == 0 ? "\(others.grouped) 项资源" : "\((pushes + others).grouped) 项变更")
                + "被拦截：" + rules.joined(separator: "，")
        case .byRule(let rule, let until, let count):
            rule + (count.map { " \($0.grouped) 项" } ?? "") + (until.map { "（到 \($0) 为止）" } ?? "")
        case .needPerson(let count): "\(count.grouped) 次投递须人工决定"
        case .areOnHold(let count): "\(count.grouped) 次投递搁置"
        case .goOnInParts(let count): "\(count.grouped) 次投递分批继续"
        case .waitForTime(let count): "\(count.grouped) 次推送等待到时"
        case .wereMissed(let count): "\(count.grouped) 次推送已错过"
        // Results of an apply.
        case .nothingToApply(let remote, let waiting):
            waiting == 0 ? "没有需要执行的变更：\(remote) 与工作区一致。" : "现在没有可执行的内容：\(waiting.grouped) 项在等待。"
        case .applied(let list): "执行完毕：\(list.joined(separator: "，"))。"
        case .sentTo(let pushes, let devices, let simulated):
            pushes == 0
                ? "没有发送"
                : "\(pushes.grouped) 次推送已发给 "
                    + [
                        devices > 0 || simulated == 0 ? "\(devices.grouped) 台设备" : nil,
                        simulated > 0 ? "\(simulated.grouped) 台模拟设备" : nil,
                    ].compactMap(\.self).joined(separator: "和 ")
        case .sentUncounted(let pushes): "\(pushes.grouped) 次推送已发送、尚未计数"
        case .reached(let devices, let simulated):
            [devices > 0 || simulated == 0 ? devices.grouped : nil, simulated > 0 ? "模拟 \(simulated.grouped)" : nil]
                .compactMap(\.self).joined(separator: " 与")
        case .inDoubtDevices(let count): "\(count.grouped) 台存疑"
        case .nextDue(let campaign, let at): "下一次：\(campaign)，\(time(at))。"
        case .outcome(let word, let devices, let simulated, let lost, let detail):
            word + (devices.map { $0 > 0 || simulated == 0 ? "，\($0.grouped) 台设备" : "" } ?? "")
                + (simulated > 0 ? "，\(simulated.grouped) 台模拟设备" : "") + lost.map { "，" + $0 }.joined()
                + (detail.map { "：" + $0 } ?? "")
        // The ledger.
        case .deliveries(let count, let list): "共 \(count.grouped) 次投递：\(list.joined(separator: "，"))。"
        case .appliedSince(let moment): "自 \(moment) 起执行"
        case .appliedBefore(let count): "更早还有 \(count.grouped) 次投递：用更长的 --since 列出。"
        case .absentClass(let name): "条件中用到的 class \(name) 不存在。"
        // Previews.
        case .previewed(let revision, let delivery): "版本 \(revision)，投递 \(delivery)"
        case .revision(let of, let count): "推送活动 \(of)，版本 \(count)"
        case .at(let audience, let moment): audience + (moment.map { "，\(time($0))" } ?? "")
        case .notMeant(let remote): "它不部署到 \(remote)：'remotes' 中没有这一项"
        case .theRequest(let call): "请求（\(call)）："
        // Effects on a device, in words.
        case .badge(let count): "角标 \(count)"
        case .sound(let name): "提示音：\(name)"
        case .criticalSound(let name): "重要警告提示音：\(name)"
        case .interruption(let name): "打扰级别：\(name)"
        // The page.
        case .figureRest(let count, let of):
            "本页只绘制最需要先看的 \(of) 个推送活动，其中 \(count.grouped) 个没有绘制；bugle preview 可以绘制任意一个。"
        // The comment of a pull request.
        case .moreItems(let count, let list):
            "… 还有 \(count.grouped) 项：\(list.joined(separator: "，"))；完整内容见 HTML 或 JSON 产物。"
        case .noPlan(let ending): "**没有生成计划**\(ending.map { "：\($0.meaning)（退出码 \($0.code)）" } ?? "")。原因见日志。"
        case .exitCode(let code, let meaning): "**退出码 \(code)**：\(meaning)。"
        case .noResult(let ending):
            "**没有执行结果**\(ending.map { "：\($0.meaning)（退出码 \($0.code)）" } ?? "")。原因见日志；下一次执行会继续。"
        case .appliedFrom(let commit, let page): page.map { "执行自 [`\(commit)`](<\($0)>)。" } ?? "执行自 `\(commit)`。"
        case .job(let address): "[作业与日志](<\(address)>)。"
        case .pullRequest(let address): "[合并请求](<\(address)>)。"
        case .plannedFrom(let commit): "计划基于 `\(commit)`。"
        case .wholePage(let address): "[完整页面](<\(address)>)。"
        case .carriesOut(let who): "\(who)后将严格执行这份计划；届时若有任何变化，则什么都不执行（退出码 9）。手动执行：`bugle apply PLAN`。推送一旦发出便无法撤回。"
        case .neverApplied(let name): "\(name) 的计划由 `--now` 或 `--against` 生成，不会被执行。"
        case .holdsUntil(let name, let moment): "\(name) 的计划有效至 \(instant(moment))。"
        // Drawings.
        case .playedThoughMuted(let name): "♪ \(name)，静音时也响"
        case .notPlayed(let name): "♪ \(name)，不播放"
        case .grouped(let name): "分组：" + name
        case .actions(let name): "操作：" + name
        case .replaces(let name): "替换：" + name
        case .actionsOf(let name): "\(name) 的操作"
        case .actionsNamed(let name): "[\(name) 的操作：由应用定义]"
        case .picture(let name, let of): "[图片 \(name)，来自 \(of)]"
        case .withoutValues(let fields): "没有 " + fields.joined(separator: "、")
        case .andMore(let count): "还有 \(count) 项"
        case .soundPlays(let name): "播放提示音 \(name)。"
        case .badgeBecomes(let count): "角标变为 \(count)。"
        case .sideBySide(let list): list.joined()
        case .label(let label): text(label)
        case .sentences(let list): sentences(list)
        // The console.
        case .inMinutes(let count): "\(count) 分钟后"
        case .inHours(let count): "\(count) 小时后"
        case .inDays(let count): "\(count) 天后"
        case .inAMoment: "即将"
        case .moreNotes(let count): "还有 \(count.grouped) 条"
        case .minutesAgo(let count): "\(count) 分钟前"
        case .hoursAgo(let count): "\(count) 小时前"
        case .daysAgo(let count): "\(count) 天前"
        case .weekdayAndDay(let weekday, let month, let day): "\(month)月\(day)日 \(weekdays[weekday])"
        case .listedDevices(let count, let platform): "按 id 指定的 \(count) 台 \(platform) 设备"
        case .noneHasID(let id): "没有 id 为 \(id) 的记录。"
        case .tooManyKeys(let seconds): "来自你的地址的错误密钥过多，请在 \(seconds) 秒后重试。"
        case .deliveryOf(let id, let workspace): (workspace.isEmpty ? "" : "\(workspace) 的") + "投递 \(id)"
        }
    }
}
