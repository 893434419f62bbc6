import HistoryTesting
import Testing

/// The checker of histories knows good ones from bad ones.
@Suite struct HistoryCheckerTests {
    private let one = Holding("one", 1)
    private let two = Holding("two", 2)

    /// An operation of a sender between two times.
    private func op(_ sender: Int, _ times: ClosedRange<Int64>, _ action: HistoryAction, _ answer: HistoryAnswer?)
        -> HistoryOperation
    {
        HistoryOperation(sender, times.lowerBound, times.upperBound, action, answer)
    }

    private func taken(_ fence: Int, at time: Int64) -> HistoryAnswer {
        .granted(fence: fence, at: time, until: time + 100)
    }

    /// The first holder of every history below: from 1 until it is freed, or at 101.
    private var beginning: [HistoryOperation] { [op(1, 0...2, .acquire(run: "one"), taken(1, at: 1))] }

    /// The second holder, after the first one's term.
    private var takeover: HistoryOperation { op(2, 110...112, .acquire(run: "two"), taken(2, at: 111)) }

    private func settle(
        _ holding: Holding, _ batch: Int, _ devices: Set<String>, again: Set<String> = []
    ) -> HistoryAction { .settle(holding, batch: batch, devices: devices, again: again) }

    private func complaints(_ operations: [HistoryOperation], _ outcome: HistoryEnd? = nil) -> [String] {
        HistoryChecker.complaints(History((beginning + operations).sorted { $0.invoked < $1.invoked }), outcome)
    }

    // MARK: Good ones

    @Test func aHistoryInWhichAllIsAsItShouldBeIsAccepted() {
        let operations = [
            op(2, 3...4, .acquire(run: "two"), .held(one, at: 3)), op(1, 5...6, .claim(one), .batch(1, ["a", "b"])),
            op(1, 7...8, .write(one, 1), .done), op(2, 9...10, .read, .entry(HistoryEntry(1, 1))),
            op(1, 11...12, settle(one, 1, ["a", "b"], again: ["b"]), .done),
            op(1, 13...14, .renew(one), taken(1, at: 13)),
            op(1, 15...16, .release(one), .done), op(2, 17...18, .acquire(run: "two"), taken(2, at: 17)),
            op(1, 19...20, .claim(one), .lost), op(2, 21...22, .claim(two), .batch(2, ["b"])),
            op(2, 23...24, settle(two, 2, ["b"]), .done), op(2, 25...26, .claim(two), .nothing),
            op(3, 27...28, .look, .lock(two)),
        ]
        let outcome = HistoryEnd(
            targets: 2, accepted: 2, inDoubt: 0, reached: ["a", "b"], entry: HistoryEntry(1, 1))
        #expect(complaints(operations, outcome) == [])
    }

