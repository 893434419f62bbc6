/// A chat room or program that is told of deliveries, as an element of `notify` declares it.
package struct NotifyTarget: Hashable, Sendable {
    package var service: NotifyService
    /// The webhook's address, which is itself the secret.
    package var address: SecretSource
    /// The secret that signs what is sent; nil: it is not signed.
    package var secret: SecretSource?
    /// The events that it is told of; all by default.
    package var kinds = NotifyEvent.Kind.allCases
    /// The language of its readers; nil: the workspace's.
    package var language: Language?
    /// True if it is told the text of a message, too; false by default.
    package var showsText = false
}

/// The services whose webhooks are understood.
package enum NotifyService: String, Hashable, Sendable, CaseIterable {
    case feishu, dingtalk, wecom, slack
    /// A program of the team's own, which takes the events as JSON.
    case json

    /// True if a second secret can sign what is sent; the others have their address only.
    package var isSigned: Bool {
        switch self {
        case .feishu, .dingtalk, .json: true
        case .wecom, .slack: false
        }
    }
}

extension MapDescription {
    package static let notify = MapDescription(
        "Workspace.notify", "A chat room or program that apply and run tell what became of deliveries",
        "由 apply 与 run 告知投递结果的聊天群或程序",
        [
            FieldSpec("to", .map(.notifyTo), .required, "Where it is told", "告知到哪里"),
            FieldSpec(
                "on", .list(of: .choice(NotifyEvent.Kind.allCases.map(\.rawValue))), .byDefault("all"),
                """
                What it is told: sent, failed, doubt (an outcome is unknown), stage (a rollout waits for a decision), \
                stopped, approval (a campaign waits for one), certificate (one expires soon)
                """,
                "告知哪些事件：sent 已发送，failed 失败，doubt 结果存疑，stage 分阶段发布待决定，stopped 已停止，approval 待批准，certificate 证书即将到期"
            ),
            FieldSpec(
                "language", .choice(Language.allCases.map(\.rawValue)), .byDefault("the workspace's"),
                "The language of its readers", "读者所用的语言"),
            FieldSpec("text", .boolean, .byDefault("false"), "Tells the text of the message, too", "是否连同消息正文一起告知"),
        ])

    package static let notifyTo = MapDescription(
        "Workspace.notify.to", "A webhook: exactly one service, whose value is the address", "一个 Webhook：写明一种服务，其值为地址",
        rules: [
            .exactlyOne(of: NotifyService.allCases.map(\.rawValue)),
            .when(.has(["secret"]), .hasAny(NotifyService.allCases.filter(\.isSigned).map(\.rawValue))),
        ],
        [
            FieldSpec("feishu", .secret, "The address of a custom bot in Feishu or Lark", "飞书（Lark）自定义机器人的 Webhook 地址"),
            FieldSpec("dingtalk", .secret, "The address of a custom robot in DingTalk", "钉钉自定义机器人的 Webhook 地址"),
            FieldSpec("wecom", .secret, "The address of a group robot in WeCom", "企业微信群机器人的 Webhook 地址"),
            FieldSpec("slack", .secret, "The address of an incoming webhook in Slack", "Slack Incoming Webhook 的地址"),
            FieldSpec(
                "json", .secret, "The https address of a program that takes events as JSON", "接收 JSON 事件的程序的 https 地址"),
            FieldSpec(
                "secret", .secret, "feishu, dingtalk, json: the secret that signs what is sent",
                "feishu、dingtalk、json：对内容签名的密钥"),
        ])
}
