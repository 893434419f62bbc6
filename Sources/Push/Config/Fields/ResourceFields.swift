extension MapDescription {
    /// The fields of a DeviceProfile document.
    package static let deviceProfile = MapDescription(
        "DeviceProfile", "The certificate or key that pushes to a set of devices; one of certificate and token",
        "向一组设备推送所用的推送证书或密钥；certificate 与 token 二选一",
        rules: [.exactlyOne(of: ["certificate", "token"])],
        [
            FieldSpec("kind", .constant("DeviceProfile"), .required, "The kind of the document", "文档声明的资源类型"),
            FieldSpec(
                "name", .name(.deviceProfile), .required,
                "The profile's name, as installations have it; some LeanCloud plans refuse a '-'",
                "名称，即设备的 deviceProfile 字段所记的值；LeanCloud 的部分套餐不接受 '-'"),
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)), .required, "Apple's environment",
                "Apple 的推送环境"),
            FieldSpec(
                "topic", .name(.bundleIdentifier), .required,
                "The app's bundle id; a topic that ends in a push type's suffix fits that push type only",
                "应用的 Bundle ID；以某种推送类型的后缀结尾的 Topic 只能用于该类型"),
            FieldSpec(
                "default", .boolean, .byDefault("false"),
                "Serves installations that name no profile; one per environment",
                "是否用于没有写 deviceProfile 的设备；每个环境最多一个"),
            FieldSpec(
                "certificate", .map(.certificate), "The certificate it authenticates with",
                "用来认证的推送证书"),
            FieldSpec(
                "token", .map(.token), "The key it signs provider tokens with",
                "用来签发 Token 认证凭据的密钥"),
            FieldSpec(
                "protected", .boolean, .byDefault("false"),
                "Refuses its removal until a release sets this to false", "是否禁止删除；要删除，须先改为 false 并发布一次"),
        ])

    /// The fields of a profile's `certificate`.
    package static let certificate = MapDescription(
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

    /// The fields of a profile's `token`.
    package static let token = MapDescription(
        "DeviceProfile.token", "A key of Apple's token authentication", "Apple Token 认证所用的密钥",
        [
            FieldSpec("teamId", .name(.appleIdentifier), .required, "The team's id", "Team ID"),
            FieldSpec("keyId", .name(.appleIdentifier), .required, "The key's id", "Key ID"),
            FieldSpec(
                "key", .secret, .required, "The private key, in PKCS#8 PEM (Apple's .p8)",
                "PKCS#8 PEM 格式的私钥（Apple 的 .p8 文件）"),
        ])
}
