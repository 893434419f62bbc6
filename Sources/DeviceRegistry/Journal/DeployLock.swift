package import Base
package import Push

/// A document that an apply stores beside the devices: a ledger entry, a deployed resource, or a marker.
package struct DeployRecord: Hashable, Sendable {
    /// The workspace it belongs to.
    package var workspace: String
    package var kind: Kind
    /// The key, unique within its workspace and kind.
    package var key: String
    /// The content; always an object.
    package var document: JSONValue
    /// The fence of the apply that last wrote it; 0 when no apply did.
    package var fence: Int

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A delivery of the ledger.
        case ledger
        /// A deployed DeviceProfile, Channel or Segment.
        case resource
        /// The id of an Apple broadcast channel, and the pending creation or removal.
        case broadcast
        /// A marker, such as that the ledger was started.
        case mark
        /// A person's order to stop a delivery, or all.
        case stop
    }

    package init(workspace: String, kind: Kind, key: String, document: JSONValue, fence: Int = 0) {
        self.workspace = workspace
        self.kind = kind
        self.key = key
        self.document = document
        self.fence = fence
    }
}

extension JSONValue {
    /// Parses a stored document.
    package init(stored text: String) throws {
        guard let document = try? JSONValue(parsing: text, limits: .anyMemory) else {
            throw RegistryError(internal: "a stored record is damaged")
        }
        self = document
    }
}

/// The lock of one workspace.
package struct DeployLock: Hashable, Sendable {
    /// The current or last holder.
    package var holder: String
    /// The run that holds the lock; empty when it is free.
    package var run: String
    /// The fence, raised whenever the lock is taken.
    package var fence: Int
    /// The time when it was taken.
    package var acquiredAt: Instant?
    /// The time when it expires, on the database's clock.
    package var expiresAt: Instant
    /// The record of the last apply.
    package var lastApplied: JSONValue?
}

/// The result of one attempt to take the lock.
package enum DeployLockAttempt: Hashable, Sendable {
    case acquired(Lease)
    /// The lock is held by another run; the second value is the database's clock.
    case held(DeployLock, now: Instant)
}

// MARK: - Locks

extension Journal {
    // MARK: Locks

    /// Tries once to take the lock, for a time after which others may take it; a run that holds it already extends it.
    package func acquireLock(
        of workspace: String, holder: String, run: String, lasting length: Duration = Lease.usualLength
    ) async throws(RegistryError) -> DeployLockAttempt {
        try await write { db in
            guard !run.isEmpty else { throw RegistryError(.other, "A run that takes a lock has a name.") }
            let (known, now) = (try db.lockToTake(of: workspace), db.now)
            if let known, !known.run.isEmpty, known.run != run, known.expiresAt > now { return .held(known, now: now) }
            let lock = DeployLock(
                holder: holder, run: run, fence: known?.run == run ? known?.fence ?? 1 : (known?.fence ?? 0) + 1,
                acquiredAt: now, expiresAt: now + length, lastApplied: known?.lastApplied)
            try db.write(lock, of: workspace)
            return .acquired(
                Lease(workspace: workspace, run: run, fence: lock.fence, expiresAt: lock.expiresAt, length: length))
        }
    }

    /// Extends the lock to its length from now; nil when it is lost.
    package func renew(_ lease: Lease) async throws(RegistryError) -> Lease? {
        try await write { db in
            var renewed = lease
            renewed.expiresAt = db.now + lease.length
            let isOurs = try db.change(lease.workspace, if: { $0.isHeld(under: lease) }) { lock in
                lock.expiresAt = renewed.expiresAt
            }
            return isOurs ? renewed : nil
        }
    }

