package import Apply
package import Base
package import DeviceRegistry
package import Push
internal import Synchronization

/// Writes to an `apns` remote: lock, ledger and resources in the registry, broadcast channels and pushes at Apple.
package struct APNsWriter: RemoteWriting {
    let store: Journal
    let workspace: String
    let senders: @Sendable (DeliveryOrder) -> any SenderProviding
    let clients: BroadcastClients
    let settings: DeliverySettings
    let pausing: any Pausing
    let heartbeat: any Pausing
    let elapsed: @Sendable () -> Duration
    let canBeJoined: Bool

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - store: the registry; its creator closes it.
    ///   - workspace: the workspace whose ledger, resources and lock are meant.
    ///   - senders: provides the senders for an order's profiles, at its throttle.
    ///   - clients: manage the broadcast channels at Apple.
    ///   - settings: the time limits and retries of a delivery.
    ///   - canBeJoined: true when other machines can reach the registry.
    ///   - pausing: waits between attempts; it ends early when the apply is asked to stop.
    ///   - heartbeat: waits between checks of the lock; it must not end early.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    package init(
        _ store: Journal, workspace: String,
        senders: @escaping @Sendable (DeliveryOrder) -> any SenderProviding, clients: BroadcastClients,
        settings: DeliverySettings = DeliverySettings(), canBeJoined: Bool = false, pausing: any Pausing,
        heartbeat: any Pausing = TaskPause(), elapsed: @escaping @Sendable () -> Duration
    ) {
        self.store = store
        self.workspace = workspace
        self.senders = senders
        self.clients = clients
        self.settings = settings
        self.canBeJoined = canBeJoined
        self.pausing = pausing
        self.heartbeat = heartbeat
        self.elapsed = elapsed
    }

    var keys: RecordKeys { RecordKeys(workspace: workspace) }

    package var journaling: (any DeliveryJournaling)? { self }

    /// Does nothing: this remote schedules no pushes.
    package func cancel(_ id: Int64) async throws(RemoteError) {}
}

// MARK: - Lock

extension APNsWriter {
    package func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt {
        let attempt = try await RemoteError.asking(try await store.acquireLock(of: workspace, holder: holder, run: run))
        switch attempt {
        case .acquired(let lease): return .acquired(lease)
        case .held(let lock, let now): return .held(try LockRecord(lock), now: now)
        }
    }

    package func renew(_ lease: Lease) async throws(RemoteError) -> Lease? {
        try await RemoteError.asking(try await store.renew(lease))
    }

    package func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError) {
        try await RemoteError.asking(try await store.release(lease, lastApplied: lastApplied.map(LockFields.value)))
    }

    package func unlock(fence: Int) async throws(RemoteError) -> Bool {
        try await RemoteError.asking(try await store.unlock(workspace, fence: fence))
    }
}

// MARK: - Ledger and resources

extension APNsWriter {
    package func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await put(keys.ledger(entry, fence: lease.fence), lease)
    }

    package func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await put(keys.ledger(entry, fence: lease.fence), lease)
    }

    package func stop(_ order: StopOrder) async throws(RemoteError) {
        try await RemoteError.asking(try await store.stop(order, in: workspace))
    }

    package func lift(_ order: StopOrder) async throws(RemoteError) {
        try await RemoteError.asking(try await store.lift(order, in: workspace))
    }

    package func startLedger() async throws(RemoteError) {
        try await RemoteError.asking(try await store.put(keys.startedLedger, under: nil))
    }

    /// Records a resource as deployed; an Apple broadcast channel is created first.
    package func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        if resource.kind == .channel {
            try await channels(lease).deploy(resource.name, as: try Channel.Broadcast(fields: resource.fields))
        }
        try await put(keys.resource(resource, fence: lease.fence), lease)
    }

    /// Removes a resource's record; an Apple broadcast channel is deleted first.
    package func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        if resource.kind == .channel { try await channels(lease).delete(resource.name) }
        try await RemoteError.asking(try await store.remove(keys.resource(resource, fence: lease.fence), under: lease))
    }

    func channels(_ lease: Lease) -> ChannelDeployment {
        ChannelDeployment(store: store, workspace: workspace, lease: lease, clients: clients, pausing: pausing)
    }

    private func put(_ record: DeployRecord, _ lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking(try await store.put(record, under: lease))
    }
}

