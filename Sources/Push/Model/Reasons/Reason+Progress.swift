extension Reason {
    /// How a delivery stands that was begun: its outcome, its parts, and the verdicts on them.
    package enum Progress: String, ReasonCode {
        // Outcomes of an earlier send.
        case interrupted, remoteHas, remoteRefused, repeated, askedUntil, sentNow, neverReceived, unknownBecause
        case recordsForAWeek, notLookedUp, notKept, answerLost, controlMissing, recordSays, restNotSent, endedUnsent
        case nothingSent, devicesDone, devicesDoneInDoubt
        // What a person must decide.
        case outcomeUnknown, rolloutHalted, rolloutHolds, answersLost, answersLostElsewhere, resolvedInDoubt
        // Parts.
        case accepted, acceptedInDoubt, stageBakes, waveSent, testSent, nextPartOpens
        // Verdicts.
        case stage, ratePassed, openedBelow, openedUncounted, tooFewAnswers, tooFewAccepted, noRatePassed
        // Variants.
        case variantAccepted, variantOpened, winnerAwaited, winner, winnerForRest, noWinnerForRest, noWinnerAbandoned
        case noWinner, noWinnerNothing

        package var words: (english: String, chinese: String) {
            switch self {
            case .interrupted: ("a send that was interrupted {} ago: {}", "{}前中断的发送：{}")
            case .remoteHas: ("the remote has it", "远端已收到")
            case .remoteRefused: ("the remote refused it: {}", "远端拒绝了它：{}")
            case .repeated: ("the request is repeated under the same id", "以相同 id 重发请求")
            case .askedUntil: ("the remote is asked again until {}", "在 {} 之前继续向远端查询")
            case .sentNow: ("the remote never received it, and it is sent now", "远端没有收到，现在发送")
            case .neverReceived: ("the remote never received it, and {}", "远端没有收到，且{}")
            case .unknownBecause: ("its outcome is unknown, {}", "结果未知，{}")
            case .recordsForAWeek:
                (
                    "the service keeps its records for a week, and this one is {} old",
                    "服务只保留一周的记录，而这条已有 {}"
                )
            case .notLookedUp: ("it was not looked up", "未查询")
            case .notKept: ("the reason was not recorded", "未记录原因")
            case .answerLost: ("the answer was lost", "没有收到应答")
            case .controlMissing:
                (
                    "the service does not find the record of {} either, although it was sent",
                    "服务也找不到 {} 的记录，而它确实发送过"
                )
            case .recordSays: ("its record says '{}', which is not documented", "其记录为 '{}'，文档中没有这一项")
            case .restNotSent: ("the rest is not sent, {}: {} devices are missed", "其余不再发送，{}：错过 {} 台设备")
            case .endedUnsent:
                (
                    "it ended before anything was sent, and the apply after this one may send it",
                    "尚未发送即已结束，下一次 apply 可以发送"
                )
            case .nothingSent: ("nothing was sent yet", "尚未发送任何设备")
            case .devicesDone: ("{} of {} devices are done", "{} / {} 台设备已完成")
            case .devicesDoneInDoubt: ("{} of {} devices are done, {} in doubt", "{} / {} 台设备已完成，{} 台存疑")
            case .outcomeUnknown:
                (
                    "its outcome is unknown ({}): check the service's console, then run '{}'",
                    "结果未知（{}）：请先查看服务的控制台，再执行 '{}'"
                )
            case .rolloutHalted:
                ("the rollout was halted: {}; decide about the rest: '{}'", "分阶段发布已中止：{}；请决定其余设备：'{}'")
            case .rolloutHolds:
                ("the rollout holds: {}; decide about the rest: '{}'", "分阶段发布在等待决定：{}；请决定其余设备：'{}'")
            case .answersLost:
                (
                    "the answers of {} devices were lost: '{}' closes it, or sends to those devices only",
                    "{} 台设备的应答丢失：'{}' 可以了结它，或只向这些设备发送"
                )
            case .answersLostElsewhere:
                ("the answers of {} devices were lost on another remote", "{} 台设备的应答在另一个远端丢失")
            case .resolvedInDoubt: ("{} in doubt, resolved as {}: {}", "{} 台存疑，按 {} 处理：{}")
            case .accepted: ("{} accepted, {} refused", "{} 台已接受，{} 台被拒绝")
            case .acceptedInDoubt: ("{} accepted, {} refused, {} in doubt", "{} 台已接受，{} 台被拒绝，{} 台存疑")
            case .stageBakes: ("stage {}/{} baking: {}; verdict {}", "第 {} / {} 阶段观察中：{}；判定时间 {}")
            case .waveSent: ("wave {}/{} sent: {}; next {}", "第 {} / {} 批已发送：{}；下一批 {}")
            case .testSent: ("test sent: {}; a winner may be named until {}", "测试已发送：{}；可在 {} 之前选定胜出的变体")
            case .nextPartOpens: ("its next part opens at {}", "下一部分在 {} 开始")
            case .stage: ("stage {}: {}", "第 {} 阶段：{}")
            case .ratePassed: ("{} is {} of {}, at least {}, above {}", "{} 为 {} / {}，至少 {}，超过上限 {}")
            case .openedBelow: ("opened is {} of {}, at most {}, below {}", "打开数为 {} / {}，至多 {}，低于下限 {}")
            case .openedUncounted: ("nobody counts who opened it", "没有统计打开数")
            case .tooFewAnswers: ("{} answers, fewer than the minimum of {}", "{} 个应答，少于下限 {}")
            case .tooFewAccepted:
                (
                    "{} accepted, fewer than the {} from which {} can be told from none",
                    "{0} 台已接受，少于能够区分 {2} 与零打开所需的 {1} 台"
                )
            case .noRatePassed: ("{} answers, no rate passes its limit", "{} 个应答，各项比率均未越界")
            case .variantAccepted: ("{} {} of {} accepted ({} to {})", "{}：{} / {} 已接受（{} 至 {}）")
            case .variantOpened:
                (
                    "{} {} of {} accepted ({} to {}), {} opened ({} to {})",
                    "{}：{} / {} 已接受（{} 至 {}），{} 台打开（{} 至 {}）"
                )
            case .winnerAwaited:
                ("a winner may be named until {}, otherwise {}: {}", "可在 {} 之前选定胜出的变体，否则 {}：{}")
            case .winner: ("the winner is {}", "胜出的变体是 {}")
            case .winnerForRest: ("the winner is {}, for {} more devices: {}", "胜出的变体是 {}，将发给其余 {} 台设备：{}")
            case .noWinnerForRest:
                (
                    "no winner was named until {}: {} more devices get {}: {}",
                    "到 {} 为止没有选定胜出的变体，其余 {} 台设备收到 {}：{}"
                )
            case .noWinnerAbandoned:
                (
                    "no winner was named until {}: {} more devices get nothing: {}",
                    "到 {} 为止没有选定胜出的变体，其余 {} 台设备不再发送：{}"
                )
            case .noWinner: ("no winner was named within {}: {}", "{} 之内没有选定胜出的变体，其余设备收到 {}")
            case .noWinnerNothing:
                ("no winner was named within {}: the rest gets nothing", "{} 之内没有选定胜出的变体，其余设备不再发送")
            }
        }
    }

    /// True if a delivery in parts goes on by itself, once time has passed.
    package var isInParts: Bool {
        isAny(of: [Progress.stageBakes, .waveSent, .testSent, .nextPartOpens, .winnerAwaited])
    }
}
