extension Reason {
    /// Why a change is planned, or waits.
    package enum Planned: String, ReasonCode {
        // Resources and recurring campaigns.
        case notRecorded, changed, notDeclared, protectedNow, notProtected, notRecurring, renamedFrom, nowNamed
        case remoteSendsLast
        // Deliveries.
        case notDelivered, refusedBefore, noReason, cancelledBefore, unsentBefore, changedWhilePending
        case changedWhilePendingAnd, stillPending, earlierStillPending, cancellationInterrupted
        // What is not wanted any more.
        case notInFiles, replaced, recurringNow, notRecurringCampaign, notOnDay, otherCounts, notWanted
        // What is late.
        case lastDay, windowOver, windowEnded, windowsEnded, expired, newTimePassed, neverSent, tooLateToRepeat
        case intentTooOld
        // What waits.
        case onHold, onHoldTooLate, onHoldUntil, mustRun, wouldBeQuiet, awaitsQuietEnd

        package var words: Phrase {
            switch self {
            case .notRecorded: Phrase("not recorded yet", "尚未记录")
            case .changed: Phrase("changed", "有改动")
            case .notDeclared: Phrase("no longer declared", "文件中不再声明")
            case .protectedNow: Phrase("protected from now on", "从现在起受保护")
            case .notProtected: Phrase("no longer protected", "不再受保护")
            case .notRecurring: Phrase("it is not recurring any more", "不再是周期性的")
            case .renamedFrom: Phrase("renamed from {}", "由 {} 更名")
            case .nowNamed: Phrase("it is {} now", "现已更名为 {}")
            case .remoteSendsLast: Phrase("the remote sends the last one", "最后一次由远端发送")
            case .notDelivered: Phrase("not delivered yet", "尚未投递")
            case .refusedBefore: Phrase("refused before: {}", "之前被拒绝：{}")
            case .noReason: Phrase("no reason given", "未说明原因")
            case .cancelledBefore: Phrase("cancelled before, wanted again", "之前已取消，现在重新需要")
            case .unsentBefore: Phrase("not sent before, wanted again", "之前未发送，现在重新需要")
            case .changedWhilePending: Phrase("changed while pending", "等待发送期间有改动")
            case .changedWhilePendingAnd: Phrase("changed while pending: {}", "等待发送期间有改动：{}")
            case .stillPending: Phrase("its push is still pending", "其推送仍在等待发送")
            case .earlierStillPending: Phrase("a push of an earlier generation is still pending", "较早一次的推送仍在等待发送")
            case .cancellationInterrupted: Phrase("its cancellation was interrupted", "取消操作曾中断")
            case .notInFiles: Phrase("no longer in the files for this remote", "文件中不再有面向该远端的这一项")
            case .replaced: Phrase("revision {} replaces revision {}", "版本 {} 取代版本 {}")
            case .recurringNow: Phrase("the campaign is recurring now", "该推送活动现在是周期性的")
            case .notRecurringCampaign: Phrase("the campaign is not recurring any more", "该推送活动不再是周期性的")
            case .notOnDay: Phrase("it is not sent on {} any more", "不再于 {} 发送")
            case .otherCounts: Phrase("another delivery of {} counts", "以 {} 的另一次投递为准")
            case .notWanted: Phrase("it is no longer wanted", "已不再需要")
            case .lastDay: Phrase("its last day was {}", "最后一天是 {}")
            case .windowOver: Phrase("its window ended", "发送窗口已结束")
            case .windowEnded: Phrase("its window ended at {}", "发送窗口已于 {} 结束")
            case .windowsEnded: Phrase("the windows of {} occurrences ended, {} to {}", "{} 次的发送窗口已结束（{} 至 {}）")
            case .expired: Phrase("it expired at {}", "已于 {} 过期")
            case .newTimePassed: Phrase("its new time has passed: {}", "新的时间已过：{}")
            case .neverSent: Phrase("none of it was ever sent, and {}", "从未发送过：{}")
            case .tooLateToRepeat: Phrase("it is too late to repeat it", "已来不及重发")
            case .intentTooOld: Phrase("its intent is more than a minute old", "其发送意图已超过一分钟")
            case .onHold: Phrase("on hold", "已暂停")
            case .onHoldTooLate: Phrase("on hold, and its time is over", "已暂停，且已过有效时间")
            case .onHoldUntil: Phrase("on hold; it continues if released by {}", "已暂停；在 {} 之前解除即可继续")
            case .mustRun: Phrase("an apply must run between {} and {}", "须在 {} 与 {} 之间执行 apply")
            case .wouldBeQuiet: Phrase("it would start in quiet hours", "会在免打扰时段内开始")
            case .awaitsQuietEnd: Phrase("it waits for the end of the quiet hours", "等待免打扰时段结束")
            }
        }
    }

