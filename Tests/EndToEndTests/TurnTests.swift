import Base
import DeviceRegistry
import Dispatch
import Foundation
import ProgramTesting
import Push
import PushServer
import RegistryTesting
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// The whole move and the way back, while devices register, requests fail and programs are killed.
@Suite struct TurnTests {
    /// How much there is of everything.
    struct Size: Sendable {
        let devices: Int
        /// The registrations of each part of the way.
        let registrations: Int
        let kills: Int
        let page: Int
        /// The requests after which a program is killed, at most.
        let patience: Int
    }

    @Test func noRegistrationIsLostOnTheWayThereAndBack() async throws {
        try await Self.move(Size(devices: 5_000, registrations: 150, kills: 10, page: 250, patience: 9), seed: 17)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"))
    func noRegistrationOfAMillionDevicesIsLost() async throws {
        try await Self.move(
            Size(devices: 1_000_000, registrations: 3_000, kills: 10, page: 1000, patience: 250), seed: 18)
    }

    /// The profiles of seeded devices.
    private static let profiles = ["driver", "passenger", "production"]

    private static let files = [
        "p.yaml": profiles.map { name in
            World.apple.replacing("name: production", with: "name: \(name)")
                .replacing("default: true", with: "default: \(name == "production")")
        }.joined(separator: "\n---\n"), "before.yaml": String.campaign("before"),
        "channel.yaml": "kind: Channel\nname: Giants\n",
        "after.yaml": String.campaign("after", more: "expiration: {after: 7d}\nhold: true"),
    ]

    private static func move(_ size: Size, seed: UInt64) async throws {
        try await World.run(files, policy: "{maxAudience: 10000000}", devices: size.devices) { world in
            let data = world.path(".new.sqlite")
            let registry = try Registry.test(at: data)
            // What LeanCloud delivered before the move.
            let applied = try await world.bugle("apply", "--remote", "local", "--auto-approve")
            #expect(applied.status == 0, "\(applied.everything)")
            let apple = World.service(profiles)
            try await world.withNewServer(apple: apple, over: registry, clock: world.clock) { new, domain, port in
                let killer = Killer(size.kills, within: size.patience, seed: seed)
                let weather = RelayWeather(percent: 20, seed: seed) { killer.request($0) }
                let leanCloud = try DomainRelay(to: world.port, weather: weather)
                defer { leanCloud.close() }
                let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                let own = text.replacing("127.0.0.1:\(world.port)", with: "127.0.0.1:\(leanCloud.port)")
                try world.write("bugle.yaml", own + "\nmigration: {accept: [android-without-way]}")
                let turn = Turn(
                    world: world, new: new, size: size, domain: domain, killer: killer,
                    program: ServerCommand(data: data, leanCloud: "http://127.0.0.1:\(leanCloud.port)"))
                try await turn.run(newServer: port)
            }
            registry.close()
        }
    }
}

/// Kills the program that is named to it after some requests each, a number of times.
private final class Killer: Sendable {
    private struct State {
        var left: Int
        var random: SeededNumbers
        var next: Int
        var victim: BackgroundProgram?
        var killed = 0
        var isHolding = false
        /// The requests that wait.
        var held = 0
    }

    private let state: Mutex<State>
    private let isLetGo = DispatchSemaphore(value: 0)
    private let patience: Int

    init(_ kills: Int, within patience: Int, seed: UInt64) {
        self.patience = patience
        state = Mutex(State(left: kills, random: SeededNumbers(seed), next: 2))
    }

    var killed: Int { state.withLock { $0.killed } }

    /// Lets every request wait until it knows whom to kill: a program that is soon done must not be done before.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Gives it another one to kill; `kills` more in all.
    func aim(at program: BackgroundProgram, more kills: Int = 0) {
        let held = state.withLock { state in
            defer { state.held = 0 }
            state.victim = program
            state.left += kills
            state.isHolding = false
            return state.held
        }
        for _ in 0..<held { isLetGo.signal() }
    }

