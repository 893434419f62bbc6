internal import Base
internal import DeviceRegistry
internal import Push

/// One run of one frozen delivery: claims batches, at most two open at a time, until none is left or it is stopped.
struct DeliveryRun {
    let job: DeliveryJob
    let permit: DeliveryPermit
    let courier: BatchCourier
    let pausing: any Pausing
    let report: @Sendable (DeliveryProgress) -> Void
    /// True for the holder of the delivery, false for a helper.
    let isHolder: Bool

    private var tally: DeliveryTally
    private var times: PartTimes
    /// Batches in a row in which no device got an answer, by profile.
    private var dryBatches: [String: Int] = [:]
    private var lastLook: Duration
    /// The numbers of the batches that it has claimed.
    private var claims: Set<Int> = []

    /// More than two open batches would leave more than two in doubt after a crash.
    private static let mostOpen = 2

    /// Creates a run that resumes from the journal's figures.
    init(
        job: DeliveryJob, permit: DeliveryPermit, courier: BatchCourier, figures: JournalFigures, pausing: any Pausing,
        isHolder: Bool, report: @escaping @Sendable (DeliveryProgress) -> Void
    ) {
        self.job = job
        self.permit = permit
        self.courier = courier
        self.pausing = pausing
        self.isHolder = isHolder
        self.report = report
        tally = DeliveryTally(figures, at: courier.clock.elapsed())
        times = PartTimes(job, figures)
        lastLook = courier.clock.elapsed()
    }

    private var store: Journal { courier.store }
    private var clock: ServerTime { courier.clock }

    /// Sends until nothing is left to claim and returns nil, or the reason it stopped early.
    ///
    /// Open batches end and are settled before it returns.
    mutating func drive() async -> DeliveryStop? {
        report(tally.progress(at: clock.elapsed()))
        var state = self
        let stop = await withTaskGroup(of: BatchCourier.Report.self) { group in
            await state.work(&group)
        }
        self = state
        // What waits for its time hides nothing that a person must know. The server goes on by itself: a refusal that
        // ended its push would end what waits, too.
        guard case .postponed? = stop, let cause = courier.gate.stop else { return stop }
        return job.workspace == DeliveryFreeze.ofServer && !cause.isUnreachable ? stop : cause
    }

    private mutating func work(_ group: inout TaskGroup<BatchCourier.Report>) async -> DeliveryStop? {
        var stop: DeliveryStop?
        var open = 0
        while true {
            var idle: JournalClaim?
            var leftOut: Set<String> = []
            while open < Self.mostOpen, stop == nil, idle == nil {
                stop = await reasonToStop()
                guard stop == nil else { break }
                let claimed = clock.elapsed()
                let closed = courier.gate.closed
                leftOut = closed
                do throws(RegistryError) {
                    // A claim whose answer was lost leaves a batch that nobody sends: it is eventually given up.
                    let claim = try await courier.persistently { () throws(RegistryError) in
                        try await store.claim(from: job.id, by: permit.run, besides: closed, under: permit.lease)
                    }
                    guard case .batch(let batch) = claim else {
                        idle = claim
                        break
                    }
                    // It was sent already; now it is open, and will be in doubt.
                    guard claims.insert(batch.number).inserted else { throw .setBack }
                    let opensAt = times.opening(of: batch)
                    let (courier, end) = (courier, times.end(of: batch.part, opensAt: opensAt))
                    let start = opensAt ?? job.start
                    group.addTask { await courier.carry(batch, claimed: claimed, startingAt: start, until: end) }
                    open += 1
                } catch {
                    stop = DeliveryStop(error)
                }
            }
            if open > 0 {
                guard let done = await group.next() else { return stop }
                open -= 1
                let failure = await take(done)
                stop = stop ?? failure
            } else if let stop {
                return stop
            } else if let idle {
                if case .stopped(let order) = idle { return .stopped(order) }
                if let wait = await serviceWait(before: idle) {
                    stop = await pause(for: wait)
                } else if !leftOut.isSubset(of: courier.gate.closed) {
                    // A service has stopped waiting since its devices were left out.
                    continue
                } else if case .finished = idle {
                    guard let stop = courier.gate.stop, await hasRest() else { return nil }
                    return stop
                } else {
                    stop = await self.wait(idle)
                }
            }
        }
    }

