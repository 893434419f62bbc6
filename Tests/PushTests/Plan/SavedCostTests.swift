internal import Base
internal import BaseTesting
internal import Push
internal import Testing

/// Twice the file takes twice the time.
@Suite(.serialized) struct SavedCostTests {
    @Test func aPlanOfTwiceTheChangesTakesTwiceTheTime() {
        let plan = { (count: Int) in
            var plan = PlanFixtures.reviewed(text: PlanFixtures.hostile)
            let file = String(repeating: "x", count: 40)
            plan.changes = (0..<count).map { index in
                var change = PlanFixtures.changes(text: file)[2]
                change.name = "campaign-\(index)"
                return change
            }
            plan.diagnostics = (0..<count).map { PlanDiagnostic(.note, .quota, .verbatim("\($0)")) }
            return plan.savedBytes()
        }
        #expect(Growth.excess(from: 10, plan) { try? Plan.read(saved: $0) } == nil)
        #expect(Growth.excess(from: 10, plan) { try? SavedReview.read($0) } == nil)
    }

    @Test(arguments: ["{}", "{\"delivery\": \"x\"}", "0", "[[[]]]", "\"\""])
    func aSnapshotOfTwiceTheEntriesTakesTwiceTheTime(entry: String) {
        let snapshot = { (size: Int) in
            let entries = repeatElement(entry, count: size / (entry.utf8.count + 1)).joined(separator: ",")
            return Array("{\"formatVersion\": \"1.0\", \"ledger\": [\(entries)]}".utf8)
        }
        #expect(Growth.excess(snapshot) { try? Snapshot.read($0) } == nil)
    }

    @Test func aSnapshotOfTwiceTheDeliveriesTakesTwiceTheTime() {
        let snapshot = { (count: Int) in
            let entries = (0..<count).map { SnapshotTests.entry("campaign-\($0)") }
            return Snapshot(
                workspace: "giants", remote: PlanFixtures.remote,
                state: RemoteState(now: PlanFixtures.now, ledger: entries)
            ).bytes
        }
        #expect(Growth.excess(from: 10, snapshot) { try? Snapshot.read($0) } == nil)
    }
}
