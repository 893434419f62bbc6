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

    /// The value that the fields are by a record's description.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the first faulty field.
    package func read<Root>(_ record: Record<Root>) throws(RemoteError) -> Root {
        do throws(RecordError) {
            return try record.read(.object(members))
        } catch {
            throw fault(error.member ?? "")
        }
    }
}

// MARK: - Stored

// The stored form of the model's values on remotes.
extension JSONValue {
    /// The instant in a string; nil when the value is anything else.
    package var instant: Instant? { string.flatMap { Instant($0) } }

    /// The integers from 0 to 2^53: every JSON reader keeps them exactly, and sums of a few never overflow.
    static let naturals: ClosedRange<Int64> = 0...1 << 53

    /// The integer, if it is one of ``naturals``; nil when the value is anything else.
    package var natural: Int? { integer.flatMap { Self.naturals.contains($0) ? Int(exactly: $0) : nil } }
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
        try object.read(LedgerEntry.record)
    }
}

/// The parts of a lock's record that are a single JSON value.
package enum LockFields {
    /// The value of `lastApplied`.
    package static func value(of applied: LastApplied) -> JSONValue { LastApplied.stored.json(of: applied).unordered }

    /// Reads a value written by ``value(of:)``; nil when it is something else: approvals that cannot be read must not
    /// be taken for none.
    package static func lastApplied(_ value: JSONValue) -> LastApplied? { try? LastApplied.stored.read(value) }
}

extension LastApplied {
    fileprivate static let stored = Record<LastApplied>(
        LastApplied(commit: nil, committedAt: nil, at: .distantPast, run: nil),
        [
            Field("at", .isoTime, "The time of the apply.", { $0.at }, { $0.at = $1 }),
            Field(optional: "commit", .text, "The commit.", { $0.commit }, { $0.commit = $1 }),
            Field(
                optional: "committedAt", .isoTime, "The time of the commit.", { $0.committedAt },
                { $0.committedAt = $1 }),
            Field(optional: "run", .text, "The run that applied it.", { $0.run }, { $0.run = $1 }),
            Field(
                optional: "approvals", .record(ApprovalMemory.record), "What later applies must know of approvals.",
                { $0.approvals }, { $0.approvals = $1 }),
            Field(
                optional: "told", .list(of: .text), "The ids of what a team was told.", unless: [], { $0.told },
                { $0.told = $1 }),
            Field(
                optional: "wholeAt", .isoTime, "The time of the last apply without targets.", { $0.wholeAt },
                { $0.wholeAt = $1 }),
        ])
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
