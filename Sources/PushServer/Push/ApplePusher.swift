internal import Base
internal import Delivery
internal import DeviceRegistry
internal import Logging
internal import Push
internal import Synchronization

/// Sends pushes to Apple; each is a delivery of the engine, whose journal tells where to resume after a restart.
final class ApplePusher: Sendable {
    private let registry: Registry
    private let store: Journal
    private let current: Mutex<(service: AppleService, runs: DeliveriesUnderWay)>
    private let clock: ServerClock
    private let logger: Logger
    private let counters: NotificationCounters
    private let news: ServerNews?
    private let stopping = StopSignal()
    private let places = Pool(places: ApplePusher.mostAtOnce)
    private let active = Mutex<Set<String>>([])
    /// The pushes of which this copy has heard that a person stopped them.
    private let ordered = Mutex<Set<String>>([])

    /// The number of pushes sent at once, so that a large one does not keep small ones waiting.
    private static let mostAtOnce = 8

    private enum Outcome {
        case over
        /// Apple or the database could not be reached.
        case again
        /// A service refused a device, or everything, until then.
        case later(Instant)
        /// The server stops, or another copy sends the push.
        case stopped
    }

    init(
        _ registry: Registry, _ service: AppleService, clock: ServerClock, counters: NotificationCounters,
        news: ServerNews? = nil, logger: Logger
    ) {
        self.registry = registry
        current = Mutex((service, DeliveriesUnderWay()))
        self.clock = clock
        self.counters = counters
        self.news = news
        self.logger = logger
        store = Journal(registry) { clock.now }
    }

    /// The service of the next push.
    var service: AppleService { current.withLock { $0.service } }

    /// Sends the next pushes through another service; the old one is closed when no push uses it any more.
    func use(_ service: AppleService) {
        let old = current.withLock { current in
            defer { current = (service, DeliveriesUnderWay()) }
            return current
        }
        Task {
            await old.runs.wait()
            await old.service.close()
        }
    }

    private var pausing: StoppablePause { StoppablePause(stopping) }

    /// Starts nothing more, and lets current deliveries end once their requests in flight are done.
    func stop() {
        stopping.raise()
    }

    func stopped() async throws(RegistryError) -> Set<String> {
        let stopped = Set(try await store.stops(of: DeliveryFreeze.ofServer).map(\.key))
        ordered.withLock { $0 = stopped }
        return stopped
    }

    /// Carries out a person's decision about a push; `false` when it cannot be, or not yet.
    func decide(_ decision: PushDecision, _ objectID: String) async throws(RegistryError) -> Bool {
        switch decision {
        case .stop(let by, let why):
            guard try await registry.applePush(objectID: objectID) != nil else { return false }
            try await store.stop(StopOrder(key: objectID, by: by, at: clock.now, why: why), in: DeliveryFreeze.ofServer)
            _ = ordered.withLock { $0.insert(objectID) }
        case .proceed:
            guard let order = try await store.stop(of: objectID, in: DeliveryFreeze.ofServer) else { return false }
            try await store.lift(order, in: DeliveryFreeze.ofServer)
        case .abandon: return try await abandon(objectID)
        }
        return true
    }
    /// Tells the team of certificates that expire soon.
    func tellOfCertificates() async { await news?.tell(ofCertificates: service.profiles) }

    /// True while the push is being sent.
    func isActive(_ objectID: String) -> Bool { active.withLock { $0.contains(objectID) } }

    /// Sends a push, unless another copy of the server does; returns when it has ended or the server stops.
    ///
    /// The record of one that an earlier process began may still say that it waits: `isBegun` is true.
    func push(_ objectID: String, isBegun: Bool = false) async {
        guard active.withLock({ $0.insert(objectID).inserted }) else { return }
        // One service for all attempts: its journal knows the profiles that it began with.
        let (service, runs) = current.withLock { current in
            current.runs.begin()
            return current
        }
        defer { runs.end() }
        var (failures, claim) = (0, PushClaim?.none)
        let wait = WaitNote(of: objectID, in: registry, clock, isWritten: isBegun)
        loop: while !stopping.isRaised {
            await places.take()
            let outcome = await run(objectID, service, &claim, wait)
            places.giveBack(())
            switch outcome {
            case .over, .stopped: break loop
            case .again:
                failures += 1
                try? await pausing.pause(for: service.retryPause.pause(after: failures))
            case .later(let time): await idle(objectID, until: time)
            }
        }
        await claim?.giveBack()
        _ = active.withLock { $0.remove(objectID) }
    }