    /// The reason nothing more may be claimed; closes parts that are over, and waits if all services asked to.
    private mutating func reasonToStop() async -> DeliveryStop? {
        while true {
            if let order = courier.gate.order { return .stopped(order) }
            if permit.isStopped() || Task.isCancelled { return .asked }
            if courier.gate.isStoppedForAll { return courier.gate.stop }
            if let stop = await closeParts() { return stop }
            guard let wait = courier.gate.wait(of: courier.gate.active) else { break }
            if let stop = await pause(for: wait) { return stop }
        }
        let asked = clock.elapsed()
        switch await permit.permission() {
        case .granted(let length):
            courier.gate.keepOpen(until: asked + length)
            return nil
        case .denied(let denial): return DeliveryStop(denial)
        }
    }

    /// Waits for a service that asked to; the reason if that is left to a later run.
    private func pause(for wait: (profile: String, left: Duration)) async -> DeliveryStop? {
        if isTooLong(wait.left) {
            let service = courier.gate.vendor(of: wait.profile).title
            return .postponed("\(service) asked to wait", until: clock.now + wait.left)
        }
        // In steps, to notice a stop and the end of the delivery's time.
        try? await pausing.pause(for: min(wait.left, .seconds(5)))
        return nil
    }

    /// The wait that a service asked for, where nothing else can be claimed before; nil: none.
    private func serviceWait(before idle: JournalClaim) async -> (profile: String, left: Duration)? {
        guard let wait = courier.gate.wait(of: courier.gate.waiting) else { return nil }
        switch idle {
        case .batch, .othersAtWork, .stopped: return nil
        case .waitUntil(let time, _) where time < clock.now + wait.left: return nil
        case .finished, .waitUntil: return await hasRest() ? wait : nil
        }
    }

    /// Closes the parts whose time is over, so that nobody claims their devices, and of those in which devices wait for
    /// their service's time the rest; the reason if that fails, or if the delivery's own time is over.
    private mutating func closeParts() async -> DeliveryStop? {
        let now = clock.now
        do throws(RegistryError) {
            if let why = try await reasonItIsOver(at: now) { return .over(why) }
            for part in times.over(at: now) {
                try await store.close(part: part, of: job.id, under: permit.lease)
                times.close(part)
            }
            for part in times.late(at: now) {
                try await store.miss(part: part, of: job.id, notDueSince: times.dueSince(now), under: permit.lease)
            }
            return nil
        } catch {
            return DeliveryStop(error)
        }
    }

    /// The reason nothing more of the delivery may be sent at an instant; other senders' outcomes move its end and those
    /// of its parts, too, and so does what their services asked to wait.
    private mutating func reasonItIsOver(at time: Instant) async throws(RegistryError) -> String? {
        if times.isOver(at: time), let figures = try await store.journal(of: job.id) {
            times.take(figures, at: clock.now)
        }
        return times.reasonItIsOver(at: time)
    }

    /// True when a wait is left to a later run.
    private func isTooLong(_ wait: Duration) -> Bool {
        // Nobody keeps a run open for a service that wants nothing for hours.
        (courier.settings.longestWait ?? (courier.gate.isParking ? .seconds(60) : nil)).map { wait > $0 } ?? false
    }

    /// Counts a batch; returns the reason if the delivery cannot continue after it.
    private mutating func take(_ done: BatchCourier.Report) async -> DeliveryStop? {
        if let failure = done.failure { return failure }
        guard let settlement = done.settlement else { return nil }
        let now = clock.elapsed()
        let vendor = courier.gate.vendor(of: done.batch.profile)
        if done.isSettled {
            tally.add(settlement, of: vendor, at: now)
        } else {
            tally.giveUp(done.batch.targets.count, of: vendor)
        }
        // Now and then the journal is read, which includes other senders' work and batches given up.
        if !done.isSettled || now - lastLook >= .seconds(5), let figures = try? await store.journal(of: job.id) {
            lastLook = now
            tally.take(figures, at: now)
        }
        report(tally.progress(at: clock.elapsed()))
        if settlement.answered > 0 {
            times.note(clock.now, of: done.batch.part, settlement.answered)
        }
        let profile = done.batch.profile
        if let until = courier.gate.parkedUntil(profile) { times.note(waitUntil: until, of: done.batch.part) }
        guard !settlement.isFruitful, let reason = settlement.lastReason else {
            dryBatches[profile] = 0
            return nil
        }
        // Whoever wants no more for now, or refuses everything, has answered, also where a call is a whole batch.
        if settlement.wasHeldBack || settlement.inDoubt == 0 && !courier.gate.admits(profile) { return nil }
        let dry = dryBatches[profile, default: 0] + 1
        dryBatches[profile] = dry
        // A service that accepts requests without answering them must not put the whole audience in doubt.
        let most = settlement.inDoubt > 0 ? 1 : courier.settings.retries
        guard dry > most else {
            // A service that asked to wait is not asked before; the others go on.
            if !courier.gate.waits(profile) { try? await pausing.pause(for: pausing.backoff(dry)) }
            return nil
        }
        if await hasRest() {
            courier.gate.stop(profile, .unreachable(reason, vendor: courier.routes[profile]?.vendor ?? .apns))
        }
        return nil
    }

