internal import APNs
internal import APNsDelivery
internal import APNsRemote
package import DeviceRegistry
internal import JSONValue
internal import PushApply
internal import PushModel
internal import PushPlan
internal import PushRemote

/// A registry, Apple, a workspace with one campaign, and whoever applies it: what a seed makes of them.
// Everything happens on the scheduler's thread.
package final class SimulatedWorld: @unchecked Sendable {
    let scheduler: Scheduler
    let apple: SimulatedApple
    let registry: Registry
    let batchSize: Int
    var desired: Workspace
    var runs: [SimulatedRun] = []
    /// How often a person had devices in doubt sent to again.
    var reopened = 0
    /// How often a write failed, a process died, and one may have lost its lock.
    var (failures, deaths, losses) = (0, 0, 0)
    private var offset = Duration.zero
    private let tokens: [String]

    private static let start = Instant(seconds: 1_795_176_000)

    /// A world that begins with an empty registry.
    package init(seed: UInt64, registry: Registry, isTelling: Bool = false) {
        scheduler = Scheduler(seed: seed, isTelling: isTelling)
        apple = SimulatedApple(scheduler)
        self.registry = registry
        batchSize = scheduler.chance.number(in: 1...3)
        let targets = scheduler.chance.happens(150) ? 1 : scheduler.chance.number(in: 2...6)
        tokens = (0..<targets).map { String(0xa000 + $0, radix: 16) }
        desired = SimulatedFiles.workspace(tokens, &scheduler.chance)
        apple.judge = { [unowned self] in await judge($0) }
        scheduler.beforeStep = { [unowned self] in strike($0) }
    }

    /// What does not hold in the world of a seed; nothing when all does.
    ///
    /// - Parameter isTelling: whether what happened follows, when something does not hold.
    package static func violations(seed: UInt64, on registry: Registry, isTelling: Bool) -> [String] {
        let world = SimulatedWorld(seed: seed, registry: registry, isTelling: isTelling)
        let hasEnded = world.scheduler.run { await world.live() }
        let found = world.apple.violations + world.found + (hasEnded ? [] : ["everything waits for ever"])
        world.scheduler.drain()
        return Set(found).sorted() + (found.isEmpty ? [] : world.scheduler.story ?? [])
    }

    /// The same of a world in which a delivery is stopped and held in its middle, and then released.
    package static func violationsWhenHeld(seed: UInt64, on registry: Registry) -> [String] {
        let world = SimulatedWorld(seed: seed, registry: registry)
        guard world.scheduler.run({ await world.hold() }) else { return ["everything waits for ever"] }
        world.scheduler.drain()
        let isOnce = world.apple.acted.count == world.tokens.count && world.apple.acted.values.allSatisfy { $0 == 1 }
        return world.apple.violations + world.found
            + (isOnce ? [] : ["not everybody got it once: \(world.apple.acted)"])
    }

    /// What tells the course of a seed's world from every other.
    package static func trace(seed: UInt64, on registry: Registry) -> UInt64 {
        let world = SimulatedWorld(seed: seed, registry: registry)
        _ = world.scheduler.run { await world.live() }
        defer { world.scheduler.drain() }
        return world.scheduler.trace
    }

    var now: Instant { Self.start + scheduler.elapsed + offset }
    var store: RegistryStore {
        RegistryStore(registry) { [unowned self] in Timestamp(milliseconds: now.milliseconds) }
    }

    private var found: [String] = []

    let description = APNsRemote.description(name: "apple", registry: "r", label: "r", hosts: [:])
    let channels = SimulatedChannels()
}

// MARK: - What happens

extension SimulatedWorld {
    private func live() async {
        try? await registry.empty()
        apple.weather = Weather(&scheduler.chance)
        for _ in 0..<scheduler.chance.number(in: 1...4) {
            await act()
            let pause = scheduler.chance.one(of: [Duration.seconds(2), .seconds(30), .seconds(300), .seconds(1000)])
            try? await scheduler.sleep(for: scheduler.chance.duration(below: pause))
        }
        await heal()
        await check()
    }

    private func hold() async {
        try? await registry.empty()
        (desired.policy.quietHours, desired.campaigns[0].window) = (nil, .seconds(86_400))
        desired.campaigns[0].expiration = .after(.seconds(7 * 86_400))
        apple.weather.stalls = 500
        let run = apply()
        try? await scheduler.sleep(for: scheduler.chance.duration(below: .seconds(60)))
        desired.isHeld = true
        stop(run)
        while !run.isOver { try? await scheduler.sleep(for: .seconds(5)) }
        for _ in 0..<2 { _ = await applied() }
        await heal()
        await check()
    }

    /// Something that people or machines do.
    private func act() async {
        let alive = runs.filter { !$0.isOver && scheduler.isAlive($0.process) }
        switch scheduler.chance.number(below: 12) {
        case 0...4: if alive.count < 3 { _ = apply() }
        case 5:
            // Whose batches are in doubt when the holder of the lock ends before it.
            losses += 1
            join()
        case 6: if let run = alive.last { stop(run) }
        case 7: if let run = alive.first { kill(run.process) }
        case 8: desired.isHeld.toggle()
        case 9: resolve(asSent: scheduler.chance.happens(300))
        case 10: if let run = alive.last { suspend(run.process) }
        default: apple.weather = Weather(&scheduler.chance)
        }
    }

