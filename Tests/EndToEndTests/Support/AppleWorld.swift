import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

/// A workspace on disk that is deployed straight to a simulated Apple, and the program that is run in it.
struct AppleWorld: Sendable {
    let folder: URL
    let simulator: AppleSimulator
    /// The app: no other test's.
    let topic: String
    let environment: String
    /// What the program finds in its environment.
    let variables: [String: String]

    /// Runs a test in a world of its own and cleans up.
    ///
    /// `files` are the workspace's besides `bugle.yaml` and `profile.yaml`, by path; `policy` and `registry` are what
    /// is under `policy:` and `registry:`. A nil `simulator` means the shared one of the environment. The `devices`
    /// subscribe to channel Giants, and Apple knows them as well.
    ///
    /// The tokens begin with `app`, eight hexadecimal digits that no other test has: where it matters who is in which
    /// part, or is hit by a fault, they are the same in every run.
    static func run(
        _ files: [String: String] = [:], on simulator: AppleSimulator? = nil, environment: String = "production",
        policy: String = "{}", timeout: String = "60s", registry: String = "{sqlite: devices.sqlite}",
        variables: [String: String] = [:], app: String? = nil, devices: Int = 0,
        _ test: (AppleWorld) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let shared = environment == "production" ? AppleSimulator.production : AppleSimulator.development
        let apple: AppleSimulator
        if let simulator { apple = simulator } else { apple = try await shared.running }
        let topic = "com.example.t\(app ?? UUID().uuidString.prefix(8).lowercased())"
        let world = AppleWorld(
            folder: folder, simulator: apple, topic: topic, environment: environment, variables: variables)
        try FileManager.default.copyItem(at: apple.authority, to: folder.appending(path: "ca.pem"))
        try FileManager.default.copyItem(at: apple.key, to: folder.appending(path: "key.p8"))
        try world.write("bugle.yaml", world.workspace(policy: policy, timeout: timeout, registry: registry))
        try world.write("profile.yaml", world.profile())
        for (path, text) in files { try world.write(path, text) }
        if registry.contains("sqlite") { try Registry.test(at: world.path("devices.sqlite")).close() }
        if devices > 0 { try await world.devices(devices) }
        try await test(world)
    }

    func workspace(
        policy: String = "{}", timeout: String = "60s", registry: String = "{sqlite: devices.sqlite}",
        url: String? = nil
    ) -> String {
        let url = url ?? simulator.url
        return """
            kind: Workspace
            name: giants
            defaultRemote: apple
            remotes:
              apple:
                type: apns
                registry: \(registry)
                hosts: {production: "\(url)", development: "\(url)", broadcast: "\(url)", channels: "\(url)"}
                ca: ca.pem
                timeout: \(timeout)
            policy: \(policy)

            """
    }

    /// The profile that pushes the world's app.
    func profile(
        _ name: String = "main", environment: String? = nil, keyID: String? = nil, team: String? = nil
    ) -> String {
        """
        kind: DeviceProfile
        name: \(name)
        default: true
        environment: \(environment ?? self.environment)
        topic: \(topic)
        token: {teamId: \(team ?? simulator.team), keyId: \(keyID ?? simulator.keyID), key: {file: key.p8}}

        """
    }

    // MARK: The workspace

    func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    // MARK: The program

    /// Runs `bugle` in the workspace.
    func bugle(_ arguments: String..., started: @escaping @Sendable (Int32) -> Void = { _ in }) async throws -> Run {
        try await Program.run(arguments, environment: variables, folder: folder, started: started)
    }

    /// Applies without asking.
    @discardableResult
    func apply(
        _ more: String..., expecting status: Int32? = 0, started: @escaping @Sendable (Int32) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Run {
        let run = try await Program.run(
            ["apply", "--auto-approve"] + more, environment: variables, folder: folder, started: started)
        if let status { #expect(run.status == status, "\(run.everything)", sourceLocation: sourceLocation) }
        return run
    }

    /// Frees the lock of an apply that was killed, as the apply that met it says.
    func unlock(after locked: Run) async throws {
        #expect(locked.status == 11, "\(locked.everything)")
        let fence = try #require(locked.errors.firstMatch(of: /bugle unlock ([0-9]+)/), "\(locked.errors)").output.1
        let run = try await bugle("unlock", String(fence))
        #expect(run.status == 0, "\(run.everything)")
    }

    /// What the ledger says of a campaign's newest delivery.
    func status(_ campaign: String) async throws -> JSONValue {
        let run = try await bugle("status", "--format", "json")
        let deliveries = try JSONValue(parsing: run.output)["deliveries"]?.array ?? []
        return try #require(deliveries.last { $0["campaign"]?.string == campaign }, "\(run.everything)")
    }

    // MARK: The devices

    /// A device's token.
    func token(_ index: Int) -> String {
        let number = String(index, radix: 16)
        return String(topic.suffix(8)) + String(repeating: "0", count: 56 - number.count) + number
    }

    /// Registers devices that subscribe to channel Giants.
    ///
    /// They registered last at `since`, or now, and Apple knows them if `isKnown`.
    func devices(
        _ indices: Range<Int>, isKnown: Bool = true, since: Instant? = nil, fields: JSONValue = [:]
    ) async throws {
        let registry = try Registry.test(at: path("devices.sqlite"))
        defer { registry.close() }
        let time = (since ?? Self.now).isoText
        for start in stride(from: indices.lowerBound, to: indices.upperBound, by: 10_000) {
            let objects = try (start..<min(start + 10_000, indices.upperBound)).map { index in
                var members = fields.object ?? [:]
                members.merge([
                    "objectId": .string("device\(index)"), "createdAt": .string(time), "updatedAt": .string(time),
                    "deviceType": "ios", "deviceToken": .string(token(index)), "channels": ["Giants"],
                ]) { own, _ in own }
                return try TransferredObject(members)
            }
            let outcomes = try await registry.transfer(objects, into: .installation)
            #expect(outcomes.allSatisfy { $0 == .added })
        }
        guard isKnown else { return }
        let known = indices.map { index -> JSONValue in
            ["token": .string(token(index)), "topic": .string(topic)]
        }
        try await simulator.call("POST", "/devices", ["devices": .array(known)])
    }

    func devices(_ count: Int, isKnown: Bool = true) async throws { try await devices(0..<count, isKnown: isKnown) }

    /// What the registry holds of a device.
    func device(_ index: Int) async throws -> JSONValue {
        let registry = try Registry.test(at: path("devices.sqlite"))
        defer { registry.close() }
        let object = try await registry.object("device\(index)", in: .installation, as: .master)
        return .object(try #require(object).fields)
    }

    static var now: Instant { Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }

    // MARK: What came of it

    /// What the devices received of the world's app: how many devices, how many notifications, and how many of them twice.
    func received() async throws -> (devices: Int, messages: Int, duplicates: Int) {
        let summary = try await simulator.call("GET", "/inboxes?topic=\(topic)")
        func number(_ name: String) -> Int { Int(summary[name]?.integer ?? -1) }
        return (number("devices"), number("messages"), number("duplicates"))
    }
}
