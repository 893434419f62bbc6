internal import JSONValue
internal import PushModel

/// The fields of a Workspace document.
package enum WorkspaceField: Int, FieldKey {
    case kind, name, language, defaultRemote, remotes, policy, exclude

    package static let table = FieldTable<Self>(
        "Workspace", "The folder of files, the services it is deployed to, and its limits; one per workspace",
        "这个目录里的文件、部署到哪些服务，以及各项上限；每个工作区一份",
        rules: [.when(.count(["remotes"], 2...Int.max), .has(["defaultRemote"]))])

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Workspace"), .required, "What the document declares", "文档声明的资源类型")
        case .name:
            FieldSpec(
                "name", .name(.resource), .required, "The workspace's name; part of every delivery's identity",
                "工作区的名称；每次投递的标识都包含它")
        case .language:
            FieldSpec(
                "language", .choice(Language.allCases.map(\.rawValue)),
                "The language of what people read: plans, comments, previews; --language goes before it",
                "给人看的内容（计划、评论、预览）所用的语言；--language 优先于它")
        case .defaultRemote:
            FieldSpec(
                "defaultRemote", .name(.remote),
                "The remote that is used when none is named; may be left out when there is one remote",
                "没有指明时使用的远端；只有一个远端时可以省略")
        case .remotes:
            FieldSpec(
                "remotes", .entries(of: .map(RemoteField.table.description), keys: .remote),
                "The services that the workspace is deployed to, by name", "工作区部署到的推送服务，以名称为键")
        case .policy:
            FieldSpec("policy", .map(PolicyField.table.description), "The limits of the workspace", "工作区的各项上限")
        case .exclude:
            FieldSpec(
                "exclude", .list(of: .glob),
                "Files that are not the workspace's; a pattern without '/' fits names in every folder",
                "不属于工作区的文件；不含 '/' 的模式匹配任意目录下的文件名")
        }
    }
}

/// The fields of one remote.
package enum RemoteField: Int, FieldKey {
    case type, url, appId, masterKey, registry, hosts, ca, timeout

    package static let table = FieldTable<Self>("Workspace.remotes.<name>", "A push service", "一个推送服务", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .type:
            FieldSpec(
                "type", .choice(RemoteType.allCases.map(\.rawValue)), .required,
                "Which service: leancloud (LeanCloud, TapTap Developer Services, bugle-server) or apns (Apple itself)",
                "服务类型：leancloud（LeanCloud、TapTap 开发者服务、bugle-server）或 apns（直连 Apple）")
        case .url:
            FieldSpec(
                "url", .reference(.url), "leancloud, required: the base address without a version",
                "leancloud 必填：不含版本号的 API 地址")
        case .appId:
            FieldSpec(
                "appId", .reference(.text), "leancloud, required: the application's id", "leancloud 必填：应用的 App ID")
        case .masterKey:
            FieldSpec(
                "masterKey", .secret, "leancloud, required: signs every request; never sent itself",
                "leancloud 必填：用来给每个请求签名，本身从不发送")
        case .registry:
            FieldSpec(
                "registry", .map(RegistryField.table.description), "apns, required: where the installations are",
                "apns 必填：设备数据所在的位置")
        case .hosts:
            FieldSpec(
                "hosts", .map(HostsField.table.description), "apns: addresses that replace Apple's",
                "apns：代替 Apple 官方地址的地址")
        case .ca:
            FieldSpec(
                "ca", .path, "A bundle of further certificate authorities; verification is never switched off",
                "额外信任的 CA 证书包；证书校验永远不会关闭")
        case .timeout:
            FieldSpec("timeout", .duration(1...60), .byDefault("30s"), "The time a request may take", "单个请求的超时时间")
        }
    }

    /// The fields that a remote of a type must have.
    static func required(by type: RemoteType) -> [Self] {
        switch type {
        case .leancloud: [.url, .appId, .masterKey]
        case .apns: [.registry]
        }
    }

    private static var rules: [FieldRule] {
        RemoteType.allCases.map { type in
            let foreign = allCases.filter { $0.owner.map { $0 != type } ?? false }
            return .when(
                .equals(["type"], .string(type.rawValue)),
                .allOf(required(by: type).map { .has([$0.spec.name]) } + [.lacks(foreign.map(\.spec.name))]))
        }
    }

    /// The one type of remote that the field belongs to; nil: all.
    var owner: RemoteType? {
        switch self {
        case .url, .appId, .masterKey: .leancloud
        case .registry, .hosts: .apns
        case .type, .ca, .timeout: nil
        }
    }
}

/// The fields of a remote's `registry`.
package enum RegistryField: Int, FieldKey {
    case sqlite, postgres

    package static let table = FieldTable<Self>(
        "Workspace.remotes.<name>.registry", "The database of installations; exactly one of its fields",
        "设备数据库；只能写其中一个字段",
        rules: [.exactlyOne(of: ["sqlite", "postgres"])])

    package var spec: FieldSpec {
        switch self {
        case .sqlite:
            FieldSpec(
                "sqlite", .path, "A SQLite file, from the workspace's folder when relative", "SQLite 文件；相对路径以工作区目录为准")
        case .postgres: FieldSpec("postgres", .secret, "A PostgreSQL connection string", "PostgreSQL 连接串")
        }
    }
}

/// The fields of a remote's `hosts`.
package enum HostsField: Int, FieldKey {
    case production, development, broadcast, channels

    package static let table = FieldTable<Self>(
        "Workspace.remotes.<name>.hosts", "Addresses that replace Apple's", "代替 Apple 官方地址的地址")

    package var spec: FieldSpec {
        switch self {
        case .production:
            FieldSpec(
                "production", .endpoint, "Pushes to apps from the App Store and TestFlight",
                "推送到 App Store 与 TestFlight 安装的应用")
        case .development: FieldSpec("development", .endpoint, "Pushes to apps that Xcode installed", "推送到 Xcode 安装的应用")
        case .broadcast: FieldSpec("broadcast", .endpoint, "Pushes to broadcast channels", "推送到广播频道")
        case .channels: FieldSpec("channels", .endpoint, "The management of broadcast channels", "管理广播频道")
        }
    }
}

/// The fields of a secret, wherever one stands.
package enum SecretField: Int, FieldKey {
    case env, file

    package static let table = FieldTable<Self>(
        "secret", "Where a secret is; exactly one of its fields", "密钥的来源；只能写其中一个字段",
        rules: [.exactlyOne(of: ["env", "file"])])

    package var spec: FieldSpec {
        switch self {
        case .env: FieldSpec("env", .name(.environmentVariable), "The environment variable that holds it", "保存它的环境变量")
        case .file: FieldSpec("file", .either([.workspacePath, variable]), "The file that holds it", "保存它的文件")
        }
    }

    private var variable: FieldType { .map(ReferenceField.table.description) }
}

/// The field of a reference to the environment.
package enum ReferenceField: Int, FieldKey {
    case env

    package static let table = FieldTable<Self>("reference", "A value that the environment holds", "取自环境变量的值")

    package var spec: FieldSpec {
        switch self {
        case .env: FieldSpec("env", .name(.environmentVariable), .required, "The environment variable", "环境变量名")
        }
    }
}
