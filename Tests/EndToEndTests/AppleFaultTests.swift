import Base
import Foundation
import ProgramTesting
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// What goes wrong on the way to Apple: nothing is sent twice, and what may have been lost is said to be in doubt.
@Suite struct AppleFaultTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    private static var isLong: Bool { ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil }

    /// A fault, whether what it hits reaches the device, and whether that is in doubt each time.
    struct Case: Sendable, CustomTestStringConvertible {
        let effect: String
        var more: JSONValue = [:]
        let isProcessed: Bool
        let isDoubtful: Bool

        var testDescription: String { "\(effect) \(more.canonicalText)" }
    }

    private static let cases = [
        Case(effect: "refuseStream", isProcessed: false, isDoubtful: false),
        Case(effect: "reset", more: ["processed": true], isProcessed: true, isDoubtful: true),
        Case(effect: "reset", more: ["processed": false], isProcessed: false, isDoubtful: true),
        Case(effect: "stall", more: ["processed": true], isProcessed: true, isDoubtful: false),
        Case(effect: "goAway", more: ["reason": "Shutdown"], isProcessed: false, isDoubtful: false),
        Case(effect: "goAwayProcessed", isProcessed: true, isDoubtful: false),
        Case(effect: "disconnect", more: ["processed": true], isProcessed: true, isDoubtful: false),
    ]

    /// Delivers under faults and compares what bugle says with what the devices and the simulator know.
    private func deliver(
        _ cases: [Case], rate: Double, devices: Int, seed: Int64 = 1, timeout: String = "4s"
    ) async throws {
        try await AppleSimulator.run(["--accept-every-token"]) { simulator in
            try await AppleWorld.run(Self.files, on: simulator, timeout: timeout, app: "fa017000") { world in
                try await world.devices(devices, isKnown: false)
                for (index, fault) in cases.enumerated() {
                    var more = fault.more
                    more["rate"] = .number(rate)
                    more["seed"] = .integer(seed + Int64(index))
                    try await simulator.fault(fault.effect, more)
                }
                var run = try await world.apply(expecting: nil)
                // A connection that fails too often stops the delivery; the next apply continues with it. The code says
                // so only while nobody is in doubt: 7 comes before 8.
                for _ in 0..<5 {
                    if run.status != 8, try await world.status("one")["state"] == "sent" { break }
                    run = try await world.apply(expecting: nil)
                }
                let status = try await world.status("one")
                func number(_ name: String) -> Int { Int(status[name]?.integer ?? -1) }
                let (accepted, doubtful) = (number("successes"), number("inDoubt"))
                let received = try await world.received()
                let hits = try await simulator.faultHits().values.reduce(0, +)
                #expect(hits > 0)
                #expect(received.duplicates == 0)
                #expect(status["state"] == "sent", "\(run.everything)")
                #expect(accepted + doubtful == devices && number("missed") == 0, "\(status)")
                #expect((accepted...accepted + doubtful).contains(received.devices), "\(status), \(received)")
                #expect(run.status == (doubtful > 0 ? 7 : 0), "\(run.everything)")
                // What was processed and not answered is in doubt, not forgotten. A fault is drawn when a head comes, and hits
                // nobody whose connection another one ends first.
                let unanswered = try await simulator.unanswered()
                if cases.allSatisfy(\.isProcessed) { #expect(received.devices - accepted >= unanswered) }
                if cases.allSatisfy(\.isDoubtful) { #expect(doubtful >= Int(hits)) }
                // What the protocol disowns is sent again. (A GOAWAY may be lost with the connection that ends after it.)
                if cases.allSatisfy({ $0.effect == "refuseStream" }) { #expect(doubtful == 0) }
            }
        }
    }

    @Test(arguments: cases) func nothingIsSentTwiceThrough(fault: Case) async throws {
        // What waits for the time to be over waits briefly; where a late answer would be doubt, a busy machine has time.
        try await deliver([fault], rate: 0.02, devices: 600, timeout: fault.effect == "refuseStream" ? "60s" : "4s")
    }

    @Test func nothingIsSentTwiceThroughAllOfThemTogether() async throws {
        try await deliver(Self.cases, rate: 0.01, devices: 1200)
    }

    @Test(arguments: [1, 5, 8, 12])
    func nothingIsSentTwiceWhereResetsMeetGoAway(seed: Int64) async throws {
        let both = Self.cases.filter { $0.effect == "goAway" || $0.effect == "reset" && $0.isProcessed }
        try await deliver(both, rate: 0.03, devices: 2500, seed: seed * 1000)
    }

    /// One request in a hundred meets one of the faults, or each of them: 570 or 4,000 connections are lost on the way.
    @Test(.enabled(if: isLong), arguments: [(1, 0.01), (2, 0.01 / 7), (3, 0.01 / 7)])
    func theSameForAHundredThousandDevices(seed: Int64, rate: Double) async throws {
        try await deliver(Self.cases, rate: rate, devices: 100_000, seed: seed * 100, timeout: "10s")
    }

    @Test func devicesThatApplePutsOffAreLeftToALaterApply() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 5) { world in
                try await simulator.fault("refuse", ["status": 503, "reason": "ServiceUnavailable", "limit": 2])
                let run = try await world.apply(expecting: 8)
                #expect(run.output.contains("wait for a retry"), "\(run.everything)")
                #expect(try await world.received() == (3, 3, 0))
                // The lock is free, and their time has not come.
                try await world.apply(expecting: 8)
                #expect(try await world.received() == (3, 3, 0))
            }
        }
    }

    @Test func doubtIsResolvedAsAPersonFinds() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 20) { world in
                // Those that are reset never reach their devices.
                try await simulator.fault("reset", ["processed": false, "limit": 5])
                let run = try await world.apply(expecting: 7)
                let command = "'bugle resolve one@1 --as sent|unsent --reason TEXT'"
                #expect(run.output.contains(command), "\(run.everything)")
                let doubtful = try #require(try await world.status("one")["inDoubt"]?.integer)
                #expect(doubtful >= 5)
                #expect(try await world.received() == (20 - Int(doubtful), 20 - Int(doubtful), 0))
                // Nothing more happens by itself.
                try await world.apply(expecting: 7)
                #expect(try await world.bugle("plan").status == 7)
                #expect(try await world.received().messages == 20 - Int(doubtful))
                let resolved = try await world.bugle("resolve", "one", "--as", "unsent", "--reason", "asked three")
                #expect(resolved.status == 0, "\(resolved.everything)")
                try await world.apply()
                #expect(try await world.received() == (20, 20, 0))
                #expect(try await world.status("one")["inDoubt"] == 0)
                #expect(try await world.bugle("plan", "--detailed-exitcode").status == 0)
            }
        }
    }

    /// Whoever held the lock says until when it is kept, and how it is freed; what was done is done all the same.
    @Test func aLockThatAFullDiskKeepsIsSaidByEveryCommandThatTakesIt() async throws {
        func change(_ sql: String, _ world: AppleWorld) async throws {
            let registry = try Registry.test(at: world.path("devices.sqlite"))
            defer { registry.close() }
            _ = try await registry.write { db in try db.execute(sql, []) }
        }
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 3) { world in
                try await simulator.fault("reset", ["processed": true, "limit": 1])
                let full = """
                    CREATE TRIGGER full BEFORE UPDATE OF run ON deployLock WHEN NEW.run = ''
                    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END
                    """
                let commands = [
                    (["apply", "--auto-approve"], 7 as Int32, "devices were lost"),
                    (["resolve", "one", "--as", "sent", "--reason", "asked"], 0, "is recorded as sent"),
                ]
                for (arguments, status, words) in commands {
                    try await change(full, world)
                    let run = try await Program.run(arguments, environment: world.variables, folder: world.folder)
                    #expect(run.status == status && run.output.contains(words), "\(run.everything)")
                    let warning =
                        /warning: the lock was not freed \(.*disk is full.*\): this run, .+, keeps it until 20/
                    #expect(run.errors.contains(warning), "\(run.everything)")
                    try await change("DROP TRIGGER full", world)
                    // For an hour more, so that its two minutes are not over on a slow machine.
                    try await change("UPDATE deployLock SET expiresAt = expiresAt + 3600000", world)
                    let fence = try #require(run.errors.firstMatch(of: /until 'bugle unlock ([0-9]+)'/)).output.1
                    #expect(try await world.apply(expecting: 11).errors.contains("bugle unlock \(fence)"))
                    #expect(try await world.bugle("unlock", String(fence)).status == 0)
                }
                try await world.apply()
            }
        }
    }

    /// Asked to stop while a later campaign is under way: what is in doubt of the first is a person's all the same.
    @Test func aStopDuringTheSecondCampaignLeavesTheDoubtOfTheFirst() async throws {
        let files = ["a.yaml": String.giants].merging(
            ["one", "two", "three"].map { ("\($0).yaml", String.campaign($0)) }
        ) { $1 }
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(files, on: simulator, devices: 1) { world in
                try await simulator.fault("reset", ["processed": true, "limit": 1])
                try await simulator.fault("delay", ["milliseconds": 4000])
                let process = Promise<Int32>()
                async let run = world.apply(expecting: 7, started: process.fulfil)
                try await eventually { try await simulator.requests >= 2 }
                kill(await process.value, SIGTERM)
                let stopped = try await run
                #expect(stopped.output.contains("bugle resolve one@1 --as sent|unsent"), "\(stopped.everything)")
                #expect(try await world.status("one")["inDoubt"] == 1)
                // What was not begun goes on, and the doubt stays.
                try await world.apply(expecting: 7)
                #expect(try await world.received().duplicates == 0)
                #expect(try await world.received().messages == 3)
            }
        }
    }

    @Test func doubtResolvedAsSentIsLeft() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 3) { world in
                try await simulator.fault("reset", ["processed": true, "limit": 3])
                try await world.apply(expecting: 7)
                let open = try await world.status("one")["reason"]?.string ?? ""
                #expect(open.contains("bugle resolve one@1 --as sent|unsent"), "\(open)")
                #expect(try await world.bugle("status").status == 7)
                let resolved = try await world.bugle("resolve", "one", "--as", "sent", "--reason", "they have it")
                #expect(resolved.status == 0, "\(resolved.everything)")
                #expect(try await world.bugle("status").status == 0)
                try await world.apply()
                #expect(try await world.received().duplicates == 0)
                #expect(try await world.received().messages <= 3)
            }
        }
    }

    @Test func aReasonOfApplesIsTextWhateverItSays() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 3) { world in
                let reason = "\u{1B}[31m::error::\u{202E}\nBad<script>"
                try await simulator.fault("refuse", ["status": 400, "reason": .string(reason)])
                for arguments in [["apply", "--auto-approve"], ["status"], ["plan", "--format", "markdown"]] {
                    let run = try await Program.run(arguments, folder: world.folder)
                    #expect(!run.everything.unicodeScalars.contains("\u{1B}"), "\(arguments)")
                    #expect(!run.everything.unicodeScalars.contains("\u{202E}"), "\(arguments)")
                    #expect(!run.everything.split(separator: "\n").contains { $0.hasPrefix("::") }, "\(arguments)")
                }
            }
        }
    }
}
