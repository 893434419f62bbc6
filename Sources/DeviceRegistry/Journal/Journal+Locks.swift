package import Base
package import Push

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
