internal import Base
internal import DeviceRegistry
package import Push

/// Apple, with the team's own registry, as a type of remote.
package enum APNsRemote {
    /// Describes the remote made up of a registry and endpoints.
    ///
    /// - Parameters:
    ///   - name: the remote's name in the workspace.
    ///   - registry: the identity of the database: `JournalReading.identity()`.
    ///   - label: the registry in messages: `devices.sqlite`, `db.example.com/devices`.
    ///   - profiles: the workspace's, whose services stand in the title.
    ///   - hosts: the remote's `hosts`, which override the services' own addresses.
    /// - Returns: the description, with a fingerprint derived from the service, the registry and the hosts: another
    ///   password, or another way to the same database, gives the same remote.
    package static func description(
        name: String, registry: String, label: String, profiles: [DeviceProfile] = [], hosts: [String: String]
    ) -> RemoteDescription {
        RemoteDescription(
            name: name, type: .apns, title: title(label, profiles),
            fingerprint: Digest(
                of: [
                    "apns", .string(registry),
                    .object(JSONObject(hosts.mapValues { JSONValue.string($0.lowercased()) })),
                ] as JSONValue))
    }

    /// The remote's title in messages: the services of the workspace's profiles, and its registry.
    package static func title(_ label: String, _ profiles: [DeviceProfile]) -> String {
        let vendors = PushVendor.allCases.filter { vendor in profiles.contains { $0.vendor == vendor } }
        return "\(vendors.isEmpty ? PushVendor.apns.title : vendors.map(\.title).joined(separator: ", ")) · \(label)"
    }

    /// The remote's capabilities: no scheduled pushes, but a journal of every device; channels are created at Apple.
    package static let capabilities = Capabilities(
        canSchedule: false, holdsResources: true, innerQueryLimit: nil, limitsDevelopment: false,
        canSelectUnprofiled: true, keepsJournal: true)
}

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

// MARK: - Remote

extension RemoteError: RegistryFailure {
    /// Converts a failure or refusal of the registry.
    init(_ error: RegistryError) {
        if error == .lockLost {
            self.init(.conditionFailed, "the lock is no longer held, so nothing was written; run it again")
        } else if error.isFileLost {
            self.init(.ledgerLost, error.description)
        } else {
            self.init(error.isInternal || error.code == .timeout ? .unavailable : .refused, "registry: \(error)")
        }
    }
}

extension JournalReading {
    /// The journal of a delivery; nil when the delivery was never begun.
    func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalFigures? {
        try await RemoteError.asking(try await journal(of: entry.notificationID.text))
    }
}

extension LockRecord {
    /// Converts the lock's row.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `lastApplied` cannot be read.
    init(_ lock: DeployLock) throws(RemoteError) {
        self.init(
            holder: lock.holder, run: lock.run, fence: lock.fence, acquiredAt: lock.acquiredAt,
            expiresAt: lock.expiresAt)
        guard let left = lock.lastApplied, !left.isNull else { return }
        guard let applied = LockFields.lastApplied(left) else {
            throw RemoteError(.unexpectedAnswer, "the lock's row: 'lastApplied' is not what bugle writes")
        }
        lastApplied = applied
    }
}
