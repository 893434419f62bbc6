package import Base

/// The parts of a lock's record that are a single JSON value.
package enum LockFields {
    /// The value of `lastApplied`.
    package static func value(of applied: LastApplied) -> JSONValue {
        var members: JSONObject = ["at": .string(applied.at.isoText)]
        members["commit"] = applied.commit.map { .string($0) }
        members["committedAt"] = applied.committedAt.map { .string($0.isoText) }
        members["run"] = applied.run.map { .string($0) }
        members["approvals"] = applied.approvals.map(ApprovalFields.value)
        return .object(members)
    }

    /// Reads a value written by ``value(of:)``; nil when it is something else.
    package static func lastApplied(_ value: JSONValue) -> LastApplied? {
        guard let members = value.object, let at = members["at"]?.instant else { return nil }
        for key in ["commit", "committedAt", "run"] {
            guard members[key].map({ $0.string != nil || $0.isNull }) ?? true else { return nil }
        }
        let time = members["committedAt"]?.string
        guard time == nil || time.flatMap({ Instant($0) }) != nil else { return nil }
        var approvals: ApprovalMemory?
        if let value = members["approvals"], !value.isNull {
            // Approvals that cannot be read must not be taken for none.
            guard let memory = ApprovalFields.memory(value) else { return nil }
            approvals = memory
        }
        return LastApplied(
            commit: members["commit"]?.string, committedAt: time.flatMap { Instant($0) }, at: at,
            run: members["run"]?.string, approvals: approvals)
    }
}
