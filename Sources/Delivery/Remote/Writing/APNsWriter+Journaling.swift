internal import Base
internal import DeviceRegistry
package import Push
package import Apply

extension APNsWriter: DeliveryJournaling {
    package func conclude(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) -> DeliveryFigures {
        let known = try await store.journal(of: entry)
        let order = try? readOrder(of: entry)
        guard let known, !known.isClosed else { return DeliveryFigures(known ?? JournalFigures(targets: 0), order) }
        return DeliveryFigures(
            try await RemoteError.asking { () throws(RegistryError) in
                try await DeliveryEngine.conclude(entry.notificationID.text, in: store, under: lease)
            }, order)
    }

    package func reopenDoubtful(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.reopenDoubtful(entry.notificationID.text, under: lease)
        }
    }

    package func proceed(_ entry: LedgerEntry, reason: String, under lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            let id = entry.notificationID.text
            guard let stage = try await store.journal(of: id)?.current else { throw .notFound }
            let verdict = StageVerdict(
                stage: stage.number, decision: .proceed, at: try await store.now(),
                answers: try await store.answers(of: stage, of: id), rule: .verbatim(reason))
            try await store.judge(id, verdict, under: lease)
        }
    }

    package func forgetReached(before: Instant, under lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.forgetReached(before: before, of: workspace, under: lease)
        }
    }

    package func join(_ help: DeliveryHelper) async throws(RemoteError) -> DeliveryProgress? {
        guard canBeJoined else {
            throw RemoteError(
                .refused, "a SQLite registry serves one machine only: joining a delivery needs a PostgreSQL registry")
        }
        let latest = LatestProgress(help.progress)
        var stops: [String: DeliveryStop] = [:]
        while !help.isStopped(), let lock = try await heldLock() {
            let lease = Lease(workspace: workspace, run: lock.run, fence: lock.fence, expiresAt: lock.expiresAt)
            let jobs = try await jobsUnderWay(lock, help.quietHours)
            if jobs.isEmpty { break }
            for (job, time) in jobs where stops[job.id] == nil {
                let permit = DeliveryPermit(
                    run: help.run, lease: lease,
                    permission: { await permission(lease, time, help.quietHours) },
                    isStopped: help.isStopped)
                stops[job.id] = await engine(for: job.order).help(job, under: permit, progress: latest.take)
                    .flatMap { $0.isTheDeliverys ? $0 : nil }
            }
            // Waiting does not remove what keeps this machine from sending.
            if let stop = jobs.lazy.compactMap({ stops[$0.job.id] }).first, jobs.allSatisfy({ stops[$0.job.id] != nil })
            {
                throw RemoteError(.unavailable, "\(stop); the run that holds the lock continues alone")
            }
            // The holder may be between two deliveries, or about to record that one ended.
            guard (try? await pausing.pause(for: .seconds(1))) != nil else { break }
        }
        return latest.value
    }

    private func heldLock() async throws(RemoteError) -> DeployLock? {
        try await RemoteError.asking { () throws(RegistryError) in
            guard let lock = try await store.lock(of: workspace), !lock.run.isEmpty else { return nil }
            return lock.expiresAt > (try await store.now()) ? lock : nil
        }
    }

    /// Permits requests while the holder's lock, which a helper cannot renew, lasts longer than a request takes,
    /// outside quiet
    /// hours.
    private func permission(
        _ lease: Lease, _ time: DeliveryTime, _ quietHours: QuietHours?
    ) async -> Permission {
        guard let lock = try? await heldLock(), lock.run == lease.run, lock.fence == lease.fence,
            let now = try? await store.now()
        else { return .denied(.lockLost) }
        let left = lock.expiresAt - now - settings.requestTimeout
        guard left >= DeliveryPermit.grace else { return .denied(.lockLost) }
        switch time.objection(at: now) {
        case nil: return .granted(for: time.end(from: now, within: DeliveryPermit.grace) - now)
        case .over(let why): return .denied(.over(why))
        case .quietHours: return .denied(.quietHours(until: quietHours?.end(after: now)))
        }
    }

    /// The deliveries that the holder of the lock has in progress and that others may help with, the oldest first.
    ///
    /// Deliveries that an earlier apply left open are excluded: the holder may have found that they must wait.
    private func jobsUnderWay(
        _ lock: DeployLock, _ quietHours: QuietHours?
    ) async throws(RemoteError) -> [(job: DeliveryJob, time: DeliveryTime)] {
        var jobs: [(job: DeliveryJob, time: DeliveryTime)] = []
        let records = try await RemoteError.asking { () throws(RegistryError) in
            try await store.records(.ledger, of: workspace)
        }
        for record in records {
            let entry = try LedgerFields.entry(record.fields)
            // A throttled delivery would run twice as fast with two senders.
            guard entry.state == .sending, entry.fence == lock.fence, let order = try? readOrder(of: entry),
                order.throttle == nil
            else { continue }
            if try await store.journal(of: entry)?.isClosed ?? false { continue }
            // The journal has its own window.
            jobs.append((DeliveryJob(entry, order), DeliveryTime(entry, windowFrom: nil, quietHours: quietHours)))
        }
        return jobs.sorted { ($0.job.start, $0.job.id) < ($1.job.start, $1.job.id) }
    }
}

extension DeliveryStop {
    /// True when an immediate retry would end the same way.
    fileprivate var isTheDeliverys: Bool {
        switch self {
        case .asked, .lockLost, .over, .postponed: false
        case .refused, .wrongEnvironment, .unreachable, .credential, .machine, .registry, .audience, .mismatch, .judged:
            true
        }
    }
}