    func request(_ number: Int) {
        while isHeld() { isLetGo.wait() }
        let victim = state.withLock { state -> BackgroundProgram? in
            guard state.left > 0, number >= state.next, let victim = state.victim else { return nil }
            state.left -= 1
            state.killed += 1
            state.victim = nil
            state.next = number + Int.random(in: 1...patience, using: &state.random)
            return victim
        }
        victim?.send(SIGKILL)
    }

    /// True if a request has to wait, until ``isLetGo`` is signalled for it.
    private func isHeld() -> Bool {
        state.withLock { state in
            if state.isHolding { state.held += 1 }
            return state.isHolding
        }
    }
}

/// The commands of bugle-server in this move.
private struct ServerCommand: Sendable {
    let data: String
    let leanCloud: String

    func start(_ words: [String]) async throws -> BackgroundProgram {
        try await BackgroundProgram.start(
            "bugle-server", words + ["--app-id", "giants-demo", "--data", data],
            environment: ["LEANCLOUD_MASTER_KEY": World.masterKey], lines: 0)
    }

    func follow(page: Int) async throws -> BackgroundProgram {
        try await start(["pull", "--from", leanCloud, "--follow", "--every", "1s", "--page-size", "\(page)"])
    }

    /// Runs it to its end.
    func run(_ words: [String]) async throws -> (status: Int32, output: String) {
        let result = try await Subprocess.run(
            .path(try BuiltProgram.path("bugle-server")),
            arguments: Arguments(words + ["--app-id", "giants-demo", "--data", data]),
            environment: .custom(["LEANCLOUD_MASTER_KEY": World.masterKey, "PATH": "/usr/bin:/bin"]), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard case .exited(let status) = result.terminationStatus else { return (-1, result.standardOutput) }
        return (status, result.standardOutput + result.standardError)
    }
}

/// A copy that goes on until it is ended on purpose.
private actor Following {
    private var running: BackgroundProgram?
    private var isOver = false

    /// Starts it and returns true when it has been killed; false once it is over.
    func start(_ make: () async throws -> BackgroundProgram, _ killer: Killer) async throws -> Bool {
        guard !isOver else { return false }
        let program = try await make()
        running = program
        killer.aim(at: program)
        if isOver { await program.kill() }
        _ = try await program.ending
        return !isOver
    }

    func end() async {
        isOver = true
        await running?.kill()
    }
}

/// One move and its way back.
private struct Turn {
    let world: World
    let new: Registry
    let size: TurnTests.Size
    let domain: DomainRelay
    let killer: Killer
    let program: ServerCommand

    func run(newServer port: Int) async throws {
        // 1: pull --follow, which is killed again and again, as a machine that restarts does, and started again.
        let copy = Following()
        let following = Task { try await follow(copy) }
        var known: [String: Int] = [:]
        try await register("first", through: domain.port, &known)
        // 2: ledger copy.
        try await eventually {
            try await world.bugle("ledger", "copy", "--from", "local", "--to", "new").status == 0
        }
        // 3: migrate --rehearse, once everything has been copied: it counts what is on both sides.
        try await patiently { try await hasCopied(port) && killer.killed >= size.kills }
        var last = ""
        try await patiently {
            let run = try await world.migrate(domain, "--rehearse")
            last = run.everything
            return run.status == 0
        }
        #expect(last.contains("The domain may be moved"), "\(last)")
        // 4: the turn; clients that remember the old address still go there.
        domain.move(to: port)
        try await register("second", through: domain.port, &known)
        // They are newer than the registrations at the new server, and hide none of them.
        try await register("late", through: world.port, &known, count: max(120, size.registrations / 10))
        try await eventually { try await missing(known, from: new.versions(of:)).isEmpty }
        // 5: migrate.
        let moved = try await world.migrate(domain)
        #expect(moved.status == 0 && moved.output.contains("has been moved"), "\(moved.everything)")
        #expect(moved.output.contains("devices have registered with the new server itself"), "\(moved.output)")
        // No campaign twice: what LeanCloud delivered is nothing to do for the new server.
        let plan = try await world.bugle("plan", "--remote", "new", "--detailed-exitcode")
        #expect(plan.status == 0, "\(plan.everything)")
        await copy.end()
        try await following.value
        // 6: the way back.
        domain.move(to: world.port)
        try await register("third", through: domain.port, &known)
        try await giveBack()
        #expect(try await missing(known, from: world.registry.versions(of:)) == [])
        #expect(killer.killed == size.kills + 3)
    }

