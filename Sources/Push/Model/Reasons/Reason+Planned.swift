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
        // What waits.
        case onHold, onHoldTooLate, onHoldUntil, mustRun, wouldBeQuiet, awaitsQuietEnd

        package var words: (english: String, chinese: String) {
            switch self {
            case .notRecorded: ("not recorded yet", "尚未记录")
            case .changed: ("changed", "有改动")
            case .notDeclared: ("no longer declared", "文件中不再声明")
            case .protectedNow: ("protected from now on", "从现在起受保护")
            case .notProtected: ("no longer protected", "不再受保护")
            case .notRecurring: ("it is not recurring any more", "不再是周期性的")
            case .renamedFrom: ("renamed from {}", "由 {} 更名")
            case .nowNamed: ("it is {} now", "现已更名为 {}")
            case .remoteSendsLast: ("the remote sends the last one", "最后一次由远端发送")
            case .notDelivered: ("not delivered yet", "尚未投递")
            case .refusedBefore: ("refused before: {}", "之前被拒绝：{}")
            case .noReason: ("no reason given", "未说明原因")
            case .cancelledBefore: ("cancelled before, wanted again", "之前已取消，现在重新需要")
            case .unsentBefore: ("not sent before, wanted again", "之前未发送，现在重新需要")
            case .changedWhilePending: ("changed while pending", "等待发送期间有改动")
            case .changedWhilePendingAnd: ("changed while pending: {}", "等待发送期间有改动：{}")
            case .stillPending: ("its push is still pending", "其推送仍在等待发送")
            case .earlierStillPending:
                ("a push of an earlier generation is still pending", "较早一次的推送仍在等待发送")
            case .cancellationInterrupted: ("its cancellation was interrupted", "取消操作曾中断")
            case .notInFiles: ("no longer in the files for this remote", "文件中不再有面向该远端的这一项")
            case .replaced: ("revision {} replaces revision {}", "版本 {} 取代版本 {}")
            case .recurringNow: ("the campaign is recurring now", "该推送活动现在是周期性的")
            case .notRecurringCampaign: ("the campaign is not recurring any more", "该推送活动不再是周期性的")
            case .notOnDay: ("it is not sent on {} any more", "不再于 {} 发送")
            case .otherCounts: ("another delivery of {} counts", "以 {} 的另一次投递为准")
            case .notWanted: ("it is no longer wanted", "已不再需要")
            case .lastDay: ("its last day was {}", "最后一天是 {}")
            case .windowOver: ("its window ended", "发送窗口已结束")
            case .windowEnded: ("its window ended at {}", "发送窗口已于 {} 结束")
            case .windowsEnded:
                ("the windows of {} occurrences ended, {} to {}", "{} 次的发送窗口已结束（{} 至 {}）")
            case .expired: ("it expired at {}", "已于 {} 过期")
            case .newTimePassed: ("its new time has passed: {}", "新的时间已过：{}")
            case .neverSent: ("none of it was ever sent, and {}", "从未发送过：{}")
            case .tooLateToRepeat: ("it is too late to repeat it", "已来不及重发")
            case .onHold: ("on hold", "已暂停")
            case .onHoldTooLate: ("on hold, and its time is over", "已暂停，且已过有效时间")
            case .onHoldUntil: ("on hold; it continues if released by {}", "已暂停；在 {} 之前解除即可继续")
            case .mustRun: ("an apply must run between {} and {}", "须在 {} 与 {} 之间执行 apply")
            case .wouldBeQuiet: ("it would start in quiet hours", "会在免打扰时段内开始")
            case .awaitsQuietEnd: ("it waits for the end of the quiet hours", "等待免打扰时段结束")
            }
        }
    }

    /// True if a delivery waits because its campaign is on hold.
    package var isOnHold: Bool { isAny(of: [Planned.onHold, .onHoldTooLate, .onHoldUntil]) }
}
