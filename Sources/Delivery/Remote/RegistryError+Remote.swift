internal import DeviceRegistry
internal import Base
internal import Push

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
        try await RemoteError.asking { () throws(RegistryError) in try await journal(of: entry.notificationID.text) }
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
