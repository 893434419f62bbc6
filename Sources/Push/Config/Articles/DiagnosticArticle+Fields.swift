internal import Base

extension DiagnosticArticle {
    /// The articles of codes about fields.
    static let shape: [DiagnosticCode: DiagnosticArticle] = [
        .unknownKey: DiagnosticArticle(
            "A key that the schema does not know.", "Schema 中没有的字段。",
            why: "A misspelt key would silently have no effect.", "拼错的字段会悄悄失效。",
            example: "audience: {chanels: [Giants]}",
            mend: "Correct the name as the diagnostic suggests, or remove the key.", "按提示改正名称，或删除该字段。"),
        .wrongType: DiagnosticArticle(
            "A value of the wrong type.", "值的类型不对。",
            why: "A guess at what was meant could send something else.", "猜测原意，可能会发出别的内容。",
            example: "maxAudience: many",
            mend: "Write a value of the type that is named; quote a number or date that is meant as text.",
            "写成所要求的类型；数字或日期若作文本要加引号。"),
        .invalidValue: DiagnosticArticle(
            "A value that its field does not allow.", "字段不允许的值。",
            why: "The value is of the right type, but the field or the service has no use for it.",
            "类型正确，但字段或服务不接受这个值。",
            example: "expiration: {after: 90x}",
            mend: "Choose one of the values that the diagnostic or the reference names.", "按诊断信息或参考手册的说明选择取值。"),
        .missingKey: DiagnosticArticle(
            "A required field is missing.", "缺少必填字段。",
            why: "Without it there is nothing to do, or it is not known where.", "缺了它就无事可做，或不知对谁做。",
            example: "kind: Campaign\nname: hello   # no audience",
            mend: "Add the field; 'help' in the diagnostic shows its shape.", "补上该字段，诊断信息中的 help 给出了写法。"),
        .conflictingKeys: DiagnosticArticle(
            "Fields that exclude each other, or a field that needs another.", "互斥的字段同时出现，或缺少所依赖的字段。",
            why: "Two fields say two things, and neither is more right.", "两个字段各说各话，无从取舍。",
            example: "audience: {everyone: true, channels: [Giants]}",
            mend: "Keep one of the fields, or add the one that is needed.", "保留其中一个，或补上所依赖的字段。"),
        .invalidName: DiagnosticArticle(
            "A name outside its pattern.", "名称不符合规则。",
            why: "Names are ids in the ledger and in addresses: what one system changes would be sent again.",
            "名称是台账与地址中的标识：若被某个系统改写，就会重复发送。",
            example: "kind: Campaign\nname: Hello World",
            mend: "Write lower-case words with hyphens, such as hello-world.", "写成用连字符连接的小写单词，如 hello-world。"),
        .duplicateName: DiagnosticArticle(
            "A second resource of the same kind and name.", "同类资源重名。",
            why: "Nobody could say which of them was delivered.", "将无法分辨投递的是哪一个。",
            example: "two files with 'kind: Campaign' and 'name: hello'",
            mend: "Rename one of them.", "给其中一个改名。"),
        .unusedPart: DiagnosticArticle(
            "A part that no campaign uses.", "没有推送活动引用的部件。",
            why: "Whoever edits it believes that something changes.", "修改它的人会以为有什么随之改变。",
            example: "kind: Part, name: evening, and no campaign with 'use: [evening]'",
            mend: "Name it in the 'use' of a campaign, or remove it.", "在推送活动的 use 中写上它，或将其删除。"),
        .unknownReference: DiagnosticArticle(
            "A name that no declared resource has.", "引用了没有声明的名称。",
            why: "A misspelt channel would reach nobody.", "拼错的频道不会触达任何设备。",
            example: "audience: {channels: [Gaints]}",
            mend: "Correct the name, or declare it: 'kind: Channel', 'name: …'.", "改正名称，或加以声明：kind: Channel、name: …。"),
        .unknownKind: DiagnosticArticle(
            "A document whose kind bugle does not know.", "文档的 kind 不是 bugle 认识的类型。",
            why: "A document that is not understood may be a push that somebody waits for.", "无法理解的文档，可能正是有人在等的推送。",
            example: "kind: Campain",
            mend: "Write one of the kinds of the reference.", "写成参考手册中的类型之一。"),
        .workspaceDocument: DiagnosticArticle(
            "No Workspace document, or a second one.", "没有 Workspace 文档，或有两份。",
            why: "It names the remotes and limits, of which there must be one set.", "它写明远端与上限，必须有且只有一套。",
            example: "a folder without bugle.yaml",
            mend: "Name the workspace with -C DIR, write one with 'bugle init', or remove the second document.",
            "用 -C DIR 指定工作区，用 bugle init 新建，或删除多余的文档。"),
        .plainSecret: DiagnosticArticle(
            "A plain string where a secret belongs.", "应引用密钥的位置写了明文。",
            why: "What is in a repository is known to everybody who ever reads it.", "进入仓库的内容，凡是读过的人都知道。",
            example: "masterKey: 0123456789abcdef",
            mend: "Write '{env: NAME}' or '{file: PATH}', and replace the secret: it is in git's history.",
            "写成 {env: NAME} 或 {file: PATH}，并更换密钥：旧的已留在 git 历史中。"),
        .secretReference: DiagnosticArticle(
            "A reference to a variable that holds one of this workspace's secrets.", "引用了保存本工作区密钥的环境变量。",
            why: "What such a field holds is shown in plans, or sent in the open.", "这类字段的内容会显示在计划里，或以明文发送。",
            example: "appId: {env: BUGLE_SERVER_KEY}\nmasterKey: {env: BUGLE_SERVER_KEY}",
            mend: "Use another variable, which holds no secret.", "改用不保存密钥的变量。"),
        .missingVariable: DiagnosticArticle(
            "An environment variable that is not set.", "环境变量没有设置。",
            why: "The remote's address or credential is in it.", "远端的地址或密钥在其中。",
            example: "masterKey: {env: BUGLE_SERVER_KEY}   # not exported",
            mend: "Set it before the command: export NAME=…; in CI, from the job's secrets.",
            "先设置变量：export NAME=…；在 CI 中由任务的密钥提供。"),
        .untrustedHost: DiagnosticArticle(
            "A remote that leads to a host outside `BUGLE_TRUSTED_HOSTS`.", "远端指向 `BUGLE_TRUSTED_HOSTS` 以外的主机。",
            why: "A branch could otherwise send the credentials to a host of its own.", "否则任何分支都能把密钥发往自己的主机。",
            example: "url: https://evil.example.com",
            mend: "Correct the address, or let who owns the pipeline add the host to BUGLE_TRUSTED_HOSTS.",
            "改正地址，或由流水线的负责人把主机加入 BUGLE_TRUSTED_HOSTS。"),
        .invalidCondition: DiagnosticArticle(
            "An operator of the query language that does not exist, or is used wrongly.", "查询运算符不存在，或用法不对。",
            why: "A condition that a service ignores would select everybody.", "服务忽略的条件会选中所有设备。",
            example: "where: {scores: {$greater: 3}}",
            mend: "Use an operator from the table of conditions in the reference.", "使用参考手册“查询条件”表中的运算符。"),
        .portability: DiagnosticArticle(
            "A name that works, but not everywhere.", "名称可用，但并非处处可用。",
            why: "The workspace may have to move to another remote some day.", "工作区将来可能要迁往别的远端。",
            example: "kind: DeviceProfile\nname: driver-beta",
            mend: "Rename it before installations name it, or leave it.", "趁还没有设备使用这个名称时改名，或保持不变。"),
    ]
}

