package import JSONValue

/// A document that an apply stores beside the devices: a ledger entry, a deployed resource, or a marker.
package struct DeployRecord: Hashable, Sendable {
    /// The workspace it belongs to.
    package var workspace: String
    /// The kind of record.
    package var kind: Kind
    /// The key, unique within its workspace and kind.
    package var key: String
    /// The content; always an object.
    package var document: JSONValue
    /// The fence of the apply that last wrote it; 0 when no apply did.
    package var fence: Int

    /// The kinds of records.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A delivery of the ledger.
        case ledger
        /// A deployed DeviceProfile, Channel or Segment.
        case resource
        /// The id of an Apple broadcast channel, and the pending creation or removal.
        case broadcast
        /// A marker, such as that the ledger was started.
        case mark
    }

    package init(workspace: String, kind: Kind, key: String, document: JSONValue, fence: Int = 0) {
        self.workspace = workspace
        self.kind = kind
        self.key = key
        self.document = document
        self.fence = fence
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
    package var acquiredAt: Timestamp?
    /// The time when it expires, on the database's clock.
    package var expiresAt: Timestamp
    /// The record of the last apply.
    package var lastApplied: JSONValue?
}

/// The permission to write while holding the lock.
package struct DeployLease: Hashable, Sendable {
    /// The workspace of the lock.
    package var workspace: String
    /// The run that holds the lock.
    package var run: String
    /// The fence.
    package var fence: Int

    package init(workspace: String, run: String, fence: Int) {
        self.workspace = workspace
        self.run = run
        self.fence = fence
    }
}

/// The result of one attempt to take the lock.
package enum DeployLockAttempt: Hashable, Sendable {
    /// The lock was taken until the given time.
    case acquired(DeployLease, until: Timestamp)
    /// The lock is held by another run; the second value is the database's clock.
    case held(DeployLock, now: Timestamp)
}