    /// Releases the lock, and records the apply if one is given; does nothing when the lock is no longer held.
    package func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError) {
        try await write { db in
            _ = try db.change(lease.workspace, if: { $0.isHeld(under: lease) }) { lock in
                (lock.run, lock.expiresAt) = ("", db.now)
                lock.lastApplied = lastApplied ?? lock.lastApplied
            }
        }
    }

    /// Releases the lock with this fence; false when the fence differs or the lock is free.
    package func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool {
        try await write { db in
            try db.change(workspace, if: { !$0.run.isEmpty && $0.fence == fence }) { lock in
                (lock.run, lock.expiresAt) = ("", db.now)
            }
        }
    }

    // MARK: Records

    /// Writes a record, replacing any with the same kind and key.
    package func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write { db in
            try db.check(lease, of: record.workspace)
            guard record.document.object != nil else { throw RegistryError(.incorrectType, "A record is an object.") }
            var record = record
            record.fence = lease?.fence ?? record.fence
            try db.write(record)
        }
    }

    /// Removes a record, if it exists.
    package func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write { db in
            try db.check(lease, of: record.workspace)
            try db.remove(record)
        }
    }
}

extension RegistryTransaction {
    /// Rejects a write whose lease is lost; otherwise nobody can take the lock before the transaction ends. A server
    /// writes its own journals under a lock for each push.
    ///
    /// If `hold` is `free`, the lock's holder can renew it meanwhile.
    ///
    /// - Throws: ``RegistryError/lockLost``.
    func check(_ lease: Lease?, of workspace: String, _ hold: RowHold = .shared) throws {
        guard let lease else { return }
        let lock = try lock(of: lease.workspace, hold)
        let isMeant = lease.workspace == workspace || workspace == DeliveryFreeze.ofServer
        guard let lock, lock.isHeld(under: lease), isMeant else { throw RegistryError.lockLost }
    }

    fileprivate func change(
        _ workspace: String, if fits: (DeployLock) -> Bool, _ body: (inout DeployLock) -> Void
    ) throws -> Bool {
        guard var lock = try lock(of: workspace, .changing), fits(lock) else { return false }
        body(&lock)
        try write(lock, of: workspace)
        return true
    }
}

extension DeployLock {
    fileprivate func isHeld(under lease: Lease) -> Bool {
        !run.isEmpty && run == lease.run && fence == lease.fence
    }
}

// MARK: - Locks

extension RegistryTransaction {
    /// Returns the id of the database.
    func identity() throws -> String {
        guard let id = try text("SELECT id FROM \(dialect == .sqlite ? "registryIdentity" : "bugleRegistry")") else {
            throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
        }
        return id
    }

    /// Returns all records of a kind, sorted by key.
    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try rows(
            "SELECT key, document, fence FROM deployRecord WHERE workspace = ? AND kind = ? ORDER BY key",
            [workspace, kind.rawValue]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row.string(0),
                document: try JSONValue(stored: row.string(1)), fence: row.number(2))
        }
    }

    func write(_ record: DeployRecord) throws {
        try execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document, fence = excluded.fence
            """,
            [record.workspace, record.kind.rawValue, record.key, record.document.canonicalText, record.fence])
    }

    func remove(_ record: DeployRecord) throws {
        try execute(
            "DELETE FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            [record.workspace, record.kind.rawValue, record.key])
    }

    /// Returns a workspace's lock; nil when it was never taken.
    func lock(of workspace: String, _ hold: RowHold) throws -> DeployLock? {
        try rows(
            """
            SELECT holder, run, fence, acquiredAt, expiresAt, lastApplied FROM deployLock
            WHERE workspace = ?\(clause(hold))
            """, [workspace]
        ).first.map { row in
            DeployLock(
                holder: row.string(0), run: row.string(1), fence: row.number(2), acquiredAt: row.time(3),
                expiresAt: row.instant(4), lastApplied: try row.text(5).map(JSONValue.init(stored:)))
        }
    }

    /// Returns a workspace's lock to a run that is about to take it; when two are first at the same time, one waits
    /// here.
    func lockToTake(of workspace: String) throws -> DeployLock? {
        try execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt) VALUES (?, '', '', 0, 0)
            ON CONFLICT (workspace) DO NOTHING
            """, [workspace])
        return try lock(of: workspace, .changing)
    }

    func write(_ lock: DeployLock, of workspace: String) throws {
        try execute(
            """
            UPDATE deployLock SET holder = ?, run = ?, fence = ?, acquiredAt = ?, expiresAt = ?, lastApplied = ?
            WHERE workspace = ?
            """,
            [
                lock.holder, lock.run, lock.fence, lock.acquiredAt, lock.expiresAt, lock.lastApplied?.canonicalText,
                workspace,
            ])
    }
}
