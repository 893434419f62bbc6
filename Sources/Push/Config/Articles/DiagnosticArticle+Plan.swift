internal import Base

extension DiagnosticArticle {
    /// The articles of codes about deliveries in a plan.
    static let plan: [DiagnosticCode: DiagnosticArticle] = [
        .editedAfterDelivery: DiagnosticArticle(
            "A campaign was edited after its delivery; nothing is sent.", "推送活动在投递后被修改：不会再发送。",
            why: "What was delivered cannot be changed on people's devices.", "已经送达的内容无法在设备上更改。",
            example: "a new body for a campaign that was sent yesterday",
            mend: "Raise 'revision' to deliver it once more, or undo the edit.", "提高 revision 以再投递一次，或撤销修改。"),
        .partEdited: DiagnosticArticle(
            "Several campaigns of one part differ from what was delivered or is scheduled.",
            "同一部件的多个推送活动与已投递或已定时的内容不同。",
            why:
                "An edit of a part changes every campaign that uses it: those that wait are rescheduled, those that were delivered are not.",
            "修改部件会改变使用它的每个推送活动：等待中的会重新定时，已投递的不再发送。",
            example: "message: {sound: chime.caf}   # in a part that was edited after some of its campaigns",
            mend: "Nothing, if it is meant; `bugle expand` shows what a campaign has become.",
            "若有意如此则无需处理；`bugle expand` 显示推送活动变成了什么。"),
        .revisionLowered: DiagnosticArticle(
            "The revision is lower than the delivered one.", "revision 低于已投递的版本。",
            why: "Revisions only rise, so that each is delivered at most once.", "revision 只增不减，每个版本最多投递一次。",
            example: "revision: 1   # 2 was delivered",
            mend: "Write the delivered revision, or a higher one to deliver it again.", "写成已投递的版本；要再次投递则写更高的版本。"),
        .cancelledElsewhere: DiagnosticArticle(
            "A scheduled push vanished from the remote before its time.", "定时推送未到时间就从远端消失了。",
            why: "Somebody cancelled it outside the repository, and may have had a reason.", "有人在仓库之外取消了它，可能有其原因。",
            example: "a scheduled push that was deleted in LeanCloud's console",
            mend: "Raise 'revision' to schedule it again, or remove the campaign.", "提高 revision 以重新安排，或删除该推送活动。"),
        .firedBeforeCancel: DiagnosticArticle(
            "A push fired before its cancel reached the remote.", "取消请求到达远端之前，推送已经发出。",
            why: "The push had left when the cancel arrived.", "取消到达时推送已经发出。",
            example: "a campaign removed a minute before its time",
            mend: "Nothing can be undone; check who got it with 'bugle status'.", "无法撤回；用 bugle status 查看触达情况。"),
        .drift: DiagnosticArticle(
            "A remote resource that no file declares.", "远端存在没有任何文件声明的内容。",
            why: "The repository no longer says what the remote has.", "仓库已不能反映远端的实际内容。",
            example: "a channel that was created by hand",
            mend: "Declare it, with 'bugle import' or by hand, or remove it at the remote.",
            "用 bugle import 或手工声明它，或在远端删除它。"),
        .unmanaged: DiagnosticArticle(
            "A scheduled push made by someone else.", "由他人创建的定时推送。",
            why: "It reaches people beside what is planned here.", "它会在本计划之外触达用户。",
            example: "a push scheduled in LeanCloud's console",
            mend: "Cancel it there, or keep it in mind; bugle leaves it alone.", "在那里取消，或心中有数；bugle 不会改动它。"),
        .manualStep: DiagnosticArticle(
            "A step that a person has to do by hand.", "有需要人工完成的操作。",
            why: "The service has no call for it.", "服务没有为此提供接口。",
            example: "a certificate to be uploaded in LeanCloud's console",
            mend: "Do the step that the diagnostic names, then plan again.", "完成诊断信息所说的操作，然后重新计划。"),
        .emptyLedger: DiagnosticArticle(
            "The ledger of this remote is empty.", "该远端的台账是空的。",
            why: "If pushes were delivered before, the memory of them is gone and they would be sent again.",
            "如果以前投递过，说明记录已丢失，会重复发送。",
            example: "the first plan, or a wrong appId",
            mend: "At a new remote nothing; else check its address, or take the ledger over with 'bugle ledger copy'.",
            "新远端无需处理；否则检查地址，或用 `bugle ledger copy` 带来台账。"),
        .missed: DiagnosticArticle(
            "A campaign whose window or expiration has passed.", "推送活动已过发送窗口或有效期。",
            why: "A push that comes too late is worse than none.", "迟到的推送不如不发。",
            example: "schedule: {at: 2026-11-01T09:00:00+08:00, window: 1h}   # long ago",
            mend: "Give it a new time and raise 'revision', or remove it.", "写上新的时间并提高 revision，或删除它。"),
        .unknownOutcome: DiagnosticArticle(
            "The outcome of a delivery is unknown.", "投递结果未知。",
            why: "Sending again might deliver it twice, and not doing so might deliver it never.", "再发可能重复，不发可能漏发。",
            example: "the connection broke while the answer was under way",
            mend: "Find out what happened, then say it: 'bugle resolve NAME --as sent|unsent --reason …'.",
            "查明情况后告诉 bugle：`bugle resolve NAME --as sent|unsent --reason …`。"),
        .inDoubt: DiagnosticArticle(
            "A delivery that ended without responses for some devices.", "投递已结束，但部分设备没有收到应答。",
            why: "Apple may have taken the push for them or not; they are not sent it twice.",
            "Apple 可能收到，也可能没有；不会对这些设备再发。",
            example: "12 devices without an answer after a lost connection",
            mend: "Decide with 'bugle resolve'.", "用 bugle resolve 决定。"),
        .rolloutStopped: DiagnosticArticle(
            "A rollout that was halted, or holds, after one of its stages.", "分阶段发布在某一阶段之后中止，或在等待人工决定。",
            why: "Its answers were worse than 'stopWhen' allows, or too few for a verdict.",
            "应答比 stopWhen 允许的更差，或太少而无法判定。",
            example: "stopWhen: {refused: 2%}   # 5% were",
            mend: "Find the cause, then 'bugle resolve NAME --as proceed|abandoned --reason …'.",
            "查明原因，再执行 `bugle resolve NAME --as proceed|abandoned --reason …`。"),
        .smallStage: DiagnosticArticle(
            "A stage of a rollout with too few devices for a verdict.", "分阶段发布中设备太少、无法判定的阶段。",
            why: "Chance alone could pass or fail it.", "结果可能只是偶然。",
            example: "stages: [1%, 100%]   # of 500 devices",
            mend: "Make the first stage larger.", "加大第一个阶段。"),
        .variantPower: DiagnosticArticle(
            "The difference between its variants that a campaign's test can show.", "变体测试能够分辨的最小差异。",
            why: "A smaller difference would not be told from chance.", "更小的差异无法与偶然区分。",
            example: "variants with shares of 1% of 2,000 devices",
            mend: "Give the variants larger shares, or expect only large differences.", "加大各变体的份额，否则只能看出很大的差异。"),
        .quota: DiagnosticArticle(
            "A service limit that is nearly or already exceeded.", "接近或超过服务的配额。",
            why: "The service refuses or delays what is over it.", "超出的部分会被服务拒绝或延迟。",
            example: "more scheduled pushes than the service keeps",
            mend: "Remove what is no longer needed, or ask the service for more.", "删除不再需要的内容，或向服务申请提高配额。"),
    ]
}

