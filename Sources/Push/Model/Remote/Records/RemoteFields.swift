package import Base

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