// MARK: - Sending

extension APNsWriter {
    package func send(_ sending: OutgoingDelivery) async -> SendOutcome {
        let entry = sending.entry
        let order: DeliveryOrder
        do throws(Unreadable) {
            order = try readOrder(of: entry)
        } catch {
            return await refusalUnlessBegun(entry, error.description)
        }
        let lease = await sending.lease()
        let permit = DeliveryPermit(
            run: lease.run, lease: lease, permission: sending.permission,
            isStopped: sending.isStopped)
        var job = DeliveryJob(entry, order)
        job.allowed = sending.allowed
        if case .broadcast(let channel, let topic) = order.target {
            do throws(RemoteError) {
                let known = try await store.journal(of: entry)
                if let known, known.isClosed { return .delivered(DeliveryFigures(known, order)) }
                if known?.isFrozen != true {
                    job.channelID = try await channelID(of: channel, topic: topic, in: order.environment, under: lease)
                }
            } catch {
                return SendOutcome(error)
            }
        }
        let ending = await engine(for: order).run(job, under: permit, progress: sending.progress)
        do throws(RegistryError) {
            switch ending {
            case .interrupted(.judged(let verdict)):
                let figures = try await store.journal(of: job.id) ?? JournalFigures(targets: 0)
                return .judged(verdict, DeliveryFigures(figures, order))
            case .interrupted(.stopped(let stop)):
                return .stopped(stop, try await store.journal(of: job.id).map { DeliveryFigures($0, order) })
            case .interrupted(.postponed(let why, let until)):
                let figures = try await store.journal(of: job.id).map { DeliveryFigures($0, order) }
                return .interrupted(reason: why, until: until, figures)
            case .interrupted, .ended, .nothingSent: return SendOutcome(ending, order)
            }
        } catch {
            // The journal has the verdict and the figures: the next apply reads them again.
            return .interrupted(reason: error.description)
        }
    }

    /// Apple's id of a declared channel.
    private func channelID(
        of name: String, topic: String, in environment: PushEnvironment, under lease: Lease
    ) async throws(RemoteError) -> String {
        let resources = try await RemoteError.asking(try await store.records(.resource, of: workspace))
        for record in resources {
            guard let resource = try ResourceFields.record(record.fields), resource.kind == .channel,
                resource.name == name, let broadcast = try Channel.Broadcast(fields: resource.fields),
                broadcast.topic == topic
            else { continue }
            return try await channels(lease).ready(name, broadcast, in: environment)
        }
        throw RemoteError(.refused, "the broadcast channel \(name) of topic \(topic) was not created: apply it first")
    }

    func engine(for order: DeliveryOrder) -> DeliveryEngine {
        DeliveryEngine(
            store: store, senders: senders(order), settings: settings, pausing: pausing, heartbeat: heartbeat,
            elapsed: elapsed)
    }

    func readOrder(of entry: LedgerEntry) throws(Unreadable) -> DeliveryOrder {
        guard let request = entry.request else { throw Unreadable(description: "the ledger does not hold the request") }
        do throws(DeliveryOrderError) {
            return try DeliveryOrder(request.body)
        } catch {
            throw Unreadable(description: "the recorded request cannot be carried out: \(error)")
        }
    }

    /// A request that cannot be read sends nothing, but a delivery that was begun is not refused for that.
    private func refusalUnlessBegun(_ entry: LedgerEntry, _ reason: String) async -> SendOutcome {
        do throws(RegistryError) {
            let figures = try await store.journal(of: entry.notificationID.text)
            return figures?.hasSent ?? false ? .interrupted(reason: reason) : .nothingSent(reason)
        } catch {
            return .interrupted(reason: reason)
        }
    }
}

