internal import DeviceRegistry
internal import Logging
internal import Push
internal import Synchronization

/// Sends pushes: immediately, at their scheduled time, and those that an earlier process left behind.
final class PushDispatcher: Sendable {
    private let registry: Registry
    private let configuration: PushServerConfiguration
    private let clock: ServerClock
    private let logger: Logger
    /// The sender to Apple; nil where all devices are simulated.
    let apple: ApplePusher?
    private let schedule = Mutex(Schedule())
    private let deliveries = DeliveriesUnderWay()
    private let isLooking = Atomic(false)
    private let isPurging = Atomic(false)
    /// The pushes whose audience is being looked up, which no look at the database starts again.
    private let underWay = Mutex<Set<String>>([])

    /// The time of the next scheduled push, cached because it is needed often.
    private struct Schedule {
        var next: Instant?
        /// The number of pushes added, so that an older read of the database does not hide a newer one.
        var additions = 0
    }

    /// The interval at which the clock is checked.
    static let tick: Duration = .milliseconds(100)
    /// The seconds after which a failed attempt is retried.
    private static let pause = 5.0
    /// The interval between looks at the database, in ticks: another process may have released a push.
    static let ticksBetweenLooks = 100
    /// The interval between comparisons with the clock that copies of the server share, in ticks.
    private static let ticksBetweenClocks = 10
    /// The interval between purges of outdated data, in ticks.
    private static let ticksBetweenPurges = 36_000

    init(
        _ registry: Registry, _ configuration: PushServerConfiguration, clock: ServerClock, apple: ApplePusher? = nil,
        logger: Logger
    ) {
        self.apple = apple
        self.registry = registry
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
    }

    /// Accepts a push and starts to send it, or schedules it.
    ///
    /// - Throws: ``RegistryError`` if its condition is invalid, with code 154 if too many pushes are scheduled, or if
    ///   it could not be sent and was withdrawn.
    func submit(_ order: PushOrder, at now: Instant) async throws(RegistryError) -> PushReceipt {
        let receipt = try await registry.accept(order, at: now, mostScheduled: configuration.mostScheduledPushes)
        guard !receipt.isRepeated else { return receipt }
        if let fireAt = order.fireAt {
            schedule.withLock { schedule in
                schedule.next = min(schedule.next ?? fireAt, fireAt)
                schedule.additions += 1
            }
        } else {
            try await deliver(receipt.objectID, at: now)
        }
        return receipt
    }

    /// Carries out a person's decision about a push that goes to devices' services; `false` when it cannot be.
    func decide(_ decision: PushDecision, _ objectID: String) async throws(RegistryError) -> Bool {
        guard let apple, try await apple.decide(decision, objectID) else { return false }
        if decision == .proceed { try await goOnToApple() }
        return true
    }

    /// Sends the pushes that are due by the server's clock; late ones too, unless they have expired.
    func sendDue() async {
        let failure = await attempt("due pushes could not be looked up or sent") {
            [self] () async throws(RegistryError) in
            let now = clock.now
            if let next = try await registry.nextFiring(), next <= now { try await registry.fireDue(by: way, at: now) }
            // Including pushes that another task took off the schedule but has not sent yet.
            try await registry.deliverQueued(by: way, at: now, besides: underWay.withLock { $0 })
        }
        // One that cannot be handed over keeps none back that was.
        let other = await attempt("pushes under way could not be looked up") { [self] () async throws(RegistryError) in
            try await goOnToApple()
            let additions = schedule.withLock { $0.additions }
            let next = try await registry.nextFiring()
            schedule.withLock { schedule in
                if schedule.additions == additions { schedule.next = next }
            }
        }
        if failure != nil || other != nil { tryAgain() }
    }

    private func tryAgain() {
        schedule.withLock { $0.next = clock.now.advanced(bySeconds: Self.pause) }
    }

    /// Purges data that has expired by the server's clock.
    func purge() async {
        _ = await attempt("expired records could not be removed") { [self] () async throws(RegistryError) in
            let removed = try await registry.purge(at: clock.now, keepsStaleDevices: configuration.keepsStaleDevices)
            if removed > 0 { logger.notice("removed \(removed) devices that were not seen for 90 days") }
        }
    }

    /// Sets the clock by the one that copies of the server share.
    func followClock() async {
        guard registry.isShared, clock.canFollow else { return }
        _ = await attempt("the clock of the database could not be read") { [self] () async throws(RegistryError) in
            guard let look = try await registry.sharedTime() else { return }
            clock.follow(look.time, at: look.machine)
        }
    }

