import Foundation
import Push
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

    // MARK: The model

    /// `make model` exhausts a model that is made from the same table.
    @Test func whatTheJournalsDoIsInTheModelsTable() async throws {
        let found = await Simulations.report(of: 0..<600, against: try table())
        #expect(found.failures == [])
        // They need more worlds.
        #expect(Set(found.unseen).isSubset(of: ["device expire", "device keep"]))
    }

    @Test func aTableWithoutRetriesDoesNotAcceptWhatTheJournalsDo() async throws {
        let text = try text().replacing("fresh,waits  open", with: "fresh        open")
        let changed = try #require(TransitionTable(text))
        let found = await Simulations.report(of: 0..<60, against: changed)
        #expect(found.failures.contains { $0.contains("no event of the table makes a waits device open") })
    }

    /// What would send to somebody twice, or lose a device unsaid.
    @Test(arguments: [
        ("accepted", "open", 1, "running", "run"), ("doubtful", "open", 1, "running", "run"),
        ("open", "fresh", 1, "running", "run"), ("open", "waits", 1, "closed", "run"),
        ("doubtful", "missed", 1, "closed", "run"), ("fresh", "accepted", 1, "running", "run"),
        ("fresh", "open", 2, "running", "run"), ("fresh", "open", 1, "closed", "run"),
        ("fresh", "open", 1, "running", ""),
        ("open", "accepted", 2, "running", "run"),
    ])
    func aWrongStepIsFound(before: String, after: String, fence: Int, journal: String, run: String) throws {
        var trace = JournalTrace(try table())
        let now = Instant(seconds: 1_795_176_000)
        var (first, next) = (JournalSnapshot(), JournalSnapshot())
        (first.run, first.fence, first.journals, first.stops) = (run, 1, ["d": journal], [])
        first.devices = ["d": ["a": .init(before, batch: 1, fence: fence)]]
        _ = trace.take(first, at: now)
        next = first
        next.devices = ["d": ["a": .init(after, batch: 1, fence: fence)]]
        #expect(trace.take(next, at: now) == ["no event of the table makes a \(before) device \(after)"])
    }

    @Test func aClaimAgainstAStopAndATakingWhileTheLeaseLastsAreFound() throws {
        let now = Instant(seconds: 1_795_176_000)
        var first = JournalSnapshot()
        (first.run, first.fence, first.expiresAt) = ("run", 1, now + .seconds(1))
        first.journals = ["d": "running"]
        first.devices = ["d": ["a": .init("fresh", batch: 1)]]
        var claimed = first
        claimed.devices = ["d": ["a": .init("open", batch: 1, fence: 1)]]
        for stop in ["d", "*", "other"] {
            var trace = JournalTrace(try table())
            (first.stops, claimed.stops) = ([stop], [stop])
            _ = trace.take(first, at: now)
            #expect(trace.take(claimed, at: now).isEmpty == (stop == "other"))
        }
        for (time, fence, isRight) in [(0, 2, false), (1, 2, true), (1, 1, false), (1, 3, false)] {
            var trace = JournalTrace(try table())
            _ = trace.take(first, at: now)
            var taken = first
            (taken.run, taken.fence) = ("other", fence)
            #expect(trace.take(taken, at: now + .seconds(time)).isEmpty == isRight)
        }
    }

    private func text() throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: tests.appending(path: "Model/transitions.txt"), encoding: .utf8)
    }

    private func table() throws -> TransitionTable { try #require(TransitionTable(try text())) }
}
