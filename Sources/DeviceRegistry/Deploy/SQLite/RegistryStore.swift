package import JSONValue

/// What an apply keeps in a registry's file: records, locks and journals.
///
/// What a method returned from is on the disk.
package struct RegistryStore: DeployWriting {
    let registry: Registry
    private let reader: RegistryReader
    let clock: @Sendable () -> Timestamp

    /// A store in an open registry.
    ///
    /// - Parameter clock: the database's clock; default the machine's.
    package init(_ registry: Registry, clock: @escaping @Sendable () -> Timestamp = { .system }) {
        self.registry = registry
        self.clock = clock
        reader = registry.reader(clock: clock)
    }

    package func now() async throws(RegistryError) -> Timestamp { clock() }

    package func identity() async throws(RegistryError) -> String { try await reader.identity() }

    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await reader.records(kind, of: workspace)
    }

    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await reader.lock(of: workspace)
    }

    package func count(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceFigures {
        try await reader.count(audience, at: now)
    }

    package func explain(
        _ audience: DeliveryAudience, at now: Timestamp
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await reader.explain(audience, at: now)
    }

    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await reader.survey(channels: channels, profiles: profiles)
    }

    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await reader.journal(of: delivery)
    }

    package func close() async {
        registry.close()
    }

    package func acquireLock(
        of workspace: String, holder: String, run: String
    ) async throws(RegistryError) -> DeployLockAttempt {
        try await registry.write { db in
            try LockTable(db: db).acquire(workspace, holder: holder, run: run, at: clock())
        }
    }

    package func renew(_ lease: DeployLease) async throws(RegistryError) -> Timestamp? {
        try await registry.write { db in try LockTable(db: db).renew(lease, at: clock()) }
    }

    package func release(_ lease: DeployLease, lastApplied: JSONValue?) async throws(RegistryError) {
        try await registry.write { db in
            try LockTable(db: db).release(lease, lastApplied: lastApplied, at: clock())
        }
    }

    package func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool {
        try await registry.write { db in try LockTable(db: db).unlock(workspace, fence: fence, at: clock()) }
    }

    package func put(_ record: DeployRecord, under lease: DeployLease?) async throws(RegistryError) {
        try await registry.write { db in
            try LockTable(db: db).check(lease, of: record.workspace)
            try RecordTable(db: db).put(record, fence: lease?.fence ?? record.fence)
        }
    }

    package func remove(_ record: DeployRecord, under lease: DeployLease?) async throws(RegistryError) {
        try await registry.write { db in
            try LockTable(db: db).check(lease, of: record.workspace)
            try RecordTable(db: db).remove(record)
        }
    }
}
