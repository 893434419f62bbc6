import Foundation
import Push
import PushReport
import Testing

/// Files that earlier versions wrote are read, or refused with what to do.
@Suite struct EarlierFormatsTests {
    private func file(_ name: String) throws -> [UInt8] {
        let goldens = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/Earlier")
        return [UInt8](try Data(contentsOf: goldens.appending(path: name)))
    }

    /// It is shown; it is not applied, because the hash of what files declare was another.
    @Test func aPlanOfTheFirstFormatIsRead() throws {
        let plan = try Plan.read(saved: try file("plan-1.0.json"))
        #expect(plan.workspace == "giants-demo")
        #expect(plan.changes.count == 6)
        var again = plan
        again.desired = try Plan.read(saved: again.savedBytes()).desired
        #expect(again == plan)
    }

    @Test func aSnapshotOfTheFirstFormatIsRefusedWithWhatToDo() throws {
        let bytes = try file("snapshot-1.0.txt")
        let error = #expect(throws: SavedFileError.self) { try Snapshot.read(bytes) }
        #expect(
            error?.description == """
                an older bugle recorded this remote state, in lines of text that bugle 0.1.0 does not read; \
                record it again with --record
                """)
    }
}