/// The reason a recorded request cannot be carried out.
struct Unreadable: Error {
    let description: String
}

extension DeliveryJob {
    init(_ entry: LedgerEntry, _ order: DeliveryOrder) {
        self.init(
            id: entry.notificationID.text, workspace: entry.workspace, order: order, start: entry.intendedAt,
            due: entry.windowStart, window: entry.window, expiresAt: entry.expiresAt, salt: entry.delivery.text)
    }
}

extension SendOutcome {
    /// Converts the ending of an engine's run.
    init(_ ending: DeliveryEnding, _ order: DeliveryOrder) {
        switch ending {
        case .ended(let figures): self = .delivered(DeliveryFigures(figures, order))
        case .interrupted(let stop): self = .interrupted(reason: stop.description)
        case .nothingSent(.audience(let figures)): self = .outsideLimits(DeliveryFigures(figures, order))
        case .nothingSent(let stop): self = Self.nothingSent(stop)
        }
    }

    private static func nothingSent(_ stop: DeliveryStop) -> SendOutcome {
        let reason = stop.description
        switch stop {
        // The next apply reports whether the delivery was missed.
        case .asked, .lockLost, .over, .postponed, .judged, .stopped: return .interrupted(reason: reason)
        case .unreachable, .machine: return nothingSent(reason, .again(after: nil))
        case .credential: return nothingSent(reason, .credentials)
        case .wrongEnvironment, .audience, .mismatch: return nothingSent(reason)
        case .refused(let word):
            let isCredential = [.giveUp(.credential), .renew].contains(word.row.decision)
            return .answered(
                SendAnswer(
                    .refused(.service(word, since: nil)), reason: reason, remedy: isCredential ? .credentials : .none))
        case .registry(let error): return nothingSent(reason, error.isInternal ? .again(after: nil) : .none)
        }
    }
}

extension DeliveryFigures {
    /// Converts the figures of an order's journal; nil: it cannot be read.
    init(_ figures: JournalFigures, _ order: DeliveryOrder?) {
        let invalid = figures.refused.filter { ServiceReason(word: $0.key)?.isOfTheToken ?? false }
        self.init(
            devices: figures.targets, successes: figures.accepted, invalidTokens: invalid.values.reduce(0, +),
            inDoubt: figures.unanswered, missed: figures.missed,
            verdicts: figures.parts.compactMap(\.verdict), leftOut: figures.leftOut.planned)
        variants = order.flatMap { figures.answers(to: $0) } ?? []
    }
}

// MARK: - Journaling

extension APNsWriter: DeliveryJournaling {
    package func conclude(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) -> DeliveryFigures {
        let known = try await store.journal(of: entry)
        let order = try? readOrder(of: entry)
        guard let known, !known.isClosed else { return DeliveryFigures(known ?? JournalFigures(targets: 0), order) }
        return DeliveryFigures(
            try await RemoteError.asking(
                try await DeliveryEngine.conclude(entry.notificationID.text, in: store, under: lease)), order)
    }

    package func reopenDoubtful(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking(try await store.reopenDoubtful(entry.notificationID.text, under: lease))
    }

    package func renewWindow(of entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        // A wave past its window is missed: by the clocks of its devices it is another hour, perhaps a quiet one.
        if case .localTime? = (try? readOrder(of: entry))?.timing { return }
        try await RemoteError.asking(try await store.renewWindow(of: entry.notificationID.text, under: lease))
    }