    /// Waits without a place, in steps, to notice a stop.
    private func idle(_ objectID: String, until time: Instant) async {
        // The run has just looked: no stop holds.
        _ = ordered.withLock { $0.remove(objectID) }
        while clock.now < time, !ordered.withLock({ $0.contains(objectID) }) {
            guard (try? await pausing.pause(for: min(time - clock.now, .seconds(1)))) != nil else { return }
        }
    }

    private func run(
        _ objectID: String, _ service: AppleService, _ claim: inout PushClaim?, _ wait: WaitNote
    ) async -> Outcome {
        do throws(RegistryError) {
            if claim == nil { claim = try await PushClaim.take(objectID, in: store, isShared: registry.isShared) }
            guard let claim else { return .stopped }
            guard let push = try await registry.applePush(objectID: objectID) else { return .over }
            let job: DeliveryJob
            do throws(APIError) {
                job = try AppleRequest(push.order, service, at: clock.now).job(push)
            } catch {
                try await end(push, .failed(error.message), try await concluded(objectID, claim))
                return .over
            }
            if let refusal = try await refusal(push, job, service) {
                try await end(push, .failed(refusal), nil)
                return .over
            }
            return try await finish(push, claim, await deliver(job, service, claim, wait), wait)
        } catch {
            if error == .lockLost { return .stopped }
            logger.error("push \(objectID) waits: \(error.description)")
            return .again
        }
    }

    private func deliver(
        _ job: DeliveryJob, _ service: AppleService, _ claim: PushClaim, _ wait: WaitNote
    ) async -> DeliveryEnding {
        let senders: any SenderProviding =
            job.order.throttle.map {
                PacedSenders(senders: service.senders, pace: Pace(perSecond: $0, pausing: pausing))
            } ?? service.senders
        let start = ContinuousClock.now
        let engine = DeliveryEngine(
            store: store, senders: senders, settings: service.settings, pausing: pausing
        ) { ContinuousClock.now - start }
        let counter = RunCounter(counters)
        return await engine.run(
            job,
            under: DeliveryPermit(
                run: ObjectID.push(), lease: claim.lease, permission: { claim.permission },
                isStopped: { [stopping] in stopping.isRaised }),
            progress: { progress in
                if counter.note(progress) { wait.isOver() }
            })
    }

    /// Refuses a push to too many development devices, which are few; like the service, in the record.
    ///
    /// Source: docs/background/leancloud/push.md#limits.
    private func refusal(
        _ push: ApplePush, _ job: DeliveryJob, _ service: AppleService
    ) async throws(RegistryError) -> String? {
        guard push.order.environment == "dev", case .query(let condition) = push.order.audience,
            try await store.journal(of: job.id) == nil
        else { return nil }
        let audience = DeliveryAudience(
            selection: .condition(condition),
            routes: job.order.routes.map {
                DeliveryRoute(
                    profile: $0.profile, vendor: $0.vendor, installations: $0.installations, topic: $0.topic,
                    isDefault: $0.isDefault)
            })
        let count = try await store.count(audience, at: clock.now).devices
        return count > service.mostDevelopmentDevices ? "dev profile disabled for massive push" : nil
    }

    private func finish(
        _ push: ApplePush, _ claim: PushClaim, _ ending: DeliveryEnding, _ wait: WaitNote
    ) async throws(RegistryError) -> Outcome {
        let id = push.order.objectID
        switch ending {
        case .ended(let figures):
            try await end(push, .done, figures)
            return .over
        case .nothingSent(let stop), .interrupted(let stop):
            switch stop {
            case .asked, .lockLost: return .stopped
            case .over:
                let figures = try await concluded(id, claim)
                try await end(
                    push, figures.map { $0.accepted > 0 || $0.inDoubt > 0 } ?? false ? .done : .expired, figures)
                return .over
            case .unreachable(let why, _), .machine(let why), .postponed(let why, _):
                logger.warning("push \(id) waits: \(stop.description)")
                try await wait.write(why, for: stop.unreachableVendor)
                if case .postponed(_, let time?) = stop { return .later(time) }
                return .again
            case .registry(let error) where error.isInternal: throw error
            case .stopped(let order):
                logger.notice("push \(id): \(order.reason.text)")
                // Its record says so by the order itself.
                wait.isOver()
                return .stopped
            case .refused, .wrongEnvironment, .credential, .mismatch, .registry, .audience, .judged:
                try await end(push, .failed(stop.description), try await concluded(id, claim))
                return .over
            }
        }
    }

