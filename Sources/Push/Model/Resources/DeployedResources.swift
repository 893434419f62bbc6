package import Base

/// The certificate or key that pushes to a set of devices: LeanCloud's `deviceProfile`, Apple's topic.
package struct DeviceProfile: Sendable {
    /// The profile's name in installations.
    package var name: String
    /// The place of the declaration.
    package var origin: Origin
    /// Apple's environment, or that of the campaigns it pushes.
    package var environment: PushEnvironment
    /// The bundle id; the push type adds its suffix. Empty for a vendor that has no topics.
    package var topic: String
    /// The `deviceProfile` of the installations it serves: its name, unless the files say otherwise.
    package var installations: String
    /// True when the profile serves installations of its vendor that name none.
    package var isDefault: Bool
    package var credential: Credential
    /// What the vendor asks of every message, by the names of the fields.
    package var options: JSONObject
    /// True when removing the profile is refused until a release says `protected: false`.
    package var isProtected: Bool
    /// The facts found in the certificate or key; nil when it could not be read here.
    package var facts: CredentialFacts?

    package enum Credential: Hashable, Sendable {
        /// A certificate: PKCS#12, or PEM with the key in it or beside it.
        case certificate(source: SecretSource, key: SecretSource?, passphrase: SecretSource?)
        case token(teamId: String, keyId: String, key: SecretSource)
        /// Google's JSON of a service account.
        case serviceAccount(SecretSource)
        /// Another vendor's: its ids and its secrets, by the names of their fields.
        case vendor(PushVendor, ids: [String: String], secrets: [String: SecretSource])

        /// The secrets that it needs.
        package var sources: [SecretSource] {
            switch self {
            case .certificate(let source, let key, let passphrase): [source, key, passphrase].compactMap(\.self)
            case .token(_, _, let key): [key]
            case .serviceAccount(let source): [source]
            case .vendor(_, _, let secrets): secrets.sorted { $0.key < $1.key }.map(\.value)
            }
        }
    }

    package init(
        name: String, origin: Origin, environment: PushEnvironment, topic: String, installations: String? = nil,
        isDefault: Bool = false, credential: Credential, options: JSONObject = [:], isProtected: Bool = false,
        facts: CredentialFacts? = nil
    ) {
        self.options = options
        self.installations = installations ?? name
        self.name = name
        self.origin = origin
        self.environment = environment
        self.topic = topic
        self.isDefault = isDefault
        self.credential = credential
        self.isProtected = isProtected
        self.facts = facts
    }
}

extension DeviceProfile {
    /// The service that its credential is for.
    package var vendor: PushVendor {
        switch credential {
        case .certificate, .token: .apns
        case .serviceAccount: .fcm
        case .vendor(let vendor, _, _): vendor
        }
    }
}

/// The push service of a device: the `vendor` of a device profile and, without regard to case, of Android installations.
///
/// Source: docs/background/android.md#vendors.
package enum PushVendor: String, Hashable, Sendable, CaseIterable {
    /// Apple.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
    /// Huawei, for Android, EMUI and HarmonyOS up to 4.
    case hms
    /// Huawei, for HarmonyOS NEXT.
    case harmony
    case honor
    /// Xiaomi, for devices that are registered in China.
    case mi
    /// Xiaomi, for devices that are registered elsewhere: a profile of vendor `mi` with `region: global`.
    case miGlobal = "mi-intl"
    /// OPPO, realme and OnePlus.
    case oppo
    /// vivo and iQOO.
    case vivo

    /// The vendors that a profile may name.
    package static let declared = allCases.filter { $0 != .miGlobal }

    /// The vendor's word in files and in the content of pushes, and the name of its map in a profile.
    package var word: String { self == .miGlobal ? Self.mi.rawValue : rawValue }

    /// Its name as a way to devices, in headers, records of rehearsals and metrics.
    package var way: String { self == .apns ? "apple" : rawValue }

    /// The service's name for people.
    package var title: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "FCM"
        case .hms: "Huawei"
        case .harmony: "HarmonyOS"
        case .honor: "Honor"
        case .mi: "Xiaomi"
        case .miGlobal: "Xiaomi (global)"
        case .oppo: "OPPO"
        case .vivo: "vivo"
        }
    }

    /// The fields of its map in a profile: what it is known by, its secrets, and what it asks of every message.
    package var fields: (ids: [String], secrets: [String], options: [String]) {
        switch self {
        case .apns: ([], [], [])
        case .fcm: ([], ["serviceAccount"], [])
        case .hms: (["appId"], ["clientSecret"], ["category", "channel"])
        case .harmony: ([], ["serviceAccount"], ["category"])
        case .honor: (["appId", "clientId"], ["clientSecret"], ["importance"])
        case .mi, .miGlobal: (["package", "region"], ["appSecret"], ["channel", "templateId"])
        case .oppo: (["appKey"], ["masterSecret"], ["category", "channel", "notifyLevel"])
        case .vivo: (["appId", "appKey"], ["appSecret"], ["category", "classification"])
        }
    }
}

