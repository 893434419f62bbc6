package import Base
package import Push

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
    /// It is ours.
    case acquired(Lease)
    /// The lock is held by another run; the second value is the database's clock.
    case held(DeployLock, now: Instant)
}
