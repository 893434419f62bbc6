extension Reason {
    /// The help of a plan's diagnostics.
    package enum Remedy: String, ReasonCode {
        // Deliveries.
        case raiseRevision, raiseRevisionForAll, raiseRevisionAbove, raiseRevisionToDeliver, raiseRevisionAnew
        case nameWinnerBefore, closeOrSend, decideRest, giveAnotherTime, notCaughtUp
        // Audiences.
        case checkTyping, mayComeYet, enlargeForOpened, enlargeStage, largerShares, waitForReached, reachOthers
        case deadTokensReturn, staleByRegistry, staleByService, declareProfile, shortenMessage, policyDecides
        // The rest.
        case renew, renewNow, measureEnds, checkTarget, moveOrNarrow, writeForClocks

        package var words: (english: String, chinese: String) {
            switch self {
            case .raiseRevision: ("raise 'revision' to deliver it again", "要再发一次请提高 'revision'")
            case .raiseRevisionForAll:
                (
                    "raise 'revision' to end that delivery and deliver the edited campaign to everybody",
                    "提高 'revision' 会结束该次投递，并把编辑后的内容发给所有设备"
                )
            case .raiseRevisionAbove: ("raise 'revision' above {} to deliver it", "要投递请把 'revision' 提高到 {} 以上")
            case .raiseRevisionToDeliver: ("raise 'revision' to deliver it", "要投递请提高 'revision'")
            case .raiseRevisionAnew:
                (
                    "raise 'revision' to deliver it, with a new 'schedule' if it has one",
                    "要投递请提高 'revision'；如果写有 'schedule'，也请改成新的时间"
                )
            case .nameWinnerBefore: ("name a winner before the rest is sent", "请在其余设备发送之前写明 winner")
            case .closeOrSend:
                ("'{}' closes it, or sends to those devices only", "'{}' 可以了结它，或只向这些设备发送")
            case .decideRest: ("decide about the rest: '{}'", "请决定其余设备：'{}'")
            case .giveAnotherTime:
                (
                    "give it another time, put it on hold with 'hold: true', or remove it",
                    "请改为其他时间，或用 'hold: true' 暂停，或删除它"
                )
            case .notCaughtUp:
                (
                    "it is not caught up; 'bugle run' or a timer with 'apply --due --auto-approve' keeps the times",
                    "不会补发；用 'bugle run' 或定时执行 'apply --due --auto-approve' 可以准时"
                )
            case .checkTyping:
                (
                    "check for a typing error; 'limits: {minAudience: 0}' allows an empty audience",
                    "请检查是否写错；'limits: {minAudience: 0}' 允许受众为空"
                )
            case .mayComeYet:
                (
                    "more devices may come until then; otherwise lower 'limits.minAudience'",
                    "到时设备可能更多；否则请调低 'limits.minAudience'"
                )
            case .enlargeForOpened:
                (
                    "enlarge the stage: 'opened' can be judged from {} devices",
                    "请扩大该阶段：至少 {} 台设备才能判定 'opened'"
                )
            case .enlargeStage:
                (
                    "enlarge the stage, or lower 'rollout.minimum', which is {}",
                    "请扩大该阶段，或调低 'rollout.minimum'（现为 {}）"
                )
            case .largerShares: ("larger shares show smaller differences", "比例越大，能分辨的差异越小")
            case .waitForReached:
                (
                    "wait until then is long enough ago, or let the rule look back less far",
                    "请等到那一时刻足够久远，或缩短规则所看的时间"
                )
            case .reachOthers:
                (
                    "narrow 'platforms' to what this remote reaches, or send through one that reaches them",
                    "请把 'platforms' 收窄到该远端可达的平台，或改用可达的远端"
                )
            case .deadTokensReturn:
                (
                    "Apple or the app reported these tokens dead; a device that registers anew is reached again",
                    "Apple 或 app 报告这些 token 已失效；设备重新注册后即可再次收到"
                )
            case .staleByRegistry:
                (
                    "the remote's 'registry: {stale: …}' says for how long; a device counts as seen when it registers",
                    "期限由远端的 'registry: {stale: …}' 规定；设备注册即算出现"
                )
            case .staleByService:
                (
                    "the service leaves out who was not seen for three months; a device counts as seen when it registers",
                    "服务不发给三个月没有出现的设备；设备注册即算出现"
                )
            case .declareProfile:
                (
                    "declare their DeviceProfile, or one with 'default: true' for those that name none",
                    "请声明它们的 DeviceProfile，或为没有写明的设备声明一个 'default: true' 的"
                )
            case .shortenMessage: ("shorten the message or the values in it", "请缩短消息或其中的字段值")
            case .policyDecides:
                (
                    "policy.holdout and policy.frequency decide; nothing that is left out is sent later",
                    "由 policy.holdout 与 policy.frequency 决定；被排除的以后也不会补发"
                )
            case .renew: ("renew it with Apple and upload it", "请向 Apple 续期并上传")
            case .renewNow: ("renew it with Apple and upload it now", "请立即向 Apple 续期并上传")
            case .measureEnds:
                ("what was measured against the former holdout ends here", "以原对照组为基准的测量到此为止")
            case .checkTarget: ("check the spelling of --target", "请检查 --target 的拼写")
            case .moveOrNarrow:
                (
                    "move one of them or narrow an audience; 'minimumGap' in the policy sets how far apart they should be",
                    "请移动其中之一，或收窄受众；相隔多久由规则中的 'minimumGap' 决定"
                )
            case .writeForClocks:
                (
                    "write {} if clocks in {} are to show {} then",
                    "如果要让 {1} 的时钟届时显示 {2}，请写 {0}"
                )
            }
        }
    }
}
