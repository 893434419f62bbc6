internal import Base
package import Push

/// Reads a remote with LeanCloud's API, using only GET requests.
///
/// Deployment state is kept in the app's own storage, in the classes `BugleLedger`, `BugleResource` and `BugleLock`.
package struct LeanCloudReader: RemoteReading {
    package let description: RemoteDescription
    let workspace: String
    let api: LeanCloudAPI
    let fields = KnownFields()

    init(name: String, workspace: String, api: LeanCloudAPI) {
        description = LeanCloudRemote.description(name: name, connection: api.connection)
        self.workspace = workspace
        self.api = api
    }

    package var capabilities: Capabilities { LeanCloudRemote.capabilities }

    package var encoder: any RequestEncoding { LeanCloudEncoder() }

    package func now() async throws(RemoteError) -> Instant {
        let condition: JSONValue = ["workspace": .string(workspace)]
        let answer = try await api.read(
            "/classes/\(StateClass.lock.rawValue)", query: [("where", condition.canonicalText), ("limit", "1")])
        return try api.known(answer.date)
    }

    package func ledger() async throws(RemoteError) -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        for object in try await api.objects(of: .ledger, where: ["workspace": .string(workspace)]).objects {
            entries.append(try LedgerFields.entry(object.fields))
        }
        return entries
    }

    package func isLedgerStarted() async throws(RemoteError) -> Bool {
        try await api.isLedgerStarted(workspace)
    }

    package func neighbours() async throws(RemoteError) -> [String: Int] {
        var found: [String: Int] = [:]
        let path = "/classes/\(StateClass.ledger.rawValue)"
        // One request for each other workspace, however many deliveries it has; those of the first few are told.
        while found.count < 10 {
            let known = ([workspace] + found.keys.sorted()).map { JSONValue.string($0) }
            let others: JSONValue = ["workspace": ["$nin": .array(known)]]
            let answer = try await api.read(
                path, query: [("where", others.canonicalText), ("keys", "workspace"), ("limit", "1")])
            guard let object = answer.value?["results"]?.array?.first else { return found }
            guard let name = object["workspace"]?.string else {
                throw RemoteError(.unexpectedAnswer, "BugleLedger: an object has no workspace")
            }
            let own: JSONValue = ["workspace": .string(name)]
            let counted = try await api.read(
                path, query: [("where", own.canonicalText), ("count", "1"), ("limit", "0")])
            found[name] = counted.value?["count"]?.natural ?? 1
        }
        return found
    }

    package func resources() async throws(RemoteError) -> [ResourceRecord] {
        var latest: [ResourceName: (fence: Int, record: ResourceRecord)] = [:]
        for object in try await api.objects(of: .resource, where: ["workspace": .string(workspace)]).objects {
            guard let record = try ResourceFields.record(object.fields) else { continue }
            let fence = try object.fields.required("fence", \.natural)
            let name = ResourceName(kind: record.kind, name: record.name)
            // Of two objects of one resource (after a lost answer), the one from the later apply counts.
            if let known = latest[name], known.fence > fence { continue }
            latest[name] = (fence, record)
        }
        return latest.values.map(\.record).sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
    }

    package func lock() async throws(RemoteError) -> LockRecord? {
        guard let lock = try await api.oldestLock(of: workspace).lock, lock.record.fence > 0 else { return nil }
        return lock.record
    }
}

private struct ResourceName: Hashable {
    var kind: ResourceKind
    var name: String
}

extension LeanCloudAPI {
    /// The time from an answer, which must have one.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when it has none.
    func known(_ date: Instant?) throws(RemoteError) -> Instant {
        guard let date else {
            throw RemoteError(
                .unexpectedAnswer,
                "the service's answer has no Date header: bugle relies on the service's clock and cannot continue")
        }
        return date
    }

    /// The lock in force, the oldest of the workspace, and the server's time.
    func oldestLock(of workspace: String) async throws(RemoteError) -> (lock: LockObject?, now: Instant) {
        let (objects, date) = try await objects(of: .lock, where: ["workspace": .string(workspace)])
        let now = try known(date)
        guard let first = objects.min(by: { ($0.createdAt, $0.objectID) < ($1.createdAt, $1.objectID) }) else {
            return (nil, now)
        }
        return (try LockObject(first), now)
    }

    /// True when the mark of a started ledger exists.
    func isLedgerStarted(_ workspace: String) async throws(RemoteError) -> Bool {
        let condition: JSONObject = [
            "workspace": .string(workspace), "kind": .string(ResourceFields.ledgerMark),
        ]
        return try await !objects(of: .resource, where: condition).objects.isEmpty
    }
}
