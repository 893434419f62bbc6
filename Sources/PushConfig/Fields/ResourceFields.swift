internal import PushModel

/// The fields of a DeviceProfile document.
package enum DeviceProfileField: Int, FieldKey {
    case kind, name, environment, topic, `default`, certificate, token, protected

    package static let table = FieldTable<Self>(
        "DeviceProfile", "The certificate or key that pushes to a set of devices; one of certificate and token",
        "向一组设备推送所用的推送证书或密钥；certificate 与 token 二选一",
        rules: [.exactlyOne(of: ["certificate", "token"])])

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("DeviceProfile"), .required, "What the document declares", "文档声明的资源类型")
        case .name:
            FieldSpec(
                "name", .name(.deviceProfile), .required,
                "The profile's name, as installations bear it; some LeanCloud plans refuse a '-'",
                "名称，即设备的 deviceProfile 字段所记的值；LeanCloud 的部分套餐不接受 '-'")
        case .environment:
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)), .required, "Apple's environment",
                "Apple 的推送环境")
        case .topic:
            FieldSpec(
                "topic", .name(.bundleIdentifier), .required,
                "The app's bundle id; a topic that ends in a push type's suffix fits that push type only",
                "应用的 Bundle ID；以某种推送类型的后缀结尾的 Topic 只能用于该类型")
        case .default:
            FieldSpec(
                "default", .boolean, .byDefault("false"),
                "Whether it serves installations that name none; one per environment",
                "是否用于没有写 deviceProfile 的设备；每个环境最多一个")
        case .certificate:
            FieldSpec(
                "certificate", .map(CertificateField.table.description), "The certificate it authenticates with",
                "用来认证的推送证书")
        case .token:
            FieldSpec(
                "token", .map(TokenField.table.description), "The key it signs provider tokens with",
                "用来签发 Token 认证凭据的密钥")
        case .protected:
            FieldSpec(
                "protected", .boolean, .byDefault("false"),
                "Whether its removal is refused until a release says false here", "是否禁止删除；要删除，须先改为 false 并发布一次")
        }
    }
}

/// The fields of a profile's `certificate`.
package enum CertificateField: Int, FieldKey {
    case file, env, key, passphrase

    package static let table = FieldTable<Self>(
        "DeviceProfile.certificate", "PKCS#12, or PEM with the key in it or in key; exactly one of file and env",
        "PKCS#12，或 PEM（私钥在同一文件里或写在 key 中）；file 与 env 二选一",
        rules: [.exactlyOne(of: ["file", "env"])])

    package var spec: FieldSpec {
        switch self {
        case .file:
            FieldSpec(
                "file", .either([.workspacePath, .map(ReferenceField.table.description)]),
                "The file, or the environment variable that holds its path", "证书文件，或保存其路径的环境变量")
        case .env:
            FieldSpec(
                "env", .name(.environmentVariable), "The environment variable that holds it in base64",
                "以 base64 保存证书的环境变量")
        case .key:
            FieldSpec("key", .secret, "The private key, when the certificate is PEM without it", "证书是不含私钥的 PEM 时，私钥的来源")
        case .passphrase:
            FieldSpec("passphrase", .secret, "What the certificate or its key is encrypted with", "证书或私钥的加密口令")
        }
    }
}

/// The fields of a profile's `token`.
package enum TokenField: Int, FieldKey {
    case teamId, keyId, key

    package static let table = FieldTable<Self>(
        "DeviceProfile.token", "A key of Apple's token authentication", "Apple Token 认证所用的密钥")

    package var spec: FieldSpec {
        switch self {
        case .teamId: FieldSpec("teamId", .name(.appleIdentifier), .required, "The team's id", "Team ID")
        case .keyId: FieldSpec("keyId", .name(.appleIdentifier), .required, "The key's id", "Key ID")
        case .key:
            FieldSpec(
                "key", .secret, .required, "The private key, in PKCS#8 PEM (Apple's .p8)",
                "PKCS#8 PEM 格式的私钥（Apple 的 .p8 文件）")
        }
    }
}

/// The fields of a Channel document.
package enum ChannelField: Int, FieldKey {
    case kind, name, description, broadcast

    package static let table = FieldTable<Self>("Channel", "A name that devices subscribe to", "设备可以订阅的频道")

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Channel"), .required, "What the document declares", "文档声明的资源类型")
        case .name:
            FieldSpec(
                "name", .name(.channel), .required, "The channel's name, as installations bear it",
                "频道名，与设备 channels 字段中的值一致")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for", "用途说明")
        case .broadcast:
            FieldSpec(
                "broadcast", .map(BroadcastField.table.description), "Makes it an Apple broadcast channel",
                "把它设为 Apple 的广播频道")
        }
    }
}

/// The fields of a channel's `broadcast`.
package enum BroadcastField: Int, FieldKey {
    case topic, storage

    package static let table = FieldTable<Self>(
        "Channel.broadcast", "An Apple broadcast channel, which an apns remote creates and deletes",
        "Apple 的广播频道，由 apns 远端创建和删除")

    package var spec: FieldSpec {
        switch self {
        case .topic: FieldSpec("topic", .name(.bundleIdentifier), .required, "The app's bundle id", "应用的 Bundle ID")
        case .storage:
            FieldSpec(
                "storage", .choice(Channel.Broadcast.Storage.allCases.map(\.rawValue)), .byDefault("none"),
                "What Apple keeps for devices that are not connected", "设备未连接时 Apple 保留什么")
        }
    }
}

/// The fields of a Segment document.
package enum SegmentField: Int, FieldKey {
    case kind, name, description, `where`

    package static let table = FieldTable<Self>("Segment", "A named condition on installations", "有名字的设备查询条件，即分群")

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Segment"), .required, "What the document declares", "文档声明的资源类型")
        case .name: FieldSpec("name", .name(.resource), .required, "The segment's name", "分群的名称")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for", "用途说明")
        case .where:
            FieldSpec(
                "where", .condition(on: .installations), .required, "The condition, in LeanCloud's query language",
                "查询条件，用 LeanCloud 的查询语法")
        }
    }
}
