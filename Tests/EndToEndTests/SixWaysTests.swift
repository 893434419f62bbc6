import Base
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// One delivery through Apple, FCM, Huawei, Xiaomi, OPPO and vivo, killed again and again, joined where senders may, with
/// answers that are lost and a quota that is used up: each device gets it once, and all figures agree.
@Suite(.serialized) struct SixWaysTests {
    /// The databases of a registry.
    enum Store: String, CaseIterable, Sendable {
        case sqlite, postgres

        /// Those that this machine has.
        static let here = allCases.filter { $0 == .sqlite || PostgresServer.programs != nil }
    }

    private static let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil

    private static let files = [
        "a.yaml": String.giants,
        "one.yaml": """
        kind: Campaign
        name: one
        environment: production
        audience: {channels: [Giants]}
        message: {title: Giants, body: one}
        schedule: {window: 3d}
        expiration: {after: 7d}

        """,
    ]

    /// Runs a test with so many devices of each way, in a registry of this kind.
    private func run(_ devices: [Way: Int], on store: Store, _ test: (AppleWorld) async throws -> Void) async throws {
        var variables: [String: String] = [:]
        if store == .postgres {
            variables["DATABASE_URL"] = try await PostgresServer.databaseURL(like: PostgresServer.template)
        }
        let registry = store == .sqlite ? "{sqlite: devices.sqlite}" : "{postgres: {env: DATABASE_URL}}"
        try await AppleSimulator.run(["--fcm", "giants-app", "--accept-every-token", "--counts-only"]) { simulator in
            try await AppleWorld.run(
                Self.files, on: simulator, registry: registry, variables: variables
            ) { world in
                try world.write(
                    "bugle.yaml",
                    world.workspace(registry: registry).replacing("hosts: {", with: "hosts: {" + world.androidHosts))
                for way in devices.keys { try world.declare(way) }
                try await world.devices(of: devices)
                try await test(world)
            }
        }
    }

    /// What the simulator has delivered to all.
    private func messages(_ world: AppleWorld) async throws -> Int {
        Int(try await world.simulator.call("GET", "/inboxes")["messages"]?.integer ?? -1)
    }

    /// An apply that is killed when so many devices have got it; not killed: it ended before.
    private func applyKilled(_ world: AppleWorld, at count: Int) async throws -> Run {
        let (process, isOver) = (Promise<Int32>(), Flag())
        async let killing: Void = {
            let id = await process.value
            try await eventually { if isOver.isRaised { true } else { try await messages(world) >= count } }
            if !isOver.isRaised { kill(id, SIGKILL) }
        }()
        let run = try await world.apply(expecting: nil, started: process.fulfil)
        isOver.raise()
        try await killing
        return run
    }

    /// An apply and one that joins it, both killed, one after the other; the runs that were not killed ended before.
    private func joinKilled(_ world: AppleWorld, at counts: [Int], holderFirst: Bool) async throws -> [Run] {
        let processes = [Promise<Int32>(), Promise<Int32>()]
        let over = [Flag(), Flag()]
        let before = try await messages(world)
        func ended(_ number: Int, _ run: Run) -> Run {
            over[number].raise()
            return run
        }
        async let holder = ended(0, try await world.apply(expecting: nil, started: processes[0].fulfil))
        // There is something to join as soon as the holder has begun to send.
        try await eventually { if over[0].isRaised { true } else { try await messages(world) > before } }
        async let joiner = ended(
            1, try await world.bugle("apply", "--join", started: processes[1].fulfil))
        for (count, victim) in zip(counts, holderFirst ? [0, 1] : [1, 0]) {
            try await eventually {
                if over[0].isRaised && over[1].isRaised { true } else { try await messages(world) >= count }
            }
            let id = await processes[victim].value
            if !over[victim].isRaised { kill(id, SIGKILL) }
        }
        return try await [holder, joiner]
    }

    /// Kills deliveries at these numbers of devices, so many as get there; returns how many were killed.
    private func spoil(_ world: AppleWorld, at counts: [Int], joins: Bool) async throws -> Int {
        var killed = 0
        for start in stride(from: 0, to: counts.count, by: joins ? 2 : 1) {
            let runs =
                joins
                ? try await joinKilled(
                    world, at: Array(counts[start..<min(start + 2, counts.count)]), holderFirst: start % 4 == 0)
                : [try await applyKilled(world, at: counts[start])]
            guard runs.contains(where: \.wasKilled) else { break }
            killed += runs.count { $0.wasKilled }
            // The dead run's lock holds for two minutes more; a run that died without it left none.
            let next = try await world.bugle("apply", "--stop-file", "bugle.yaml", "--auto-approve")
            if next.status == 11 { try await world.unlock(after: next) }
        }
        return killed
    }

    /// What the vendors keep waiting until midnight is due now.
    private func becomeMidnight(in world: AppleWorld) async throws {
        let registry = try await world.registry()
        let waited = try await registry.write { db in
            try db.execute("UPDATE journalTarget SET dueAt = ? WHERE dueAt > ?", [db.now, db.now])
        }
        #expect(waited > 0)
        await registry.shutDown()
    }