    package func proceed(
        _ entry: LedgerEntry, reason: String, under lease: Lease
    ) async throws(RemoteError) -> Instant? {
        let id = entry.notificationID.text
        guard let stage = try await store.journal(of: entry)?.current else { throw RemoteError(RegistryError.notFound) }
        let now = try await RemoteError.asking(try await store.now())
        // Otherwise it was recorded before, and the ledger was not told: the stage that it opened is judged by its own
        // answers.
        if let stopped = stage.verdict, !stopped.opensNext {
            let verdict = StageVerdict(
                stage: stage.number, decision: .proceed, at: now,
                answers: try await RemoteError.asking(try await store.answers(of: stage, of: id)),
                rule: .verbatim(reason))
            try await RemoteError.asking(try await store.judge(id, verdict, under: lease))
        }
        guard let order = try? readOrder(of: entry) else { return entry.expiresAt }
        // Each stage that is left, and the rest of this one, may come as late as a window after the one before.
        var left = 1
        if case .stages(let rollout) = order.timing {
            left = max(1, rollout.stages.count - stage.number + (stage.figures.waiting > 0 ? 1 : 0))
        }
        return order.expiration.end(startingAt: now + entry.window * left)
    }

    package func forgetReached(before: Instant, under lease: Lease) async throws(RemoteError) {
        try await RemoteError.asking(try await store.forgetReached(before: before, of: workspace, under: lease))
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
            let jobs = try await jobsUnderWay(lock, help)
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
                if case .stopped = stop { throw RemoteError(.refused, "\(stop)") }
                throw RemoteError(.unavailable, "\(stop); the run that holds the lock continues alone")
            }
            // The holder may be between two deliveries, or about to record that one ended.
            guard (try? await pausing.pause(for: .seconds(1))) != nil else { break }
        }
        return latest.value
    }

    private func heldLock() async throws(RemoteError) -> DeployLock? {
        guard let lock = try await RemoteError.asking(try await store.lock(of: workspace)), !lock.run.isEmpty
        else { return nil }
        let now = try await RemoteError.asking(try await store.now())
        return lock.expiresAt > now ? lock : nil
    }

    /// Permits requests while the holder's lock, which a helper cannot renew, lasts longer than a request takes,
    /// outside quiet hours.
    private func permission(_ lease: Lease, _ time: DeliveryTime, _ quietHours: QuietHours?) async -> Permission {
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
        _ lock: DeployLock, _ help: DeliveryHelper
    ) async throws(RemoteError) -> [(job: DeliveryJob, time: DeliveryTime)] {
        var jobs: [(job: DeliveryJob, time: DeliveryTime)] = []
        let records = try await RemoteError.asking(try await store.records(.ledger, of: workspace))
        for record in records {
            let entry = try LedgerFields.entry(record.fields)
            // A throttled delivery would run twice as fast with two senders.
            guard entry.state == .sending, entry.fence == lock.fence, let order = try? readOrder(of: entry),
                order.throttle == nil
            else { continue }
            if try await store.journal(of: entry)?.isClosed ?? false { continue }
            // The holder may have other files.
            if let fence = help.fence, !(entry.request?.isWithin(fence) ?? false) {
                throw RemoteError(
                    .refused, "\(entry.title) would reach devices outside the remote's 'audience' in these files")
            }
            // The journal has its own window.
            jobs.append((DeliveryJob(entry, order), DeliveryTime(entry, windowFrom: nil, quietHours: help.quietHours)))
        }
        return jobs.sorted { ($0.job.start, $0.job.id) < ($1.job.start, $1.job.id) }
    }
}

extension DeliveryStop {
    /// True when an immediate retry would end the same way.
    fileprivate var isTheDeliverys: Bool {
        switch self {
        case .asked, .lockLost, .over, .postponed: false
        case .refused, .wrongEnvironment, .unreachable, .credential, .machine, .registry, .audience, .mismatch, .judged,
            .stopped:
            true
        }
    }
}

/// Forwards progress reports and remembers the latest.
final class LatestProgress: Sendable {
    private let last = Mutex<DeliveryProgress?>(nil)
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    /// The latest report; nil when there was none.
    var value: DeliveryProgress? { last.withLock { $0 } }

    /// Forwards and stores a report.
    @Sendable func take(_ progress: DeliveryProgress) {
        last.withLock { $0 = progress }
        report(progress)
    }
}
