extension Reason {
    /// What became of a change when it was applied.
    package enum Result: String, ReasonCode {
        // Endings.
        case wasCancelled, wasSent, wasScheduled, blocked, notSent, notSentUnwanted, nothingSentBecause, nothingWasSent
        case nothingWasCancelled, noneSent, nobodyWasIn, allTimesOver, recordedAsMissed, notRecordable, postponed
        case appliedStage, appliedWave, appliedTest, mustRunAt, answersLostResolve, haltedAfter, holdsAfter
        case serverWaits
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

        package var words: (english: String, chinese: String) {
            switch self {
            case .wasCancelled: ("cancelled", "已取消")
            case .wasSent: ("sent", "已发送")
            case .wasScheduled: ("scheduled", "已定时")
            case .blocked: ("blocked: {}", "被阻止：{}")
            case .notSent: ("not sent: {}", "未发送：{}")
            case .notSentUnwanted: ("not sent, and no longer wanted", "未发送，且已不再需要")
            case .nothingSentBecause: ("nothing was sent: {}", "没有发送：{}")
            case .nothingWasSent: ("nothing was sent", "没有发送")
            case .nothingWasCancelled: ("nothing was cancelled", "没有取消")
            case .noneSent: ("none of it was sent; the next apply may send it", "完全没有发送；下一次 apply 可以发送")
            case .nobodyWasIn: ("nobody was in its audience", "受众中没有设备")
            case .allTimesOver: ("the time of all its devices was over", "所有设备的时间都已过")
            case .recordedAsMissed: ("recorded as missed", "已记录为错过")
            case .notRecordable: ("it could not be recorded ({})", "无法记录（{}）")
            case .postponed: ("{}, until {}, next: bugle apply --due", "{}（{}），之后执行：bugle apply --due")
            case .appliedStage:
                (
                    "stage {} of {} sent, {} devices; judged at {}, next: bugle apply --due",
                    "第 {} / {} 阶段已发送，{} 台设备；{} 判定，之后执行：bugle apply --due"
                )
            case .appliedWave:
                (
                    "wave {} of {} sent, {} devices; the next opens at {}, next: bugle apply --due",
                    "第 {} / {} 批已发送，{} 台设备；下一批于 {} 开始，之后执行：bugle apply --due"
                )
            case .appliedTest:
                (
                    "test sent, {} devices; a winner may be named until {}, next: bugle apply --due",
                    "测试已发送，{} 台设备；可在 {} 之前选定胜出的变体，之后执行：bugle apply --due"
                )
            case .mustRunAt: ("an apply must run at {} or soon after", "须在 {} 或稍后执行 apply")
            case .answersLostResolve:
                (
                    "the answers of {} devices were lost; '{}' closes it or sends to those",
                    "{} 台设备的应答丢失；'{}' 可以了结它，或向这些设备发送"
                )
            case .haltedAfter:
                ("the rollout was halted after {}; '{}' decides about the rest", "分阶段发布已中止，{}；用 '{}' 决定其余设备")
            case .holdsAfter:
                ("the rollout holds after {}; '{}' decides about the rest", "分阶段发布在等待决定，{}；用 '{}' 决定其余设备")
            case .serverWaits: ("the server waits for Apple: {}", "服务器在等待 Apple：{}")
            case .lockLost: ("the lock was lost", "已失去锁")
            case .lockLostBefore: ("the lock was lost before its turn", "轮到它之前已失去锁")
            case .lockLostOpen:
                ("the lock was lost while its outcome was open ({})", "结果尚未确定时失去了锁（{}）")
            case .quietBegan: ("quiet hours began", "免打扰时段已开始")
            case .beforeItsTurn: ("{} before its turn came", "轮到它之前：{}")
            case .beforeRetry: ("{} before a retry", "重试之前：{}")
            case .stoppedBefore: ("stopped before its turn", "轮到它之前已停止")
            case .stoppedOpen:
                (
                    "stopped before its outcome was known ({}); the next apply settles it",
                    "结果尚未确定就已停止（{}）；下一次 apply 会了结它"
                )
            case .earlierInterrupted: ("an earlier apply was interrupted", "之前的 apply 曾中断")
            case .goesFirst: ("{} was to go first and was not delivered", "{} 应先投递而没有投递")
            case .otherNotCancelled: ("another push of it was not cancelled", "它的另一次推送没有取消")
            case .earlierMayBePending: ("an earlier push of it may be pending", "它较早的一次推送可能仍在等待发送")
            case .requestMissing: ("the ledger does not hold the request", "台账中没有请求")
            case .continues: ("the next apply continues", "下一次 apply 会继续")
            case .continuesThere: ("the next apply continues from there", "下一次 apply 会由此继续")
            case .outcomeOpen: ("its outcome is open", "结果尚未确定")
            case .renamedSome: ("{} of {} deliveries have the new name", "{} / {} 次投递已改用新名称")
            case .intentUnwritten:
                ("nothing was sent, the ledger could not be written: {}", "没有发送，台账无法写入：{}")
            case .ledgerUnwritten:
                (
                    "the ledger could not be written ({}), the next apply looks it up",
                    "台账无法写入（{}），下一次 apply 会查询结果"
                )
            case .ledgerIsLost: ("it was sent, but the ledger that says so is lost", "已发送，但记录此事的台账已丢失")
            case .journalUnreadable:
                ("its journal cannot be read ({}); the next apply continues", "无法读取它的日志（{}）；下一次 apply 会继续")
            case .journalNotClosed:
                ("its journal could not be closed ({}), the next apply continues", "无法结束它的日志（{}），下一次 apply 会继续")
            case .noJournal: ("the remote keeps no journal", "该远端没有日志")
            case .onlyJournal: ("the remote keeps a journal but no pushes to cancel", "该远端有日志，但没有可取消的推送")
            case .pushTimePassed:
                ("the time of its push {} passed while it was being cancelled", "取消期间，其推送 {} 的时间已到")
            case .timePassed: ("its time passed while it was being cancelled, and {}", "取消期间时间已到，且{}")
            case .stillScheduled: ("its record says that it is still scheduled", "其记录显示它仍在等待发送")
            case .noRecord: ("no record shows what happened", "没有记录可以说明结果")
            case .recordUnreadable: ("its record cannot be looked up ({})", "无法查询其记录（{}）")
            case .inNoList:
                (
                    "its push is in no list, so it could not be cancelled: if the remote has it, it is sent; check the "
                        + "service's console, the next apply looks again",
                    "列表中没有它的推送，因此无法取消：如果远端有它，就会发送；请查看服务的控制台，下一次 apply 会再查"
                )
            case .inNoListAt:
                (
                    "its push is in no list, so it could not be cancelled: if the remote has it, it is sent at {}; check "
                        + "the service's console, the next apply looks again",
                    "列表中没有它的推送，因此无法取消：如果远端有它，将于 {} 发送；请查看服务的控制台，下一次 apply 会再查"
                )
            case .mayBeThere: ("its push may still be there", "它的推送可能还在")
            case .cancellationOpen: ("the cancellation is not complete ({})", "取消尚未完成（{}）")
            }
        }
    }
}