    /// True once the new server has a copy of every device.
    private func hasCopied(_ port: Int) async throws -> Bool {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/1.1/bugle/server"))
        return try await LoopbackHTTP.send(url, method: "GET", body: nil, key: World.masterKey)["copiedUntil"] != nil
    }

    /// Waits for the copy of a million devices, which a busy machine needs more than ten minutes for.
    private func patiently(_ isSo: () async throws -> Bool) async throws {
        for _ in 0..<4 {
            do { return try await eventually(isSo) } catch is NeverSo {}
        }
        try await eventually(isSo)
    }

    /// Starts the copy again whenever it has ended, as systemd does.
    private func follow(_ copy: Following) async throws {
        while try await copy.start({ try await program.follow(page: size.page) }, killer) {}
    }

    /// 7: return --write, which is killed three times and run until it finds nothing.
    private func giveBack() async throws {
        let words = ["return", "--to", program.leanCloud, "--write"]
        for _ in 0..<3 {
            killer.hold()
            let running = try await program.start(words)
            killer.aim(at: running, more: 1)
            _ = try await running.ending
        }
        var last = (status: Int32(-1), output: "")
        try await eventually {
            last = try await program.run(words)
            return last.status == 0 && last.output.contains("0 devices have registered here later")
        }
    }

    /// Registers new devices and some of those that are there, each until it is answered; a hundred a second.
    private func register(
        _ part: String, through port: Int, _ known: inout [String: Int], count: Int? = nil
    ) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/1.1/installations"))
        let again = known.keys.sorted().prefix(size.registrations / 3)
        let tokens = (0..<(count ?? size.registrations)).map { "\(part)\($0)" } + (count == nil ? Array(again) : [])
        for (index, token) in tokens.enumerated() {
            if index % 100 == 0 { world.advance(.seconds(1)) }
            let version = (known[token] ?? 0) + 1
            let body: JSONValue = [
                "deviceType": "ios", "deviceToken": .string(token), "installationId": .string("i-\(token)"),
                "channels": ["Giants"], "version": .integer(Int64(version)),
            ]
            try await eventually {
                let answer = try? await LoopbackHTTP.send(url, method: "POST", body: body, key: World.masterKey)
                return answer?["objectId"]?.string != nil
            }
            known[token] = version
        }
        world.advance(.seconds(1))
    }

    /// The devices that a registry has not, or in an older version.
    private func missing(
        _ known: [String: Int], from versions: ([String]) async throws -> [String: Int]
    ) async throws -> [String] {
        let found = try await versions(known.keys.sorted())
        return known.filter { found[$0.key] ?? 0 < $0.value }.keys.sorted()
    }
}

extension Registry {
    /// The versions of the devices with these tokens.
    fileprivate func versions(of tokens: [String]) async throws -> [String: Int] {
        var versions: [String: Int] = [:]
        for start in stride(from: 0, to: tokens.count, by: 500) {
            var query = ObjectQuery()
            query.condition = [
                "deviceToken": ["$in": .array(tokens[start..<min(start + 500, tokens.count)].map { .string($0) })]
            ]
            query.limit = 1000
            for device in try await find(query, in: .installation, as: .master).results {
                versions[device["deviceToken"]?.string ?? ""] = device["version"]?.integer.map { Int($0) }
            }
        }
        return versions
    }
}