    /// True if a delivery waits because its campaign is on hold.
    package var isOnHold: Bool { isAny(of: [Planned.onHold, .onHoldTooLate, .onHoldUntil]) }
}

// MARK: - Obstacle

extension Reason {
    /// Why a rule blocks a change.
    package enum Obstacle: String, ReasonCode {
        case expirationRequired, everyoneNotAllowed, isProtected, tooLateToChange, timeIsQuiet, quietNow
        case quietByDevice, certificateEnds, tooManySends, tooManyCancels, noCampaignAtAll, winnerTooEarly
        case noSuchVariant
        // Audiences.
        case notCountable, aboveMaximum, belowMinimum, aboveApproved, aboveGrowth, aboveDevelopment, notAllowedCount
        case payloadTooLarge, innerQueryCut, emptiedByFence, notNarrowable, frozenOutside
        // Where the rule is.
        case remotesPolicy
        // Ledgers and names.
        case newLedger, workspaceBeside, workspacesThere, workspaceThere, isRenamed, isItNow, hadTheName
        // Approvals.
        case approval, approvals, approvalFrom, approvalsFrom, needsHasNone, needsHas, isAuthor, inNoTeam
        case ofOlderState, datedAhead, wasDismissed, noneGiven, earlierCommit, stateUnknown, rulesUnreadable

        package var words: Phrase {
            switch self {
            case .expirationRequired: Phrase("the policy requires an expiration", "规则要求写明有效期，但没有写")
            case .everyoneNotAllowed: Phrase("allowEveryone is false", "allowEveryone 为 false，不允许推送给全部设备")
            case .isProtected:
                Phrase("{} {} is protected: release it with protected: false", "{} {} 受保护：先设置 protected: false")
            case .tooLateToChange: Phrase("it is due at {}, in less than 5 minutes", "将于 {} 发出，已不足 5 分钟")
            case .timeIsQuiet: Phrase("{} is in quiet hours ({})", "{} 处于免打扰时段（{}）")
            case .quietNow: Phrase("quiet hours are in effect now ({})", "现在处于免打扰时段（{}）")
            case .quietByDevice:
                Phrase(
                    "it is sent to all at one instant, and quiet hours go by each device's clock ({})",
                    "它在同一时刻发给所有设备，而免打扰时段以每台设备的时钟为准（{}）")
            case .certificateEnds:
                Phrase("the certificate of {} expires on {}, before the delivery does", "{} 的推送证书于 {} 到期，早于投递结束")
            case .tooManySends: Phrase("{} sends exceed maxSendsPerApply {}", "{} 次发送超过 maxSendsPerApply {}")
            case .tooManyCancels: Phrase("{} cancels exceed maxCancelsPerApply {}", "{} 次取消超过 maxCancelsPerApply {}")
            case .noCampaignAtAll:
                Phrase("the workspace has no campaign at all while deliveries are pending", "工作区没有任何推送活动，却有投递等待发送")
            case .winnerTooEarly: Phrase("it names a winner before its variants were tested", "变体尚未测试就写明了 winner")
            case .noSuchVariant: Phrase("its delivery has no variant {}, but {}", "正在进行的投递没有变体 {}，只有 {}")
            case .notCountable: Phrase("its audience could not be counted", "无法统计受众")
            case .aboveMaximum: Phrase("{} devices exceed maxAudience {}", "{} 台设备超过 maxAudience {}")
            case .belowMinimum: Phrase("{} devices are fewer than minAudience {}", "{} 台设备少于 minAudience {}")
            case .aboveApproved:
                Phrase("{} devices exceed the {} that need no further approval", "{} 台设备超过无需更多批准的 {} 台")
            case .aboveGrowth:
                Phrase("{} devices exceed the {} to which the planned audience may grow", "{} 台设备超过计划受众可增长到的 {} 台")
            case .aboveDevelopment:
                Phrase("{} devices exceed the development environment's limit of {}", "{} 台设备超过开发环境的上限 {}")
            case .notAllowedCount: Phrase("{} devices are not allowed", "不允许发给 {} 台设备")
            case .payloadTooLarge:
                Phrase(
                    "the payload is too large with the values of some devices ({}): up to {} bytes",
                    "部分设备（{} 台）代入自己的字段值后 payload 过大：最大 {} 字节")
            case .innerQueryCut:
                Phrase(
                    "an inner query matches {} objects, but the service evaluates only {}", "内层查询匹配 {} 个对象，而服务只查看前 {} 个"
                )
            case .emptiedByFence:
                Phrase("none of its devices is within the remote's audience, {}", "受众中没有任何设备在该远端的 audience（{}）之内")
            case .notNarrowable: Phrase("it cannot be kept within the remote's audience", "无法把它限制在该远端的 audience 之内")
            case .frozenOutside:
                Phrase(
                    "it began before the remote's audience was what it is now, and would reach devices outside: widen "
                        + "that, or raise 'revision', which ends it and delivers anew within",
                    "它开始于该远端的 audience 改成现在这样之前，会发到其外的设备：请放宽 audience，或提高 'revision'，即结束它并在范围内重新投递")
            case .remotesPolicy: Phrase("{} (policy of remote {})", "{}（远端 {} 的 policy）")
            case .newLedger:
                Phrase(
                    "this remote's ledger is empty: run 'bugle ledger copy' or 'bugle ledger start'",
                    "该远端的台账是空的：请执行 'bugle ledger copy' 或 'bugle ledger start'")
            case .workspaceBeside:
                Phrase(
                    "the ledger has {} deliveries of workspace {} beside those of {}, and only one of them can be this "
                        + "workspace: change 'formerly' in the Workspace document",
                    "台账中除 {2} 的投递外，还有工作区 {1} 的 {0} 次投递，二者只能有一个是本工作区：请修改 Workspace 文档中的 'formerly'")
            case .workspacesThere:
                Phrase(
                    "this app's ledger has deliveries of workspaces {}: is this one of them, renamed? say 'formerly' in "
                        + "the Workspace document, or run 'bugle ledger start' if this one is new",
                    "该应用的台账中有工作区 {} 的投递：本工作区是由其中之一改名的吗？请在 Workspace 文档中写明 'formerly'；如果这是新的工作区，请执行 'bugle ledger start'"
                )
            case .workspaceThere:
                Phrase(
                    "this app's ledger has {} deliveries of workspace {}: renamed? say 'formerly: [{}]' in the Workspace "
                        + "document, or run 'bugle ledger start' if this one is new",
                    "该应用的台账中有工作区 {1} 的 {0} 次投递：是改名了吗？请在 Workspace 文档中写明 'formerly: [{2}]'；如果这是新的工作区，请执行 'bugle ledger start'"
                )
            case .isRenamed:
                Phrase(
                    "is this {} renamed? It was delivered with the same content and is no longer in the files: say "
                        + "'formerly: [{}]', or 'revision: {}' to deliver it again",
                    "这是 {} 改名而来的吗？它已按相同内容投递，且已不在文件中：请写明 'formerly: [{}]'；要再发一次请写 'revision: {}'")
            case .isItNow:
                Phrase(
                    "is it {} now? That one is new and has the same content: say 'formerly: [{}]' there, or a higher "
                        + "'revision' to deliver it again",
                    "它现在叫 {} 吗？后者是新的，内容相同：请在其中写明 'formerly: [{}]'；要再发一次请提高 'revision'")
            case .hadTheName:
                Phrase(
                    "{} was {} before, and that delivery has the same id: choose another name, or raise 'revision'",
                    "{} 曾名 {}，那次投递的标识与此相同：请换一个名称，或提高 'revision'")
            case .approval: Phrase("{} approval", "{} 人批准")
            case .approvals: Phrase("{} approvals", "{} 人批准")
            case .approvalFrom: Phrase("{} approval from {}", "{} 人批准（须属于 {}）")
            case .approvalsFrom: Phrase("{} approvals from {}", "{} 人批准（须属于 {}）")
            case .needsHasNone: Phrase("needs {}, has none", "需要 {}，目前没有")
            case .needsHas: Phrase("needs {}, has {} ({})", "需要 {}，现有 {} 人（{}）")
            case .isAuthor: Phrase("{} is an author", "{} 是作者")
            case .inNoTeam: Phrase("{} is in none of these teams", "{} 不属于这些团队")
            case .ofOlderState: Phrase("{}'s is of an older state", "{} 批准的是较早的状态")
            case .datedAhead: Phrase("{}'s is dated in the future", "{} 的批准时间在将来")
            case .wasDismissed: Phrase("{}'s was dismissed", "{} 的批准已撤销")
            case .noneGiven: Phrase("no approvals were given with --approvals", "没有用 --approvals 提供批准")
            case .earlierCommit:
                Phrase(
                    "it came with an earlier commit, whose authors are not known: change it, and have that approved",
                    "它来自较早的提交，作者不详：请修改它，并让修改获得批准")
            case .stateUnknown: Phrase("which state the files have is not known: {}", "无法确定文件处于哪个状态：{}")
            case .rulesUnreadable:
                Phrase("the rules on approvals of the commit before cannot be read: {}", "无法读取上一个提交中关于批准的规则：{}")
            }
        }
    }
}

