internal import PushModel

/// The fields of a DeviceProfile document.
package enum DeviceProfileField: Int, FieldKey {
    case kind, name, environment, topic, `default`, certificate, token, protected

    package static let table = FieldTable<Self>(
        "DeviceProfile", "The certificate or key that pushes to a set of devices; one of certificate and token",
        rules: [.exactlyOne(of: ["certificate", "token"])])

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("DeviceProfile"), .required, "What the document declares")
        case .name:
            FieldSpec(
                "name", .name(.deviceProfile), .required,
                "The profile's name, as installations bear it; some LeanCloud plans refuse a '-'")
        case .environment:
            FieldSpec(
                "environment", .choice(PushEnvironment.allCases.map(\.rawValue)), .required, "Apple's environment")
        case .topic:
            FieldSpec(
                "topic", .name(.bundleIdentifier), .required,
                "The app's bundle id; a topic that ends in a push type's suffix fits that push type only")
        case .default:
            FieldSpec(
                "default", .boolean, .byDefault("false"),
                "Whether it serves installations that name none; one per environment")
        case .certificate:
            FieldSpec("certificate", .map(CertificateField.table.description), "The certificate it authenticates with")
        case .token: FieldSpec("token", .map(TokenField.table.description), "The key it signs provider tokens with")
        case .protected:
            FieldSpec(
                "protected", .boolean, .byDefault("false"),
                "Whether its removal is refused until a release says false here")
        }
    }
}

/// The fields of a profile's `certificate`.
package enum CertificateField: Int, FieldKey {
    case file, env, key, passphrase

    package static let table = FieldTable<Self>(
        "DeviceProfile.certificate", "PKCS#12, or PEM with the key in it or in key; exactly one of file and env",
        rules: [.exactlyOne(of: ["file", "env"])])

    package var spec: FieldSpec {
        switch self {
        case .file:
            FieldSpec(
                "file", .either([.workspacePath, .map(ReferenceField.table.description)]),
                "The file, or the environment variable that holds its path")
        case .env: FieldSpec("env", .name(.environmentVariable), "The environment variable that holds it in base64")
        case .key: FieldSpec("key", .secret, "The private key, when the certificate is PEM without it")
        case .passphrase: FieldSpec("passphrase", .secret, "What the certificate or its key is encrypted with")
        }
    }
}

/// The fields of a profile's `token`.
package enum TokenField: Int, FieldKey {
    case teamId, keyId, key

    package static let table = FieldTable<Self>("DeviceProfile.token", "A key of Apple's token authentication")

    package var spec: FieldSpec {
        switch self {
        case .teamId: FieldSpec("teamId", .name(.appleIdentifier), .required, "The team's id")
        case .keyId: FieldSpec("keyId", .name(.appleIdentifier), .required, "The key's id")
        case .key: FieldSpec("key", .secret, .required, "The private key, in PKCS#8 PEM (Apple's .p8)")
        }
    }
}

/// The fields of a Channel document.
package enum ChannelField: Int, FieldKey {
    case kind, name, description, broadcast

    package static let table = FieldTable<Self>("Channel", "A name that devices subscribe to")

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Channel"), .required, "What the document declares")
        case .name: FieldSpec("name", .name(.channel), .required, "The channel's name, as installations bear it")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for")
        case .broadcast:
            FieldSpec("broadcast", .map(BroadcastField.table.description), "Makes it an Apple broadcast channel")
        }
    }
}

/// The fields of a channel's `broadcast`.
package enum BroadcastField: Int, FieldKey {
    case topic, storage

    package static let table = FieldTable<Self>(
        "Channel.broadcast", "An Apple broadcast channel, which an apns remote creates and deletes")

    package var spec: FieldSpec {
        switch self {
        case .topic: FieldSpec("topic", .name(.bundleIdentifier), .required, "The app's bundle id")
        case .storage:
            FieldSpec(
                "storage", .choice(Channel.Broadcast.Storage.allCases.map(\.rawValue)), .byDefault("none"),
                "What Apple keeps for devices that are not connected")
        }
    }
}

/// The fields of a Segment document.
package enum SegmentField: Int, FieldKey {
    case kind, name, description, `where`

    package static let table = FieldTable<Self>("Segment", "A named condition on installations")

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Segment"), .required, "What the document declares")
        case .name: FieldSpec("name", .name(.resource), .required, "The segment's name")
        case .description: FieldSpec("description", .text(FieldType.anyCount), "What it is for")
        case .where:
            FieldSpec(
                "where", .condition(on: .installations), .required, "The condition, in LeanCloud's query language")
        }
    }
}
