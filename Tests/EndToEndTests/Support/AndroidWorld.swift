import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import Testing

/// A service that reaches some of a world's devices: Apple, or a vendor by its name in installations.
enum Way: String, CaseIterable, Sendable {
    case apple, fcm, hms, mi, oppo, vivo, harmony, honor

    /// The topic of its devices at the simulator.
    func topic(in world: AppleWorld) -> String {
        switch self {
        case .apple: world.topic
        case .fcm: "giants-app"
        case .hms, .mi, .oppo, .vivo, .harmony, .honor: rawValue
        }
    }

    /// The name of its profile.
    var profile: String { self == .apple ? "main" : rawValue }

    /// The vendor's map in its profile: the simulator's app, and what each message of it has.
    fileprivate var credentials: String {
        let secret = "{file: secret}"
        return switch self {
        case .apple: ""
        case .fcm: "{serviceAccount: {file: firebase.json}}"
        case .hms: "{appId: \"100001\", clientSecret: \(secret), category: WORK}"
        case .harmony: "{serviceAccount: {file: harmony.json}, category: WORK}"
        case .honor: "{appId: \"100001\", clientId: app-key, clientSecret: \(secret), experimental: true}"
        case .mi: "{package: com.example.app, appSecret: \(secret), channel: \"7\"}"
        case .oppo: "{appKey: app-key, masterSecret: \(secret), channel: news}"
        case .vivo: "{appId: \"100001\", appKey: app-key, appSecret: \(secret), classification: 1}"
        }
    }
}

extension AppleWorld {
    /// The members of `hosts` that lead Android's services to the simulator.
    var androidHosts: String {
        ["fcm", "fcmToken", "huawei", "huaweiToken", "harmony", "honor", "honorToken", "xiaomi", "oppo", "vivo"]
            .map { "\($0): \"\(simulator.url)\", " }.joined()
    }

    /// The registration id of an Android device: as long as some, and of both cases.
    static func registration(_ index: Int) -> String { "Device\(index):APA91b-kept_in_its_Case" }

    /// Declares the default profile of a vendor's devices, with `more` lines.
    func declare(_ way: Way, named name: String? = nil, _ more: String = "") throws {
        guard way != .apple else { return }
        try write("secret", "app-secret")
        if way == .fcm { try copy(simulator.serviceAccount, to: "firebase.json") }
        if way == .harmony { try copy(simulator.harmonyAccount, to: "harmony.json") }
        try write(
            "\(name ?? way.profile).yaml",
            """
            kind: DeviceProfile
            name: \(name ?? way.profile)
            vendor: \(way.rawValue)
            environment: production
            default: true
            \(way.rawValue): \(way.credentials)
            \(more)

            """)
    }

    private func copy(_ file: URL?, to name: String) throws {
        try FileManager.default.copyItem(at: try #require(file), to: folder.appending(path: name))
    }

    /// The world's registry, in SQLite or PostgreSQL; the caller shuts it down.
    func registry() async throws -> Registry {
        guard let url = variables["DATABASE_URL"] else { return try Registry.test(at: path("devices.sqlite")) }
        return Registry(try await PostgresRegistry.openMigrated(PostgresAddress(url), width: 2))
    }

    /// Registers Android devices that subscribe to channel Giants; their service knows them if `isKnown`.
    func androids(
        _ indices: Range<Int>, of way: Way = .fcm, isKnown: Bool = true, fields: JSONObject = [:]
    ) async throws {
        let registry = try await registry()
        let time = Self.now.isoText
        for start in stride(from: indices.lowerBound, to: indices.upperBound, by: 10_000) {
            let objects = try (start..<min(start + 10_000, indices.upperBound)).map { index in
                let members: JSONObject = [
                    "objectId": .string("android\(index)"), "createdAt": .string(time), "updatedAt": .string(time),
                    "deviceType": "android", "installationId": .string("installation\(index)"),
                    "vendor": .string(way.rawValue), "registrationId": .string(Self.registration(index)),
                    "channels": ["Giants"],
                ]
                return try TransferredObject(members.merging(fields) { $1 })
            }
            let outcomes = try await registry.transfer(objects, into: .installation)
            #expect(outcomes.allSatisfy { $0 == .added })
        }
        await registry.shutDown()
        guard isKnown else { return }
        let topic = JSONValue.string(way.topic(in: self))
        let known = indices.map { index -> JSONValue in
            ["token": .string("\(way.rawValue):\(Self.registration(index))"), "topic": topic]
        }
        try await simulator.call("POST", "/devices", ["devices": .array(known)])
    }

    /// Registers so many devices of each way, which all subscribe to channel Giants.
    func devices(of ways: [Way: Int]) async throws {
        for (number, way) in Way.allCases.enumerated() {
            guard let count = ways[way] else { continue }
            let indices = number * 1_000_000..<number * 1_000_000 + count
            guard let url = variables["DATABASE_URL"] else {
                if way == .apple {
                    try await devices(indices, isKnown: false)
                } else {
                    try await androids(indices, of: way, isKnown: false)
                }
                continue
            }
            let pool = PostgresPool(try PostgresAddress(url), width: 1)
            if way == .apple {
                try await pool.add(tokens: indices.map(token), channels: ["Giants"])
            } else {
                try await pool.add(
                    registrations: indices.map(Self.registration), of: way.rawValue, named: way.rawValue,
                    channels: ["Giants"])
            }
            await pool.close()
        }
    }

    /// What the devices of a way received: how many devices, notifications, and how many of these twice.
    func received(of way: Way) async throws -> (devices: Int, messages: Int, duplicates: Int) {
        let summary = try await simulator.call("GET", "/inboxes?topic=\(way.topic(in: self))")
        func number(_ name: String) -> Int { Int(summary[name]?.integer ?? -1) }
        return (number("devices"), number("messages"), number("duplicates"))
    }
}