    /// Gives up the rest of a push that a person stopped; `false` while a copy of the server still ends its batches, or
    /// when nothing stops it.
    private func abandon(_ objectID: String) async throws(RegistryError) -> Bool {
        guard active.withLock({ $0.insert(objectID).inserted }) else { return false }
        defer { _ = active.withLock { $0.remove(objectID) } }
        guard let push = try await registry.applePush(objectID: objectID),
            let order = try await store.stop(of: objectID, in: DeliveryFreeze.ofServer),
            let claim = try await PushClaim.take(objectID, in: store, isShared: registry.isShared)
        else { return false }
        try await end(push, .failed(order.reason.text), try await concluded(objectID, claim))
        await claim.giveBack()
        try await store.lift(order, in: DeliveryFreeze.ofServer)
        return true
    }

    /// Closes the journal of a push that will not continue; nil when there is none.
    private func concluded(_ objectID: String, _ claim: PushClaim) async throws(RegistryError) -> JournalFigures? {
        guard let figures = try await store.journal(of: objectID), figures.isFrozen else { return nil }
        return try await DeliveryEngine.conclude(objectID, in: store, under: claim.lease)
    }

    private func end(
        _ push: ApplePush, _ ending: ApplePushResult.Ending, _ figures: JournalFigures?
    ) async throws(RegistryError) {
        let objectID = push.order.objectID
        let refused = figures?.refused ?? [:]
        let vendors = service.vendorsByProfile
        let accepted = figures == nil ? [:] : try await store.accepted(of: objectID)
        let result = ApplePushResult(
            ending: ending, figures: figures,
            accepted: accepted.reduce(into: [:]) { $0[vendors[$1.key] ?? .apns, default: 0] += $1.value },
            invalidTokens: refused.reduce(0) { $0 + ($1.key.namesBadToken ? $1.value : 0) })
        try await registry.finishApplePush(objectID: objectID, result, at: clock.now)
        switch ending {
        case .done:
            let problems = refused.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined()
            let figures = figures ?? JournalFigures(targets: 0)
            let doubt = figures.inDoubt > 0 ? ", \(figures.inDoubt) in doubt" : ""
            let missed = figures.missed > 0 ? ", \(figures.missed) not sent to" : ""
            logger.info("push \(objectID): \(figures.accepted) accepted\(problems)\(doubt)\(missed)")
        case .expired:
            logger.notice("push \(objectID) expired before it was sent")
            news?.tell(of: push, Reason(.allTimesOver))
        case .failed(let reason):
            logger.error("push \(objectID) was not sent to everybody: \(reason)")
            news?.tell(of: push, .verbatim(reason))
        }
    }
}

/// A person's decision about a push that is being sent, or was stopped.
enum PushDecision: Hashable, Sendable {
    /// Nothing more of it is sent, by any copy of the server.
    case stop(by: String, why: String)
    /// What was stopped goes on.
    case proceed
    /// The rest of what was stopped is given up.
    case abandon
}

/// Says in the record of a push why it waits, until a service answers again or a person stops it.
final class WaitNote: Sendable {
    private let objectID: String
    private let registry: Registry
    private let clock: ServerClock
    private let isWritten: Atomic<Bool>
    /// Takes back what was written last.
    private let clearing = Mutex<Task<Void, Never>?>(nil)

    init(of objectID: String, in registry: Registry, _ clock: ServerClock, isWritten: Bool) {
        self.objectID = objectID
        self.registry = registry
        self.clock = clock
        self.isWritten = Atomic(isWritten)
    }

    func write(_ why: String, for vendor: PushVendor?) async throws(RegistryError) {
        // Otherwise it could take this back.
        await clearing.withLock { $0 }?.value
        isWritten.store(true, ordering: .relaxed)
        try await registry.noteApplePush(objectID: objectID, waits: why, for: vendor, at: clock.now)
    }

    /// Called from a delivery, which does not wait for the record.
    func isOver() {
        guard isWritten.exchange(false, ordering: .relaxed) else { return }
        let task = Task { _ = try? await registry.noteApplePush(objectID: objectID, waits: nil, at: clock.now) }
        clearing.withLock { $0 = task }
    }
}

