extension Reason {
    /// The messages of a plan's diagnostics.
    package enum Note: String, ReasonCode {
        // Deliveries.
        case editedAfter, editedDuring, revisionIsLower, disappeared, otherWinner, otherWinnerThanNone, deliveredInDoubt
        case rolloutWasHalted, rolloutIsHolding, missedForGood, notSentBecause, dayMissed, daysMissed,
            selectedWhenFiring, partTouches
        // Audiences.
        case subscribersUnknown, audienceUnrecorded, overDailyQuota, nobodyIn, nobodyWithin, allLeftOut, noClass,
            noField
        case noFieldButNear, reachedUnknown, fewNow, stageTooSmall, testShows, notExplained, notExplainedOne
        case comparedFirst, unexplained, unexplainedAndMore
        // Certificates.
        case certificateExpires, certificateExpiresInDay, certificateExpiresToday, certificateExpiresSoon
        case certificateExpiresTomorrow, campaignDepends, campaignsDepend, campaignsAndMoreDepend
        // The remote.
        case nothingRecorded, notOurs, holdoutChanged, holdoutGone, moreOrFewerHeld, heldGetPushes,
            heldGetPushesOthersNot
        case putCredential, uploadCredential, fingerprint, undeclared, undeclaredMany, undeclaredAndMore, noSubscriber
        case noBearer, stillSubscribes, stillSubscribe, overPendingQuota, unknownTarget
        // The calendar.
        case mayGet, gets, get, manyGet, sameTime, after, pending, delivered, stranger, gap
        case morePairs, onePairMore, misreadTime, quietBeginsSkipped, quietEndsSkipped, quietBeginsTwice, quietEndsTwice

        package var words: Phrase {
            switch self {
            case .editedAfter: Phrase("{} was edited after it was delivered; nothing is sent", "{} 在投递之后被编辑过；不会发送")
            case .partTouches: Phrase("part {} is in {} edited campaigns: {}", "部件 {} 用于 {} 个被编辑的推送活动：{}")
            case .editedDuring:
                Phrase(
                    "{} was edited during its delivery; its remaining devices get the original",
                    "{} 在投递期间被编辑过；其余设备收到的是原来的内容")
            case .revisionIsLower:
                Phrase(
                    "{} was delivered at revision {}, and the file says {}; nothing is sent",
                    "{} 已按版本 {} 投递，而文件中写的是 {}；不会发送")
            case .disappeared:
                Phrase(
                    "the pending push of {} disappeared from the remote before its time; nothing is sent",
                    "{} 等待发送的推送在到点之前从远端消失；不会发送")
            case .otherWinner:
                Phrase(
                    "the rest of {} was given {}, and the file names {}: nothing more is sent",
                    "{} 的其余设备已收到 {}，而文件中写的是 {}：不再发送")
            case .otherWinnerThanNone:
                Phrase(
                    "the rest of {} was given nothing, and the file names {}: nothing more is sent",
                    "{} 的其余设备没有收到任何变体，而文件中写的是 {}：不再发送")
            case .deliveredInDoubt:
                Phrase(
                    "{} was delivered, but the answers of {} devices were lost; nothing more is sent to them",
                    "{} 已投递，但 {} 台设备的应答丢失；不再向它们发送")
            case .rolloutWasHalted: Phrase("the rollout of {} was halted: {}", "{} 的分阶段发布已中止：{}")
            case .rolloutIsHolding: Phrase("the rollout of {} holds: {}", "{} 的分阶段发布在等待决定：{}")
            case .missedForGood: Phrase("{} was never sent, and its time has passed: {}", "{} 从未发送，且时间已过：{}")
            case .notSentBecause: Phrase("{} is not sent: {}", "{} 不会发送：{}")
            case .dayMissed: Phrase("{} was not sent on {}: nothing ran in its window", "{} 于 {} 没有发送：发送窗口内没有任何执行")
            case .daysMissed:
                Phrase("{} was not sent on {} to {}: nothing ran in its window", "{} 于 {} 至 {} 没有发送：发送窗口内没有任何执行")
            case .selectedWhenFiring:
                Phrase("the audience of {} is selected when it fires, not now", "{} 的受众在发送时选定，而不是现在")
            case .subscribersUnknown:
                Phrase(
                    "the number of subscribers to the channel of {} is unknown: maxAudience is not checked",
                    "{} 所用频道的订阅数未知：不检查 maxAudience")
            case .audienceUnrecorded:
                Phrase("the recorded state does not include the audience of {}", "记录的状态中没有 {} 的受众")
            case .overDailyQuota:
                Phrase(
                    "{} reaches {} devices, more than the {} that the service pushes to in a day",
                    "{} 将发给 {} 台设备，超过服务每天可推送的 {} 台")
            case .nobodyIn: Phrase("no device is in the audience of {}", "{} 的受众中没有设备")
            case .nobodyWithin:
                Phrase(
                    "no device is in the audience of {} within that of the remote, {}",
                    "{} 的受众中没有设备在该远端的 audience（{}）之内")
            case .allLeftOut: Phrase("every device in the audience of {} is left out: {}", "{} 的受众中的设备全部被排除：{}")
            case .noClass:
                Phrase(
                    "the audience of {} queries the class {}, which the remote does not have",
                    "{} 的受众查询了 class {}，而远端没有它")
            case .noField:
                Phrase("no installation has the field {} that the audience of {} tests", "没有设备带有字段 {}，而 {} 的受众用到了它")
            case .noFieldButNear:
                Phrase(
                    "no installation has the field {} that the audience of {} tests; did you mean {}?",
                    "没有设备带有字段 {}，而 {} 的受众用到了它；是否想写 {}？")
            case .reachedUnknown:
                Phrase(
                    "which devices were reached up to {} is forgotten, and policy.frequency looks back further: everybody "
                        + "is left out of {}",
                    "{} 之前发给过哪些设备已不再保留，而 policy.frequency 要看得更早：{} 不发给任何设备")
            case .fewNow:
                Phrase(
                    "{} devices are in the audience of {} now: with fewer than minAudience {} a day of it is blocked",
                    "{1} 的受众现有 {0} 台设备：少于 minAudience {2} 时，当天的投递会被阻止")
            case .stageTooSmall:
                Phrase(
                    "stage {} of {} has about {} devices: too few to judge, it will hold",
                    "{1} 的第 {0} 阶段约有 {2} 台设备：太少，无法判定，将等待决定")
            case .testShows:
                Phrase(
                    "the variants of {} show a difference of {} percentage points or more, with 80 % power at a rate of "
                        + "50 %: about {} devices test the smallest",
                    "{} 的变体之间相差 {} 个百分点以上才能分辨（比率为 50 % 时，把握度 80 %）：最小的变体约有 {} 台设备")
            case .notExplained:
                Phrase(
                    "the audiences of {} deliveries are not broken down: a plan does so for {}",
                    "有 {} 次投递的受众没有细分：一份计划最多细分 {} 个")
            case .notExplainedOne:
                Phrase(
                    "the audiences of {} delivery are not broken down: a plan does so for {}",
                    "有 {} 次投递的受众没有细分：一份计划最多细分 {} 个")
            case .comparedFirst:
                Phrase(
                    "only the first {} of {} deliveries are checked for shared devices", "只检查了前 {} 次投递（共 {} 次）是否发给相同的设备"
                )
            case .unexplained: Phrase("an audience was counted but could not be broken down: {}", "有一个受众已统计，但无法细分：{}")
            case .unexplainedAndMore:
                Phrase(
                    "an audience (and {} more) was counted but could not be broken down: {}",
                    "有一个受众（另有 {} 个）已统计，但无法细分：{}")
            case .certificateExpires:
                Phrase("the certificate of {} expires on {}, in {} days", "{} 的推送证书于 {} 到期，还有 {} 天")
            case .certificateExpiresInDay:
                Phrase("the certificate of {} expires on {}, in {} day", "{} 的推送证书于 {} 到期，还有 {} 天")
            case .certificateExpiresToday:
                Phrase(
                    "the certificate of {} expires in less than a day, at {}, after which it cannot push",
                    "{} 的推送证书不到一天就到期（{}），之后无法推送")
            case .certificateExpiresSoon:
                Phrase(
                    "the certificate of {} expires in only {} days, at {}, after which it cannot push",
                    "{} 的推送证书只剩 {} 天（{} 到期），之后无法推送")
            case .certificateExpiresTomorrow:
                Phrase(
                    "the certificate of {} expires in only {} day, at {}, after which it cannot push",
                    "{} 的推送证书只剩 {} 天（{} 到期），之后无法推送")
            case .campaignDepends: Phrase("campaign {} depends on it", "推送活动 {} 依赖它")
            case .campaignsDepend: Phrase("campaigns {} depend on it", "推送活动 {} 依赖它")
            case .campaignsAndMoreDepend: Phrase("campaigns {} and {} more depend on it", "推送活动 {} 等依赖它，另有 {} 个")
            case .nothingRecorded: Phrase("no delivery is recorded for {}", "{} 没有任何投递记录")
            case .notOurs:
                Phrase(
                    "a push scheduled for {} is not in the ledger (scheduled push {}); it is left alone",
                    "定于 {} 的一次推送不在台账中（scheduled push {}）；不去动它")
            case .holdoutChanged:
                Phrase("policy.holdout is {}, and {} held out {}: {}", "policy.holdout 为 {}，而 {} 的对照组是 {}：{}")
            case .holdoutGone: Phrase("gone", "无")
            case .moreOrFewerHeld: Phrase("more or fewer devices are held out from now on", "今后对照组的设备数会变化")
            case .heldGetPushes: Phrase("those devices get pushes again", "那些设备将重新收到推送")
            case .heldGetPushesOthersNot:
                Phrase("those devices get pushes again, and others get none", "那些设备将重新收到推送，另一些设备不再收到")
            case .putCredential:
                Phrase(
                    "put the certificate or key of {} into the workspace that bugle-server's settings name",
                    "请把 {} 的证书或密钥放进 bugle-server 设置所指的工作区")
            case .uploadCredential:
                Phrase("upload the certificate or key of {} in the service's console", "请在服务的控制台上传 {} 的证书或密钥")
            case .fingerprint: Phrase("its fingerprint is then {}", "之后其指纹应为 {}")
            case .undeclared:
                Phrase(
                    "{} {} is in use ({} of {} newest installations) and not declared",
                    "{} {} 在使用中（最新 {3} 台设备中有 {2} 台），但没有声明")
            case .undeclaredMany:
                Phrase(
                    "{} {}s are in use among the {} newest installations and not declared: {}",
                    "最新 {2} 台设备中有 {0} 个 {1} 在使用但没有声明：{3}")
            case .undeclaredAndMore:
                Phrase(
                    "{} {}s are in use among the {} newest installations and not declared: {} and {} more",
                    "最新 {2} 台设备中有 {0} 个 {1} 在使用但没有声明：{3}，另有 {4} 个")
            case .noSubscriber: Phrase("no device subscribes to channel {}", "没有设备订阅频道 {}")
            case .noBearer: Phrase("no device has deviceProfile {}", "没有设备的 deviceProfile 是 {}")
            case .stillSubscribes:
                Phrase(
                    "{} device still subscribes to channel {}, which is no longer declared",
                    "仍有 {} 台设备订阅频道 {}，而文件中不再声明它")
            case .stillSubscribe:
                Phrase(
                    "{} devices still subscribe to channel {}, which is no longer declared",
                    "仍有 {} 台设备订阅频道 {}，而文件中不再声明它")
            case .overPendingQuota:
                Phrase("{} pending pushes exceed the {} that the service keeps", "{} 次等待发送的推送超过服务可保留的 {} 次")
            case .unknownTarget:
                Phrase("no file declares {}; only its state on the remote is planned", "没有文件声明 {}；只按远端的状态做计划")
            case .mayGet: Phrase("some devices may get {} {}", "部分设备可能收到 {}，{}")
            case .gets: Phrase("{} device gets {} {}", "{} 台设备收到 {}，{}")
            case .get: Phrase("{} devices get {} {}", "{} 台设备收到 {}，{}")
            case .manyGet: Phrase("devices get {} {}", "有设备收到 {}，{}")
            case .sameTime: Phrase("at the same time as {}", "与 {} 同时")
            case .after: Phrase("{} after {}", "比 {1} 晚 {0}")
            case .pending: Phrase("the pending {}", "等待发送的 {}")
            case .delivered: Phrase("the delivered {}", "已投递的 {}")
            case .stranger: Phrase("a pending push that is not in the ledger", "一次不在台账中的待发推送")
            case .gap: Phrase("minimumGap is {}", "minimumGap 为 {}")
            case .morePairs:
                Phrase("{} more pairs of deliveries may reach the same devices within {}", "另有 {} 对投递可能在 {} 之内发给相同的设备")
            case .onePairMore:
                Phrase("{} more pair of deliveries may reach the same devices within {}", "另有 {} 对投递可能在 {} 之内发给相同的设备")
            case .misreadTime: Phrase("{} is {} in {}: {}", "{} 在 {2} 是 {1}：{3}")
            case .quietBeginsSkipped:
                Phrase("quiet hours begin at {}, which clocks in {} skip on {}", "免打扰时段始于 {}，而 {} 的时钟于 {} 跳过这一时刻")
            case .quietEndsSkipped:
                Phrase("quiet hours end at {}, which clocks in {} skip on {}", "免打扰时段止于 {}，而 {} 的时钟于 {} 跳过这一时刻")
            case .quietBeginsTwice:
                Phrase("quiet hours begin at {}, which occurs twice in {} on {}", "免打扰时段始于 {}，而这一时刻在 {} 于 {} 出现两次")
            case .quietEndsTwice:
                Phrase("quiet hours end at {}, which occurs twice in {} on {}", "免打扰时段止于 {}，而这一时刻在 {} 于 {} 出现两次")
            }
        }
    }
}