    /// Follows the clock until the task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: the ticks from one purge to the next; none begins while another is under way.
    ///   - clean: what purges; by default ``purge()``.
    func run(
        purgingEvery interval: Int = PushDispatcher.ticksBetweenPurges, by clean: (@Sendable () async -> Void)? = nil
    ) async {
        var (ticks, look, purging) = (0, Task<Void, Never>?.none, Task<Void, Never>?.none)
        while !Task.isCancelled {
            ticks += 1
            if ticks.isMultiple(of: Self.ticksBetweenClocks) { await followClock() }
            let isDue = schedule.withLock { $0.next.map { $0 <= clock.now } ?? false }
            // In separate tasks, so that work that has begun completes even when the server stops.
            if isDue { await Task { await sendDue() }.value }
            // A slow look-up must not hold up the clock.
            if ticks.isMultiple(of: Self.ticksBetweenLooks), !isLooking.exchange(true, ordering: .acquiringAndReleasing)
            {
                look = Task {
                    await sendDue()
                    isLooking.store(false, ordering: .releasing)
                }
            }
            // Nor must a purge, which may take minutes.
            if ticks.isMultiple(of: interval), !isPurging.exchange(true, ordering: .acquiringAndReleasing) {
                purging = Task {
                    if let clean { await clean() } else { await purge() }
                    isPurging.store(false, ordering: .releasing)
                }
            }
            // Nobody waits for a room; the first look is at the start.
            if ticks % Self.ticksBetweenPurges == 1, let apple { Task { await apple.tellOfCertificates() } }
            try? await Task.sleep(for: Self.tick)
        }
        // It ends after the step that it is at: the next start goes on.
        purging?.cancel()
        await purging?.value
        await look?.value
    }

    /// Waits until no delivery is in progress.
    func finish() async {
        await deliveries.wait()
    }

    private var way: PushWay { apple.map { .services($0.service.vendors) } ?? .inboxes }

    /// Sends to Apple, in the background, the pushes not currently being sent.
    private func goOnToApple() async throws(RegistryError) {
        guard let apple else { return }
        let stopped = try await apple.stopped()
        for objectID in try await registry.applePushes()
        where !apple.isActive(objectID) && !stopped.contains(objectID) {
            deliveries.begin()
            Task {
                await apple.push(objectID, isBegun: true)
                deliveries.end()
            }
        }
    }

    /// Sends a push that has not been announced to its caller yet.
    ///
    /// - Throws: ``RegistryError`` if sending failed at once and nothing of the push will be sent. If not even that can
    ///   be recorded, the push stays accepted and is retried.
    private func deliver(_ objectID: String, at now: Instant) async throws(RegistryError) {
        let (results, finish) = AsyncStream<RegistryError?>.makeStream()
        let limit = configuration.limits.pushPatience
        let patience = Task {
            try await Task.sleep(for: limit)
            finish.yield(nil)
        }
        deliveries.begin()
        Task {
            _ = underWay.withLock { $0.insert(objectID) }
            let failure = await attempt("a push could not be sent") { [self] () async throws(RegistryError) in
                try await registry.deliver(objectID: objectID, by: way, at: now)
            }
            _ = underWay.withLock { $0.remove(objectID) }
            if failure == nil { await apple?.push(objectID) } else { tryAgain() }
            deliveries.end()
            patience.cancel()
            finish.yield(failure)
        }
        for await failure in results {
            guard let failure else { return }
            let isTakenBack = (try? await registry.takeBack(objectID: objectID, failure, at: now)) ?? false
            if isTakenBack { throw failure }
            return
        }
    }

    /// Runs some work and logs its failure.
    private func attempt(_ failure: String, _ work: () async throws(RegistryError) -> Void) async -> RegistryError? {
        do throws(RegistryError) {
            try await work()
            return nil
        } catch {
            // Stopping interrupts the work; pushes still queued are retried at the next catch-up.
            if !Task.isCancelled { logger.error("\(failure): \(error.description)") }
            return error
        }
    }
}

/// Counts deliveries in progress, so that the server can wait for the last one before it closes the database.
final class DeliveriesUnderWay: Sendable {
    private let state = Mutex((count: 0, waiting: [CheckedContinuation<Void, Never>]()))

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until no delivery is in progress.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
