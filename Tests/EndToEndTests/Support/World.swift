import Base
import DeviceRegistry
import Foundation
import Push
import PushServer
import RegistryTesting
import Synchronization
import Testing

/// A server in this process, a workspace on disk, and the program that is run against both.
final class World: Sendable {
    static let masterKey = "master-key-9f8e7d6c5b4a"
    static let noon = Instant(milliseconds: 1_795_262_400_000)

    let folder: URL
    let clock: ServerClock
    let registry: Registry
    private let server: PushServer
    let port: Int
    private let state: State

    /// What happens to requests, and what was seen of them.
    final class State: Sendable {
        struct Seen: Sendable {
            let number: Int
            let method: String
            let path: String
        }

        let seen = Mutex<[Seen]>([])
        let hook = Mutex<(@Sendable (ObservedRequest, RequestInstant) async -> Void)?>(nil)
    }

    private init(folder: URL, registry: Registry, clock: ServerClock, server: PushServer, port: Int, state: State) {
        self.folder = folder
        self.registry = registry
        self.clock = clock
        self.server = server
        self.port = port
        self.state = state
    }

    /// Runs a test in a world of its own and cleans up.
    ///
    /// `files` are the workspace's files besides `bugle.yaml`, by path, and `policy` the lines under `policy:`. Without
    /// seeded `devices` a test registers its own.
    static func run(
        _ files: [String: String] = [:], policy: String = "{}", remotes: String = "", devices: Int = 0,
        pushesPerMinute: Int = 600, timeout: String = "60s", _ test: (World) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let registry = try await Registry.test()
        let clock = ServerClock(standingAt: noon)
        if devices > 0 { _ = try await registry.seed(devices: devices, at: clock.now) }
        let state = State()
        var configuration = PushServerConfiguration(applicationID: "giants-demo", masterKey: ServerKey(masterKey))
        configuration.allowsFaults = true
        configuration.limits.bePatient()
        // A push may take its time to its delivery, too, which tests look for at once.
        configuration.limits.pushPatience = .seconds(600)
        configuration.pushesPerMinute = pushesPerMinute
        let server = PushServer(configuration, registry: registry, clock: clock) { request, instant in
            if instant == .beforeHandling {
                state.seen.withLock {
                    $0.append(State.Seen(number: request.number, method: request.method, path: request.path))
                }
            }
            if let hook = state.hook.withLock({ $0 }) { await hook(request, instant) }
        }
        let port = try await server.start()
        let world = World(
            folder: folder, registry: registry, clock: clock, server: server, port: port, state: state)
        try world.write("bugle.yaml", world.workspace(policy: policy, remotes: remotes, timeout: timeout))
        for (path, text) in files { try world.write(path, text) }
        do {
            try await test(world)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    var url: String { "http://127.0.0.1:\(port)" }

    private func workspace(policy: String, remotes: String, timeout: String) -> String {
        """
        kind: Workspace
        name: giants
        defaultRemote: local
        remotes:
          local:
            type: leancloud
            url: \(url)
            appId: giants-demo
            masterKey: {env: BUGLE_SERVER_KEY}
            timeout: \(timeout)
        \(remotes)
        policy: \(policy)
        """
    }

    // MARK: The workspace

    func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Whoever looks at it meanwhile finds the old text or the new one.
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(at: folder.appending(path: path)) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    // MARK: The program

    /// Runs `bugle` in the workspace.
    func bugle(
        _ arguments: String..., environment: [String: String] = [:],
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        try await bugle(arguments, environment: environment, started: started)
    }

    func bugle(
        _ arguments: [String], environment: [String: String] = [:],
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        try await Program.run(
            arguments, environment: ["BUGLE_SERVER_KEY": Self.masterKey].merging(environment) { $1 }, folder: folder,
            started: started)
    }

    /// Applies without asking.
    @discardableResult
    func apply(_ more: String..., expecting status: Int32? = 0) async throws -> Run {
        let run = try await bugle(["apply", "--auto-approve"] + more)
        if let status { #expect(run.status == status, "\(run.everything)") }
        return run
    }

    // MARK: The server

    func advance(_ duration: Duration) { clock.advance(bySeconds: Double(duration.components.seconds)) }

    /// Sees every request from now on, before it is handled and before it is answered.
    func onRequest(_ hook: (@Sendable (ObservedRequest, RequestInstant) async -> Void)?) {
        state.hook.withLock { $0 = hook }
    }

    /// The requests that were made since the last call.
    func takeSeen() -> [State.Seen] {
        state.seen.withLock { seen in
            defer { seen = [] }
            return seen
        }
    }

    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {

        return try await LoopbackHTTP.send(
            try #require(URL(string: url + "/1.1" + path)), method: method, body: body, key: Self.masterKey)
    }

    /// Asks for a fault of the next matching requests.
    func fault(
        _ fault: String, _ method: String = "POST", _ path: String = "/1.1/push", nth: Int = 1, value: Double? = nil
    )
        async throws
    {
        var body: JSONValue = [
            "method": .string(method), "path": .string(path), "nth": .integer(Int64(nth)), "fault": .string(fault),
        ]
        body["value"] = value.map { .number($0) }
        _ = try await call("POST", "/bugle/faults", body)
    }

    /// Registers iOS devices that subscribe to a channel.
    func devices(_ count: Int, channel: String = "Giants", prefix: String = "d") async throws {
        for index in 0..<count {
            _ = try await call(
                "POST", "/installations",
                [
                    "deviceType": "ios", "deviceToken": .string("\(prefix)\(index)"),
                    "channels": [.string(channel)], "scores": true,
                ])
        }
    }

    /// Registers many iOS devices that subscribe to a channel, in one request.
    func subscribers(_ count: Int, channel: String = "Giants", prefix: String) async throws {
        let requests = (0..<count).map { index -> JSONValue in
            [
                "method": "POST", "path": "/1.1/installations",
                "body": [
                    "deviceType": "ios", "deviceToken": .string("\(prefix)\(index)"), "channels": [.string(channel)],
                ],
            ]
        }
        _ = try await call("POST", "/batch", ["requests": .array(requests)])
    }

    /// How often each message text is in the inbox of a device.
    func inbox(_ device: String) async throws -> [String: Int] {
        let results = try await call("GET", "/bugle/devices/\(device)/inbox")["results"]?.array ?? []
        var counts: [String: Int] = [:]
        for message in results {
            let alert = message["data"]?["alert"]
            counts[alert?.string ?? alert?["body"]?.string ?? message["data"]?.canonicalText ?? "", default: 0] += 1
        }
        return counts
    }

    /// The ledger's state of each campaign.
    func ledger() async throws -> [String: String] {
        let results = try await call("GET", "/classes/BugleLedger?limit=1000")["results"]?.array ?? []
        return Dictionary(
            results.map { ($0["campaign"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
    }
}

extension ServerLimits {
    /// Lets a machine that is busy with other tests take its time with connections and requests.
    mutating func bePatient() {
        openingTimeout = .seconds(600)
        requestTimeout = .seconds(600)
        idleTimeout = .seconds(600)
        bodySpeedInterval = .seconds(600)
        largeBodyPatience = .seconds(600)
    }
}

extension String {
    /// A campaign to channel Giants.
    static func campaign(_ name: String, body: String? = nil, more: String = "expiration: {after: 7d}") -> String {
        """
        kind: Campaign
        name: \(name)
        audience: {channels: [Giants], platforms: [ios]}
        message: {body: \(body ?? name)}
        \(more)

        """
    }

    /// The channel that ``campaign(_:body:more:)`` needs.
    static let giants = "kind: Channel\nname: Giants\n"
}
