import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import RegistryTesting
import Testing

/// Several machines carry one delivery: their registry is in PostgreSQL.
@Suite(
    .enabled(
        if: PostgresServer.programs != nil, "Debian's package 'postgresql' is not installed: 'make' installs it"))
struct AppleSendersTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    private static var isLong: Bool { ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil }

    /// Of almost every batch somebody is answered late, and a sender has two batches open at most: the others are
    /// answered at once, but 2,000 devices take half a minute, so that a test acts in the middle, however late.
    private static let late: JSONValue = ["milliseconds": 30_000, "rate": 0.02]

    /// A world whose registry is a new database with so many devices.
    private func run(
        devices: Int, in database: PostgresServer = .shared, _ test: (AppleWorld) async throws -> Void
    ) async throws {
        let url = try await database.databaseURL()
        try await AppleSimulator.run(["--accept-every-token", "--counts-only"]) { simulator in
            try await AppleWorld.run(
                Self.files, on: simulator, registry: "{postgres: {env: DATABASE_URL}}",
                variables: ["DATABASE_URL": url]
            ) { world in
                let without = try await world.apply(expecting: 1)
                #expect(without.errors.contains("bugle registry init"), "\(without.everything)")
                #expect(try await world.bugle("registry", "init").status == 0)
                let pool = PostgresPool(try PostgresAddress(url), width: 1)
                try await pool.add(tokens: (0..<devices).map(world.token), channels: ["Giants"])
                await pool.close()
                try await test(world)
            }
        }
    }

    /// An apply and a second machine that joins it; one of them is killed when Apple has seen so many requests.
    private func deliver(devices: Int, killing victim: Int, at requests: Int64) async throws {
        try await run(devices: devices) { world in
            let processes = [Promise<Int32>(), Promise<Int32>()]
            let isOver = Flag()
            func ended(_ run: Run) -> Run {
                isOver.raise()
                return run
            }
            // Nobody is finished before the kill.
            try await world.simulator.fault("delay", Self.late)
            async let holder = world.apply(expecting: nil, started: processes[0].fulfil)
            // There is something to join as soon as the holder has begun to send.
            try await eventually { try await world.simulator.requests >= 1 }
            async let joiner = ended(try await world.bugle("apply", "--join", started: processes[1].fulfil))
            try await eventually { try await world.simulator.requests >= requests }
            kill(await processes[victim].value, SIGKILL)
            _ = try await world.simulator.call("DELETE", "/faults")
            if victim == 0, !Self.isLong {
                // What the dead one claimed is left; waiting until nobody can settle it any more takes minutes. Whoever
                // joined ends before where the dead one's lock, which nobody renews, is over.
                try await eventually {
                    if isOver.isRaised { return true }
                    return try await world.simulator.requests >= Int64(devices - 2000)
                }
                let id = await processes[1].value
                if !isOver.isRaised { kill(id, SIGTERM) }
            }
            let runs = try await [holder, joiner]
            #expect(runs[victim].wasKilled)
            #expect(victim == 0 || [0, 7].contains(runs[0].status), "\(runs[0].everything)")
            #expect(victim == 1 || [0, 8, 11].contains(runs[1].status), "\(runs[1].everything)")
            if victim == 0 {
                let next = try await world.apply(expecting: nil)
                if next.status == 11 { try await world.unlock(after: next) }
            }
            try await world.apply(expecting: nil)
            let status = try await world.status("one")
            func number(_ name: String) -> Int { Int(status[name]?.integer ?? -1) }
            let received = try await world.received()
            #expect(status["state"] == "sent")
            #expect(received.duplicates == 0)
            #expect(number("successes") + number("inDoubt") == devices && number("missed") == 0, "\(status)")
            #expect(number("inDoubt") <= 2000)
            #expect((number("successes")...devices).contains(received.devices), "\(status), \(received)")
        }
    }

    @Test func theHolderDiesAndTheNextApplyGoesOn() async throws {
        try await deliver(devices: 12_000, killing: 0, at: 3000)
    }

    @Test(.enabled(if: isLong)) func theOneThatJoinedDiesAndTheHolderGoesOn() async throws {
        try await deliver(devices: 20_000, killing: 1, at: 8000)
    }

    /// `bugle stop` beside a holder and two that joined, one of which is killed before, and a database that is restarted
    /// after it.
    private func stop(devices: Int, at requests: Int64, restarting database: PostgresServer? = nil) async throws {
        try await run(devices: devices, in: database ?? .shared) { world in
            let victim = Promise<Int32>()
            // Much is left when the stop is there, however late.
            try await world.simulator.fault("delay", Self.isLong ? ["milliseconds": 500] : Self.late)
            async let holder = world.apply(expecting: nil)
            try await eventually { try await world.simulator.requests >= 1 }
            async let killed = world.bugle("apply", "--join", started: victim.fulfil)
            async let joiner = world.bugle("apply", "--join")
            try await eventually { try await world.simulator.requests >= requests }
            kill(await victim.value, SIGKILL)
            let stop = try await world.bugle("stop", "--all", "--reason", "wrong link")
            let sent = try await world.simulator.requests
            #expect(stop.status == 0 && stop.output.contains("one@1 is stopped"), "\(stop.everything)")
            try await database?.restart(.immediate)
            let runs = try await [holder, killed, joiner]
            #expect(runs[0].status == 7 && runs[0].everything.contains("wrong link"), "\(runs[0].everything)")
            // At most a batch of each that lives.
            let left = try await world.simulator.requests
            #expect(left <= sent + 2000 && left < Int64(devices))
            // Not even with the lock of another apply.
            _ = try await world.apply(expecting: 7)
            let early = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
            #expect(early.status == 64 && early.errors.contains("bugle stop --lift"), "\(early.everything)")
            let lift = try await world.bugle("stop", "--lift")
            #expect(lift.status == 0 && lift.output.contains("one@1 stays stopped"), "\(lift.everything)")
            _ = try await world.apply(expecting: 7)
            #expect(try await world.simulator.requests == left)
            _ = try await world.simulator.call("DELETE", "/faults")
            let proceed = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
            #expect(proceed.status == 0, "\(proceed.everything)")
            try await world.apply(expecting: nil)
            let (status, received) = (try await world.status("one"), try await world.received())
            func number(_ name: String) -> Int { Int(status[name]?.integer ?? -1) }
            #expect(status["state"] == "sent" && received.duplicates == 0, "\(status)")
            #expect(number("successes") + number("inDoubt") == devices && number("missed") == 0, "\(status)")
            #expect(number("inDoubt") <= 2000)
        }
    }

    @Test func aStopHoldsForEverySender() async throws { try await stop(devices: 20_000, at: 3000) }

    @Test func aStopHoldsThroughARestartOfTheDatabase() async throws {
        try await stop(devices: 20_000, at: 3000, restarting: PostgresServer())
    }

    @Test(.enabled(if: isLong)) func aStopHoldsForEverySenderOfAMillion() async throws {
        try await stop(devices: 1_000_000, at: 300_000)
    }

    @Test func aSavedPlanIsOfOneDatabaseWhateverTheVariableIsCalled() async throws {
        try await run(devices: 2) { world in
            #expect(try await world.bugle("plan", "--out", "plan.json").status == 0)
            let other = ["DATABASE_URL": try await PostgresServer.databaseURL()]
            func elsewhere(_ arguments: String...) async throws -> Run {
                try await Program.run(arguments, environment: other, folder: world.folder)
            }
            #expect(try await elsewhere("registry", "init").status == 0)
            let stale = try await elsewhere("apply", "plan.json")
            #expect(stale.status == 9, "\(stale.everything)")
            #expect(try await world.received().messages == 0)
            let run = try await world.bugle("apply", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
        }
    }

    @Test func whereNothingIsUnderWayThereIsNothingToJoin() async throws {
        try await run(devices: 1) { world in
            let run = try await world.bugle("apply", "--join")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.contains("No delivery is in progress"), "\(run.everything)")
        }
        try await AppleWorld.run(Self.files, devices: 1) { world in
            let run = try await world.bugle("apply", "--join")
            #expect(run.status == 1 && run.errors.contains("PostgreSQL registry"), "\(run.everything)")
            #expect(try await world.received().messages == 0)
        }
    }
}
