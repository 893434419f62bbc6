package import Base
package import DeviceRegistry
package import Push

/// Drives deliveries: freezes the audience, sends batch after batch through the senders, and closes the journal.
///
/// Intent is made durable before a request may leave, and the outcome after its answer. So a killed run leaves at most
/// two batches in doubt, and the next run sends to nobody twice.
package struct DeliveryEngine: Sendable {
    private let store: Journal
    private let senders: any RouteProviding
    private let settings: DeliverySettings
    private let pausing: any Pausing
    private let heartbeat: any Pausing
    private let elapsed: @Sendable () -> Duration

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - store: the registry with the devices and the journals.
    ///   - senders: provides a sender for each profile.
    ///   - settings: the time limits and retries of a run.
    ///   - pausing: waits between attempts; it ends early when the run is asked to stop.
    ///   - heartbeat: waits between checks of the lock; it must not end early.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    package init(
        store: Journal, senders: any RouteProviding, settings: DeliverySettings = DeliverySettings(),
        pausing: any Pausing, heartbeat: any Pausing = TaskPause(), elapsed: @escaping @Sendable () -> Duration
    ) {
        self.store = store
        self.senders = senders
        self.settings = settings
        self.pausing = pausing
        self.heartbeat = heartbeat
        self.elapsed = elapsed
    }

    /// Carries out a delivery, or resumes an interrupted one, until it ends or is stopped.
    ///
    /// `progress` is called after each batch; without `targets` while the audience is frozen.
    package func run(
        _ job: DeliveryJob, under permit: DeliveryPermit,
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async -> DeliveryEnding {
        do throws(DeliveryStop) {
            return .ended(try await carryOut(job, permit, progress))
        } catch {
            return await ending(of: job, permit, error)
        }
    }

    /// Helps the run that holds a delivery, as long as there is something to claim.
    ///
    /// It waits for the audience to be frozen, and never gives up batches or closes the journal. Its permit bears the
    /// holder's lease.
    ///
    /// - Returns: the reason it stopped early; nil when nothing is left to help with.
    package func help(
        _ job: DeliveryJob, under permit: DeliveryPermit,
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async -> DeliveryStop? {
        do throws(DeliveryStop) {
            let routes = try await routes(of: job)
            while true {
                let figures = try await DeliveryStop.asking(try await store.journal(of: job.id))
                if let figures, figures.isClosed { return nil }
                if let figures, figures.isFrozen {
                    return try await drive(job, permit, figures, routes, isHolder: false, progress)
                }
                progress(DeliveryProgress(targets: nil))
                if case .denied(let denial) = await permit.permission() { return DeliveryStop(denial) }
                guard !permit.isStopped(), (try? await pausing.pause(for: .seconds(1))) != nil else { return .asked }
            }
        } catch {
            return error
        }
    }

    /// Ends a delivery that was begun: devices that were not sent to count as missed, and those in an open batch as in
    /// doubt.
    ///
    /// - Throws: ``RegistryError`` when it is not certain that the end was recorded.
    package static func conclude(
        _ delivery: String, in store: Journal, under lease: Lease?
    ) async throws(RegistryError) -> JournalFigures {
        try await store.giveUp(delivery, claimedBefore: Instant(milliseconds: .max), under: lease)
        return try await store.close(delivery, under: lease)
    }
}

// MARK: - Holding a delivery

extension DeliveryEngine {
    private func carryOut(
        _ job: DeliveryJob, _ permit: DeliveryPermit, _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(DeliveryStop) -> JournalFigures {
        progress(DeliveryProgress(targets: nil))
        let known = try await DeliveryStop.asking(try await store.journal(of: job.id))
        if let known, known.isClosed { return known }
        let order = try await DeliveryStop.asking(try await store.stop(of: job.id, in: job.workspace))
        if let order { throw .stopped(order) }
        let now = try await DeliveryStop.asking(try await store.now())
        if let why = job.reasonItIsOver(at: now, known) {
            guard let known, known.hasSent else { throw .over(why) }
            return try await DeliveryStop.asking(try await Self.conclude(job.id, in: store, under: permit.lease))
        }
        let routes = try await routes(of: job)
        if case .denied(let denial) = await permit.permission() { throw DeliveryStop(denial) }
        var figures = try await frozen(job, permit, known)
        if figures.isClosed { return figures }
        let judge = StageJudge(job: job, permit: permit, store: store)
        var mayResend = job.order.resendsDoubtful
        while true {
            let stop = try await drive(job, permit, figures, routes, isHolder: true, progress)
            figures = try await settled(job, permit, after: stop) ?? figures
            if case .postponed? = stop { continue }
            if stop == nil, let opened = try await judge.next(after: figures) {
                figures = opened
                continue
            }
            guard stop == nil, mayResend, figures.inDoubt > 0 else { break }
            // Once per run: a device whose second answer is lost too stays in doubt.
            mayResend = false
            try await DeliveryStop.asking(try await store.resendDoubtful(job.id, under: permit.lease))
            figures = try await DeliveryStop.asking(try await store.journal(of: job.id)) ?? figures
        }
        return try await DeliveryStop.asking(try await store.close(job.id, under: permit.lease))
    }

    /// Freezes the audience, and gives up what an earlier run left open.
    private func frozen(
        _ job: DeliveryJob, _ permit: DeliveryPermit, _ known: JournalFigures?
    ) async throws(DeliveryStop) -> JournalFigures {
        var freeze = job.freeze
        freeze?.audience.staleAfter = settings.staleAfter
        let pending = freeze
        if pending == nil, known?.isFrozen != true { throw .mismatch("it has no channel") }
        if let pending {
            let frozen = try await DeliveryStop.asking(try await store.freeze(pending, under: permit.lease))
            guard frozen.isFrozen else { throw .audience(frozen) }
            if frozen.isClosed { return frozen }
        }
        try await DeliveryStop.asking(try await Self.giveUpEarlier(job.id, in: store, under: permit.lease))
        return try await DeliveryStop.asking(try await store.journal(of: job.id)) ?? JournalFigures(targets: 0)
    }

    /// The journal after a drive has ended.
    ///
    /// - Throws: the stop, unless the delivery has ended all the same, or other senders have batches open that may
    ///   leave something to do now.
    private func settled(
        _ job: DeliveryJob, _ permit: DeliveryPermit, after stop: DeliveryStop?
    ) async throws(DeliveryStop) -> JournalFigures? {
        switch stop {
        case nil: return try await othersSettled(job, permit)
        case .over?:
            guard let figures = try await othersSettled(job, permit), figures.hasSent else { break }
            return figures
        // Without this lock other senders cannot settle their open batches.
        case .postponed?:
            let figures = try await DeliveryStop.asking(try await store.journal(of: job.id))
            guard let figures, figures.underWay > 0 else { break }
            return try await othersSettled(job, permit, orGoOn: true)
        case .refused?, .wrongEnvironment?, .unreachable?:
            // They may reach what this machine cannot, and send all that is left; or everybody has an answer already.
            guard let rest = try await othersSettled(job, permit), rest.hasSent, rest.waiting == 0,
                rest.inDoubt == 0 || !job.order.resendsDoubtful
            else { break }
            return rest
        case .stopped?:
            // They start no request any more: what they have open ends with its answers.
            _ = try? await othersSettled(job, permit, within: settings.abandonedAfter - settings.batchTime)
        case .some: break
        }
        throw stop ?? .asked
    }

    /// Waits until no batch is open, gives up those that nobody will settle, and returns the journal's figures; where others
    /// may go on for long, also while they have batches open.
    private func othersSettled(
        _ job: DeliveryJob, _ permit: DeliveryPermit, within time: Duration? = nil, orGoOn: Bool = false
    ) async throws(DeliveryStop) -> JournalFigures? {
        let time = time ?? settings.abandonedAfter
        var patience = elapsed() + time
        while true {
            let figures = try await DeliveryStop.asking(try await store.journal(of: job.id))
            guard let figures, figures.underWay > 0 else { return figures }
            guard elapsed() < patience else {
                let now = try await DeliveryStop.asking(try await store.now())
                // What was claimed since it began to wait is being sent; two clocks may differ by a little.
                let begun = now - time + .seconds(1)
                try await DeliveryStop.asking(try await store.giveUp(job.id, claimedBefore: begun, under: permit.lease))
                if orGoOn { return try await DeliveryStop.asking(try await store.journal(of: job.id)) }
                patience = elapsed() + time
                continue
            }
            guard !permit.isStopped(), (try? await pausing.pause(for: .seconds(1))) != nil else { throw .asked }
        }
    }

    /// Marks batches that an earlier run left open as in doubt: their requests may have left.
    private static func giveUpEarlier(
        _ delivery: String, in store: Journal, under lease: Lease?
    ) async throws(RegistryError) {
        // Without a lock there is no fence to distinguish runs, and no other run.
        let before = lease == nil ? try await store.now() : nil
        try await store.giveUp(delivery, claimedBefore: before, under: lease)
    }

    /// The ending of a stopped run, which depends on whether anything was ever sent.
    private func ending(of job: DeliveryJob, _ permit: DeliveryPermit, _ stop: DeliveryStop) async -> DeliveryEnding {
        switch stop {
        // A verdict waits for a person, also where the stage had nobody or everybody was refused.
        case .asked, .lockLost, .postponed, .stopped, .judged: return .interrupted(stop)
        case .over, .refused, .wrongEnvironment, .unreachable, .credential, .machine, .registry, .audience, .mismatch:
            break
        }
        do throws(RegistryError) {
            guard let figures = try await store.journal(of: job.id), figures.hasSent else { return .nothingSent(stop) }
            let judge = StageJudge(job: job, permit: permit, store: store)
            return .interrupted(try await judge.halted(figures, by: stop) ?? stop)
        } catch {
            // If unknown, assume that something was sent.
            return .interrupted(stop)
        }
    }
}

// MARK: - Sending

extension DeliveryEngine {
    /// Sends to the devices in a frozen delivery's journal; returns the reason it stopped, or nil when nothing is left
    /// to claim.
    private func drive(
        _ job: DeliveryJob, _ permit: DeliveryPermit, _ figures: JournalFigures,
        _ routes: Routes, isHolder: Bool, _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(DeliveryStop) -> DeliveryStop? {
        let clock = try await ServerTime(elapsed: elapsed) { () throws(DeliveryStop) in
            try await DeliveryStop.asking(try await store.now())
        }
        let vendors = Dictionary(job.order.routes.map { ($0.profile, $0.vendor) }) { first, _ in first }
        let gate = DeliveryGate(
            Self.judges(figures, vendors), profiles: vendors, isStopped: permit.isStopped, clock: clock,
            elapsed: elapsed)
        for (profile, stop) in routes.absent { gate.stop(profile, stop) }
        let courier = BatchCourier(
            store: store, lease: permit.lease, routes: routes.ready, gate: gate,
            clock: clock, settings: settings, heartbeat: heartbeat)
        var run = DeliveryRun(
            job: job, permit: permit, courier: courier, figures: figures, pausing: pausing, isHolder: isHolder,
            report: progress)
        let watch = Task { [store, heartbeat, elapsed] in
            for second in 1... {
                guard (try? await heartbeat.pause(for: .seconds(1))) != nil else { return }
                if let order = try? await store.stop(of: job.id, in: job.workspace) { gate.shut(by: order) }
                guard second.isMultiple(of: 3) else { continue }
                let asked = elapsed()
                if case .granted(let length) = await permit.permission() { gate.keepOpen(until: asked + length) }
            }
        }
        defer { watch.cancel() }
        let stop = await withTaskCancellationHandler {
            await run.drive()
        } onCancel: {
            gate.shut()
        }
        guard case .registry(let error)? = stop, error.isSetBack else { return stop }
        // Of whom the database does not know it any more, nobody can say whether they got it: a person decides.
        let order = StopOrder(key: job.id, title: job.id, by: permit.run, at: clock.now, why: error.description)
        do throws(RegistryError) {
            try await courier.persistently { () throws(RegistryError) in
                try await store.stop(order, in: job.workspace)
            }
        } catch {
            throw DeliveryStop(error)
        }
        return .stopped(order)
    }

    /// The judges of the delivery's profiles, with the counts of earlier runs. These do not say which profile's devices were
    /// refused: with several each judge begins anew.
    private static func judges(
        _ figures: JournalFigures, _ profiles: [String: PushVendor]
    ) -> [String: EnvironmentJudge] {
        guard profiles.count == 1, let (profile, vendor) = profiles.first else { return [:] }
        let bad = figures.refused.filter {
            ServiceReason(word: $0.key)?.row.decision == .dropTokenIfEnvironmentIsRight
        }
        return [
            profile: EnvironmentJudge(
                vendor: vendor, answers: figures.accepted + figures.refused.values.reduce(0, +),
                accepted: figures.accepted, badTokens: bad.values.reduce(0, +))
        ]
    }

    /// The senders of all profiles, created before anything is frozen or claimed: a credential that fails stops the
    /// delivery, but a push of the server, whose files nobody mends meanwhile, for its own devices only. So does a
    /// service that gives no access token for the moment, unless all do.
    private func routes(of job: DeliveryJob) async throws(DeliveryStop) -> Routes {
        var routes: Routes = ([:], [:])
        for route in job.order.routes {
            do throws(SenderError) {
                routes.ready[route.profile] = try await senders.route(route, of: job)
            } catch {
                if error.isOfTheMachine { throw .machine(error.description) }
                let stop =
                    error.isTransient
                    ? DeliveryStop.unreachable(error.description, vendor: route.vendor)
                    : .credential(profile: route.profile, error)
                guard error.isTransient || job.workspace == DeliveryFreeze.ofServer else { throw stop }
                routes.absent[route.profile] = stop
                guard routes.absent.count == job.order.routes.count else { continue }
                throw routes.absent.values.first(where: \.isUnreachable) ?? stop
            }
        }
        return routes
    }
}

/// The senders of profiles, and why others have none.
private typealias Routes = (ready: [String: any RouteSending], absent: [String: DeliveryStop])

protocol RegistryFailure: Error {
    init(_ error: RegistryError)
}

extension RegistryFailure {
    /// The answer to a call to the registry, whose error is converted.
    static func asking<Value: Sendable>(
        _ answer: @autoclosure () async throws(RegistryError) -> Value
    ) async throws(Self) -> Value {
        do throws(RegistryError) {
            return try await answer()
        } catch {
            throw Self(error)
        }
    }
}

extension DeliveryStop: RegistryFailure {}

extension JournalFigures {
    /// True when a device was or may have been sent to.
    package var hasSent: Bool { accepted > 0 || unanswered > 0 }

    /// The devices that may have been sent to, without an answer so far.
    package var unanswered: Int { inDoubt + underWay + resent }
}

/// Provides what sends a delivery to the devices of one of its routes.
package protocol RouteProviding: Sendable {
    /// The sender for a route of a delivery.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be read or used, or the machine has no
    ///   thread or descriptor left.
    func route(_ route: DeliveryOrder.Route, of job: DeliveryJob) async throws(SenderError) -> any RouteSending
}

/// Sends a delivery to the devices of one route.
package protocol RouteSending: Sendable {
    var vendor: PushVendor { get }
    /// True if the order has the form of a batch, and a place for each of its devices' texts.
    func fits(_ batch: JournalBatch) -> Bool
    /// Sends to the devices of a batch that fits, at most once each, and returns their answers in the same order; an expiration
    /// counts from `start`, and what is left of it from `now`.
    func send(
        _ batch: JournalBatch, startingAt start: Instant, at now: Instant, through gate: BatchGate
    ) async -> [Verdict]
}

/// The reason there is no sender for a profile, in one sentence without secrets.
package struct SenderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault and what to do, without a full stop.
    package let description: String
    /// True when this machine lacks something, such as threads: nothing is wrong with the credential.
    package let isOfTheMachine: Bool
    /// True when a service did not answer, or had no time: it may at any moment.
    package let isTransient: Bool

    package init(_ description: String, isOfTheMachine: Bool = false, isTransient: Bool = false) {
        self.isTransient = isTransient
        self.description = description
        self.isOfTheMachine = isOfTheMachine
    }
}
