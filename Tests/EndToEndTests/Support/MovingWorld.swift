import Base
import Delivery
import DeviceRegistry
import Foundation
import Push
import PushServer
import RegistryTesting
import Testing

/// A world that moves: what stands here is the old service, and a new server takes its place.
extension World {
    /// Nothing is sent here.
    private struct NoSenders: SenderProviding {
        func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
            throw SenderError("nobody pushes")
        }
    }

    /// What a new server pushes with: to Apple by profiles of these names, to each vendor by one of its own name.
    static func service(
        _ names: [String] = ["production"], isHere: Bool = true, android: [PushVendor] = []
    ) -> AppleService {
        func profile(_ name: String, _ credential: DeviceProfile.Credential, topic: String = "") -> DeviceProfile {
            DeviceProfile(
                name: name, origin: Origin(file: "p.yaml", line: 1), environment: .production,
                topic: topic, isDefault: true, credential: credential,
                facts: isHere ? CredentialFacts(fingerprint: "f", expiresAt: nil) : nil)
        }
        let key = DeviceProfile.Credential.token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY"))
        let apple = names.map { profile($0, key, topic: "com.example.giants") }
        return AppleService(
            profiles: apple + android.map { profile($0.rawValue, .vendor($0, ids: [:], secrets: [:])) },
            senders: NoSenders())
    }

    /// What pushes to Apple's devices; its key is not on this machine.
    static let apple = """
        kind: DeviceProfile
        name: production
        environment: production
        topic: com.example.giants
        default: true
        token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: GIANTS_APNS_KEY}}
        """

    /// The new server, over an empty registry, and a workspace whose remotes are both.
    func withNewServer(
        apple: AppleService? = service(), over registry: Registry? = nil, clock: ServerClock? = nil,
        _ test: (_ new: Registry, _ relay: DomainRelay, _ port: Int) async throws -> Void
    ) async throws {
        let registry = if let registry { registry } else { try await Registry.test() }
        var configuration = PushServerConfiguration(
            applicationID: "giants-demo", masterKey: ServerKey(World.masterKey))
        configuration.apple = apple
        configuration.limits.bePatient()
        // A push to Apple may wait for Apple: its answer does not.
        if apple == nil { configuration.limits.pushPatience = .seconds(600) }
        let server = PushServer(configuration, registry: registry, clock: clock ?? ServerClock(standingAt: World.noon))
        let port = try await server.start()
        let relay = try DomainRelay(to: self.port)
        defer { relay.close() }
        let text = try String(contentsOfFile: path("bugle.yaml"), encoding: .utf8)
        let more = """
            remotes:
              new: {type: leancloud, url: "http://127.0.0.1:\(port)", appId: giants-demo, masterKey: {env: BUGLE_SERVER_KEY}}
            """
        try write("bugle.yaml", text.replacing("remotes:", with: more))
        do {
            try await test(registry, relay, port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    func migrate(_ relay: DomainRelay, _ more: String...) async throws -> Run {
        try await bugle(
            ["migrate", "--from", "local", "--to", "new", "--domain", "http://127.0.0.1:\(relay.port)"] + more)
    }

    /// Copies every class from here to a registry, as a pull does.
    func copy(_ names: [String] = ["_Installation", "BugleLedger", "BugleResource"], into target: Registry) async throws
    {
        for name in names {
            let answer = try await call("GET", "/scan/classes/\(name)?limit=1000&returnACL=true")
            let objects = try (answer["results"]?.array ?? []).map { value in
                try TransferredObject(try #require(value.object))
            }
            _ = try await target.transfer(objects, into: try ClassName(name))
        }
    }

    /// Says to the new server what was delivered.
    func startLedger() async throws {
        let run = try await bugle("ledger", "copy", "--from", "local", "--to", "new")
        #expect(run.status == 0, "\(run.everything)")
    }
}
