import Base
import Foundation
import ProgramTesting
import Testing

/// `kill -9` of an apply in the middle of a delivery straight to Apple, and applies after it.
@Suite(.serialized) struct AppleKillTests {
    private static let files = [
        "a.yaml": String.giants, "one.yaml": String.campaign("one", more: "expiration: {after: 7d}"),
    ]

    private static var isLong: Bool { ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil }

    /// Applies, killed when Apple has seen so many requests; not killed: it ended before.
    private func applyKilled(_ world: AppleWorld, at requests: Int64) async throws -> Run {
        let process = Promise<Int32>()
        let ended = Gate()
        let (simulator, isOver) = (world.simulator, Flag())
        async let killing: Void = {
            let id = await process.value
            try await eventually {
                if isOver.isRaised { return true }
                return try await simulator.requests >= requests
            }
            // A process that is gone may have given its id to another one.
            if !isOver.isRaised { kill(id, SIGKILL) }
            ended.open()
        }()
        let run = try await world.apply(expecting: nil, started: process.fulfil)
        isOver.raise()
        try await killing
        await ended.pass()
        return run
    }

    /// Applies again and again, each killed at the next of these numbers of requests, and then to its end.
    private func survive(devices: Int, kills: [Int64], on simulator: AppleSimulator) async throws {
        try await AppleWorld.run(Self.files, on: simulator) { world in
            try await world.devices(devices, isKnown: false)
            // Whoever counts the requests comes to kill the run before it ends, however late: of almost every batch
            // somebody waits long for an answer, and two are open at most. The next kill comes within these two.
            let delay = try await simulator.fault(
                "delay", Self.isLong ? ["milliseconds": 500] : ["milliseconds": 30_000, "rate": 0.02])
            var (killed, ended) = (0, Run?.none)
            for requests in kills {
                let run = try await applyKilled(world, at: requests)
                guard run.wasKilled else {
                    ended = run
                    break
                }
                killed += 1
                // The dead run's lock holds for two minutes more; a run that died without it left none.
                let next = try await world.bugle("apply", "--stop-file", "bugle.yaml", "--auto-approve")
                if next.status == 11 { try await world.unlock(after: next) }
            }
            try await simulator.call("DELETE", "/faults/\(delay)")
            let last = try await world.apply(expecting: nil)
            let status = try await world.status("one")
            func number(_ name: String) -> Int { Int(status[name]?.integer ?? -1) }
            let received = try await world.received()
            #expect(killed > 0)
            #expect(status["state"] == "sent")
            #expect(received.duplicates == 0)
            #expect(number("devices") == devices)
            #expect(number("missed") == 0 && number("invalidTokens") == 0)
            #expect(number("successes") + number("inDoubt") == devices, "\(status)")
            #expect(number("inDoubt") <= killed * 2000)
            #expect((number("successes")...devices).contains(received.devices), "\(status), \(received)")
            // Every run tells of the doubt until a person has answered.
            for run in [ended, last].compactMap(\.self) {
                #expect(run.status == (number("inDoubt") > 0 ? 7 : 0), "\(run.everything)")
            }
        }
    }

    @Test func whateverKillsADeliveryNoDeviceGetsItTwiceAndNoneIsForgotten() async throws {
        try await AppleSimulator.run(["--accept-every-token", "--counts-only"]) { simulator in
            try await survive(devices: 10_000, kills: [1, 700, 2300, 4100], on: simulator)
        }
    }

    @Test(.enabled(if: isLong)) func twentyKillsInADeliveryToAHundredThousandDevices() async throws {
        try await AppleSimulator.run(["--accept-every-token", "--counts-only"]) { simulator in
            let kills = (0..<20).map { (number: Int64) -> Int64 in number * 3000 + number * 7919 % 3000 + 1 }
            try await survive(devices: 100_000, kills: kills, on: simulator)
        }
    }
}
