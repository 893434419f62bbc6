import Diagnostics

/// The Chinese of what REFERENCE.md takes from the documentation of the codes.
enum DiagnosticMeaning {
    static let headings = [
        "YAML": "YAML", "Files": "文件", "Shape": "结构", "Messages": "消息", "Certificates": "推送证书", "Capabilities": "远端能力",
        "Policy": "上限与规则", "Plan": "计划",
    ]

    /// A new code does not compile until it is described.
    static func chinese(_ code: DiagnosticCode) -> String {
        switch code {
        case .yamlSyntax: "不是合法的 YAML。"
        case .encoding: "文件不是 UTF-8，或含有 YAML 不允许的字符。"
        case .lineBreak: "只有 YAML 1.1 才认的换行符（U+0085、U+2028、U+2029）。"
        case .duplicateKey: "同一映射中键重复。"
        case .limitExceeded: "展开后超过 100,000 个节点、64 层或 1 MiB。"
        case .unknownTag: "核心标签以外的标签，或与值不符的核心标签。"
        case .notANumber: "`.inf` 或 `.nan`。"
        case .unknownAlias: "别名没有对应的锚点，或位于自己的锚点之内。"
        case .invalidMerge: "`<<` 的值不是映射。"
        case .layout: "文件排版不规范，或无法在不改变内容的前提下规范化。"
        case .unreadable: "文件或目录无法读取。"
        case .linkOutside: "符号链接指向工作区之外。"
        case .fileOutside: "`{file:}` 的路径指向工作区之外。"
        case .unknownKey: "Schema 中没有的字段。"
        case .wrongType: "值的类型不对。"
        case .invalidValue: "字段不允许的值。"
        case .missingKey: "缺少必填字段。"
        case .conflictingKeys: "互斥的字段同时出现，或缺少所依赖的字段。"
        case .invalidName: "名称不符合规则。"
        case .duplicateName: "同类资源重名。"
        case .unknownReference: "引用了没有声明的名称。"
        case .unknownKind: "文档的 kind 不是 bugle 认识的类型。"
        case .workspaceDocument: "没有 Workspace 文档，或有两份。"
        case .plainSecret: "应引用密钥的位置写了明文。"
        case .secretReference: "引用了保存本工作区密钥的环境变量。"
        case .missingVariable: "环境变量没有设置。"
        case .untrustedHost: "远端指向 `BUGLE_TRUSTED_HOSTS` 以外的主机。"
        case .invalidCondition: "查询运算符不存在，或用法不对。"
        case .portability: "名称可用，但并非处处可用。"
        case .emptyMessage: "消息既不显示任何内容，也不做任何事。"
        case .payloadTooLarge: "编码后的 Payload 或请求超过上限。"
        case .pushType: "字段与推送类型不符。"
        case .reservedKey: "自定义字段名是保留字段。"
        case .certificate: "推送证书或密钥无法读取、不匹配或无效。"
        case .certificateNotChecked: "缺少文件或密钥，无法完成这项检查。"
        case .notSupported: "远端不支持该字段的要求。"
        case .undocumentedOnLeanCloud: "远端实际支持，但文档没有承诺。"
        case .adjusted: "远端的做法略有不同。"
        case .policyRequireExpiration: "`requireExpiration`：推送活动没有写明有效期。"
        case .policyAllowEveryone: "`allowEveryone`：受众是全部设备。"
        case .policyQuietHours: "`quietHours`：会在免打扰时段内开始发送。"
        case .policyCertificateExpiry: "`certificateExpiryWarning`：推送证书即将到期，或在投递结束前到期。"
        case .policyProtected: "`protected`：该资源不允许删除。"
        case .editedAfterDelivery: "推送活动在投递后被修改：不会再发送。"
        case .revisionLowered: "revision 低于已投递的版本。"
        case .cancelledElsewhere: "定时推送未到时间就从远端消失了。"
        case .firedBeforeCancel: "取消请求到达远端之前，推送已经发出。"
        case .drift: "远端存在没有任何文件声明的内容。"
        case .unmanaged: "由他人创建的定时推送。"
        case .manualStep: "有需要人工完成的操作。"
        case .emptyLedger: "该远端的台账是空的。"
        case .missed: "推送活动已过发送窗口或有效期。"
        case .unknownOutcome: "投递结果未知。"
        case .inDoubt: "投递已结束，但部分设备没有收到应答。"
        case .quota: "接近或超过服务的配额。"
        case .absentField: "受众条件用到的字段，没有任何设备拥有。"
        case .absentClass: "受众条件查询的 class 不存在。"
        case .emptyAudience: "受众中没有任何设备。"
        case .notCounted: "受众没有统计设备数。"
        case .notExplained: "受众只统计了总数，没有细分或与其他受众比较。"
        case .audienceAtFiring: "定时推送在发出时才确定受众。"
        case .collision: "两次投递在 `policy.minimumGap` 之内触达部分相同的设备。"
        case .daylightSaving: "从现在到投递之间或免打扰时段内会调整时钟（夏令时）。"
        case .registryOnRunner: "设备数据库位于可能被清空的磁盘上。"
        }
    }
}
