internal import Base

/// The kinds of documents; the roots of the schema and the reference.
package enum DocumentKind: String, Sendable, CaseIterable {
    case workspace = "Workspace"
    /// A certificate or key.
    case deviceProfile = "DeviceProfile"
    case channel = "Channel"
    /// A named condition.
    case segment = "Segment"
    /// A message to an audience.
    case campaign = "Campaign"
    /// What several campaigns have in common.
    case part = "Part"

    /// The fields of a document of this kind; the fields inside lead to all other mappings.
    package var description: MapDescription {
        switch self {
        case .workspace: .workspace
        case .deviceProfile: .deviceProfile
        case .channel: Channel.fields.description
        case .segment: Segment.fields.description
        case .campaign: Campaign.fields.description
        case .part: .part
        }
    }

    /// The word for the kind in the middle of a sentence.
    var word: String {
        switch self {
        case .workspace: "workspace"
        case .deviceProfile: "device profile"
        case .channel: "channel"
        case .segment: "segment"
        case .campaign: "campaign"
        case .part: "part"
        }
    }
}

extension MapDescription {
    static let part = MapDescription(
        "Part", "Fields that several campaigns share", "多个推送活动共用的字段",
        [
            FieldSpec("kind", .constant("Part"), .required, "The kind of the document", "文档声明的资源类型"),
            FieldSpec("name", .name(.resource), .required, "The name by which campaigns use it", "推送活动引用它所用的名称"),
            FieldSpec(
                "campaign", .map(.partCampaign), .required, "What it gives the campaigns that use it",
                "提供给引用它的推送活动的字段"),
        ])

    /// The fields of a part's `campaign`: those of a campaign that several can share.
    static let partCampaign = MapDescription(
        "Part.campaign", "Fields of a campaign; a campaign that uses the part may override each, and null removes one",
        "推送活动的字段；引用它的推送活动可以逐个覆盖，写 null 则去掉",
        elsewhere: [
            "name": "; each campaign has its own", "revision": "; each campaign has its own",
            "formerly": "; each campaign has its own", "use": "; parts do not use parts",
        ],
        Campaign.fields.description.fields.filter { !partless.contains($0.name) }.map {
            FieldSpec(
                $0.name, $0.type, $0.presence == .required ? .optional : $0.presence, $0.documentation, $0.chinese)
        })

    static let partless = ["kind", "name", "revision", "formerly", "use"]

    /// The values of the workspace or of a remote.
    private static func values(_ documentation: String, _ chinese: String) -> FieldSpec {
        FieldSpec("values", .entries(of: .scalar, keys: .value), documentation, chinese)
    }

    static let workspace = MapDescription(
        "Workspace", "The folder of files, the services it is deployed to, and its limits; one per workspace",
        "这个目录里的文件、部署到哪些服务，以及各项上限；每个工作区一份",
        rules: [.when(.count(["remotes"], 2...Int.max), .has(["defaultRemote"]))],
        [
            FieldSpec("kind", .constant("Workspace"), .required, "The kind of the document", "文档声明的资源类型"),
            FieldSpec(
                "name", .name(.resource), .required, "The workspace's name; part of every delivery's identity",
                "工作区的名称；每次投递的标识都包含它"),
            FieldSpec(
                "formerly", .list(of: .name(.resource)),
                "Former names, the oldest first; their deliveries, lock and resources are this workspace's",
                "曾用名，最早的在前；以这些名称做过的投递、锁与资源都属于本工作区"),
            FieldSpec(
                "language", .choice(Language.allCases.map(\.rawValue)),
                "The language of what people read: plans, comments, previews; --language goes before it",
                "给人看的内容（计划、评论、预览）所用的语言；--language 优先于它"),
            FieldSpec("app", .map(.app), "The app in pictures of its notifications", "通知图示中的应用"),
            FieldSpec(
                "strings", .list(of: .workspacePath),
                "The app's string catalogs (.xcstrings): 'validate' looks up the keys of messages, and pictures show their texts",
                "应用的字符串目录（.xcstrings）：'validate' 据此检查消息用到的键，图示显示其文本"),
            FieldSpec(
                "defaultRemote", .name(.remote),
                "The remote that is used when none is named; may be left out when there is one remote",
                "没有指明时使用的远端；只有一个远端时可以省略"),
            FieldSpec(
                "remotes", .entries(of: .map(.remote), keys: .remote),
                "The services that the workspace is deployed to, by name", "工作区部署到的推送服务，以名称为键"),
            values(
                "What ${name} stands for in campaigns and parts, unless the remote says otherwise",
                "推送活动与部件中 ${name} 代表的值；远端的同名值优先"),
            FieldSpec("policy", .map(Policy.fields.description), "The limits of the workspace", "工作区的各项上限"),
            FieldSpec(
                "migration", .map(MigrationPolicy.fields.description), "What the move from LeanCloud may lose",
                "从 LeanCloud 迁移时可以放弃什么"),
            FieldSpec(
                "notify", .list(of: .map(.notify)),
                "Chat rooms and programs that apply and run tell what became of deliveries; docs/features/notify.md",
                "由 apply 与 run 告知投递结果的聊天群与程序；见 docs/features/notify.zh-CN.md"),
            FieldSpec(
                "exclude", .list(of: .glob),
                "Files that are not the workspace's; a pattern without '/' fits names in every folder",
                "不属于工作区的文件；不含 '/' 的模式匹配任意目录下的文件名"),
        ])