// MARK: - Remedy

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

        package var words: Phrase {
            switch self {
            case .raiseRevision: Phrase("raise 'revision' to deliver it again", "要再发一次请提高 'revision'")
            case .raiseRevisionForAll:
                Phrase(
                    "raise 'revision' to end that delivery and deliver the edited campaign to everybody",
                    "提高 'revision' 会结束该次投递，并把编辑后的内容发给所有设备")
            case .raiseRevisionAbove: Phrase("raise 'revision' above {} to deliver it", "要投递请把 'revision' 提高到 {} 以上")
            case .raiseRevisionToDeliver: Phrase("raise 'revision' to deliver it", "要投递请提高 'revision'")
            case .raiseRevisionAnew:
                Phrase(
                    "raise 'revision' to deliver it, with a new 'schedule' if it has one",
                    "要投递请提高 'revision'；如果写有 'schedule'，也请改成新的时间")
            case .nameWinnerBefore: Phrase("name a winner before the rest is sent", "请在其余设备发送之前写明 winner")
            case .closeOrSend: Phrase("'{}' closes it, or sends to those devices only", "'{}' 可以了结它，或只向这些设备发送")
            case .decideRest: Phrase("decide about the rest: '{}'", "请决定其余设备：'{}'")
            case .giveAnotherTime:
                Phrase(
                    "give it another time, put it on hold with 'hold: true', or remove it",
                    "请改为其他时间，或用 'hold: true' 暂停，或删除它")
            case .notCaughtUp:
                Phrase(
                    "it is not caught up; 'bugle run' or a timer with 'apply --due --auto-approve' keeps the times",
                    "不会补发；用 'bugle run' 或定时执行 'apply --due --auto-approve' 可以准时")
            case .checkTyping:
                Phrase(
                    "check for a typing error; 'limits: {minAudience: 0}' allows an empty audience",
                    "请检查是否写错；'limits: {minAudience: 0}' 允许受众为空")
            case .mayComeYet:
                Phrase(
                    "more devices may come until then; otherwise lower 'limits.minAudience'",
                    "到时设备可能更多；否则请调低 'limits.minAudience'")
            case .enlargeForOpened:
                Phrase("enlarge the stage: 'opened' can be judged from {} devices", "请扩大该阶段：至少 {} 台设备才能判定 'opened'")
            case .enlargeStage:
                Phrase(
                    "enlarge the stage, or lower 'rollout.minimum', which is {}", "请扩大该阶段，或调低 'rollout.minimum'（现为 {}）")
            case .largerShares: Phrase("larger shares show smaller differences", "比例越大，能分辨的差异越小")
            case .waitForReached:
                Phrase(
                    "wait until then is long enough ago, or let the rule look back less far", "请等到那一时刻足够久远，或缩短规则所看的时间")
            case .reachOthers:
                Phrase(
                    "narrow 'platforms' to what this remote reaches, or send through one that reaches them",
                    "请把 'platforms' 收窄到该远端可达的平台，或改用可达的远端")
            case .deadTokensReturn:
                Phrase(
                    "Apple or the app reported these tokens dead; a device that registers anew is reached again",
                    "Apple 或 app 报告这些 token 已失效；设备重新注册后即可再次收到")
            case .staleByRegistry:
                Phrase(
                    "the remote's 'registry: {stale: …}' says for how long; a device counts as seen when it registers",
                    "期限由远端的 'registry: {stale: …}' 规定；设备注册即算出现")
            case .staleByService:
                Phrase(
                    "the service leaves out who was not seen for three months; a device counts as seen when it registers",
                    "服务不发给三个月没有出现的设备；设备注册即算出现")
            case .declareProfile:
                Phrase(
                    "declare their DeviceProfile, or one with 'default: true' for those that name none",
                    "请声明它们的 DeviceProfile，或为没有写明的设备声明一个 'default: true' 的")
            case .shortenMessage: Phrase("shorten the message or the values in it", "请缩短消息或其中的字段值")
            case .policyDecides:
                Phrase(
                    "policy.holdout and policy.frequency decide; nothing that is left out is sent later",
                    "由 policy.holdout 与 policy.frequency 决定；被排除的以后也不会补发")
            case .renew: Phrase("renew it with Apple and upload it", "请向 Apple 续期并上传")
            case .renewNow: Phrase("renew it with Apple and upload it now", "请立即向 Apple 续期并上传")
            case .measureEnds: Phrase("what was measured against the former holdout ends here", "以原对照组为基准的测量到此为止")
            case .checkTarget: Phrase("check the spelling of --target", "请检查 --target 的拼写")
            case .moveOrNarrow:
                Phrase(
                    "move one of them or narrow an audience; 'minimumGap' in the policy sets how far apart they should be",
                    "请移动其中之一，或收窄受众；相隔多久由规则中的 'minimumGap' 决定")
            case .writeForClocks: Phrase("write {} if clocks in {} are to show {} then", "如果要让 {1} 的时钟届时显示 {2}，请写 {0}")
            }
        }
    }
}
