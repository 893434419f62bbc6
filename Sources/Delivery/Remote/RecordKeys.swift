internal import DeviceRegistry
internal import Base
internal import Push

/// The keys of ledger entries, resources and marks in the registry's table of records.
struct RecordKeys: Sendable {
    let workspace: String

    /// The key of the mark of a started ledger.
    static let ledgerMark = "ledger"

    /// The record of a delivery; each has one, whatever its generation.
    func ledger(_ entry: LedgerEntry, fence: Int) -> DeployRecord {
        let members = JSONObject(LedgerFields.members(of: entry, fence: fence).compactMapValues { $0 })
        return DeployRecord(
            workspace: workspace, kind: .ledger, key: entry.delivery.text, document: .object(members), fence: fence)
    }

    func resource(_ resource: ResourceRecord, fence: Int) -> DeployRecord {
        DeployRecord(
            workspace: workspace, kind: .resource, key: "\(resource.kind.rawValue)/\(resource.name)",
            document: .object(ResourceFields.members(of: resource, workspace: workspace, fence: fence)), fence: fence)
    }

    var startedLedger: DeployRecord {
        DeployRecord(
            workspace: workspace, kind: .mark, key: Self.ledgerMark,
            document: .object(ResourceFields.mark(workspace: workspace)))
    }
}

extension DeployRecord {
    /// The record's members, read strictly.
    var fields: StoredFields {
        StoredFields(document.object ?? [:], at: "the registry's \(kind.rawValue) record \(key)")
    }
}
