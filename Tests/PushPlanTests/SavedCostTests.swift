internal import CostTesting
internal import Diagnostics
internal import PushModel
internal import PushPlan
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
            plan.diagnostics = (0..<count).map { Diagnostic(.note, .quota, "\($0)") }
            return plan.savedBytes()
        }
        #expect(Growth.excess(from: 10, plan) { _ = try? Plan.read(saved: $0) } == nil)
        #expect(Growth.excess(from: 10, plan) { _ = try? SavedReview.read($0) } == nil)
    }

    @Test(arguments: [
        "now\t2026-11-20T12:00:00Z\n", "scheduled\t1\t-\t2026-11-20T12:00:00Z\n", "x\n", "\t", "\n", "workspace\t%41",
    ])
    func aSnapshotOfTwiceTheLinesTakesTwiceTheTime(line: String) {
        let snapshot = { (size: Int) in
            let lines = String(repeating: line, count: size / line.utf8.count)
            let text = "bugle-snapshot\t1.0\tbugle 0.1.0\n" + lines
            return Array((text + "end\t\(text.utf8.count { $0 == 0x0A })\n").utf8)
        }
        #expect(Growth.excess(snapshot) { _ = try? Snapshot.read($0) } == nil)
    }
}