extension String {
    /// True if a reason of Apple's means that the token is bad. Source: docs/background/leancloud/records.md#records.
    fileprivate var namesBadToken: Bool {
        let reason = ServiceReason(word: self)
        return switch reason?.row.decision {
        case .dropToken, .dropTokenIfEnvironmentIsRight: true
        case .refuseToken: reason == .apple(.deviceTokenNotForTopic) || reason == .fcm(.senderIDMismatch)
        case .stopUntil: false
        case .retry, .wait, .renew, .reconnect, .giveUp, nil: false
        }
    }
}

/// The claim of one copy of the server on a push to Apple, without which it sends nothing of it.
///
/// It is a lock of the registry, renewed until it is given back; what a killed copy has claimed is free ``length``
/// later. A registry in a file belongs to one server, which needs no lock.
final class PushClaim: Sendable {
    /// The time after which another copy may take over.
    static let length = Duration.seconds(15)
    private static let interval = Duration.seconds(5)

    /// The lock under which the journal is written; nil in a file.
    let lease: Lease?
    private let store: Journal
    private let end: Mutex<ContinuousClock.Instant>
    private let renewal = Mutex<Task<Void, Never>?>(nil)

    private init(_ lease: Lease?, _ store: Journal, until end: ContinuousClock.Instant) {
        self.lease = lease
        self.store = store
        self.end = Mutex(end)
    }

    /// Claims a push; nil while another copy has it.
    static func take(_ objectID: String, in store: Journal, isShared: Bool) async throws(RegistryError) -> PushClaim? {
        guard isShared else { return PushClaim(nil, store, until: .now) }
        let begun = ContinuousClock.now
        let attempt = try await store.acquireLock(
            of: Registry.claimPrefix + objectID, holder: "bugle-server", run: ObjectID.push(), lasting: length)
        guard case .acquired(let lease) = attempt else { return nil }
        let claim = PushClaim(lease, store, until: begun + length)
        let renewing = Task { [weak claim] in
            while (try? await Task.sleep(for: interval)) != nil { await claim?.renew() }
        }
        claim.renewal.withLock { $0 = renewing }
        return claim
    }

    deinit { renewal.withLock { $0?.cancel() } }

    /// Allows requests to start as long as the lock lasts.
    var permission: Permission {
        guard lease != nil else { return .granted(for: DeliveryPermit.grace) }
        let left = end.withLock { $0 } - .now
        return left > .zero ? .granted(for: left) : .denied(.lockLost)
    }

    private func renew() async {
        guard let lease else { return }
        let begun = ContinuousClock.now
        do throws(RegistryError) {
            let isOurs = try await store.renew(lease) != nil
            end.withLock { $0 = isOurs ? begun + Self.length : begun }
        } catch {
            // Unknown is not lost: the old end applies.
        }
    }

    /// Lets other copies have the push.
    func giveBack() async {
        renewal.withLock { $0?.cancel() }
        guard let lease else { return }
        // If this fails, the claim ends by itself.
        try? await store.release(lease, lastApplied: nil)
    }
}

/// Counts the outcomes of notifications since the server started, by service.
final class NotificationCounters: Sendable {
    private let state = Mutex<[PushVendor: ServiceOutcomes]>([:])

    var counts: [PushVendor: ServiceOutcomes] { state.withLock { $0 } }

    /// Adds what a run came to since its last report.
    fileprivate func add(_ now: [PushVendor: ServiceOutcomes], since last: [PushVendor: ServiceOutcomes]) {
        state.withLock { counts in
            for (vendor, now) in now {
                let last = last[vendor] ?? ServiceOutcomes()
                var sum = counts[vendor] ?? ServiceOutcomes()
                sum.accepted += max(0, now.accepted - last.accepted)
                sum.refused += max(0, now.refused - last.refused)
                sum.inDoubt += max(0, now.inDoubt - last.inDoubt)
                counts[vendor] = sum
            }
        }
    }
}

/// Counts one run of a delivery; the results of earlier runs are not counted again.
final class RunCounter: Sendable {
    private let counters: NotificationCounters
    private let last = Mutex<DeliveryProgress?>(nil)

    init(_ counters: NotificationCounters) {
        self.counters = counters
    }

    /// Adds the progress since the last report; true if a service answered since.
    @discardableResult
    func note(_ progress: DeliveryProgress) -> Bool {
        // The first report of a frozen audience holds the results of earlier runs.
        guard progress.targets != nil else { return false }
        return last.withLock { last in
            defer { last = progress }
            guard let last else { return false }
            counters.add(progress.services, since: last.services)
            return progress.accepted + progress.refusals > last.accepted + last.refusals
        }
    }
}

extension DeliveryProgress {
    fileprivate var refusals: Int { refused.values.reduce(0, +) }
}
