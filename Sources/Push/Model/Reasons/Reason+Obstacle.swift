extension Reason {
    /// Why a rule blocks a change.
    package enum Obstacle: String, ReasonCode {
        case expirationRequired, everyoneNotAllowed, isProtected, tooLateToChange, timeIsQuiet, quietNow
        case quietByDevice, certificateEnds, tooManySends, tooManyCancels, noCampaignAtAll, winnerTooEarly
        case noSuchVariant
        // Audiences.
        case notCountable, aboveMaximum, belowMinimum, aboveApproved, aboveGrowth, aboveDevelopment, notAllowedCount
        case payloadTooLarge, innerQueryCut
        // Ledgers and names.
        case newLedger, workspaceBeside, workspacesThere, workspaceThere, isRenamed, isItNow, hadTheName
        // Approvals.
        case approval, approvals, approvalFrom, approvalsFrom, needsHasNone, needsHas, isAuthor, inNoTeam
        case ofOlderState, datedAhead, wasDismissed, noneGiven, earlierCommit, stateUnknown, rulesUnreadable

        package var words: (english: String, chinese: String) {
            switch self {
            case .expirationRequired: ("the policy requires an expiration", "规则要求写明有效期，但没有写")
            case .everyoneNotAllowed: ("allowEveryone is false", "allowEveryone 为 false，不允许推送给全部设备")
            case .isProtected:
                ("{} {} is protected: release it with protected: false", "{} {} 受保护：先设置 protected: false")
            case .tooLateToChange: ("it is due at {}, in less than 5 minutes", "将于 {} 发出，已不足 5 分钟")
            case .timeIsQuiet: ("{} is in quiet hours ({})", "{} 处于免打扰时段（{}）")
            case .quietNow: ("quiet hours are in effect now ({})", "现在处于免打扰时段（{}）")
            case .quietByDevice:
                (
                    "it is sent to all at one instant, and quiet hours go by each device's clock ({})",
                    "它在同一时刻发给所有设备，而免打扰时段以每台设备的时钟为准（{}）"
                )
            case .certificateEnds:
                (
                    "the certificate of {} expires on {}, before the delivery does",
                    "{} 的推送证书于 {} 到期，早于投递结束"
                )
            case .tooManySends: ("{} sends exceed maxSendsPerApply {}", "{} 次发送超过 maxSendsPerApply {}")
            case .tooManyCancels: ("{} cancels exceed maxCancelsPerApply {}", "{} 次取消超过 maxCancelsPerApply {}")
            case .noCampaignAtAll:
                (
                    "the workspace has no campaign at all while deliveries are pending",
                    "工作区没有任何推送活动，却有投递等待发送"
                )
            case .winnerTooEarly: ("it names a winner before its variants were tested", "变体尚未测试就写明了 winner")
            case .noSuchVariant: ("its delivery has no variant {}, but {}", "正在进行的投递没有变体 {}，只有 {}")
            case .notCountable: ("its audience could not be counted", "无法统计受众")
            case .aboveMaximum: ("{} devices exceed maxAudience {}", "{} 台设备超过 maxAudience {}")
            case .belowMinimum: ("{} devices are fewer than minAudience {}", "{} 台设备少于 minAudience {}")
            case .aboveApproved:
                ("{} devices exceed the {} that need no further approval", "{} 台设备超过无需更多批准的 {} 台")
            case .aboveGrowth:
                (
                    "{} devices exceed the {} to which the planned audience may grow",
                    "{} 台设备超过计划受众可增长到的 {} 台"
                )
            case .aboveDevelopment:
                (
                    "{} devices exceed the development environment's limit of {}",
                    "{} 台设备超过开发环境的上限 {}"
                )
            case .notAllowedCount: ("{} devices are not allowed", "不允许发给 {} 台设备")
            case .payloadTooLarge:
                (
                    "the payload is too large with the values of some devices ({}): up to {} bytes",
                    "部分设备（{} 台）代入自己的字段值后 payload 过大：最大 {} 字节"
                )
            case .innerQueryCut:
                (
                    "an inner query matches {} objects, but the service evaluates only {}",
                    "内层查询匹配 {} 个对象，而服务只查看前 {} 个"
                )
            case .newLedger:
                (
                    "this remote's ledger is empty: run 'bugle ledger copy' or 'bugle ledger start'",
                    "该远端的台账是空的：请执行 'bugle ledger copy' 或 'bugle ledger start'"
                )
            case .workspaceBeside:
                (
                    "the ledger has {} deliveries of workspace {} beside those of {}, and only one of them can be this "
                        + "workspace: change 'formerly' in the Workspace document",
                    "台账中除 {2} 的投递外，还有工作区 {1} 的 {0} 次投递，二者只能有一个是本工作区：请修改 Workspace 文档中的 'formerly'"
                )
            case .workspacesThere:
                (
                    "this app's ledger has deliveries of workspaces {}: is this one of them, renamed? say 'formerly' in "
                        + "the Workspace document, or run 'bugle ledger start' if this one is new",
                    "该应用的台账中有工作区 {} 的投递：本工作区是由其中之一改名的吗？请在 Workspace 文档中写明 'formerly'；如果这是新的工作区，请执行 'bugle ledger start'"
                )
            case .workspaceThere:
                (
                    "this app's ledger has {} deliveries of workspace {}: renamed? say 'formerly: [{}]' in the Workspace "
                        + "document, or run 'bugle ledger start' if this one is new",
                    "该应用的台账中有工作区 {1} 的 {0} 次投递：是改名了吗？请在 Workspace 文档中写明 'formerly: [{2}]'；如果这是新的工作区，请执行 'bugle ledger start'"
                )
            case .isRenamed:
                (
                    "is this {} renamed? It was delivered with the same content and is no longer in the files: say "
                        + "'formerly: [{}]', or 'revision: {}' to deliver it again",
                    "这是 {} 改名而来的吗？它已按相同内容投递，且已不在文件中：请写明 'formerly: [{}]'；要再发一次请写 'revision: {}'"
                )
            case .isItNow:
                (
                    "is it {} now? That one is new and has the same content: say 'formerly: [{}]' there, or a higher "
                        + "'revision' to deliver it again",
                    "它现在叫 {} 吗？后者是新的，内容相同：请在其中写明 'formerly: [{}]'；要再发一次请提高 'revision'"
                )
            case .hadTheName:
                (
                    "{} was {} before, and that delivery has the same id: choose another name, or raise 'revision'",
                    "{} 曾名 {}，那次投递的标识与此相同：请换一个名称，或提高 'revision'"
                )
            case .approval: ("{} approval", "{} 人批准")
            case .approvals: ("{} approvals", "{} 人批准")
            case .approvalFrom: ("{} approval from {}", "{} 人批准（须属于 {}）")
            case .approvalsFrom: ("{} approvals from {}", "{} 人批准（须属于 {}）")
            case .needsHasNone: ("needs {}, has none", "需要 {}，目前没有")
            case .needsHas: ("needs {}, has {} ({})", "需要 {}，现有 {} 人（{}）")
            case .isAuthor: ("{} is an author", "{} 是作者")
            case .inNoTeam: ("{} is in none of these teams", "{} 不属于这些团队")
            case .ofOlderState: ("{}'s is of an older state", "{} 批准的是较早的状态")
            case .datedAhead: ("{}'s is dated in the future", "{} 的批准时间在将来")
            case .wasDismissed: ("{}'s was dismissed", "{} 的批准已撤销")
            case .noneGiven: ("no approvals were given with --approvals", "没有用 --approvals 提供批准")
            case .earlierCommit:
                (
                    "it came with an earlier commit, whose authors are not known: change it, and have that approved",
                    "它来自较早的提交，作者不详：请修改它，并让修改获得批准"
                )
            case .stateUnknown: ("which state the files have is not known: {}", "无法确定文件处于哪个状态：{}")
            case .rulesUnreadable:
                (
                    "the rules on approvals of the commit before cannot be read: {}",
                    "无法读取上一个提交中关于批准的规则：{}"
                )
            }
        }
    }
}
