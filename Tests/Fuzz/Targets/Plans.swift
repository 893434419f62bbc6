internal import Base
internal import Push

extension FuzzTarget {
    private static let sealStart = Array(",\n  \"integrity\": \"".utf8)

    /// Plans whose seal is right, so that mutants get behind it.
    static let plan = FuzzTarget(
        "plan", ["Push/Plan/Saved"],
        words: [
            "\"changes\": [],", "\"diagnostics\": [],", "\"calendar\": {},", "sha256:", "2026-11-27T20:00:00+08:00",
        ]
    ) { bytes in
        let body = bytes.ranges(of: sealStart).last.map { Array(bytes[..<$0.lowerBound]) } ?? bytes
        let sealed = body + sealStart + Array("\(Digest(of: body))\"\n}\n".utf8)
        if let plan = try? Plan.read(saved: sealed) { mustRead(plan) { try Plan.read(saved: plan.savedBytes()) } }
        _ = try? SavedReview.read(sealed)
        _ = try? SavedReview.read(bytes)
    }

    static let snapshot = FuzzTarget(
        "snapshot", ["Push/Plan/Saved/Snapshot.swift", "Push/Plan/Saved/MachineFormat.swift"],
        words: ["\"ledger\": []", "\"lock\": null", "\"failed\": true", "2026-11-20T12:00:00Z", "sha256:"]
    ) { bytes in
        if let written = (try? Snapshot.read(bytes))?.bytes { mustRead(written) { try Snapshot.read(written).bytes } }
    }

    /// Records of the ledger, of resources and of the last apply, as LeanCloud and the registry keep them.
    static let ledger = FuzzTarget(
        "ledger", ["Push/Model/Remote/LedgerEntry.swift", "Push/Model/Remote/StoredFields.swift"],
        words: ["2026-11-20T12:00:00.250Z", "sha256:", "\\\"", "\\\\\\\""]
    ) { bytes in
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let fields = StoredFields(value.object ?? [:], at: "ledger")
        if let entry = try? LedgerFields.entry(fields) {
            let members = LedgerFields.members(of: entry, fence: entry.fence).compactMapValues { $0 }
            mustRead(entry) { try LedgerFields.entry(StoredFields(JSONObject(members), at: "")) }
        }
        if let record = try? ResourceFields.record(fields) {
            let members = ResourceFields.members(of: record, workspace: "", fence: 1)
            mustRead(record) { try ResourceFields.record(StoredFields(members, at: "")) }
        }
        if let applied = LockFields.lastApplied(value) {
            mustRead(applied) { LockFields.lastApplied(LockFields.value(of: applied)) }
        }
    }
}
