internal import Base

extension DiagnosticArticle {
    /// The article of a code about fields; nil for another.
    static func shape(_ code: DiagnosticCode) -> DiagnosticArticle? {
        switch code {
        case .unknownKey:
            DiagnosticArticle(
                meaning: (
                    "A key that the schema does not know.",
                    "Schema 中没有的字段。"
                ),
                why: (
                    "A misspelt key would silently have no effect.",
                    "拼错的字段会悄悄失效。"
                ),
                example: "audience: {chanels: [Giants]}",
                mend: (
                    "Correct the name as the diagnostic suggests, or remove the key.",
                    "按提示改正名称，或删除该字段。"
                ))
        case .wrongType:
            DiagnosticArticle(
                meaning: (
                    "A value of the wrong type.",
                    "值的类型不对。"
                ),
                why: (
                    "A guess at what was meant could send something else.",
                    "猜测原意，可能会发出别的内容。"
                ),
                example: "maxAudience: many",
                mend: (
                    "Write a value of the type that is named; quote a number or date that is meant as text.",
                    "写成所要求的类型；数字或日期若作文本要加引号。"
                ))
        case .invalidValue:
            DiagnosticArticle(
                meaning: (
                    "A value that its field does not allow.",
                    "字段不允许的值。"
                ),
                why: (
                    "The value is of the right type, but the field or the service has no use for it.",
                    "类型正确，但字段或服务不接受这个值。"
                ),
                example: "expiration: {after: 90x}",
                mend: (
                    "Choose one of the values that the diagnostic or the reference names.",
                    "按诊断信息或参考手册的说明选择取值。"
                ))
        case .missingKey:
            DiagnosticArticle(
                meaning: (
                    "A required field is missing.",
                    "缺少必填字段。"
                ),
                why: (
                    "Without it there is nothing to do, or it is not known where.",
                    "缺了它就无事可做，或不知对谁做。"
                ),
                example: "kind: Campaign\nname: hello   # no audience",
                mend: (
                    "Add the field; 'help' in the diagnostic shows its shape.",
                    "补上该字段，诊断信息中的 help 给出了写法。"
                ))
        case .conflictingKeys:
            DiagnosticArticle(
                meaning: (
                    "Fields that exclude each other, or a field that needs another.",
                    "互斥的字段同时出现，或缺少所依赖的字段。"
                ),
                why: (
                    "Two fields say two things, and neither is more right.",
                    "两个字段各说各话，无从取舍。"
                ),
                example: "audience: {everyone: true, channels: [Giants]}",
                mend: (
                    "Keep one of the fields, or add the one that is needed.",
                    "保留其中一个，或补上所依赖的字段。"
                ))
        case .invalidName:
            DiagnosticArticle(
                meaning: (
                    "A name outside its pattern.",
                    "名称不符合规则。"
                ),
                why: (
                    "Names are ids in the ledger and in addresses: what one system changes would be sent again.",
                    "名称是台账与地址中的标识：若被某个系统改写，就会重复发送。"
                ),
                example: "kind: Campaign\nname: Hello World",
                mend: (
                    "Write lower-case words with hyphens, such as hello-world.",
                    "写成用连字符连接的小写单词，如 hello-world。"
                ))
        case .duplicateName:
            DiagnosticArticle(
                meaning: (
                    "A second resource of the same kind and name.",
                    "同类资源重名。"
                ),
                why: (
                    "Nobody could say which of them was delivered.",
                    "将无法分辨投递的是哪一个。"
                ),
                example: "two files with 'kind: Campaign' and 'name: hello'",
                mend: (
                    "Rename one of them.",
                    "给其中一个改名。"
                ))
        case .unknownReference:
            DiagnosticArticle(
                meaning: (
                    "A name that no declared resource has.",
                    "引用了没有声明的名称。"
                ),
                why: (
                    "A misspelt channel would reach nobody.",
                    "拼错的频道不会触达任何设备。"
                ),
                example: "audience: {channels: [Gaints]}",
                mend: (
                    "Correct the name, or declare it: 'kind: Channel', 'name: …'.",
                    "改正名称，或加以声明：kind: Channel、name: …。"
                ))
        case .unknownKind:
            DiagnosticArticle(
                meaning: (
                    "A document whose kind bugle does not know.",
                    "文档的 kind 不是 bugle 认识的类型。"
                ),
                why: (
                    "A document that is not understood may be a push that somebody waits for.",
                    "无法理解的文档，可能正是有人在等的推送。"
                ),
                example: "kind: Campain",
                mend: (
                    "Write one of the kinds of the reference.",
                    "写成参考手册中的类型之一。"
                ))
        case .workspaceDocument:
            DiagnosticArticle(
                meaning: (
                    "No Workspace document, or a second one.",
                    "没有 Workspace 文档，或有两份。"
                ),
                why: (
                    "It names the remotes and limits, of which there must be one set.",
                    "它写明远端与上限，必须有且只有一套。"
                ),
                example: "a folder without bugle.yaml",
                mend: (
                    "Name the workspace with -C DIR, write one with 'bugle init', or remove the second document.",
                    "用 -C DIR 指定工作区，用 bugle init 新建，或删除多余的文档。"
                ))
        case .plainSecret:
            DiagnosticArticle(
                meaning: (
                    "A plain string where a secret belongs.",
                    "应引用密钥的位置写了明文。"
                ),
                why: (
                    "What is in a repository is known to everybody who ever reads it.",
                    "进入仓库的内容，凡是读过的人都知道。"
                ),
                example: "masterKey: 0123456789abcdef",
                mend: (
                    "Write '{env: NAME}' or '{file: PATH}', and replace the secret: it is in git's history.",
                    "写成 {env: NAME} 或 {file: PATH}，并更换密钥：旧的已留在 git 历史中。"
                ))
        case .secretReference:
            DiagnosticArticle(
                meaning: (
                    "A reference to a variable that holds one of this workspace's secrets.",
                    "引用了保存本工作区密钥的环境变量。"
                ),
                why: (
                    "The secret would be shown in plans and sent to devices.",
                    "密钥会显示在计划里，并发送到设备。"
                ),
                example: "data: {key: {env: BUGLE_SERVER_KEY}}",
                mend: (
                    "Use another variable, which holds no secret.",
                    "改用不保存密钥的变量。"
                ))
        case .missingVariable:
            DiagnosticArticle(
                meaning: (
                    "An environment variable that is not set.",
                    "环境变量没有设置。"
                ),
                why: (
                    "The remote's address or credential is in it.",
                    "远端的地址或密钥在其中。"
                ),
                example: "masterKey: {env: BUGLE_SERVER_KEY}   # not exported",
                mend: (
                    "Set it before the command: export NAME=…; in CI, from the job's secrets.",
                    "先设置变量：export NAME=…；在 CI 中由任务的密钥提供。"
                ))
        case .untrustedHost:
            DiagnosticArticle(
                meaning: (
                    "A remote that leads to a host outside `BUGLE_TRUSTED_HOSTS`.",
                    "远端指向 `BUGLE_TRUSTED_HOSTS` 以外的主机。"
                ),
                why: (
                    "A branch could otherwise send the credentials to a host of its own.",
                    "否则任何分支都能把密钥发往自己的主机。"
                ),
                example: "url: https://evil.example.com",
                mend: (
                    "Correct the address, or let who owns the pipeline add the host to BUGLE_TRUSTED_HOSTS.",
                    "改正地址，或由流水线的负责人把主机加入 BUGLE_TRUSTED_HOSTS。"
                ))
        case .invalidCondition:
            DiagnosticArticle(
                meaning: (
                    "An operator of the query language that does not exist, or is used wrongly.",
                    "查询运算符不存在，或用法不对。"
                ),
                why: (
                    "A condition that a service ignores would select everybody.",
                    "服务忽略的条件会选中所有设备。"
                ),
                example: "where: {scores: {$greater: 3}}",
                mend: (
                    "Use an operator from the table of conditions in the reference.",
                    "使用参考手册“查询条件”表中的运算符。"
                ))
        case .portability:
            DiagnosticArticle(
                meaning: (
                    "A name that works, but not everywhere.",
                    "名称可用，但并非处处可用。"
                ),
                why: (
                    "The workspace may have to move to another remote some day.",
                    "工作区将来可能要迁往别的远端。"
                ),
                example: "kind: Channel\nname: Giants fans",
                mend: (
                    "Rename it before devices subscribe to it, or leave it.",
                    "趁还没有设备订阅时改名，或保持不变。"
                ))
        default: nil
        }
    }
}
