extension Reason {
    /// How a delivery stands that was begun: its outcome, its parts, and the verdicts on them.
    package enum Progress: String, ReasonCode {
        // Outcomes of an earlier send.
        case interrupted, remoteHas, remoteRefused, repeated, askedUntil, sentNow, neverReceived, unknownBecause
        case recordsForAWeek, notLookedUp, notKept, answerLost, controlMissing, recordSays, restNotSent, endedUnsent
        case nothingSent, devicesDone, devicesDoneInDoubt
        // What a person must decide.
        case outcomeUnknown, rolloutHalted, rolloutHolds, answersLost, answersLostElsewhere, resolvedInDoubt
        case stoppedBy, deliveryStopped, allStopped, everyDelivery, stoppedAtServer
        // Parts.
        case accepted, acceptedInDoubt, stageBakes, waveSent, testSent, nextPartOpens
        // Verdicts.
        case stage, ratePassed, openedBelow, openedUncounted, tooFewAnswers, tooFewAccepted, noRatePassed
        // Variants.
        case variantAccepted, variantOpened, winnerAwaited, winner, winnerForRest, noWinnerForRest, noWinnerAbandoned
        case noWinner, noWinnerNothing

        package var words: Phrase {
            switch self {
            case .interrupted: Phrase("a send that was interrupted {} ago: {}", "{}前中断的发送：{}")
            case .remoteHas: Phrase("the remote has it", "远端已收到")
            case .remoteRefused: Phrase("the remote refused it: {}", "远端拒绝了它：{}")
            case .repeated: Phrase("the request is repeated under the same id", "以相同 id 重发请求")
            case .askedUntil: Phrase("the remote is asked again until {}", "在 {} 之前继续向远端查询")
            case .sentNow: Phrase("the remote never received it, and it is sent now", "远端没有收到，现在发送")
            case .neverReceived: Phrase("the remote never received it, and {}", "远端没有收到，且{}")
            case .unknownBecause: Phrase("its outcome is unknown, {}", "结果未知，{}")
            case .recordsForAWeek:
                Phrase("the service keeps its records for a week, and this one is {} old", "服务只保留一周的记录，而这条已有 {}")
            case .notLookedUp: Phrase("it was not looked up", "未查询")
            case .notKept: Phrase("the reason was not recorded", "未记录原因")
            case .answerLost: Phrase("the answer was lost", "没有收到应答")
            case .controlMissing:
                Phrase(
                    "the service does not find the record of {} either, although it was sent", "服务也找不到 {} 的记录，而它确实发送过")
            case .recordSays: Phrase("its record says '{}', which is not documented", "其记录为 '{}'，文档中没有这一项")
            case .restNotSent: Phrase("the rest is not sent, {}: {} devices are missed", "其余不再发送，{}：错过 {} 台设备")
            case .endedUnsent:
                Phrase(
                    "it ended before anything was sent, and the apply after this one may send it",
                    "尚未发送即已结束，下一次 apply 可以发送")
            case .nothingSent: Phrase("nothing was sent yet", "尚未发送任何设备")
            case .devicesDone: Phrase("{} of {} devices are done", "{} / {} 台设备已完成")
            case .devicesDoneInDoubt: Phrase("{} of {} devices are done, {} in doubt", "{} / {} 台设备已完成，{} 台存疑")
            case .outcomeUnknown:
                Phrase(
                    "its outcome is unknown ({}): check the service's console, then run '{}'",
                    "结果未知（{}）：请先查看服务的控制台，再执行 '{}'")
            case .rolloutHalted:
                Phrase("the rollout was halted: {}; decide about the rest: '{}'", "分阶段发布已中止：{}；请决定其余设备：'{}'")
            case .rolloutHolds:
                Phrase("the rollout holds: {}; decide about the rest: '{}'", "分阶段发布在等待决定：{}；请决定其余设备：'{}'")
            case .answersLost:
                Phrase(
                    "the answers of {} devices were lost: '{}' closes it, or sends to those devices only",
                    "{} 台设备的应答丢失：'{}' 可以了结它，或只向这些设备发送")
            case .answersLostElsewhere:
                Phrase("the answers of {} devices were lost on another remote", "{} 台设备的应答在另一个远端丢失")
            case .stoppedBy: Phrase("stopped by {} at {}: {}", "{} 于 {} 叫停：{}")
            case .deliveryStopped: Phrase("{}; decide about the rest: '{}'", "{}；请决定其余设备：'{}'")
            case .everyDelivery: Phrase("every delivery", "所有投递")
            case .stoppedAtServer:
                Phrase(
                    "{}; go on with the rest or give it up in the server's console", "{}；请在服务器的控制台中继续，或放弃其余设备")
            case .allStopped:
                Phrase("{}; nothing is sent before 'bugle stop --lift'", "{}；执行 'bugle stop --lift' 之前不发送任何推送")
            case .resolvedInDoubt: Phrase("{} in doubt, resolved as {}: {}", "{} 台存疑，按 {} 处理：{}")
            case .accepted: Phrase("{} accepted, {} refused", "{} 台已接受，{} 台被拒绝")
            case .acceptedInDoubt: Phrase("{} accepted, {} refused, {} in doubt", "{} 台已接受，{} 台被拒绝，{} 台存疑")
            case .stageBakes: Phrase("stage {}/{} baking: {}; verdict {}", "第 {} / {} 阶段观察中：{}；判定时间 {}")
            case .waveSent: Phrase("wave {}/{} sent: {}; next {}", "第 {} / {} 批已发送：{}；下一批 {}")
            case .testSent: Phrase("test sent: {}; a winner may be named until {}", "测试已发送：{}；可在 {} 之前选定胜出的变体")
            case .nextPartOpens: Phrase("its next part opens at {}", "下一部分在 {} 开始")
            case .stage: Phrase("stage {}: {}", "第 {} 阶段：{}")
            case .ratePassed: Phrase("{} is {} of {}, at least {}, above {}", "{} 为 {} / {}，至少 {}，超过上限 {}")
            case .openedBelow: Phrase("opened is {} of {}, at most {}, below {}", "打开数为 {} / {}，至多 {}，低于下限 {}")
            case .openedUncounted: Phrase("nobody counts who opened it", "没有统计打开数")
            case .tooFewAnswers: Phrase("{} answers, fewer than the minimum of {}", "{} 个应答，少于下限 {}")
            case .tooFewAccepted:
                Phrase(
                    "{} accepted, fewer than the {} from which {} can be told from none",
                    "{0} 台已接受，少于能够区分 {2} 与零打开所需的 {1} 台")
            case .noRatePassed: Phrase("{} answers, no rate passes its limit", "{} 个应答，各项比率均未越界")
            case .variantAccepted: Phrase("{} {} of {} accepted ({} to {})", "{}：{} / {} 已接受（{} 至 {}）")
            case .variantOpened:
                Phrase(
                    "{} {} of {} accepted ({} to {}), {} opened ({} to {})", "{}：{} / {} 已接受（{} 至 {}），{} 台打开（{} 至 {}）")
            case .winnerAwaited: Phrase("a winner may be named until {}, otherwise {}: {}", "可在 {} 之前选定胜出的变体，否则 {}：{}")
            case .winner: Phrase("the winner is {}", "胜出的变体是 {}")
            case .winnerForRest: Phrase("the winner is {}, for {} more devices: {}", "胜出的变体是 {}，将发给其余 {} 台设备：{}")
            case .noWinnerForRest:
                Phrase("no winner was named until {}: {} more devices get {}: {}", "到 {} 为止没有选定胜出的变体，其余 {} 台设备收到 {}：{}")
            case .noWinnerAbandoned:
                Phrase(
                    "no winner was named until {}: {} more devices get nothing: {}", "到 {} 为止没有选定胜出的变体，其余 {} 台设备不再发送：{}"
                )
            case .noWinner: Phrase("no winner was named within {}: {}", "{} 之内没有选定胜出的变体，其余设备收到 {}")
            case .noWinnerNothing:
                Phrase("no winner was named within {}: the rest gets nothing", "{} 之内没有选定胜出的变体，其余设备不再发送")
            }
        }
    }