    static let app = MapDescription(
        "Workspace.app", "The app in pictures of its notifications: plan pages, previews, the console",
        "通知图示（计划页面、预览、控制台）中的应用",
        [
            FieldSpec("name", .text, .byDefault("the workspace's name"), "The app's name", "应用的名称"),
            FieldSpec(
                "icon", .workspacePath, "Its icon: a square PNG of at most 64 KiB; without it the name's first letter",
                "应用图标：不超过 64 KiB 的正方形 PNG；没有时显示名称的首字"),
        ])

    static let remote = MapDescription(
        "Workspace.remotes.<name>", "A push service", "一个推送服务", rules: remoteRules,
        [
            FieldSpec(
                "type", .choice(RemoteWord.allCases.map(\.rawValue)), .required,
                "The service: leancloud (LeanCloud, TapTap Developer Services, bugle-server), or direct: the devices' own "
                    + "services, Apple's and those of Android's vendors (apns is another word for it)",
                "服务类型：leancloud（LeanCloud、TapTap 开发者服务、bugle-server），或 direct：直连设备各自的推送服务，即 Apple 与 Android 各厂商"
                    + "（也可写作 apns）"),
            FieldSpec(
                "url", .reference(.url), "leancloud, required: the base address without a version",
                "leancloud 必填：不含版本号的 API 地址"),
            FieldSpec(
                "appId", .reference(.text), "leancloud, required: the application's id", "leancloud 必填：应用的 App ID"),
            FieldSpec(
                "masterKey", .secret, "leancloud, required: signs every request; never sent itself",
                "leancloud 必填：用来给每个请求签名，本身从不发送"),
            FieldSpec(
                "registry", .map(.registry), "direct, required: the database of installations",
                "direct 必填：设备数据所在的位置"),
            FieldSpec(
                "hosts", .map(.hosts), "direct: addresses that replace the services' own",
                "direct：代替各推送服务官方地址的地址"),
            FieldSpec(
                "ca", .path, "A bundle of additional certificate authorities; verification is never switched off",
                "额外信任的 CA 证书包；证书校验永远不会关闭"),
            FieldSpec("timeout", .duration(1...60), .byDefault("30s"), "The time a request may take", "单个请求的超时时间"),
            FieldSpec(
                "audience", .map(Audience.fields.description),
                "The only devices that this remote may ever reach: a campaign's audience here is its own and this one",
                "该远端最多触达的设备：推送活动在这里的受众，须同时满足它自己的 audience 与这一项"),
            FieldSpec(
                "policy", .map(RemotePolicy.description), "Limits of this remote in place of the workspace's",
                "该远端的上限，逐项代替工作区的 policy"),
            values("What ${name} stands for on this remote; before the workspace's", "在此远端上 ${name} 代表的值；优先于工作区的"),
        ])

    private static var remoteRules: [FieldRule] {
        RemoteWord.allCases.map { word in
            .when(
                .equals(["type"], .string(word.rawValue)),
                .allOf(
                    word.type.needed.map { .has([$0]) }
                        + [.lacks(RemoteType.allCases.filter { $0 != word.type }.flatMap(\.ownFields))]))
        }
    }