/// The public facts of a certificate or key, without anything secret.
package struct CredentialFacts: Hashable, Sendable {
    /// SHA-256 of the certificate, or of the key's public half, in hexadecimal.
    package var fingerprint: String
    /// The time a certificate expires; nil for a key.
    package var expiresAt: Instant?
    /// The topics that a certificate names; empty for a key, which names none.
    package var topics: [String]
    /// The project of a service account.
    package var project: String?

    package init(fingerprint: String, expiresAt: Instant?, topics: [String] = [], project: String? = nil) {
        self.project = project
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.topics = topics
    }
}

/// A name that devices subscribe to.
package struct Channel: Sendable {
    /// The channel's name in installations.
    package var name: String
    /// The place of the declaration.
    package var origin: Origin
    /// The purpose, for readers.
    package var description: String?
    /// The Apple broadcast channel; nil for any other channel.
    package var broadcast: Broadcast?

    /// An Apple broadcast channel.
    package struct Broadcast: Hashable, Sendable {
        /// The app's bundle id.
        package var topic: String
        /// The messages Apple keeps for devices that are not connected.
        package var storage: Storage

        /// The messages Apple keeps for devices that are not connected.
        package enum Storage: String, Hashable, Sendable, CaseIterable {
            case none
            case mostRecent
        }

        package init(topic: String, storage: Storage) {
            self.topic = topic
            self.storage = storage
        }
    }

    package init(name: String, origin: Origin, description: String? = nil, broadcast: Broadcast? = nil) {
        self.name = name
        self.origin = origin
        self.description = description
        self.broadcast = broadcast
    }
}

/// A named condition on installations.
package struct Segment: Sendable {
    package var name: String
    /// The place of the declaration.
    package var origin: Origin
    /// The purpose, for readers.
    package var description: String?
    /// The condition, in LeanCloud's query language; always an object.
    package var condition: JSONValue

    package init(name: String, origin: Origin, description: String? = nil, condition: JSONValue) {
        self.name = name
        self.origin = origin
        self.description = description
        self.condition = condition
    }
}

extension Channel {
    package static let fields = FieldTable<Self>(
        "Channel", "A name that devices subscribe to", "设备可以订阅的频道",
        blank: Channel(name: "", origin: Origin(file: "", line: 1)),
        [
            .kind("Channel"),
            FieldRow(
                required: "name", .name(.channel), "The channel's name, as installations have it",
                "频道名，与设备 channels 字段中的值一致", { $0.name }, { $0.name = $1 }),
            .description({ $0.description }, { $0.description = $1 }),
            FieldRow(
                "broadcast", .map(Broadcast.fields), "Makes it an Apple broadcast channel", "把它设为 Apple 的广播频道",
                { $0.broadcast }, { $0.broadcast = $1 }),
        ])
}

extension Channel.Broadcast {
    fileprivate static let fields = FieldTable<Self>(
        "Channel.broadcast", "An Apple broadcast channel, which an apns remote creates and deletes",
        "Apple 的广播频道，由 apns 远端创建和删除", blank: Channel.Broadcast(topic: "", storage: .none),
        [
            FieldRow(
                required: "topic", .name(.bundleIdentifier), "The app's bundle id", "应用的 Bundle ID", { $0.topic },
                { $0.topic = $1 }),
            FieldRow(
                "storage", .choice(Storage.self), default: "none",
                "The messages that Apple keeps for devices that are not connected", "设备未连接时 Apple 保留什么", { $0.storage },
                { $0.storage = $1 }),
        ])
}

extension Segment {
    package static let fields = FieldTable<Self>(
        "Segment", "A named condition on installations", "有名字的设备查询条件，即分群",
        blank: Segment(name: "", origin: Origin(file: "", line: 1), condition: [:]),
        [
            .kind("Segment"),
            FieldRow(required: "name", .name(.resource), "The segment's name", "分群的名称", { $0.name }, { $0.name = $1 }),
            .description({ $0.description }, { $0.description = $1 }),
            FieldRow(
                required: "where", .condition, "The condition, in LeanCloud's query language",
                "查询条件，用 LeanCloud 的查询语法", { $0.condition }, { $0.condition = $1 }),
        ])
}
