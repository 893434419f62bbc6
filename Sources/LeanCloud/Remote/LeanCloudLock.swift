package import Apply
internal import Base
package import Push

extension LeanCloudWriter {
    /// The term of a lock after it was taken or renewed.
    static let lockTerm = Duration.seconds(120)
    /// The wait before a new lock object is used, so that a second one created at the same time is seen.
    static let lockSettling = Duration.seconds(2)

    package func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt {
        for _ in 0..<3 {
            let (lock, now) = try await settledLock()
            if let lease = lock.lease(of: run, in: workspace, at: now) { return .acquired(lease) }
            if lock.record.isHeld(at: now) { return .held(lock.record, now: now) }
            let lease = Lease(
                workspace: workspace, run: run, fence: lock.record.fence + 1, expiresAt: now + Self.lockTerm)
            if case .done = try await claim(lock, lease, holder: holder, at: now) { return .acquired(lease) }
            // Another run was faster, or the answer was lost: the stored lock decides, in the next round.
        }
        let (lock, now) = try await settledLock()
        if let lease = lock.lease(of: run, in: workspace, at: now) { return .acquired(lease) }
        return .held(lock.record, now: now)
    }

    /// Takes the lock if it is unchanged since it was read.
    private func claim(
        _ lock: LockObject, _ lease: Lease, holder: String, at now: Instant
    ) async throws(RemoteError) -> WriteOutcome {
        let seen: JSONValue = [
            "fence": .integer(Int64(lock.record.fence)), "expiresAt": ["$lte": .string(now.isoText)],
        ]
        return try await api.update(
            .lock, lock.objectID, where: seen,
            [
                "run": .string(lease.run), "holder": .string(holder), "fence": .integer(Int64(lease.fence)),
                "acquiredAt": .string(now.isoText),
                "expiresAt": .string(lease.expiresAt.isoText),
            ])
    }

    /// The lock object that all runs compete for; creating it grants nothing.
    private func settledLock() async throws(RemoteError) -> (LockObject, Instant) {
        let first = try await api.oldestLock(of: workspace)
        if let lock = first.lock {
            // The Date header has a resolution of a second.
            if first.now - lock.createdAt > Self.lockSettling + .seconds(1) { return (lock, first.now) }
        } else {
            _ = try await api.create(.lock, LockObject.unclaimed(workspace: workspace))
        }
        try await api.pause(for: Self.lockSettling)
        let second = try await api.oldestLock(of: workspace)
        guard let lock = second.lock else {
            throw RemoteError(.unavailable, "BugleLock: the lock's object was created but cannot be read; run it again")
        }
        return (lock, second.now)
    }

    package func renew(_ lease: Lease) async throws(RemoteError) -> Lease? {
        var attempt = 0
        while true {
            let (lock, now) = try await api.oldestLock(of: workspace)
            guard let lock, lock.record.run == lease.run, lock.record.fence == lease.fence else { return nil }
            var renewed = lease
            renewed.expiresAt = now + Self.lockTerm
            let outcome = try await api.update(
                .lock, lock.objectID, where: lease.condition,
                ["expiresAt": .string(renewed.expiresAt.isoText)])
            switch outcome {
            case .done: return renewed
            case .conditionFailed, .absent: return nil
            case .unknown(let error): try await again(&attempt, error)
            }
        }
    }

    package func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError) {
        var attempt = 0
        while true {
            let (lock, now) = try await api.oldestLock(of: workspace)
            // Lost, or released by the attempt whose answer was lost.
            guard let lock, lock.record.run == lease.run, lock.record.fence == lease.fence else { return }
            var members = Self.freed(at: now)
            if let lastApplied { members["lastApplied"] = LockFields.value(of: lastApplied) }
            switch try await api.update(.lock, lock.objectID, where: lease.condition, members) {
            case .done, .conditionFailed, .absent: return
            case .unknown(let error): try await again(&attempt, error)
            }
        }
    }

    package func unlock(fence: Int) async throws(RemoteError) -> Bool {
        var attempt = 0
        while true {
            let (lock, now) = try await api.oldestLock(of: workspace)
            guard let lock, lock.record.fence == fence, lock.record.isHeld(at: now) else {
                // After a lost answer: released by that attempt, unless another apply holds it.
                return attempt > 0 && lock?.record.fence == fence
            }
            let condition: JSONValue = ["fence": .integer(Int64(fence)), "run": .string(lock.record.run)]
            switch try await api.update(.lock, lock.objectID, where: condition, Self.freed(at: now)) {
            case .done: return true
            case .conditionFailed, .absent: return false
            case .unknown(let error): try await again(&attempt, error)
            }
        }
    }

    private static func freed(at now: Instant) -> [String: JSONValue?] {
        ["run": "", "expiresAt": .string((now - .seconds(1)).isoText)]
    }
}

extension LockObject {
    /// The lease of a run that already holds the lock: the answer to its claim was lost.
    fileprivate func lease(of run: String, in workspace: String, at now: Instant) -> Lease? {
        guard record.run == run, record.isHeld(at: now) else { return nil }
        return Lease(workspace: workspace, run: run, fence: record.fence, expiresAt: record.expiresAt)
    }
}

extension Lease {
    /// The condition under which the lock's object still belongs to this lease.
    fileprivate var condition: JSONValue { ["fence": .integer(Int64(fence)), "run": .string(run)] }
}

/// The lock as an object of class `BugleLock`.
///
/// Fields: `workspace`, `holder`, `run` (empty: free), `fence` (0: never taken), `acquiredAt`, `expiresAt` (ISO text in
/// UTC with milliseconds, so that the service compares them as text), `lastApplied` (`{commit, committedAt, at, run}`).
struct LockObject: Sendable {
    let objectID: String
    /// The time the service created it.
    let createdAt: Instant
    let record: LockRecord

    /// The fields of a lock that nobody has taken yet.
    static func unclaimed(workspace: String) -> JSONObject {
        [
            "workspace": .string(workspace), "holder": "", "run": "", "fence": 0,
            "expiresAt": .string(Instant(milliseconds: 0).isoText),
        ]
    }

    /// Reads an object.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the object and its first faulty field.
    init(_ object: StoredObject) throws(RemoteError) {
        objectID = object.objectID
        createdAt = object.createdAt
        record = LockRecord(
            holder: try object.fields.required("holder", \.string), run: try object.fields.required("run", \.string),
            fence: try object.fields.required("fence", \.natural),
            acquiredAt: try object.fields.optional("acquiredAt", \.instant),
            expiresAt: try object.fields.required("expiresAt", \.instant),
            lastApplied: try object.fields.optional("lastApplied", LockFields.lastApplied))
    }
}