    /// False when the delivery has ended, whatever stopped some of it.
    private func hasRest() async -> Bool {
        (try? await store.journal(of: job.id)).map { $0.waiting + $0.underWay > 0 } ?? true
    }

    /// Waits for other senders, or for the time of a retry; returns the reason when waiting cannot help.
    private mutating func wait(_ idle: JournalClaim) async -> DeliveryStop? {
        do throws(RegistryError) {
            switch idle {
            case .batch, .finished, .stopped: return nil
            case .waitUntil(let time, let others):
                if let why = try await reasonItIsOver(at: time) {
                    // What a service has left that is away, or a person's to mend, may be sent before.
                    guard let others else { return courier.gate.stop ?? .over(why) }
                    // So may what others have open and give back.
                    try await waitForOthers(since: others)
                    return nil
                }
                let left = time - clock.now
                if isTooLong(left) {
                    let isWave = times.opens(at: time)
                    return .postponed(
                        isWave
                            ? "the time has not come in the next time zone"
                            : courier.gate.isParking
                                ? "what a service takes in a day is used up" : "its devices wait for a retry",
                        until: time)
                }
                try? await pausing.pause(for: max(.milliseconds(10), min(left, .seconds(5))))
            case .othersAtWork(let since): try await waitForOthers(since: since)
            }
            return nil
        } catch {
            return DeliveryStop(error)
        }
    }

    /// Waits for other senders, the oldest of whose batches was claimed at a time; gives up what nobody will settle.
    private func waitForOthers(since: Instant) async throws(RegistryError) {
        let limit = clock.now - courier.settings.abandonedAfter
        if isHolder, since < limit {
            try await store.giveUp(job.id, claimedBefore: limit, under: permit.lease)
        } else {
            try? await pausing.pause(for: .seconds(1))
        }
    }
}

/// When the parts of one delivery are over.
struct PartTimes {
    private let job: DeliveryJob
    private let frozen: JournalFigures
    /// The time of the last outcome by part; 0 for an undivided audience.
    private var lastOutcomes: [Int: Instant] = [:]
    /// The devices of these outcomes, by part.
    private var answered: [Int: Int] = [:]
    /// When the last of the devices that a service asked to wait may be sent to, by part; 0 for an undivided audience.
    private var waitsUntil: [Int: Instant] = [:]
    /// The parts that opened or will open at a known time, and are not closed.
    private var openings: [Int: Instant] = [:]

    init(_ job: DeliveryJob, _ figures: JournalFigures) {
        self.job = job
        frozen = figures
        lastOutcomes[0] = figures.lastOutcomeAt
        answered[0] = figures.answered
        waitsUntil[0] = figures.waitsUntil
        for part in figures.parts where !part.figures.isClosed {
            lastOutcomes[part.number] = part.figures.lastOutcomeAt
            answered[part.number] = part.figures.answered
            waitsUntil[part.number] = part.figures.waitsUntil
            openings[part.number] = part.startsAt
        }
    }

    /// Notes an outcome of so many devices of a part.
    mutating func note(_ now: Instant, of part: Int, _ devices: Int) {
        lastOutcomes[part] = now
        answered[part, default: 0] += devices
    }

    /// Takes over the outcomes of other senders, and until when devices of theirs wait.
    mutating func take(_ figures: JournalFigures, at now: Instant) {
        for (part, figures) in [(0, figures)] + figures.parts.map({ ($0.number, $0.figures) }) {
            // What came back unsent is due already: that nobody sent it moves no end.
            if let time = figures.waitsUntil, time > now { note(waitUntil: time, of: part) }
            guard figures.answered > answered[part, default: 0] else { continue }
            answered[part] = figures.answered
            lastOutcomes[part] = [lastOutcomes[part], figures.lastOutcomeAt].compactMap(\.self).max()
        }
    }

    /// Notes that devices of a part wait until a time.
    mutating func note(waitUntil time: Instant, of part: Int) {
        waitsUntil[part] = max(waitsUntil[part] ?? time, time)
    }

    /// The parts, or 0 for an undivided audience, whose window is over for all but those whom a service asked to wait.
    func late(at now: Instant) -> [Int] {
        let open: [Int: Instant?] = job.order.timing == .together ? [0: nil] : openings.mapValues { $0 }
        return open.filter { part, opensAt in
            job.end(opensAt: opensAt, lastOutcome: lastOutcomes[part]) <= now && end(of: part, opensAt: opensAt) > now
        }.keys.sorted()
    }