// MARK: - Setting

extension Reason {
    /// What files set, and what follows from it: audiences, expirations, the parts of deliveries, local clocks.
    package enum Setting: String, ReasonCode {
        // Audiences, and who is left out of them.
        case everyone, asRecorded, listedDevice, listedDevices, channel, channels, segment, segments, condition
        case platform, platforms, deviceProfile, fenced
        case androidOut, otherPlatform, deadToken, deadTokens, staleDays, stale, otherProfile, tooLarge, heldOut, capped
        // Expirations.
        case expiresAfter, expiresAt, neverExpires
        // Parts.
        case stages, localTime, variants, holdout, rest
        // Local clocks.
        case clocksBack, clocksForward, inQuietHours, atNight

        package var words: Phrase {
            switch self {
            case .everyone: Phrase("everyone", "全部设备")
            case .asRecorded: Phrase("as recorded", "以记录为准")
            case .listedDevice: Phrase("{} listed device ({}), {}", "指定的 {} 台设备（{}），{}")
            case .listedDevices: Phrase("{} listed devices ({}), {}", "指定的 {} 台设备（{}），{}")
            case .channel: Phrase("channel {}", "频道 {}")
            case .channels: Phrase("channels {} or {}", "频道 {} 或 {}")
            case .segment: Phrase("segment {}", "分群 {}")
            case .segments: Phrase("segments {} and {}", "分群 {} 且 {}")
            case .condition: Phrase("where {}", "条件 {}")
            case .platform: Phrase("on {}", "平台 {}")
            case .platforms: Phrase("on {} or {}", "平台 {} 或 {}")
            case .deviceProfile: Phrase("deviceProfile {}", "deviceProfile {}")
            case .fenced: Phrase("{}, fenced to {}", "{}，限于{}")
            case .androidOut: Phrase("{} Android: no way to them here", "{} 台 Android：这里没有通道")
            case .otherPlatform: Phrase("{} of another platform or without a token", "{} 台属于其他平台或没有 token")
            case .deadToken: Phrase("{} dead token", "{} 个失效 token")
            case .deadTokens: Phrase("{} dead tokens", "{} 个失效 token")
            case .staleDays: Phrase("{} not seen for {} days", "{} 台已 {} 天没有出现")
            case .stale: Phrase("{} not seen for {}", "{} 台已 {}没有出现")
            case .otherProfile: Phrase("{} of another deviceProfile or topic", "{} 台的 deviceProfile 或 Topic 不同")
            case .tooLarge: Phrase("{} too large with values of their own", "{} 台代入字段值后过大")
            case .heldOut: Phrase("{} held out", "对照组 {} 台")
            case .capped: Phrase("{} capped", "频次已满 {} 台")
            case .expiresAfter: Phrase("after {}", "发送后 {}")
            case .expiresAt: Phrase("at {}", "{} 为止")
            case .neverExpires: Phrase("never", "不限")
            case .stages: Phrase("{}; {} between stages", "{}；各阶段间隔 {}")
            case .localTime: Phrase("{} by each device's clock, otherwise {}", "以每台设备的时钟 {} 为准，否则以 {} 为准")
            case .variants: Phrase("{}; the rest within {}, otherwise {}", "{}；其余设备在 {} 之内选定，否则 {}")
            case .holdout: Phrase("{} by {}", "{}（{}）")
            case .rest: Phrase("rest", "其余")
            case .clocksBack: Phrase("clocks there go back {} at {}", "当地时钟于 {1} 拨慢 {0}")
            case .clocksForward: Phrase("clocks there go forward {} at {}", "当地时钟于 {1} 拨快 {0}")
            case .inQuietHours: Phrase("in quiet hours", "处于免打扰时段")
            case .atNight: Phrase("at night there", "当地为夜间")
            }
        }
    }
}