    static let registry = MapDescription(
        "Workspace.remotes.<name>.registry", "The database of installations: sqlite or postgres",
        "设备数据库：sqlite 或 postgres，二者选一",
        rules: [.exactlyOne(of: ["sqlite", "postgres"])],
        [
            FieldSpec(
                "sqlite", .path, "A SQLite file, from the workspace's folder when relative", "SQLite 文件；相对路径以工作区目录为准"),
            FieldSpec("postgres", .secret, "A PostgreSQL connection string", "PostgreSQL 连接串"),
            FieldSpec(
                "stale", .either([.duration(86_400...3_650 * 86_400), .constant("never")]), .byDefault("90d"),
                "A device that was not seen for so long gets nothing; never: it always gets it",
                "这么久没有出现的设备不再收到推送；never 表示始终推送"),
        ])

    /// The fields of a remote's `hosts`.
    package static let hosts = MapDescription(
        "Workspace.remotes.<name>.hosts", "Addresses that replace the services' own", "代替各推送服务官方地址的地址",
        [
            FieldSpec(
                "production", .endpoint, "Pushes to apps from the App Store and TestFlight",
                "推送到 App Store 与 TestFlight 安装的应用"),
            FieldSpec("development", .endpoint, "Pushes to apps that Xcode installed", "推送到 Xcode 安装的应用"),
            FieldSpec("broadcast", .endpoint, "Pushes to broadcast channels", "推送到广播频道"),
            FieldSpec("channels", .endpoint, "The management of broadcast channels", "管理广播频道"),
            FieldSpec("fcm", .endpoint, "Pushes through FCM", "经 FCM 推送"),
            FieldSpec("fcmToken", .endpoint, "Access tokens for FCM", "获取 FCM 的访问令牌"),
            FieldSpec("huawei", .endpoint, "Pushes through Huawei", "经华为推送"),
            FieldSpec("huaweiToken", .endpoint, "Access tokens for Huawei", "获取华为的访问令牌"),
            FieldSpec("harmony", .endpoint, "Pushes to HarmonyOS NEXT", "向 HarmonyOS NEXT 推送"),
            FieldSpec("honor", .endpoint, "Pushes through Honor", "经荣耀推送"),
            FieldSpec("honorToken", .endpoint, "Access tokens for Honor", "获取荣耀的访问令牌"),
            FieldSpec("xiaomi", .endpoint, "Pushes through Xiaomi", "经小米推送"),
            FieldSpec("oppo", .endpoint, "Pushes through OPPO", "经 OPPO 推送"),
            FieldSpec("vivo", .endpoint, "Pushes through vivo", "经 vivo 推送"),
        ])

    package static let secret = MapDescription(
        "secret", "The source of a secret; exactly one of its fields", "密钥的来源；只能写其中一个字段",
        rules: [.exactlyOne(of: ["env", "file"])],
        [
            FieldSpec("env", .name(.environmentVariable), "The environment variable that holds it", "保存它的环境变量"),
            FieldSpec("file", .either([.workspacePath, .map(.reference)]), "The file that holds it", "保存它的文件"),
        ])

    static let reference = MapDescription(
        "reference", "A value that the environment holds", "取自环境变量的值",
        [FieldSpec("env", .name(.environmentVariable), .required, "The environment variable", "环境变量名")])
}

/// The words for a remote's type.
package enum RemoteWord: String, Hashable, Sendable, CaseIterable {
    case leancloud
    case direct
    case apns

    /// The type that the word means.
    package var type: RemoteType {
        switch self {
        case .leancloud: .leancloud
        case .direct, .apns: .apns
        }
    }
}

extension RemoteType {
    var needed: [String] {
        switch self {
        case .leancloud: ["url", "appId", "masterKey"]
        case .apns: ["registry"]
        }
    }

    var ownFields: [String] { needed + (self == .apns ? ["hosts"] : []) }
}

