internal import Base

extension DiagnosticArticle {
    /// The article of a code about messages, certificates, remotes and policy; nil for another.
    static func remotes(_ code: DiagnosticCode) -> DiagnosticArticle? {
        switch code {
        case .emptyMessage:
            DiagnosticArticle(
                meaning: (
                    "A message that neither shows nor does anything.",
                    "消息既不显示任何内容，也不做任何事。"
                ),
                why: (
                    "Devices would be woken for nothing.",
                    "会毫无意义地唤醒设备。"
                ),
                example: "message: {badge: 0}",
                mend: (
                    "Write a title or body, or contentAvailable with data.",
                    "写上 title 或 body，或写 contentAvailable 与 data。"
                ))
        case .payloadTooLarge:
            DiagnosticArticle(
                meaning: (
                    "The encoded payload or request is over its limit.",
                    "编码后的 Payload 或请求超过上限。"
                ),
                why: (
                    "Apple refuses what is larger, for every device.",
                    "超限的内容，Apple 对所有设备都会拒收。"
                ),
                example: "message: {body: a text of 5,000 bytes}",
                mend: (
                    "Shorten the longest text, or move data to where the app can load it.",
                    "缩短最长的文本，或把数据放到应用可以自行加载的地方。"
                ))
        case .pushType:
            DiagnosticArticle(
                meaning: (
                    "Fields that the push type does not allow.",
                    "字段与推送类型不符。"
                ),
                why: (
                    "Apple refuses such a push, or devices drop it.",
                    "Apple 会拒收，或被设备丢弃。"
                ),
                example: "message: {pushType: background, body: Goal}",
                mend: (
                    "Remove the field, or choose the push type that has it.",
                    "删除该字段，或选择支持它的推送类型。"
                ))
        case .reservedKey:
            DiagnosticArticle(
                meaning: (
                    "A custom key that is reserved.",
                    "自定义字段名是保留字段。"
                ),
                why: (
                    "The service or the system uses it for something of its own.",
                    "服务或系统把它用于自己的目的。"
                ),
                example: "data: {aps: {}}",
                mend: (
                    "Rename the key.",
                    "给该键改名。"
                ))
        case .certificate:
            DiagnosticArticle(
                meaning: (
                    "A certificate or key that cannot be read, does not match, or is not valid.",
                    "推送证书或密钥无法读取、不匹配或无效。"
                ),
                why: (
                    "No push of this profile would be accepted.",
                    "使用该证书的推送都不会被接受。"
                ),
                example: "file: push.p12   # expired yesterday",
                mend: (
                    "Renew the certificate, or correct the file, the key or the passphrase.",
                    "更新证书，或改正文件、密钥或口令。"
                ))
        case .certificateNotChecked:
            DiagnosticArticle(
                meaning: (
                    "A check that was skipped because it needs a file or secret that is not available here.",
                    "缺少文件或密钥，无法完成这项检查。"
                ),
                why: (
                    "A check that was skipped is not one that passed.",
                    "跳过检查不等于通过检查。"
                ),
                example: "key: {env: APNS_KEY}   # not exported here",
                mend: (
                    "Nothing, if the credential is only where 'apply' runs; else provide it and run again.",
                    "如果密钥只在执行 apply 的地方才有，则无需处理；否则提供后重新运行。"
                ))
        case .notSupported:
            DiagnosticArticle(
                meaning: (
                    "The remote does not support the field.",
                    "远端不支持该字段的要求。"
                ),
                why: (
                    "Leaving the field out silently would deliver something else than what was reviewed.",
                    "悄悄忽略该字段，投递的就不是审阅过的内容。"
                ),
                example: "rollout: {stages: [1%, 100%]}   # on a leancloud remote",
                mend: (
                    "Remove the field, or name the remotes that can do it with 'remotes'.",
                    "删除该字段，或用 remotes 指定支持它的远端。"
                ))
        case .undocumentedOnLeanCloud:
            DiagnosticArticle(
                meaning: (
                    "The remote does this, but its documentation does not promise it.",
                    "远端实际支持，但文档没有承诺。"
                ),
                why: (
                    "It works today, and may stop without notice.",
                    "目前可用，但可能不经通知就失效。"
                ),
                example: "message: {collapseId: score}",
                mend: (
                    "Test it with 'bugle test' before you rely on it.",
                    "依赖它之前，先用 bugle test 试一次。"
                ))
        case .adjusted:
            DiagnosticArticle(
                meaning: (
                    "The remote behaves slightly differently from what the field asks for.",
                    "远端的做法略有不同。"
                ),
                why: (
                    "You should know before it is sent.",
                    "应当在发送之前知道。"
                ),
                example: "expiration: {after: 0s}   # at LeanCloud",
                mend: (
                    "Nothing, if what the diagnostic says is fine with you.",
                    "如果可以接受诊断信息所说的做法，则无需处理。"
                ))
        case .policyRequireExpiration:
            DiagnosticArticle(
                meaning: (
                    "`requireExpiration`: the campaign has no expiration.",
                    "`requireExpiration`：推送活动没有写明有效期。"
                ),
                why: (
                    "Without one, a device that was off for a week shows last week's score.",
                    "没有有效期，关机一周的设备会显示上周的比分。"
                ),
                example: "kind: Campaign   # no expiration",
                mend: (
                    "Add 'expiration: {after: 2h}', as long as the message is worth showing.",
                    "按消息的时效写上 expiration: {after: 2h}。"
                ))
        case .policyAllowEveryone:
            DiagnosticArticle(
                meaning: (
                    "`allowEveryone`: the audience is everyone.",
                    "`allowEveryone`：受众是全部设备。"
                ),
                why: (
                    "A push to everybody is the one that cannot be taken back.",
                    "发给所有人的推送最无法挽回。"
                ),
                example: "audience: {everyone: true}",
                mend: (
                    "Name channels, segments or a condition; else set 'policy.allowEveryone: true', which is reviewed.",
                    "写明频道、分群或条件；确需全部设备时设置 policy.allowEveryone: true，并经过审阅。"
                ))
        case .policyQuietHours:
            DiagnosticArticle(
                meaning: (
                    "`quietHours`: the send would start during quiet hours.",
                    "`quietHours`：会在免打扰时段内开始发送。"
                ),
                why: (
                    "People would be woken.",
                    "会把人吵醒。"
                ),
                example: "schedule: {at: 2026-12-01T23:30:00+08:00}",
                mend: (
                    "Move the schedule out of the quiet hours.",
                    "把时间移出免打扰时段。"
                ))
        case .policyCertificateExpiry:
            DiagnosticArticle(
                meaning: (
                    "`certificateExpiryWarning`: the certificate expires soon, or before the delivery ends.",
                    "`certificateExpiryWarning`：推送证书即将到期，或在投递结束前到期。"
                ),
                why: (
                    "After that day nothing is delivered, and a renewal takes time.",
                    "到期后什么都发不出去，而更新证书需要时间。"
                ),
                example: "a certificate that expires in 20 days",
                mend: (
                    "Renew the certificate and put the new one in place.",
                    "更新证书并换上新的。"
                ))
        case .policyProtected:
            DiagnosticArticle(
                meaning: (
                    "`protected`: the resource may not be removed.",
                    "`protected`：该资源不允许删除。"
                ),
                why: (
                    "Somebody marked it so that it is not removed by mistake.",
                    "有人标记了它，以防误删。"
                ),
                example: "a channel with 'protected: true' whose file was deleted",
                mend: (
                    "Put the document back; or take 'protected' out first, in a change of its own.",
                    "恢复文档；或先单独提交一次改动，去掉 protected。"
                ))
        default: nil
        }
    }
}
