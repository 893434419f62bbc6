internal import DeviceRegistry
internal import Logging
internal import PushModel
internal import Synchronization

/// Sends pushes: at once, when their time comes, and what a process that ended left behind.
final class PushDispatcher: Sendable {
    private let registry: Registry
    private let configuration: PushServerConfiguration
    private let clock: ServerClock
    private let logger: Logger
    /// Sends to Apple; nil where all devices are simulated.
    private let apple: ApplePusher?
    private let schedule = Mutex(Schedule())
    private let deliveries = DeliveriesUnderWay()

    /// When the next scheduled push is due, kept here because it is asked for often.
    private struct Schedule {
        var next: Instant?
        /// Counts what was added, so that an older reading of the database does not hide it.
        var additions = 0
    }

    /// A push is answered when it was sent, or after this time of sending: a large audience need not be waited for.
    private static let patience: Duration = .seconds(2)
    /// How often the clock is looked at.
    private static let tick: Duration = .milliseconds(100)
    /// After this many seconds what failed is tried again.
    private static let pause = 5.0
    /// How often what is too old is removed, in ticks.
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

    /// Takes a push and begins to send it, or keeps it for its time.
    ///
    /// - Throws: ``RegistryError`` when its condition cannot be read, with code 154 when too many wait, or when it could not be
    ///   sent and was taken back.
    func submit(_ order: PushOrder, at now: Instant) async throws(RegistryError) -> PushReceipt {
        let receipt = try await registry.accept(
            order, at: now, mostScheduled: configuration.mostScheduledPushes)
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

    /// Cancels a push that waits for its time; `false` when none has that number.
    func cancel(_ id: Int64) async throws(RegistryError) -> Bool {
        try await registry.cancelScheduled(id)
    }

    /// Sends what is due by the server's clock, late ones too unless they have expired.
    func sendDue() async {
        let failure = await attempt("a push could not be sent") { [self] () async throws(RegistryError) in
            let now = clock.now
            try await registry.fireDue(by: way, at: now)
            // Also what another task has taken from the schedule and not yet sent.
            try await registry.deliverQueued(by: way, at: now)
            try await goOnToApple()
            let additions = schedule.withLock { $0.additions }
            let next = try await registry.nextFiring()
            schedule.withLock { schedule in
                if schedule.additions == additions { schedule.next = next }
            }
        }
        if failure != nil { tryAgain() }
    }

    private func tryAgain() {
        schedule.withLock { $0.next = clock.now.advanced(bySeconds: Self.pause) }
    }

    /// Removes what has outlived its time by the server's clock.
    func purge() async {
        _ = await attempt("what is too old could not be removed") { [self] () async throws(RegistryError) in
            let removed = try await registry.purge(at: clock.now, keepsStaleDevices: configuration.keepsStaleDevices)
            if removed > 0 { logger.notice("removed \(removed) devices that were not seen for 90 days") }
        }
    }

    /// Follows the clock until the task is cancelled.
    func run() async {
        var ticks = 0
        while !Task.isCancelled {
            ticks += 1
            let isDue = schedule.withLock { $0.next.map { $0 <= clock.now } ?? false }
            // Tasks of their own: what has begun ends when the server stops.
            if isDue { await Task { await sendDue() }.value }
            if ticks.isMultiple(of: Self.ticksBetweenPurges) { await Task { await purge() }.value }
            try? await Task.sleep(for: Self.tick)
        }
    }

    /// Begins no delivery to Apple any more: what is under way is gone on with by the next start.
    func stop() {
        apple?.stop()
    }

    /// Returns when no delivery is under way.
    func finish() async {
        await deliveries.wait()
    }

    private var way: PushWay { apple == nil ? .inboxes : .apple }

    /// Sends to Apple what is not being sent; nobody waits for it.
    private func goOnToApple() async throws(RegistryError) {
        guard let apple else { return }
        for objectID in try await registry.applePushes() where !apple.isActive(objectID) {
            deliveries.begin()
            Task {
                await apple.push(objectID)
                deliveries.end()
            }
        }
    }

    /// Sends a push that nobody has been told of yet.
    ///
    /// - Throws: ``RegistryError`` when that failed at once and nothing of it will be sent. Where not even that can be written
    ///   the push stands as it was taken, and is tried again.
    private func deliver(_ objectID: String, at now: Instant) async throws(RegistryError) {
        let (results, finish) = AsyncStream<RegistryError?>.makeStream()
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            finish.yield(nil)
        }
        deliveries.begin()
        Task {
            let failure = await attempt("a push could not be sent") { [self] () async throws(RegistryError) in
                try await registry.deliver(objectID: objectID, by: way, at: now)
            }
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

    /// Does something, and logs why it failed.
    private func attempt(
        _ failure: String, _ work: () async throws(RegistryError) -> Void
    ) async -> RegistryError? {
        do throws(RegistryError) {
            try await work()
            return nil
        } catch {
            // A server that stops breaks off; what is still queued is tried again at the next catching up.
            if !Task.isCancelled { logger.error("\(failure): \(error.description)") }
            return error
        }
    }
}