    /// Applies in calm weather until there is nothing left to do.
    private func heal() async {
        apple.weather = .calm
        desired.isHeld = false
        for wait in [1, 3, 5, 16, 16, 16, 61, 61, 300, 300, 300] {
            try? await scheduler.sleep(for: .seconds(wait * 60))
            for run in runs where !run.isOver { stop(run) }
            while runs.contains(where: { !$0.isOver }) { try? await scheduler.sleep(for: .seconds(5)) }
            guard await applied().isSettled else { continue }
            // In some worlds only: most of what it costs is planning.
            guard scheduler.chance.happens(200) else { return }
            let requests = apple.requests
            _ = await applied()
            if apple.requests > requests { found.append("an apply after the end sent \(apple.requests - requests)") }
            return
        }
        found.append("it never ends: \(String(describing: runs.last?.outcome?.results))")
    }

    private func applied() async -> SimulatedRun {
        let run = apply()
        while !run.isOver { try? await scheduler.sleep(for: .seconds(5)) }
        return run
    }

    /// What strikes a process before a job of its own.
    private func strike(_ process: Int) {
        if scheduler.chance.happens(apple.weather.deaths) { kill(process) }
        if scheduler.chance.happens(apple.weather.pauses) { suspend(process) }
    }

    private func stop(_ run: SimulatedRun) {
        run.stop.raise()
        scheduler.wake(run.process)
    }

    func kill(_ process: Int) {
        guard scheduler.isAlive(process) else { return }
        deaths += 1
        scheduler.kill(process)
    }

    private func suspend(_ process: Int) {
        losses += 1
        scheduler.pause(process, for: .seconds(scheduler.chance.one(of: [2, 15, 70, 130, 400])))
    }
}

// MARK: - What must hold

extension SimulatedWorld {
    /// Why a process must not send when it does.
    private func judge(_ process: Int) async -> @Sendable () -> String? {
        // A machine is suspended whenever it likes.
        if scheduler.chance.happens(apple.weather.pauses * 5) {
            suspend(process)
            try? await scheduler.sleep(for: .zero)
        }
        let lock = try? await store.lock(of: SimulatedFiles.workspace)
        guard let lock, let run = runs.first(where: { $0.process == process }) else { return { "nobody sends it" } }
        return { [self] in
            let isHelper = run.name.hasPrefix("helper")
            // A helper does what the holder of the lock has found that it may.
            if !isHelper, run.desired.isHeld { return "the campaign is held" }
            if desired.policy.quietHours?.contain(now) ?? false { return "the hours are quiet" }
            // One that asked just before its holder let the lock go may go on so long, and counts as in doubt.
            let grace = isHelper ? DeliveryPermit.grace : .zero
            if lock.expiresAt.milliseconds + grace.milliseconds <= now.milliseconds { return "the lock has expired" }
            return isHelper || lock.run == run.name ? nil : "\(run.name) does not hold the lock"
        }
    }

    private func check() async {
        func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) { if !holds { found.append(complaint()) } }
        let most = apple.acted.values.max() ?? 0
        expect(most <= 1 + reopened, "a device got it \(most) times, and a person reopened it \(reopened) times")
        for run in runs {
            guard let result = run.result, result.outcome == .done, let figures = result.figures else { continue }
            expect(figures.inDoubt == 0, "\(run.name) calls it done with \(figures.inDoubt) devices in doubt")
        }
        guard
            let entry = try? await APNsReader(store, description: description, workspace: SimulatedFiles.workspace)
                .ledger().last
        else { return expect(apple.requests == 0, "it was sent, and the ledger knows nothing of it") }
        guard entry.state == .sent, let figures = try? await store.journal(of: entry.notificationID.text) else {
            return expect(apple.requests == 0 || entry.isMissed || entry.state == .refused, "it ended \(entry.state)")
        }
        let refused = figures.refused.values.reduce(0, +)
        expect(
            figures.targets == tokens.count && figures.isClosed
                && figures.targets == figures.accepted + refused + figures.inDoubt + figures.missed,
            "the figures do not add up: \(figures)")
        for (word, devices) in figures.refused {
            let most = apple.refused[word]?.count ?? 0
            expect(devices <= most, "\(devices) devices count as refused, '\(word)' was said of \(most)")
        }
        guard reopened == 0 else { return }
        expect(
            (figures.accepted...figures.accepted + figures.inDoubt).contains(apple.acted.count),
            "\(apple.acted.count) devices got it: \(figures)")
        expect(!desired.hasTime || figures.missed == 0, "\(figures.missed) devices were left in its time")
        expect(figures.inDoubt >= apple.doubtful.count, "\(apple.doubtful.count) answers were lost: \(figures)")
        if failures + deaths + losses == 0 {
            expect(
                figures.inDoubt <= apple.doubtful.count, "\(apple.doubtful.count) answers were lost only: \(figures)")
        }
    }
}
