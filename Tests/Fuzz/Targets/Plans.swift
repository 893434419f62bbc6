internal import JSONValue
internal import PushModel
internal import PushPlan

extension FuzzTarget {
    private static let sealStart = Array(",\n  \"integrity\": \"".utf8)

    /// Plans whose seal is right, so that mutants get behind it.
    static let plan = FuzzTarget(
        "plan", files: [("Tests/PushReportTests/Goldens/Examples", ".json")],
        words: [
            "\"changes\": [],", "\"diagnostics\": [],", "\"calendar\": {},", "sha256:", "2026-11-27T20:00:00+08:00",
        ]
    ) { bytes in
        let body = bytes.ranges(of: sealStart).last.map { Array(bytes[..<$0.lowerBound]) } ?? bytes
        let sealed = body + sealStart + Array("\(Digest(of: body))\"\n}\n".utf8)
        if let plan = try? Plan.read(saved: sealed) { _ = plan.savedBytes() }
        _ = try? SavedReview.read(sealed)
        _ = try? SavedReview.read(bytes)
    }

    /// Snapshots whose last line says how many stand before it.
    static let snapshot = FuzzTarget(
        "snapshot", words: ["\t", "\n", "\\t", "\\n", "yes", "no", "2026-11-20T12:00:00Z", "entry\t"]
    ) { bytes in
        let body = bytes.ranges(of: Array("end\t".utf8)).last.map { Array(bytes[..<$0.lowerBound]) } ?? bytes
        let ended = body + Array("end\t\(body.count { $0 == 0x0A })\n".utf8)
        if let snapshot = try? Snapshot.read(ended) { _ = snapshot.bytes }
        _ = try? Snapshot.read(bytes)
    }

    /// Records of the ledger, of resources and of the last apply, as LeanCloud and the registry keep them.
    static let ledger = FuzzTarget("ledger", words: ["2026-11-20T12:00:00.250Z", "sha256:", "\\\"", "\\\\\\\""]) {
        bytes in
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let fields = StoredFields(value.object ?? [:], at: "ledger")
        if let entry = try? LedgerFields.entry(fields) { _ = LedgerFields.members(of: entry, fence: 1) }
        if let record = try? ResourceFields.record(fields) {
            _ = ResourceFields.members(of: record, workspace: "", fence: 1)
        }
        if let applied = LockFields.lastApplied(value) { _ = LockFields.value(of: applied) }
    }
}