// MARK: - Audiences

extension DiagnosticArticle {
    /// The articles of codes about audiences and times in a plan.
    static let audiences: [DiagnosticCode: DiagnosticArticle] = [
        .emptyAudience: DiagnosticArticle(
            "An audience without any devices.", "受众中没有任何设备。",
            why: "A push that reaches nobody is mostly a mistake in its audience.", "触达不了任何设备的推送，多半是受众写错了。",
            example: "audience: {channels: [news], deviceProfile: driver}   # nobody is both",
            mend: "Check names and values of the audience; if devices match and are left out, the diagnostic says why.",
            "检查受众中的名称与取值；若有设备匹配但被排除，诊断信息会说明原因。"),
        .absentField: DiagnosticArticle(
            "A field that an audience's condition tests but no installation has.", "受众条件用到的字段，没有任何设备拥有。",
            why: "A misspelt field selects nobody, or with '$ne' everybody.", "拼错的字段选不中任何设备，用 $ne 时则会选中全部。",
            example: "where: {scors: true}",
            mend: "Correct the field; devices get a new one when the app writes it.", "改正字段名；新字段要等应用写入后设备才有。"),
        .absentClass: DiagnosticArticle(
            "A class that an audience's condition queries but that does not exist.", "受众条件查询的 class 不存在。",
            why: "A query on a class that does not exist selects nobody.", "查询不存在的 class，选不中任何设备。",
            example: "where: {owner: {$inQuery: {className: Usr, where: {vip: true}}}}",
            mend: "Correct the name of the class.", "改正 class 的名称。"),
        .reachedForgotten: DiagnosticArticle(
            "A frequency rule that looks back further than is known who was reached.", "频次规则回溯的时间里，触达记录已不完整。",
            why: "Nobody knows which devices have had enough, so all of them are left out.", "无法得知哪些设备已经收够，因此一台也不发。",
            example: "frequency: [{most: 2, per: 30d}]   # and 'reached: {keep: 7d}' until yesterday",
            mend: "Wait until the rule's time has passed, or shorten 'per'.", "等待规则的时长过去，或缩短 per。"),
        .holdoutChanged: DiagnosticArticle(
            "A holdout that holds out other devices than it did in the last delivery.", "对照组与上一次投递时的不同。",
            why: "Devices that were held out before get pushes now: the comparison starts anew.",
            "原来的对照设备开始收到推送，比较要重新开始。",
            example: "holdout: {share: 5%, salt: 2027-q2}   # was 2027-q1",
            mend: "Put 'share' and 'salt' back, unless a new group is what you want.", "除非确要更换对照组，否则恢复 share 与 salt。"),
        .notCounted: DiagnosticArticle(
            "An audience that was not counted.", "受众没有统计设备数。",
            why: "Rules on its size could not be checked.", "无法检查与受众规模有关的规则。",
            example: "bugle plan --against SNAPSHOT   # without this audience",
            mend: "Plan against the remote, or record the snapshot again.", "直接对远端计划，或重新记录快照。"),
        .notExplained: DiagnosticArticle(
            "An audience that was counted but not broken down, or not compared with others.", "受众只统计了总数，没有细分或与其他受众比较。",
            why: "Only its total is known; collisions with other pushes are not.", "只知道总数，不知道与其他推送的重叠。",
            example: "a recorded state that holds totals only",
            mend: "Plan against the remote if you need the details.", "需要细节时直接对远端计划。"),
        .audienceAtFiring: DiagnosticArticle(
            "A scheduled push whose audience is selected when it fires.", "定时推送在发出时才确定受众。",
            why: "Devices that subscribe until then are reached too, and the count of the plan is an estimate.",
            "此前新订阅的设备也会触达，计划中的数量只是估计。",
            example: "schedule: {at: 2026-12-24T09:00:00Z}   # at LeanCloud",
            mend: "Nothing; keep 'policy.maxAudience' close to what you expect.", "无需处理；让 policy.maxAudience 接近预期即可。"),
        .collision: DiagnosticArticle(
            "Two deliveries that reach some of the same devices within `policy.minimumGap`.",
            "两次投递在 `policy.minimumGap` 之内触达部分相同的设备。",
            why: "People get two pushes within a short time, and turn them off.", "短时间内收到两条推送，用户会关掉通知。",
            example: "two campaigns to channel Giants at 09:00 and 09:05",
            mend: "Move one of them, or narrow its audience.", "改动其中一个的时间，或缩小受众。"),
        .daylightSaving: DiagnosticArticle(
            "A clock change between now and a delivery, or during quiet hours.", "从现在到投递之间或免打扰时段内会调整时钟（夏令时）。",
            why: "The hour that was meant may come twice, not at all, or an hour apart.", "所指的时刻可能出现两次、不出现，或相差一小时。",
            example: "at: \"02:30\", timeZone: America/New_York   # on the day of the change",
            mend: "Choose a time outside the change, or check the time in the plan.", "避开调整时刻，或核对计划中的时间。"),
        .registryOnRunner: DiagnosticArticle(
            "A registry on a disk that may be thrown away.", "设备数据库位于可能被清空的磁盘上。",
            why: "The devices and the ledger would be lost with the disk, and pushes sent again.",
            "设备与台账会随磁盘丢失，推送会重复发送。",
            example: "registry: {sqlite: devices.sqlite}   # on a runner of CI",
            mend: "Use PostgreSQL, or run on a machine that keeps its disk.", "改用 PostgreSQL，或在磁盘不会清空的机器上运行。"),
    ]
}