    /// The time since which devices must have been due for a retry to be sent to after that: each has a window from then.
    func dueSince(_ now: Instant) -> Instant { now - (job.order.timing.window ?? job.window) }

    mutating func close(_ part: Int) { openings[part] = nil }

    /// The time from which an expiration counts for a batch's devices; nil for an undivided audience.
    func opening(of batch: JournalBatch) -> Instant? { openings[batch.part] ?? batch.opensAt }

    /// The time from which nothing more of a part may be sent.
    func end(of part: Int, opensAt: Instant?) -> Instant {
        job.end(opensAt: opensAt, lastOutcome: [lastOutcomes[part], waitsUntil[part]].compactMap(\.self).max())
    }

    /// The parts whose time is over.
    func over(at now: Instant) -> [Int] {
        openings.filter { end(of: $0.key, opensAt: $0.value) <= now }.keys.sorted()
    }

    /// True if the time of something is over by the outcomes that are known.
    func isOver(at now: Instant) -> Bool {
        reasonItIsOver(at: now) != nil || !over(at: now).isEmpty || !late(at: now).isEmpty
    }

    func opens(at time: Instant) -> Bool { openings.values.contains(time) }

    /// The reason nothing more of the delivery may be sent at an instant; nil when it may.
    func reasonItIsOver(at now: Instant) -> String? {
        var figures = frozen
        (figures.lastOutcomeAt, figures.waitsUntil) = (lastOutcomes[0], waitsUntil[0])
        return job.reasonItIsOver(at: now, figures)
    }
}

/// Figures of devices by what became of them.
protocol DeviceOutcomes {
    var accepted: Int { get }
    var refused: [String: Int] { get }
    var inDoubt: Int { get }
}

extension DeviceOutcomes {
    /// The number of devices with an outcome.
    var answered: Int { accepted + refused.values.reduce(0, +) + inDoubt }
}

extension BatchSettlement: DeviceOutcomes {}
extension JournalFigures: DeviceOutcomes {}
extension DeliveryProgress: DeviceOutcomes {}

/// The progress of a delivery, with its rate.
struct DeliveryTally: Sendable {
    private var progress: DeliveryProgress
    /// Samples of the devices done over the last seconds; the first one starts the interval.
    private var recent: [(at: Duration, done: Int)] = []

    /// The interval over which the rate is measured.
    private static let span = Duration.seconds(10)

    /// Starts with the figures of earlier runs.
    init(_ figures: JournalFigures, at now: Duration) {
        progress = DeliveryProgress(targets: figures.targets)
        take(figures, at: now)
    }

    /// Takes over the journal's figures, including other senders' work.
    mutating func take(_ figures: JournalFigures, at now: Duration) {
        progress.accepted = figures.accepted
        progress.refused = figures.refused
        progress.inDoubt = figures.inDoubt
        note(at: now)
    }

    /// Counts a batch that others had given up when it was answered: its devices are in doubt.
    mutating func giveUp(_ devices: Int, of vendor: PushVendor) {
        progress.services[vendor, default: ServiceOutcomes()].inDoubt += devices
    }

    mutating func add(_ settlement: BatchSettlement, of vendor: PushVendor, at now: Duration) {
        var outcomes = progress.services[vendor] ?? ServiceOutcomes()
        outcomes.accepted += settlement.accepted
        outcomes.refused += settlement.refused.values.reduce(0, +)
        outcomes.inDoubt += settlement.inDoubt
        progress.services[vendor] = outcomes
        progress.accepted += settlement.accepted
        progress.refused.merge(settlement.refused, uniquingKeysWith: +)
        progress.inDoubt += settlement.inDoubt
        note(at: now)
    }

    func progress(at now: Duration) -> DeliveryProgress {
        var progress = progress
        guard let first = recent.first, now > first.at, done > first.done else { return progress }
        progress.perSecond = Double(done - first.done) / ((now - first.at) / .seconds(1))
        if let targets = progress.targets {
            let seconds = Double(max(0, targets - done)) / progress.perSecond
            // A remaining time of years counts as unknown.
            if seconds < 1e9 { progress.remaining = .milliseconds(Int64((seconds * 1000).rounded())) }
        }
        return progress
    }

    private var done: Int { progress.answered }

    private mutating func note(at now: Duration) {
        recent.append((now, done))
        while recent.count > 2, now - recent[1].at >= Self.span { recent.removeFirst() }
    }
}