    @Test func whatHappensAtTheSameTimeMayHappenInAnyOrder() {
        // The look began before the takeover and ends after it: it may have seen either.
        for seen in [one, two] { #expect(complaints([takeover, op(3, 109...120, .look, .lock(seen))]) == []) }
        // The claim of the loser, too.
        #expect(complaints([takeover, op(1, 109...120, .claim(one), .batch(1, ["a"]))]) == [])
        #expect(complaints([takeover, op(1, 109...120, .claim(one), .lost)]) == [])
    }

    @Test func whatHadNoAnswerMayHaveHappenedOrNot() {
        let release = op(1, 5...20, .release(one), nil)
        #expect(complaints([release, op(2, 30...31, .acquire(run: "two"), taken(2, at: 30))]) == [])
        #expect(complaints([release, op(2, 30...31, .acquire(run: "two"), .held(one, at: 30))]) == [])
        // A taking without an answer has used up a fence, or not.
        let taking = op(2, 110...115, .acquire(run: "two"), nil)
        for fence in [2, 3] {
            #expect(complaints([taking, op(3, 300...301, .acquire(run: "three"), taken(fence, at: 300))]) == [])
        }
        #expect(complaints([taking, op(3, 300...301, .acquire(run: "three"), taken(4, at: 300))]).count == 1)
        // A write without an answer is seen by the next one, or not.
        let write = op(1, 5...6, .write(one, 1), nil)
        for entry in [nil, HistoryEntry(1, 1)] {
            #expect(complaints([write, op(2, 7...8, .read, .entry(entry))]) == [])
        }
        #expect(complaints([write, op(2, 7...8, .read, .entry(HistoryEntry(1, 2)))]).count == 1)
    }

    // MARK: Bad ones

    @Test func aLockThatTwoHaveIsRefused() {
        // Before its term is over.
        #expect(complaints([op(2, 50...51, .acquire(run: "two"), taken(2, at: 50))]).count == 1)
        // Under one fence.
        #expect(complaints([op(2, 110...111, .acquire(run: "two"), taken(1, at: 110))]).count == 1)
    }

    @Test func aFenceThatStartsAt1AgainIsRefused() {
        let release = op(1, 5...6, .release(one), .done)
        #expect(complaints([release, op(2, 7...8, .acquire(run: "two"), taken(1, at: 7))]).count == 1)
    }

    @Test func aHeartbeatThatStealsTheLockBackIsRefused() {
        #expect(complaints([takeover, op(1, 113...114, .renew(one), taken(1, at: 113))]).count == 1)
        #expect(complaints([takeover, op(1, 113...114, .renew(one), .lost)]) == [])
    }

    @Test func aLockThatIsLostByFailoverIsRefused() {
        // The row is what it was before the takeover.
        #expect(complaints([takeover, op(3, 120...121, .look, .lock(one))]).count == 1)
        #expect(complaints([takeover, op(3, 120...121, .acquire(run: "three"), taken(2, at: 120))]).count == 1)
    }

    @Test func aClaimOrAnOutcomeUnderALostLockIsRefused() {
        #expect(complaints([takeover, op(1, 113...114, .claim(one), .batch(1, ["a"]))]).count == 1)
        let claim = op(1, 5...6, .claim(one), .batch(1, ["a"]))
        #expect(complaints([claim, takeover, op(1, 113...114, settle(one, 1, ["a"]), .done)]).count == 1)
        #expect(complaints([claim, takeover, op(1, 113...114, settle(one, 1, ["a"]), .lost)]) == [])
        #expect(complaints([takeover, op(1, 113...114, .write(one, 1), .done)]).count == 1)
    }

    @Test func aBatchThatIsGivenOutTwiceIsRefused() {
        let claims = [
            op(1, 5...6, .claim(one), .batch(1, ["a"])), takeover, op(2, 120...121, .claim(two), .batch(1, ["a"])),
        ]
        #expect(complaints(claims).count == 2)
    }

    @Test func aDeviceThatALaterFenceClaimsWhileAnEarliersClaimStillActsIsRefused() {
        let claims = [
            op(1, 5...6, .claim(one), .batch(1, ["a", "b"])), takeover,
            op(2, 120...121, .claim(two), .batch(2, ["b", "c"])),
        ]
        #expect(complaints(claims).count == 1)
        // Also when the outcome of the earlier one does not give it back.
        let settled = op(1, 7...8, settle(one, 1, ["a", "b"], again: ["a"]), .done)
        #expect(complaints(claims + [settled]).count == 1)
        let back = op(1, 7...8, settle(one, 1, ["a", "b"], again: ["b"]), .done)
        #expect(complaints(claims + [back]) == [])
    }

    @Test func aDeviceThatIsAcceptedInTwoBatchesIsRefused() {
        let operations = [
            op(1, 5...6, .claim(one), .batch(1, ["a"])), op(1, 7...8, settle(one, 1, ["a"]), .done),
            op(1, 9...10, .claim(one), .batch(2, ["a"])), op(1, 11...12, settle(one, 2, ["a"]), .done),
        ]
        #expect(complaints(operations).count == 2)
    }

    @Test func anOutcomeOfWhatAnotherClaimedIsRefused() {
        let claim = op(1, 5...6, .claim(one), .batch(1, ["a"]))
        #expect(complaints([claim, op(3, 7...8, settle(one, 1, ["a"]), .done)]).count == 1)
        #expect(complaints([claim, op(1, 7...8, settle(one, 1, ["a", "b"]), .done)]).count == 1)
        #expect(complaints([claim, op(1, 7...8, settle(one, 2, ["a"]), .done)]).count == 1)
    }

    @Test func aLedgerThatGoesBackIsRefused() {
        let writes = [op(1, 5...6, .write(one, 1), .done), op(1, 7...8, .write(one, 2), .done)]
        for entry in [nil, HistoryEntry(1, 1)] {
            let found = complaints(writes + [op(2, 9...10, .read, .entry(entry))])
            #expect(found.contains { $0.hasPrefix("the ledger went back") })
        }
        for entry in [nil, HistoryEntry(1, 1)] {
            let outcome = HistoryEnd(targets: 0, accepted: 0, inDoubt: 0, reached: [], entry: entry)
            #expect(complaints(writes, outcome) == ["the ledger ends before \(HistoryEntry(1, 2))"])
        }
    }

    @Test func anEndThatForgetsSomebodyIsRefused() {
        let operations = [
            op(1, 5...6, .claim(one), .batch(1, ["a", "b"])), op(1, 7...8, settle(one, 1, ["a", "b"]), .done),
        ]
        #expect(complaints(operations, HistoryEnd(targets: 2, accepted: 2, inDoubt: 0, reached: ["a", "b"])) == [])
        for outcome in [
            HistoryEnd(targets: 2, accepted: 2, inDoubt: 0, reached: ["a"]),
            HistoryEnd(targets: 2, accepted: 1, inDoubt: 1, reached: ["a", "b"]),
            HistoryEnd(targets: 3, accepted: 2, inDoubt: 0, reached: ["a", "b"]),
            HistoryEnd(targets: 2, accepted: 2, inDoubt: 0, reached: ["a", "b", "c"]),
        ] { #expect(complaints(operations, outcome).count >= 1) }
        // A lost answer may be either.
        var lost = operations
        lost[1].answer = nil
        for accepted in [0, 2] {
            let outcome = HistoryEnd(targets: 2, accepted: accepted, inDoubt: 2 - accepted, reached: ["a", "b"])
            #expect(complaints(lost, outcome) == [])
        }
    }
}