    private func deliver(_ devices: [Way: Int], kills: [Int], quota: Int, on store: Store) async throws {
        try await run(devices, on: store) { world in
            let all = devices.values.reduce(0, +)
            let simulator = world.simulator
            let plan = try JSONValue(parsing: try await world.bugle("plan", "--format", "json").output)
            let planned = plan["changes"]?.array?.first { $0["name"] == "one" }?["audience"]?["devices"]
            #expect(planned == .integer(Int64(all)))
            // Nothing is answered at once, so that a kill finds devices on their way; some answers never come.
            try await simulator.fault("delay", ["milliseconds": 300])
            for (way, isProcessed) in [("fcm", true), ("hms", true), ("mi", false), ("oppo", true)] {
                try await simulator.fault(
                    "reset", ["processed": .bool(isProcessed), "limit": 2, "rate": 0.3, "service": .string(way)])
            }
            try await simulator.call("POST", "/quotas", ["service": "vivo", "devices": .integer(Int64(quota))])
            // No run ends before it is killed, however late: FCM's batch takes a minute. Beside it the others' go on.
            let late =
                try await Self.isLong
                ? nil : simulator.fault("delay", ["milliseconds": 30_000, "service": "fcm"])

            let killed = try await spoil(world, at: kills, joins: store == .postgres)
            #expect(killed > 0)
            if let late { try await simulator.call("DELETE", "/faults/\(late)") }
            let today = try await world.apply(expecting: nil)
            #expect(try await simulator.faultHits().values.reduce(0, +) > 0)
            #expect(try await world.received(of: .vivo).messages <= quota, "\(today.everything)")
            try await simulator.call("DELETE", "/faults")
            try await becomeMidnight(in: world)
            try await simulator.call("POST", "/quotas", ["service": "vivo", "devices": .integer(Int64(all))])
            let last = try await world.apply("--json-result", "result.json", expecting: nil)
            try await check(world, devices, last, doubtAtMost: (killed + 8) * 2000)
            // Nothing is left to do, and nothing is done.
            let messages = try await messages(world)
            let again = try await world.apply(expecting: nil)
            #expect(again.status == last.status, "\(again.everything)")
            #expect(try await self.messages(world) == messages)
        }
    }

    /// Result, status, the journal's record of each profile, and the simulator of each service agree.
    private func check(_ world: AppleWorld, _ devices: [Way: Int], _ last: Run, doubtAtMost: Int) async throws {
        let all = devices.values.reduce(0, +)
        let status = try await world.status("one")
        func number(_ name: String, of value: JSONValue? = nil) -> Int { Int((value ?? status)[name]?.integer ?? -1) }
        #expect(status["state"] == "sent", "\(last.everything)")
        #expect(number("devices") == all && number("missed") == 0 && number("invalidTokens") == 0, "\(status)")
        #expect(number("successes") + number("inDoubt") == all, "\(status)")
        #expect(number("inDoubt") <= doubtAtMost, "\(status)")
        // A person hears of the doubt.
        #expect(last.status == (number("inDoubt") > 0 ? 7 : 0), "\(last.everything)")
        let text = try String(contentsOfFile: world.path("result.json"), encoding: .utf8)
        let result = try #require(try JSONValue(parsing: text)["results"]?.array?.first { $0["name"] == "one" })
        for name in ["devices", "successes", "inDoubt", "missed", "invalidTokens"] {
            #expect(result["figures"]?[name] == status[name], "\(name): \(result)")
        }

        let registry = try await world.registry()
        let accepted = try await Journal(registry).accepted(of: try #require(result["delivery"]?.string))
        await registry.shutDown()
        #expect(accepted.values.reduce(0, +) == number("successes"), "\(accepted), \(status)")
        for (way, count) in devices {
            let received = try await world.received(of: way)
            let known = accepted[way.profile] ?? 0
            #expect(received.duplicates == 0, "\(way)")
            #expect((known...count).contains(received.devices), "\(way): \(known), \(received), \(count)")
        }
    }

    @Test(arguments: Store.here) func aDeliveryOverSixWaysReachesEachDeviceOnceWhateverKillsIt(store: Store)
        async throws
    {
        // Of vivo's six calls each kill may take two, and one has the quota: the last waits for midnight, whatever is killed.
        try await deliver(
            [.apple: 300, .fcm: 600, .hms: 1300, .mi: 1100, .oppo: 1200, .vivo: 5400],
            kills: store == .sqlite ? [1500] : [600, 1800], quota: 1000, on: store)
    }

    @Test(.enabled(if: isLong), arguments: Store.here)
    func aHundredThousandDevicesOverSixWaysAreReachedOnceWhateverKillsTheirDelivery(store: Store) async throws {
        try await deliver(
            [.apple: 25_000, .fcm: 25_000, .hms: 20_000, .mi: 12_000, .oppo: 10_000, .vivo: 8000],
            kills: (0..<8).map { $0 * 11_000 + $0 * 7919 % 11_000 + 1 }, quota: 3000, on: store)
    }
}
