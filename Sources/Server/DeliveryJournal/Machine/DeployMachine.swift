package import JSONValue
internal import PushModel
internal import RegistryModel

/// The logic of locks, records and deliveries, within one transaction; the same for every database.
package struct DeployMachine {
    let transaction: any DeployTransaction

    package init(_ transaction: any DeployTransaction) {
        self.transaction = transaction
    }

    private func end(_ length: Duration) -> Instant { transaction.now + length }

    // MARK: Locks

    /// Rejects a write whose lease is lost; otherwise nobody can take the lock before the transaction ends. A server
    /// writes its own journals under a lock for each push.
    ///
    /// If `hold` is `free`, the lock's holder can renew it meanwhile.
    ///
    /// - Throws: ``RegistryError/lockLost``.
    func check(_ lease: Lease?, of workspace: String, _ hold: RowHold = .shared) throws {
        guard let lease else { return }
        let lock = try transaction.lock(of: lease.workspace, hold)
        let isMeant = lease.workspace == workspace || workspace == DeliveryFreeze.ofServer
        guard let lock, lock.isHeld(under: lease), isMeant else { throw RegistryError.lockLost }
    }

    /// Tries once to take the lock; a run that holds it already extends it.
    func acquire(
        _ workspace: String, holder: String, run: String, lasting length: Duration
    ) throws -> DeployLockAttempt {
        guard !run.isEmpty else { throw RegistryError(.other, "A run that takes a lock has a name.") }
        let (known, now) = (try transaction.lockToTake(of: workspace), transaction.now)
        if let known, !known.run.isEmpty, known.run != run, known.expiresAt > now { return .held(known, now: now) }
        let lock = DeployLock(
            holder: holder, run: run, fence: known?.run == run ? known?.fence ?? 1 : (known?.fence ?? 0) + 1,
            acquiredAt: now, expiresAt: end(length), lastApplied: known?.lastApplied)
        try transaction.write(lock, of: workspace)
        return .acquired(
            Lease(workspace: workspace, run: run, fence: lock.fence, expiresAt: lock.expiresAt, length: length))
    }

    /// Extends a lock; nil when it is lost.
    func renew(_ lease: Lease) throws -> Lease? {
        var renewed = lease
        renewed.expiresAt = end(lease.length)
        let isOurs = try change(
            lease.workspace, if: { $0.isHeld(under: lease) }, { $0.expiresAt = renewed.expiresAt })
        return isOurs ? renewed : nil
    }

    /// Releases a lock that is still held.
    func release(_ lease: Lease, lastApplied: JSONValue?) throws {
        _ = try change(lease.workspace, if: { $0.isHeld(under: lease) }) { lock in
            (lock.run, lock.expiresAt) = ("", transaction.now)
            lock.lastApplied = lastApplied ?? lock.lastApplied
        }
    }

    /// Releases the lock with a fence; false when the fence differs or the lock is free.
    func unlock(_ workspace: String, fence: Int) throws -> Bool {
        try change(workspace, if: { !$0.run.isEmpty && $0.fence == fence }) {
            ($0.run, $0.expiresAt) = ("", transaction.now)
        }
    }

    private func change(
        _ workspace: String, if fits: (DeployLock) -> Bool, _ body: (inout DeployLock) -> Void
    ) throws -> Bool {
        guard var lock = try transaction.lock(of: workspace, .changing), fits(lock) else { return false }
        body(&lock)
        try transaction.write(lock, of: workspace)
        return true
    }

    // MARK: Records

    /// Writes a record, replacing any with the same kind and key.
    func put(_ record: DeployRecord, under lease: Lease?) throws {
        try check(lease, of: record.workspace)
        guard record.document.object != nil else { throw RegistryError(.incorrectType, "A record is an object.") }
        var record = record
        record.fence = lease?.fence ?? record.fence
        try transaction.write(record)
    }

    /// Removes a record, if it exists.
    func remove(_ record: DeployRecord, under lease: Lease?) throws {
        try check(lease, of: record.workspace)
        try transaction.remove(record)
    }

    /// Parses a stored document.
    package static func document(_ text: String) throws -> JSONValue {
        guard let document = try? JSONValue(parsing: text, limits: .anyMemory) else {
            throw RegistryError(internal: "a stored record is damaged")
        }
        return document
    }
}

extension DeployLock {
    fileprivate func isHeld(under lease: Lease) -> Bool {
        !run.isEmpty && run == lease.run && fence == lease.fence
    }
}