    /// True if a delivery in parts goes on by itself, once time has passed.
    package var isInParts: Bool {
        isAny(of: [Progress.stageBakes, .waveSent, .testSent, .nextPartOpens, .winnerAwaited])
    }
}

// MARK: - Result

extension Reason {
    /// What became of a change when it was applied.
    package enum Result: String, ReasonCode {
        // Endings.
        case wasCancelled, wasSent, wasScheduled, blocked, notSent, notSentUnwanted, nothingSentBecause, nothingWasSent
        case nothingWasCancelled, noneSent, nobodyWasIn, allTimesOver, recordedAsMissed, notRecordable, postponed
        case appliedStage, appliedWave, appliedTest, mustRunAt, answersLostResolve, haltedAfter, holdsAfter
        case serverWaits, serverWaitsFor
        // What stopped it.
        case lockLost, lockLostBefore, lockLostOpen, quietBegan, beforeItsTurn, beforeRetry, stoppedBefore, stoppedOpen
        case earlierInterrupted, goesFirst, otherNotCancelled, earlierMayBePending, requestMissing
        // What goes on.
        case continues, continuesThere, outcomeOpen, renamedSome
        // Ledgers and journals.
        case intentUnwritten, ledgerUnwritten, ledgerIsLost, journalUnreadable, journalNotClosed, noJournal, onlyJournal
        // Cancellations.
        case pushTimePassed, timePassed, stillScheduled, noRecord, recordUnreadable, inNoList, inNoListAt, mayBeThere
        case cancellationOpen

        package var words: Phrase {
            switch self {
            case .wasCancelled: Phrase("cancelled", "已取消")
            case .wasSent: Phrase("sent", "已发送")
            case .wasScheduled: Phrase("scheduled", "已定时")
            case .blocked: Phrase("blocked: {}", "被阻止：{}")
            case .notSent: Phrase("not sent: {}", "未发送：{}")
            case .notSentUnwanted: Phrase("not sent, and no longer wanted", "未发送，且已不再需要")
            case .nothingSentBecause: Phrase("nothing was sent: {}", "没有发送：{}")
            case .nothingWasSent: Phrase("nothing was sent", "没有发送")
            case .nothingWasCancelled: Phrase("nothing was cancelled", "没有取消")
            case .noneSent: Phrase("none of it was sent; the next apply may send it", "完全没有发送；下一次 apply 可以发送")
            case .nobodyWasIn: Phrase("nobody was in its audience", "受众中没有设备")
            case .allTimesOver: Phrase("the time of all its devices was over", "所有设备的时间都已过")
            case .recordedAsMissed: Phrase("recorded as missed", "已记录为错过")
            case .notRecordable: Phrase("it could not be recorded ({})", "无法记录（{}）")
            case .postponed: Phrase("{}, until {}, next: bugle apply --due", "{}（{}），之后执行：bugle apply --due")
            case .appliedStage:
                Phrase(
                    "stage {} of {} sent, {} devices; judged at {}, next: bugle apply --due",
                    "第 {} / {} 阶段已发送，{} 台设备；{} 判定，之后执行：bugle apply --due")
            case .appliedWave:
                Phrase(
                    "wave {} of {} sent, {} devices; the next opens at {}, next: bugle apply --due",
                    "第 {} / {} 批已发送，{} 台设备；下一批于 {} 开始，之后执行：bugle apply --due")
            case .appliedTest:
                Phrase(
                    "test sent, {} devices; a winner may be named until {}, next: bugle apply --due",
                    "测试已发送，{} 台设备；可在 {} 之前选定胜出的变体，之后执行：bugle apply --due")
            case .mustRunAt: Phrase("an apply must run at {} or soon after", "须在 {} 或稍后执行 apply")
            case .answersLostResolve:
                Phrase(
                    "the answers of {} devices were lost; '{}' closes it or sends to those",
                    "{} 台设备的应答丢失；'{}' 可以了结它，或向这些设备发送")
            case .haltedAfter:
                Phrase("the rollout was halted after {}; '{}' decides about the rest", "分阶段发布已中止，{}；用 '{}' 决定其余设备")
            case .holdsAfter:
                Phrase("the rollout holds after {}; '{}' decides about the rest", "分阶段发布在等待决定，{}；用 '{}' 决定其余设备")
            case .serverWaits: Phrase("the server waits for the push service: {}", "服务器在等待推送服务：{}")
            case .serverWaitsFor: Phrase("the server waits for {}: {}", "服务器在等待 {}：{}")
            case .lockLost: Phrase("the lock was lost", "已失去锁")
            case .lockLostBefore: Phrase("the lock was lost before its turn", "轮到它之前已失去锁")
            case .lockLostOpen: Phrase("the lock was lost while its outcome was open ({})", "结果尚未确定时失去了锁（{}）")
            case .quietBegan: Phrase("quiet hours began", "免打扰时段已开始")
            case .beforeItsTurn: Phrase("{} before its turn came", "轮到它之前：{}")
            case .beforeRetry: Phrase("{} before a retry", "重试之前：{}")
            case .stoppedBefore: Phrase("stopped before its turn", "轮到它之前已停止")
            case .stoppedOpen:
                Phrase(
                    "stopped before its outcome was known ({}); the next apply settles it",
                    "结果尚未确定就已停止（{}）；下一次 apply 会了结它")
            case .earlierInterrupted: Phrase("an earlier apply was interrupted", "之前的 apply 曾中断")
            case .goesFirst: Phrase("{} was to go first and was not delivered", "{} 应先投递而没有投递")
            case .otherNotCancelled: Phrase("another push of it was not cancelled", "它的另一次推送没有取消")
            case .earlierMayBePending: Phrase("an earlier push of it may be pending", "它较早的一次推送可能仍在等待发送")
            case .requestMissing: Phrase("the ledger does not hold the request", "台账中没有请求")
            case .continues: Phrase("the next apply continues", "下一次 apply 会继续")
            case .continuesThere: Phrase("the next apply continues from there", "下一次 apply 会由此继续")
            case .outcomeOpen: Phrase("its outcome is open", "结果尚未确定")
            case .renamedSome: Phrase("{} of {} deliveries have the new name", "{} / {} 次投递已改用新名称")
            case .intentUnwritten: Phrase("nothing was sent, the ledger could not be written: {}", "没有发送，台账无法写入：{}")
            case .ledgerUnwritten:
                Phrase("the ledger could not be written ({}), the next apply looks it up", "台账无法写入（{}），下一次 apply 会查询结果")
            case .ledgerIsLost: Phrase("it was sent, but the ledger that says so is lost", "已发送，但记录此事的台账已丢失")
            case .journalUnreadable:
                Phrase("its journal cannot be read ({}); the next apply continues", "无法读取它的日志（{}）；下一次 apply 会继续")
            case .journalNotClosed:
                Phrase("its journal could not be closed ({}), the next apply continues", "无法结束它的日志（{}），下一次 apply 会继续")
            case .noJournal: Phrase("the remote keeps no journal", "该远端没有日志")
            case .onlyJournal: Phrase("the remote keeps a journal but no pushes to cancel", "该远端有日志，但没有可取消的推送")
            case .pushTimePassed:
                Phrase("the time of its push {} passed while it was being cancelled", "取消期间，其推送 {} 的时间已到")
            case .timePassed: Phrase("its time passed while it was being cancelled, and {}", "取消期间时间已到，且{}")
            case .stillScheduled: Phrase("its record says that it is still scheduled", "其记录显示它仍在等待发送")
            case .noRecord: Phrase("no record shows what happened", "没有记录可以说明结果")
            case .recordUnreadable: Phrase("its record cannot be looked up ({})", "无法查询其记录（{}）")
            case .inNoList:
                Phrase(
                    "its push is in no list, so it could not be cancelled: if the remote has it, it is sent; check the "
                        + "service's console, the next apply looks again",
                    "列表中没有它的推送，因此无法取消：如果远端有它，就会发送；请查看服务的控制台，下一次 apply 会再查")
            case .inNoListAt:
                Phrase(
                    "its push is in no list, so it could not be cancelled: if the remote has it, it is sent at {}; check "
                        + "the service's console, the next apply looks again",
                    "列表中没有它的推送，因此无法取消：如果远端有它，将于 {} 发送；请查看服务的控制台，下一次 apply 会再查")
            case .mayBeThere: Phrase("its push may still be there", "它的推送可能还在")
            case .cancellationOpen: Phrase("the cancellation is not complete ({})", "取消尚未完成（{}）")
            }
        }
    }
}
