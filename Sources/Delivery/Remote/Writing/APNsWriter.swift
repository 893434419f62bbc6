package import Base
package import DeviceRegistry
package import Push
package import Apply

/// Writes to an `apns` remote: lock, ledger and resources in the registry, broadcast channels and pushes at Apple.
package struct APNsWriter: RemoteWriting {
    let store: Journal
    let workspace: String
    let senders: @Sendable (DeliveryOrder) -> any SenderProviding
    let clients: BroadcastClients
    let settings: DeliverySettings
    let pausing: any Pausing
    let heartbeat: any Pausing
    let elapsed: @Sendable () -> Duration
    let canBeJoined: Bool

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - store: the registry; its creator closes it.
    ///   - workspace: the workspace whose ledger, resources and lock are meant.
    ///   - senders: provides the senders for an order's profiles, at its throttle.
    ///   - clients: manage the broadcast channels at Apple.
    ///   - settings: the time limits and retries of a delivery.
    ///   - canBeJoined: true when other machines can reach the registry.
    ///   - pausing: waits between attempts; it ends early when the apply is asked to stop.
    ///   - heartbeat: waits between checks of the lock; it must not end early.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    package init(
        _ store: Journal, workspace: String,
        senders: @escaping @Sendable (DeliveryOrder) -> any SenderProviding, clients: BroadcastClients,
        settings: DeliverySettings = DeliverySettings(), canBeJoined: Bool = false, pausing: any Pausing,
        heartbeat: any Pausing = TaskPause(), elapsed: @escaping @Sendable () -> Duration
    ) {
        self.store = store
        self.workspace = workspace
        self.senders = senders
        self.clients = clients
        self.settings = settings
        self.canBeJoined = canBeJoined
        self.pausing = pausing
        self.heartbeat = heartbeat
        self.elapsed = elapsed
    }

    var keys: RecordKeys { RecordKeys(workspace: workspace) }

    package var journaling: (any DeliveryJournaling)? { self }

    /// Does nothing: this remote schedules no pushes.
    package func cancel(_ push: Push.ScheduledPush) async throws(RemoteError) {}
}

// MARK: - Lock

extension APNsWriter {
    package func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt {
        let attempt = try await RemoteError.asking { () throws(RegistryError) in
            try await store.acquireLock(of: workspace, holder: holder, run: run)
        }
        switch attempt {
        case .acquired(let lease): return .acquired(lease)
        case .held(let lock, let now): return .held(try LockRecord(lock), now: now)
        }
    }

    package func renew(_ lease: Lease) async throws(RemoteError) -> Lease? {
        try await RemoteError.asking { () throws(RegistryError) in try await store.renew(lease) }
    }

    package func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.release(lease, lastApplied: lastApplied.map(LockFields.value))
        }
    }

    package func unlock(fence: Int) async throws(RemoteError) -> Bool {
        try await RemoteError.asking { () throws(RegistryError) in try await store.unlock(workspace, fence: fence) }
    }
}

// MARK: - Ledger and resources

extension APNsWriter {
    package func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await put(keys.ledger(entry, fence: lease.fence), lease)
    }

    package func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await put(keys.ledger(entry, fence: lease.fence), lease)
    }

    package func startLedger() async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in try await store.put(keys.startedLedger, under: nil) }
    }

    /// Records a resource as deployed; an Apple broadcast channel is created first.
    package func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        if resource.kind == .channel {
            try await channels(lease).deploy(resource.name, as: try Channel.Broadcast(fields: resource.fields))
        }
        try await put(keys.resource(resource, fence: lease.fence), lease)
    }

    /// Removes a resource's record; an Apple broadcast channel is deleted first.
    package func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        if resource.kind == .channel { try await channels(lease).delete(resource.name) }
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.remove(keys.resource(resource, fence: lease.fence), under: lease)
        }
    }

    func channels(_ lease: Lease) -> ChannelDeployment {
        ChannelDeployment(
            store: store, workspace: workspace, lease: lease, clients: clients, pausing: pausing)
    }

    private func put(_ record: DeployRecord, _ lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in try await store.put(record, under: lease) }
    }
}
