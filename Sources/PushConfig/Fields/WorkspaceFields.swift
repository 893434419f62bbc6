internal import JSONValue
internal import PushModel

/// The fields of a Workspace document.
package enum WorkspaceField: Int, FieldKey {
    case kind, name, defaultRemote, remotes, policy, exclude

    package static let table = FieldTable<Self>(
        "Workspace", "The folder of files, the services it is deployed to, and its limits; one per workspace",
        rules: [.when(.count(["remotes"], 2...Int.max), .has(["defaultRemote"]))])

    package var spec: FieldSpec {
        switch self {
        case .kind: FieldSpec("kind", .constant("Workspace"), .required, "What the document declares")
        case .name:
            FieldSpec("name", .name(.resource), .required, "The workspace's name; part of every delivery's identity")
        case .defaultRemote:
            FieldSpec(
                "defaultRemote", .name(.remote),
                "The remote that is used when none is named; may be left out when there is one remote")
        case .remotes:
            FieldSpec(
                "remotes", .entries(of: .map(RemoteField.table.description), keys: .remote),
                "The services that the workspace is deployed to, by name")
        case .policy: FieldSpec("policy", .map(PolicyField.table.description), "The limits of the workspace")
        case .exclude:
            FieldSpec(
                "exclude", .list(of: .glob),
                "Files that are not the workspace's; a pattern without '/' fits names in every folder")
        }
    }
}

/// The fields of one remote.
package enum RemoteField: Int, FieldKey {
    case type, url, appId, masterKey, registry, hosts, ca, timeout

    package static let table = FieldTable<Self>("Workspace.remotes.<name>", "A push service", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .type:
            FieldSpec(
                "type", .choice(RemoteType.allCases.map(\.rawValue)), .required,
                "Which service: leancloud (LeanCloud, TapTap Developer Services, bugle-server) or apns (Apple itself)")
        case .url: FieldSpec("url", .reference(.url), "leancloud, required: the base address without a version")
        case .appId: FieldSpec("appId", .reference(.text), "leancloud, required: the application's id")
        case .masterKey:
            FieldSpec("masterKey", .secret, "leancloud, required: signs every request; never sent itself")
        case .registry:
            FieldSpec("registry", .map(RegistryField.table.description), "apns, required: where the installations are")
        case .hosts:
            FieldSpec("hosts", .map(HostsField.table.description), "apns: addresses that replace Apple's")
        case .ca:
            FieldSpec("ca", .path, "A bundle of further certificate authorities; verification is never switched off")
        case .timeout: FieldSpec("timeout", .duration(1...60), .byDefault("30s"), "The time a request may take")
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
        rules: [.exactlyOne(of: ["sqlite", "postgres"])])

    package var spec: FieldSpec {
        switch self {
        case .sqlite: FieldSpec("sqlite", .path, "A SQLite file, from the workspace's folder when relative")
        case .postgres: FieldSpec("postgres", .secret, "A PostgreSQL connection string")
        }
    }
}

/// The fields of a remote's `hosts`.
package enum HostsField: Int, FieldKey {
    case production, development, broadcast, channels

    package static let table = FieldTable<Self>("Workspace.remotes.<name>.hosts", "Addresses that replace Apple's")

    package var spec: FieldSpec {
        switch self {
        case .production: FieldSpec("production", .endpoint, "Pushes to apps from the App Store and TestFlight")
        case .development: FieldSpec("development", .endpoint, "Pushes to apps that Xcode installed")
        case .broadcast: FieldSpec("broadcast", .endpoint, "Pushes to broadcast channels")
        case .channels: FieldSpec("channels", .endpoint, "The management of broadcast channels")
        }
    }
}

/// The fields of a secret, wherever one stands.
package enum SecretField: Int, FieldKey {
    case env, file

    package static let table = FieldTable<Self>(
        "secret", "Where a secret is; exactly one of its fields", rules: [.exactlyOne(of: ["env", "file"])])

    package var spec: FieldSpec {
        switch self {
        case .env: FieldSpec("env", .name(.environmentVariable), "The environment variable that holds it")
        case .file: FieldSpec("file", .either([.workspacePath, variable]), "The file that holds it")
        }
    }

    private var variable: FieldType { .map(ReferenceField.table.description) }
}

/// The field of a reference to the environment.
package enum ReferenceField: Int, FieldKey {
    case env

    package static let table = FieldTable<Self>("reference", "A value that the environment holds")

    package var spec: FieldSpec {
        switch self {
        case .env: FieldSpec("env", .name(.environmentVariable), .required, "The environment variable")
        }
    }
}