// MARK: - Remotes

extension DiagnosticArticle {
    /// The articles of codes about messages, certificates, remotes and policy.
    static let remotes: [DiagnosticCode: DiagnosticArticle] = [
        .emptyMessage: DiagnosticArticle(
            "A message that neither shows nor does anything.", "消息既不显示任何内容，也不做任何事。",
            why: "Devices would be woken for nothing.", "会毫无意义地唤醒设备。",
            example: "message: {data: {id: 7}}   # without contentAvailable",
            mend: "Write a title or body, or contentAvailable with data.",
            "写上 title 或 body，或写 contentAvailable 与 data。"),
        .payloadTooLarge: DiagnosticArticle(
            "The encoded payload or request is over its limit.", "编码后的 Payload 或请求超过上限。",
            why: "Apple refuses what is larger, for every device.", "超限的内容，Apple 对所有设备都会拒收。",
            example: "message: {body: a text of 5,000 bytes}",
            mend: "Shorten the longest text, or move data to where the app can load it.", "缩短最长的文本，或把数据放到应用可以自行加载的地方。"),
        .pushType: DiagnosticArticle(
            "Fields that the push type does not allow.", "字段与推送类型不符。",
            why: "Apple refuses such a push, or devices drop it.", "Apple 会拒收，或被设备丢弃。",
            example: "message: {pushType: background, body: Goal}",
            mend: "Remove the field, or choose the push type that has it.", "删除该字段，或选择支持它的推送类型。"),
        .reservedKey: DiagnosticArticle(
            "A custom key that is reserved.", "自定义字段名是保留字段。",
            why: "The service or the system uses it for something of its own.", "服务或系统把它用于自己的目的。",
            example: "data: {aps: {}}",
            mend: "Rename the key.", "给该键改名。"),
        .certificate: DiagnosticArticle(
            "A certificate or key that cannot be read, does not match, or is not valid.", "推送证书或密钥无法读取、不匹配或无效。",
            why: "No push of this profile would be accepted.", "使用该证书的推送都不会被接受。",
            example: "file: push.p12   # expired yesterday",
            mend: "Renew the certificate, or correct the file, the key or the passphrase.", "更新证书，或改正文件、密钥或口令。"),
        .certificateNotChecked: DiagnosticArticle(
            "A check that was skipped because it needs a file or secret that is not available here.",
            "缺少文件或密钥，无法完成这项检查。",
            why: "A check that was skipped is not one that passed.", "跳过检查不等于通过检查。",
            example: "key: {env: APNS_KEY}   # not exported here",
            mend: "Nothing, if the credential is only where 'apply' runs; else provide it and run again.",
            "如果密钥只在执行 apply 的地方才有，则无需处理；否则提供后重新运行。"),
        .notSupported: DiagnosticArticle(
            "The remote does not support the field.", "远端不支持该字段的要求。",
            why: "Leaving the field out silently would deliver something else than what was reviewed.",
            "悄悄忽略该字段，投递的就不是审阅过的内容。",
            example: "rollout: {stages: [1%, 100%], stopWhen: {refused: 2%}}   # on a leancloud remote",
            mend: "Remove the field, or name the remotes that can do it with 'remotes'.", "删除该字段，或用 remotes 指定支持它的远端。"),
        .undocumentedOnLeanCloud: DiagnosticArticle(
            "The remote does this, but its documentation does not promise it.", "远端实际支持，但文档没有承诺。",
            why: "It works today, and may stop without notice.", "目前可用，但可能不经通知就失效。",
            example: "message: {body: Goal, interruptionLevel: timeSensitive}",
            mend: "Test it with 'bugle test' before you rely on it.", "依赖它之前，先用 bugle test 试一次。"),
        .adjusted: DiagnosticArticle(
            "The remote behaves slightly differently from what the field asks for.", "远端的做法略有不同。",
            why: "You should know before it is sent.", "应当在发送之前知道。",
            example: "throttle: {perSecond: 100}   # LeanCloud sends to at least 1,000 devices a second",
            mend: "Nothing, if what the diagnostic says is fine with you.", "如果可以接受诊断信息所说的做法，则无需处理。"),
        .policyRequireExpiration: DiagnosticArticle(
            "`requireExpiration`: the campaign has no expiration.", "`requireExpiration`：推送活动没有写明有效期。",
            why: "Without one, a device that was off for a week shows last week's score.", "没有有效期，关机一周的设备会显示上周的比分。",
            example: "kind: Campaign   # no expiration",
            mend: "Add 'expiration: {after: 2h}', as long as the message is worth showing.",
            "按消息的时效写上 expiration: {after: 2h}。"),
        .policyAllowEveryone: DiagnosticArticle(
            "`allowEveryone`: the audience is everyone.", "`allowEveryone`：受众是全部设备。",
            why: "A push to everybody is the one that cannot be taken back.", "发给所有人的推送最无法挽回。",
            example: "audience: {everyone: true}",
            mend: "Name channels, segments or a condition; else set 'policy.allowEveryone: true', which is reviewed.",
            "写明频道、分群或条件；确需全部设备时设置 policy.allowEveryone: true，并经过审阅。"),
        .policyQuietHours: DiagnosticArticle(
            "`quietHours`: the send would start during quiet hours.", "`quietHours`：会在免打扰时段内开始发送。",
            why: "People would be woken.", "会把人吵醒。",
            example: "schedule: {at: 2026-12-01T23:30:00+08:00}",
            mend: "Move the schedule out of the quiet hours.", "把时间移出免打扰时段。"),
        .policyCertificateExpiry: DiagnosticArticle(
            "`certificateExpiryWarning`: the certificate expires soon, or before the delivery ends.",
            "`certificateExpiryWarning`：推送证书即将到期，或在投递结束前到期。",
            why: "After that day nothing is delivered, and a renewal takes time.", "到期后什么都发不出去，而更新证书需要时间。",
            example: "a certificate that expires in 20 days",
            mend: "Renew the certificate and put the new one in place.", "更新证书并换上新的。"),
    ]
}
