package import Base

/// The fields of one record of a remote, read strictly: an unexpected value is an error that names the field.
package struct StoredFields: Sendable {
    /// The record's name in messages: `BugleLedger object 5f…`.
    package let place: String
    /// The record's members.
    package let members: JSONObject

    package init(_ members: JSONObject, at place: String) {
        self.members = members
        self.place = place
    }

    /// The error for a field that is missing or of another type.
    package func fault(_ key: String) -> RemoteError {
        RemoteError(
            .unexpectedAnswer, "\(place): '\(key)' is missing or not in bugle's format; inspect it where it is stored")
    }

    /// The value of a field, converted by `read`.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when the field is missing or `read` returns nil.
    package func required<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value {
        guard let value = members[key], let result = read(value) else { throw fault(key) }
        return result
    }

    /// The value of a field, converted by `read`; nil when it is missing or null.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `read` returns nil.
    package func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value? {
        guard let value = members[key], !value.isNull else { return nil }
        guard let result = read(value) else { throw fault(key) }
        return result
    }
}

// MARK: - Stored

// The stored form of the model's values on remotes.
extension JSONValue {
    /// The instant in a string; nil when the value is anything else.
    package var instant: Instant? { string.flatMap { Instant($0) } }

    /// The integer from 0 to 2^53; nil when the value is anything else.
    ///
    /// Every JSON reader keeps integers up to 2^53 exactly, and sums of a few never overflow.
    package var natural: Int? { integer.flatMap { (0...1 << 53).contains($0) ? Int(exactly: $0) : nil } }
}

/// A ledger entry as the fields of a record; on LeanCloud an object of class `BugleLedger`.
///
/// Unknown values are left out. Times are ISO text in UTC, hashes `sha256:…`.
package enum LedgerFields {
    /// The fields of an entry written under this fence; nil: the field is removed.
    package static func members(of entry: LedgerEntry, fence: Int) -> [String: JSONValue?] {
        var entry = entry
        entry.fence = fence
        var members: [String: JSONValue?] = [:]
        for property in LedgerEntry.record.properties { members.updateValue(nil, forKey: property.name) }
        for (name, value) in LedgerEntry.record.members(of: entry) {
            members.updateValue(value.unordered, forKey: name)
        }
        return members
    }

    /// Reads a record.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and its first faulty field.
    package static func entry(_ object: StoredFields) throws(RemoteError) -> LedgerEntry {
        do throws(RecordError) {
            return try LedgerEntry.record.read(.object(object.members))
        } catch {
            throw object.fault(error.member ?? "")
        }
    }
}

/// The parts of a lock's record that are a single JSON value.
package enum LockFields {
    /// The value of `lastApplied`.
    package static func value(of applied: LastApplied) -> JSONValue {
        var members: JSONObject = ["at": .string(applied.at.isoText)]
        members["commit"] = applied.commit.map { .string($0) }
        members["committedAt"] = applied.committedAt.map { .string($0.isoText) }
        members["run"] = applied.run.map { .string($0) }
        members["approvals"] = applied.approvals.map(ApprovalFields.value)
        if !applied.told.isEmpty { members["told"] = .array(applied.told.map { .string($0) }) }
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
            run: members["run"]?.string, approvals: approvals,
            told: members["told"]?.array?.compactMap(\.string) ?? [])
    }
}

/// A deployed resource as the fields of a record; on LeanCloud an object of class `BugleResource`.
///
/// Fields: `workspace`, `kind` (`DeviceProfile`, `Channel`, `Segment`, a recurring `Campaign`; `Ledger` marks a started ledger), `name`,
/// `fields` (text: canonical JSON), `protected`, `fence`.
package enum ResourceFields {
    /// The kind of the record that marks the ledger of a workspace as started.
    package static let ledgerMark = "Ledger"

    /// The fields of a record written under this fence.
    package static func members(of record: ResourceRecord, workspace: String, fence: Int) -> JSONObject {
        [
            "workspace": .string(workspace), "kind": .string(record.kind.rawValue), "name": .string(record.name),
            "fields": .string(record.fields.canonicalText), "protected": .bool(record.isProtected),
            "fence": .integer(Int64(fence)),
        ]
    }

    /// The fields of the mark of a started ledger.
    package static func mark(workspace: String) -> JSONObject {
        ["workspace": .string(workspace), "kind": .string(ledgerMark), "name": "started", "fence": 0]
    }

    /// Reads a record; nil when it is the mark of a started ledger.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and its first faulty field.
    package static func record(_ object: StoredFields) throws(RemoteError) -> ResourceRecord? {
        let kind = try object.required("kind", \.string)
        guard kind != ledgerMark else { return nil }
        guard let kind = ResourceKind(rawValue: kind) else { throw object.fault("kind") }
        return ResourceRecord(
            kind: kind, name: try object.required("name", \.string),
            fields: try object.required("fields") { value in
                value.string.flatMap { try? JSONValue(parsing: $0, limits: .anyMemory) }.flatMap {
                    $0.object == nil ? nil : $0
                }
            },
            isProtected: try object.required("protected", \.bool))
    }
}
