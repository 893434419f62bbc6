import SimulationTesting
import Testing

/// A few worlds with every check of a debug build; `make test` goes on with 10,000 in the optimised `simulation`.
@Suite struct SimulationTests {
    @Test func whateverHappensNobodyGetsItTwiceAndNobodyIsForgotten() async {
        #expect(await Simulations.failures(of: 0..<600) == [])
    }

    @Test func aHoldInTheMiddleAndItsReleaseReachEverybodyOnce() async {
        #expect(await Simulations.failuresWhenHeld(of: 0..<200) == [])
    }

    /// Every remote: Apple's devices, a broadcast channel, LeanCloud.
    @Test func whatIsSentLostOrCancelledLeavesAnEmptyPlan() async {
        let failures = await Simulations.failuresOfConformance(of: 0..<60)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test func aSeedReplaysToTheLastJob() async {
        let traces = await Simulations.traces(of: 0..<200)
        #expect(await Simulations.traces(of: 0..<200) == traces)
    }
}
