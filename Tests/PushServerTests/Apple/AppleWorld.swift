import Base
import Delivery
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import PushServer
import Testing

@testable import APNsSimulator

/// Apple, simulated in this process, and a server that pushes to it.
struct AppleWorld {
    let apple: APNsSimulator
    let pool: SenderPool
    let profiles: [DeviceProfile]
    let server: TestServer

    static var now: Instant { .system }

    /// Runs a test with both, and stops them.
    ///
    /// `identity` has Apple's certificates when another Apple has them, too: `development` is one, for the development
    /// environment. The default registry is in memory.
    static func run(
        profiles: [DeviceProfile] = [profile()], registry: Registry? = nil, allowsFaults: Bool = false,
        identity: SimulatorIdentity? = nil, development: APNsSimulator? = nil,
        configure: (inout PushServerConfiguration) -> Void = { _ in },
        _ test: (AppleWorld) async throws -> Void
    ) async throws {
        var configuration = SimulatorConfiguration()
        configuration.identity = identity
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { folder in
                let pool = try pool(profiles, apple, development, folder)
                let server = try await TestServer(
                    registry, clock: ServerClock(), allowsFaults: allowsFaults,
                    configure: {
                        $0.apple = AppleService(profiles: profiles, senders: pool.senders())
                        configure(&$0)
                    })
                let world = AppleWorld(apple: apple, pool: pool, profiles: profiles, server: server)
                try await running(
                    { try await test(world) },
                    then: {
                        await server.server.stop()
                        await pool.close()
                    })
            }
        }
    }

    /// Senders that the simulators know the key of.
    static func pool(
        _ profiles: [DeviceProfile], _ apple: APNsSimulator, _ development: APNsSimulator? = nil, _ folder: URL
    ) throws -> SenderPool {
        let key = ProviderSigningKey()
        apple.register(key.registered)
        development?.register(key.registered)
        let authorities = folder.appending(path: "apple.pem")
        try Data(try apple.identity.authorityPEM.utf8).write(to: authorities)
        let names = ["production", "fcm", "fcmToken", "huawei", "huaweiToken", "xiaomi", "oppo", "vivo"]
        var hosts = Dictionary(uniqueKeysWithValues: names.map { ($0, "127.0.0.1:\(apple.port)") })
        hosts["development"] = "127.0.0.1:\(development?.port ?? apple.port)"
        var account: ServiceAccount?
        if profiles.contains(where: { $0.vendor == .fcm }) {
            let made = try FirebaseProject.make(id: "giants-app")
            apple.register(made.project)
            account = try ServiceAccount.read(made.account.canonicalBytes)
        }
        let signing = try SigningKey.read(Array(key.pem.utf8))
        let reader = CredentialReader(SecretReader(environment: ["SECRET": "app-secret"], folder: folder.path))
        return SenderPool(
            profiles: profiles,
            // An answer that a busy machine brings late is no doubt.
            settings: SenderPool.Settings(
                endpoints: APNsEndpoints(hosts: hosts), caFile: authorities.path, timeout: .seconds(600)),
            now: { Instant.system }
        ) { [account] (profile) throws(SenderError) in
            switch profile.vendor {
            case .apns: return .token(key: signing, teamID: key.team, keyID: key.id)
            case .fcm:
                guard let account else { throw SenderError("there is no account") }
                return .serviceAccount(account)
            case .hms, .harmony, .honor, .mi, .miGlobal, .oppo, .vivo:
                do throws(CredentialReader.Failure) {
                    return try reader.credential(of: profile)
                } catch {
                    throw SenderError(error.description)
                }
            }
        }
    }

    /// A profile whose credential is here.
    static func profile(
        _ name: String = "app", _ environment: PushEnvironment = .production, topic: String = "com.example.app",
        isDefault: Bool = false, expiresAt: Instant? = nil, isHere: Bool = true, topics: [String] = []
    ) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: Origin(file: "profiles.yaml", line: 1), environment: environment, topic: topic,
            isDefault: isDefault,
            credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")),
            facts: isHere ? CredentialFacts(fingerprint: "f", expiresAt: expiresAt, topics: topics) : nil)
    }

    /// A profile that pushes through FCM.
    static func android(_ name: String = "android", installations: String? = nil) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: Origin(file: "profiles.yaml", line: 9), environment: .production, topic: "",
            installations: installations, isDefault: installations == nil,
            credential: .serviceAccount(.environment("FIREBASE")),
            facts: CredentialFacts(fingerprint: "f", expiresAt: nil, project: "giants-app"))
    }

    /// A profile of a vendor that takes many devices in a call, for the app that the simulator stands for.
    static func vendor(_ vendor: PushVendor) -> DeviceProfile {
        let ids = ["appId": "100001", "appKey": "app-key", "package": "com.example.app"]
        return DeviceProfile(
            name: vendor.rawValue, origin: Origin(file: "profiles.yaml", line: 17), environment: .production, topic: "",
            isDefault: true,
            credential: .vendor(
                vendor, ids: ids.filter { vendor.fields.ids.contains($0.key) },
                secrets: Dictionary(uniqueKeysWithValues: vendor.fields.secrets.map { ($0, .environment("SECRET")) })),
            facts: CredentialFacts(fingerprint: vendor.rawValue, expiresAt: nil))
    }

    /// A device of Apple's and of the registry.
    @discardableResult
    func device(_ number: Int, _ fields: JSONValue = [:], topic: String = "com.example.app") async throws -> String {
        let token = Self.token(number)
        try apple.register(token: token, topic: topic)
        try await server.device(token, fields)
        return token
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Fills a registry with Apple devices that have tokens 1, 2, …
    static func fill(_ registry: Registry, _ count: Int) async throws {
        for number in 1...count {
            _ = try await registry.create(
                ["deviceType": "ios", "deviceToken": .string(token(number))], in: .installation, as: .master,
                at: .system)
        }
    }

    /// Pushes, and gives the record once the push has ended.
    @discardableResult
    func push(_ members: JSONValue, to path: String = "/push") async throws -> JSONValue {
        let answer = try await server.call("POST", path, members)
        guard let id = answer.body["objectId"]?.string else { return answer.body }
        return try await record(id)
    }

    /// The record of a push that has ended.
    func record(_ objectID: String) async throws -> JSONValue {
        try await eventually { try await server.registry.applePush(objectID: objectID) == nil }
        return try await server.call("GET", "/tables/Notifications/\(objectID)").body
    }

    /// What a device got, as JSON.
    func payloads(_ token: String) throws -> [JSONValue] {
        try apple.inbox(of: token).map { try JSONValue(parsing: $0.payload) }
    }
}

extension TestServer {
    /// Returns when something is so; an error means that it is not yet.
    func waitUntil(_ isSo: () async throws -> Bool) async {
        try? await eventually { (try? await isSo()) == true }
    }
}

extension AppleWorld {
    /// Another server on a registry, which sends to the same Apple.
    func another(on registry: Registry) async throws -> TestServer {
        try await TestServer(
            registry, clock: ServerClock(),
            configure: { $0.apple = AppleService(profiles: profiles, senders: pool.senders()) })
    }

    /// Waits until a server has ended a push, stops it, and checks that each device got it once, beside one that got
    /// another push before.
    func expectEnd(of id: String, at second: TestServer, on registry: Registry, devices count: Int) async throws {
        await second.waitUntil { try await registry.applePush(objectID: id) == nil }
        let record = try await second.call("GET", "/tables/Notifications/\(id)").body
        await second.server.stop()
        #expect(record["status"] == "done")
        #expect(record["iosSuccesses"] == .integer(Int64(count)))
        #expect(record["inDoubt"] == nil)
        #expect(apple.deliveryHistogram() == [1: count + 1])
    }
}
