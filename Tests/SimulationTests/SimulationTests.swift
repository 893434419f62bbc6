import DeviceRegistry
import Foundation
import SimulationTesting
import Testing

@Suite struct SimulationTests {
    @Test func whateverHappensNobodyGetsItTwiceAndNobodyIsForgotten() async throws {
        let environment = ProcessInfo.processInfo.environment
        let schedules = environment["BUGLE_LONG_TESTS"] == nil ? 10_000 : 1_000_000 as UInt64
        // One seed, or several: 17, 100-200.
        let chosen = environment["BUGLE_SEED"].map { $0.split(separator: "-").compactMap { UInt64($0) } } ?? []
        let seeds = chosen.first.map { $0..<(chosen.last ?? $0) + 1 } ?? 0..<schedules
        let failures = await Simulating.failures(of: seeds)
        for failure in failures.prefix(5) { Issue.record("\(failure)") }
        #expect(failures.isEmpty)
    }

    @Test func aHoldInTheMiddleAndItsReleaseReachEverybodyOnce() async {
        #expect(await Simulating.failuresWhenHeld(of: 0..<200) == [])
    }

    @Test func aSeedReplaysToTheLastJob() async {
        let traces = await Simulating.traces(of: 0..<200)
        #expect(await Simulating.traces(of: 0..<200) == traces)
    }
}