extension MapDescription {
    static let deviceProfile = MapDescription(
        "DeviceProfile",
        "What pushes to a set of devices: for Apple's one of certificate and token, else the vendor's own",
        "向一组设备推送所用的凭据：Apple 设备为 certificate 与 token 二选一，其他厂商为各自的字段",
        rules: profileRules,
        [
            FieldSpec("kind", .constant("DeviceProfile"), .required, "The kind of the document", "文档声明的资源类型"),
            FieldSpec(
                "name", .name(.deviceProfile), .required,
                "The profile's name, as installations have it; some LeanCloud plans refuse a '-'",
                "名称，即设备的 deviceProfile 字段所记的值；LeanCloud 的部分套餐不接受 '-'"),
            FieldSpec(
                "vendor", .choice(PushVendor.declared.map(\.rawValue)), .byDefault("apns"),
                "The push service of its devices; for Android the vendor that installations have",
                "设备所用的推送服务；Android 设备以其 vendor 字段为准"),
            FieldSpec(
                "deviceProfile", .name(.deviceProfile), .byDefault("the name"),
                "The deviceProfile of its installations, if it is not the name",
                "设备的 deviceProfile 字段所记的值，与名称不同时填写"),
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)), .required,
                "Apple's environment; for other vendors, that of the campaigns it pushes",
                "Apple 的推送环境；其他厂商则为所推送活动的环境"),
            FieldSpec(
                "topic", .name(.bundleIdentifier),
                "apns, required: the app's bundle id; a topic that ends in a push type's suffix fits that push type only",
                "apns 必填：应用的 Bundle ID；以某种推送类型的后缀结尾的 Topic 只能用于该类型"),
            FieldSpec(
                "default", .boolean, .byDefault("false"),
                "Serves installations of its vendor that name no profile; one per environment",
                "是否用于该厂商下没有写 deviceProfile 的设备；每个环境最多一个"),
            FieldSpec(
                "certificate", .map(.certificate), "The certificate it authenticates with",
                "用来认证的推送证书"),
            FieldSpec(
                "token", .map(.token), "The key it signs provider tokens with",
                "用来签发 Token 认证凭据的密钥"),
            FieldSpec("fcm", .map(.fcm), "fcm: the account that pushes", "fcm：推送所用的账号"),
            FieldSpec("hms", .map(.hms), "hms: the app at Huawei", "hms：华为推送的应用"),
            FieldSpec("harmony", .map(.harmony), "harmony: the account that pushes", "harmony：推送所用的账号"),
            FieldSpec("honor", .map(.honor), "honor: the app at Honor", "honor：荣耀推送的应用"),
            FieldSpec("mi", .map(.mi), "mi: the app at Xiaomi", "mi：小米推送的应用"),
            FieldSpec("oppo", .map(.oppo), "oppo: the app at OPPO", "oppo：OPPO 推送的应用"),
            FieldSpec("vivo", .map(.vivo), "vivo: the app at vivo", "vivo：vivo 推送的应用"),
            FieldSpec(
                "protected", .boolean, .byDefault("false"),
                "Refuses its removal until a release sets this to false", "是否禁止删除；要删除，须先改为 false 并发布一次"),
        ])

    /// Each vendor has its own field, and Apple the topic and one of two credentials.
    private static var profileRules: [FieldRule] {
        let others = PushVendor.declared.filter { $0 != .apns }.map(\.rawValue)
        let isApple = FieldTest.not(.anyOf(others.map { .equals(["vendor"], .string($0)) }))
        let one = FieldTest.anyOf([
            .allOf([.has(["certificate"]), .lacks(["token"])]), .allOf([.has(["token"]), .lacks(["certificate"])]),
        ])
        return [.when(isApple, .allOf([.has(["topic"]), .lacks(others), one]))]
            + others.map { name in
                .when(
                    .equals(["vendor"], .string(name)),
                    .allOf([.has([name]), .lacks(["topic", "certificate", "token"] + others.filter { $0 != name })]))
            }
    }

    static let hms = MapDescription(
        "DeviceProfile.hms", "An app of Huawei Push Kit", "华为推送服务的应用",
        [
            FieldSpec("appId", .text, .required, "The app's id", "应用的 App ID"),
            FieldSpec("clientSecret", .secret, .required, "The app's secret", "应用的 App Secret"),
            FieldSpec(
                "category", .text, "The class of its messages: IM, WORK, MARKETING", "消息的自分类：IM、WORK、MARKETING 等"),
            FieldSpec("channel", .text, "The app's notification channel", "应用的通知渠道"),
        ])

    static let harmony = MapDescription(
        "DeviceProfile.harmony", "A project of Huawei Push Kit, for HarmonyOS NEXT", "华为推送服务的项目，用于 HarmonyOS NEXT",
        [
            FieldSpec(
                "serviceAccount", .secret, .required, "The service account's key, as Huawei's JSON",
                "服务账号的密钥，即华为给出的 JSON"),
            FieldSpec(
                "category", .text, "The class of its messages: IM, WORK, MARKETING", "消息的自分类：IM、WORK、MARKETING 等"),
        ])

    static let honor = MapDescription(
        "DeviceProfile.honor", "An app of Honor Push", "荣耀推送的应用",
        [
            FieldSpec("appId", .text, .required, "The app's id", "应用的 App ID"),
            FieldSpec("clientId", .text, .required, "The app's client id", "应用的 Client ID"),
            FieldSpec("clientSecret", .secret, .required, "The app's client secret", "应用的 Client Secret"),
            FieldSpec(
                "experimental", .onlyTrue, .required, "Consent: Honor's answers are not known for sure",
                "确认：荣耀的应答尚未确认"),
            FieldSpec("importance", .choice(["LOW", "NORMAL"]), "The class of its messages", "消息的分类"),
        ])

    static let mi = MapDescription(
        "DeviceProfile.mi", "An app of Xiaomi's MiPush", "小米推送的应用",
        [
            FieldSpec("package", .text, .required, "The app's package name", "应用的包名"),
            FieldSpec("appSecret", .secret, .required, "The app's AppSecret", "应用的 AppSecret"),
            FieldSpec(
                "region", .choice(["cn", "global"]), .byDefault("cn"),
                "Where the app's devices are registered: cn serves the vendor mi of installations, global mi-intl",
                "应用的设备注册在哪个区域：cn 对应设备 vendor 字段的 mi，global 对应 mi-intl"),
            FieldSpec("channel", .text, "The channel_id of its messages", "消息的 channel_id"),
            FieldSpec("templateId", .text, "The template of its messages", "消息模板的 ID"),
        ])

    static let oppo = MapDescription(
        "DeviceProfile.oppo", "An app of OPPO Push", "OPPO 推送的应用",
        [
            FieldSpec("appKey", .text, .required, "The app's AppKey", "应用的 AppKey"),
            FieldSpec(
                "masterSecret", .secret, .required, "The app's MasterSecret, not its AppSecret",
                "应用的 MasterSecret，不是 AppSecret"),
            FieldSpec("channel", .text, "The channel_id of its messages", "消息的 channel_id"),
            FieldSpec("category", .text, "The class of its messages", "消息的分类"),
            FieldSpec(
                "notifyLevel", .oneOfIntegers([1, 2, 16]),
                "1: in the list, 2: also on the lock screen, 16: also as a banner",
                "1 通知栏，2 加锁屏，16 加横幅"),
        ])

    static let vivo = MapDescription(
        "DeviceProfile.vivo", "An app of vivo Push", "vivo 推送的应用",
        [
            FieldSpec("appId", .text, .required, "The app's id", "应用的 AppID"),
            FieldSpec("appKey", .text, .required, "The app's AppKey", "应用的 AppKey"),
            FieldSpec("appSecret", .secret, .required, "The app's AppSecret", "应用的 AppSecret"),
            FieldSpec("classification", .integer(0...1), "0: operational, 1: system", "0 运营消息，1 系统消息"),
            FieldSpec("category", .text, "The class of its messages, in capital letters", "消息的二级分类，大写"),
        ])

    static let fcm = MapDescription(
        "DeviceProfile.fcm", "A project of Firebase Cloud Messaging", "Firebase Cloud Messaging 项目",
        [
            FieldSpec(
                "serviceAccount", .secret, .required,
                "The service account's key, as Google's JSON; it names the project",
                "服务账号的密钥，即 Google 给出的 JSON；其中写明项目")
        ])

    static let certificate = MapDescription(
        "DeviceProfile.certificate", "PKCS#12, or PEM with the key in it or in key; exactly one of file and env",
        "PKCS#12，或 PEM（私钥在同一文件里或写在 key 中）；file 与 env 二选一",
        rules: [.exactlyOne(of: ["file", "env"])],
        [
            FieldSpec(
                "file", .either([.workspacePath, .map(.reference)]),
                "The file, or the environment variable that holds its path", "证书文件，或保存其路径的环境变量"),
            FieldSpec(
                "env", .name(.environmentVariable), "The environment variable that holds it in base64",
                "以 base64 保存证书的环境变量"),
            FieldSpec(
                "key", .secret, "The private key, when the certificate is PEM without it", "证书是不含私钥的 PEM 时，私钥的来源"),
            FieldSpec("passphrase", .secret, "The passphrase of the certificate or its key", "证书或私钥的加密口令"),
        ])

    static let token = MapDescription(
        "DeviceProfile.token", "A key of Apple's token authentication", "Apple Token 认证所用的密钥",
        [
            FieldSpec("teamId", .name(.appleIdentifier), .required, "The team's id", "Team ID"),
            FieldSpec("keyId", .name(.appleIdentifier), .required, "The key's id", "Key ID"),
            FieldSpec(
                "key", .secret, .required, "The private key, in PKCS#8 PEM (Apple's .p8)",
                "PKCS#8 PEM 格式的私钥（Apple 的 .p8 文件）"),
        ])
}
