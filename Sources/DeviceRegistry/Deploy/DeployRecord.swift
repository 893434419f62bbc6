package import JSONValue
package import PushModel

/// One document that an apply keeps beside the devices: a ledger entry, a deployed resource, or a mark.
package struct DeployRecord: Hashable, Sendable {
    /// The workspace it belongs to.
    package var workspace: String
    /// What it is.
    package var kind: Kind
    /// Its key among those of its workspace and kind.
    package var key: String
    /// What it says; always an object.
    package var document: JSONValue
    /// The fence of the apply that wrote it last; 0: no apply did.
    package var fence: Int

    /// What a record is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A delivery of the ledger.
        case ledger
        /// A deployed DeviceProfile, Channel or Segment.
        case resource
        /// An Apple broadcast channel's id, and what was begun to make or remove it.
        case broadcast
        /// A mark, such as that the ledger was started.
        case mark
    }

    /// Joins them.
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
    /// Who holds or held it.
    package var holder: String
    /// The run that holds it; empty when it is free.
    package var run: String
    /// Raised whenever it is taken.
    package var fence: Int
    /// When it was taken.
    package var acquiredAt: Instant?
    /// Until when it holds, on the database's clock.
    package var expiresAt: Instant
    /// What the last apply left.
    package var lastApplied: JSONValue?
}

/// The answer to one try to take the lock.
package enum DeployLockAttempt: Hashable, Sendable {
    /// It is ours.
    case acquired(Lease)
    /// Somebody holds it; the second value is the database's clock.
    case held(DeployLock, now: Instant)
}
