internal import Base
package import Push
internal import Apply

extension LeanCloudWriter {
    package func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try checkTime(of: lease)
        let members = JSONObject(LedgerFields.members(of: entry, fence: lease.fence).compactMapValues { $0 })
        try await create(.ledger, members) { () throws(RemoteError) in
            for object in try await ledgerObjects(of: entry.delivery)
            where try LedgerFields.entry(object.fields) == entry.written(under: lease) {
                return true
            }
            return false
        }
    }

    package func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        let objects = try await ledgerObjects(of: entry.delivery)
        guard !objects.isEmpty else {
            throw RemoteError(.conditionFailed, "BugleLedger: the entry of delivery \(entry.delivery.text) is gone")
        }
        let members = LedgerFields.members(of: entry, fence: lease.fence)
        for object in objects {
            try await replace(.ledger, object, members, under: lease) { object throws(RemoteError) in
                try LedgerFields.entry(object.fields) == entry.written(under: lease)
            }
        }
    }

    package func startLedger() async throws(RemoteError) {
        guard try await !api.isLedgerStarted(workspace) else { return }
        try await create(.resource, ResourceFields.mark(workspace: workspace)) { () throws(RemoteError) in
            try await api.isLedgerStarted(workspace)
        }
    }

    package func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        let members = ResourceFields.members(of: resource, workspace: workspace, fence: lease.fence)
        let objects = try await resourceObjects(of: resource)
        if objects.isEmpty {
            try checkTime(of: lease)
            try await create(.resource, members) { () throws(RemoteError) in
                for object in try await resourceObjects(of: resource)
                where try ResourceFields.record(object.fields) == resource {
                    return true
                }
                return false
            }
        }
        for object in objects {
            let replacement = [String: JSONValue?](uniqueKeysWithValues: members.map { ($0, $1) })
            try await replace(.resource, object, replacement, under: lease) { object throws(RemoteError) in
                try ResourceFields.record(object.fields) == resource
            }
        }
    }

    package func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        var attempt = 0
        while true {
            let objects = try await resourceObjects(of: resource)
            if objects.isEmpty { return }
            var lost: RemoteError?
            for object in objects {
                switch try await api.delete(.resource, object.objectID, where: lease.notLater) {
                case .done, .absent: break
                case .conditionFailed: throw Self.overtaken("BugleResource", object.objectID)
                case .unknown(let error): lost = error
                }
            }
            guard let lost else { return }
            try await again(&attempt, lost)
        }
    }
}

// MARK: - Writing until it is certain

extension LeanCloudWriter {
    /// Waits before another attempt.
    ///
    /// - Throws: `error` when the retries are used up.
    func again(_ attempt: inout Int, _ error: RemoteError) async throws(RemoteError) {
        guard attempt < api.connection.retries else { throw error }
        try await api.pause(for: api.pausing.backoff(attempt))
        attempt += 1
    }

    /// Creates an object, and calls `isThere` when the answer was lost; a second object does no harm.
    private func create(
        _ className: StateClass, _ members: JSONObject,
        isThere: () async throws(RemoteError) -> Bool
    ) async throws(RemoteError) {
        var attempt = 0
        while true {
            switch try await api.create(className, members) {
            case .done: return
            case .conditionFailed, .absent:
                throw RemoteError(.refused, "\(className.rawValue): the service did not create the object")
            case .unknown(let error):
                try await again(&attempt, error)
                if try await isThere() { return }
            }
        }
    }

    /// Replaces an object's fields unless a later fence wrote it, and calls `isRight` when the answer was lost.
    private func replace(
        _ className: StateClass, _ object: StoredObject, _ members: [String: JSONValue?], under lease: Lease,
        isRight: (StoredObject) throws(RemoteError) -> Bool
    ) async throws(RemoteError) {
        var attempt = 0
        while true {
            switch try await api.update(className, object.objectID, where: lease.notLater, members) {
            case .done: return
            case .conditionFailed, .absent: throw Self.overtaken(className.rawValue, object.objectID)
            case .unknown(let error):
                try await again(&attempt, error)
                let found = try await api.objects(of: className, where: ["objectId": .string(object.objectID)])
                if let found = found.objects.first, try isRight(found) { return }
            }
        }
    }

    private func ledgerObjects(of delivery: DeliveryID) async throws(RemoteError) -> [StoredObject] {
        let condition: JSONObject = [
            "workspace": .string(workspace), "delivery": .string(delivery.text),
        ]
        return try await api.objects(of: .ledger, where: condition).objects
    }

    private func resourceObjects(of resource: ResourceRecord) async throws(RemoteError) -> [StoredObject] {
        let condition: JSONObject = [
            "workspace": .string(workspace), "kind": .string(resource.kind.rawValue), "name": .string(resource.name),
        ]
        return try await api.objects(of: .resource, where: condition).objects
    }

    /// Creating an object cannot be conditional, so at least the lease must not have expired.
    private func checkTime(of lease: Lease) throws(RemoteError) {
        guard let now = api.clock.estimate, now >= lease.expiresAt else { return }
        throw RemoteError(.conditionFailed, "the lock has expired, so nothing was written; run it again")
    }

    private static func overtaken(_ className: String, _ objectID: String) -> RemoteError {
        RemoteError(
            .conditionFailed,
            "\(className) object \(objectID.shortened(to: 64)): a later apply has written it, so this one must not")
    }
}

extension Lease {
    /// The condition for writing an object under this lease.
    fileprivate var notLater: JSONValue { ["fence": ["$lte": .integer(Int64(fence))]] }
}

extension LedgerEntry {
    /// The entry as stored after being written under a lease.
    fileprivate func written(under lease: Lease) -> LedgerEntry {
        var entry = self
        entry.fence = lease.fence
        return entry
    }
}
