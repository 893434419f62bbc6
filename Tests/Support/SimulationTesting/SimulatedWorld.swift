internal import Apply
internal import Base
internal import DeviceRegistry
internal import Push

/// What it takes a world to come to an end once nothing goes wrong any more.
package struct HealingEffort: Hashable, Sendable, CustomStringConvertible {
    /// The applies and what else people do, and the simulated time, until nothing is left to do.
    package private(set) var (applies, time) = (0, Duration.zero)
    /// The longest time in which one of them ended.
    package private(set) var run = Duration.zero

    /// The most of both.
    mutating func take(applies: Int = 0, time: Duration = .zero, run: Duration = .zero) {
        (self.applies, self.time, self.run) = (max(self.applies, applies), max(self.time, time), max(self.run, run))
    }

    /// The most of both.
    mutating func take(_ other: Self) { take(applies: other.applies, time: other.time, run: other.run) }

    func isWithin(_ bound: Self) -> Bool { applies <= bound.applies && time <= bound.time && run <= bound.run }

    package var description: String { "\(applies) applies in \(time), one in \(run) at most" }
}

/// A service, a workspace with one campaign that matters, and whoever applies it: what a seed makes of them.
// Everything happens on the scheduler's thread.
class SimulatedWorld: @unchecked Sendable {
    final let scheduler: Scheduler
    final let service: SimulatedService
    final var desired: Workspace
    /// Every name that the campaign had in the files, the oldest first.
    private final var names = ["score"]
    final var runs: [SimulatedRun] = []
    /// The times a person had sent again what may have been sent, and said that something was sent.
    final var (reopened, said) = (0, 0)
    /// The times a person gave up the rest of what was stopped.
    final var abandoned = 0
    /// The times a write failed, a process died, and one may have lost its lock.
    final var (failures, deaths, losses) = (0, 0, 0)
    /// The claims that did not hold.
    final var found: [String] = []
    /// True if people stop deliveries, and decide about what was stopped, whenever they like.
    final var hasStops = false
    /// What it took to come to an end once nothing went wrong any more.
    final var effort = HealingEffort()
    /// The stop that a person gave last, and how far the delivery had come then.
    final var stopped: (order: StopOrder, progress: Int)?
    /// True if people put a fence around the remote, and take it away, whenever they like.
    final let hasFences: Bool

    static let start = Instant(seconds: 1_795_176_000)

    /// The most that any world may take.
    ///
    /// Source: docs/background/proof.md#it-ends.
    static let bound = HealingEffort(applies: 30, time: .seconds(24 * 3600), run: .seconds(3600))

    /// The world of a seed: of each three one's remote is LeanCloud, and one's devices are of several services; a fifth has
    /// fences, and a third stops.
    static func make(seed: UInt64, on registry: Registry, isTelling: Bool = false) -> SimulatedWorld {
        let hasFences = seed / 3 % 5 == 0
        let world =
            seed % 3 == 2
            ? LeanCloudWorld(seed: seed, hasFences: hasFences, isTelling: isTelling)
            : AppleWorld(
                seed: seed, registry: registry, isMixed: seed % 3 == 1, hasFences: hasFences, isTelling: isTelling)
        world.hasStops = seed / 15 % 3 == 0
        return world
    }

    init(_ service: SimulatedService, _ desired: Workspace, hasFences: Bool) {
        (scheduler, self.service, self.desired) = (service.scheduler, service, desired)
        self.hasFences = hasFences
        service.isFenced = { [unowned self] process in
            runs.first { $0.process == process }?.desired.remotes.values.first?.fence != nil
        }
        service.judge = { [unowned self] in await judge($0) }
        scheduler.beforeStep = { [unowned self] in strike($0) }
    }

    /// The claims that did not hold over time, and then the events if the world is telling; nothing when all did.
    final func violations(_ course: @escaping @Sendable (SimulatedWorld) async -> Void = { await $0.live() })
        -> [String]
    {
        let hasEnded = scheduler.run { await course(self) }
        let found = service.violations + found + (hasEnded ? [] : ["everything waits for ever"])
        scheduler.drain()
        return Set(found).sorted() + (found.isEmpty ? [] : scheduler.story ?? [])
    }

    /// The server's clock.
    var now: Instant { Self.start + scheduler.elapsed }
    /// A reader for a process.
    func reader(_ process: Int) -> any RemoteReading { fatalError("no remote") }
    /// A writer for a process.
    func writer(_ process: Int, _ run: SimulatedRun) -> any RemoteWriting { fatalError("no remote") }
    /// The input of a plan.
    func input(_ desired: Workspace, _ state: RemoteState) -> PlanInput { fatalError("no remote") }
    /// The delivery that counts, as the files call it; nil: the ledger has none of the campaign.
    final var entry: LedgerEntry? {
        get async {
            let names = CampaignNames(desired)
            var ledger = ((try? await reader(0).ledger()) ?? []).map(names.adopting)
            // One that reached nobody may have kept another name.
            let name = desired.hasScore ? desired.campaigns[0].name : nil
            if let name, ledger.contains(where: { $0.campaign == name || $0.mayHaveBeenDelivered }) {
                ledger.removeAll { $0.campaign != name }
            }
            let entries = ledger.strongest.values
            return entries.max { one, other in
                (one.state.strength, one.generation, one.delivery)
                    < (other.state.strength, other.generation, other.delivery)
            }
        }
    }
    /// Before anything happens.
    func begin() async {}
    /// The number of times every device got the message; -1 when they disagree.
    var arrivals: Int { -1 }
    /// The chances that ``act(beside:)`` has in addition.
    var ownActs: Int { 0 }
    /// Something that happens in this kind of world only.
    func act(beside alive: [SimulatedRun]) async {}
    /// True if the campaign's content changes: then nobody but `formerly` can say that it is the same one.
    var isEdited: Bool { hasFences }
    /// How far a delivery has come: it may not go further while it is stopped.
    func progress(of delivery: DeliveryID) async -> Int { service.requests }
    /// How much further it may go all the same: each run may have a request under way.
    var underWay: Int { runs.count { !$0.isOver && scheduler.isAlive($0.process) } }
    /// The reason a request of a run must not leave now.
    func objection(to run: SimulatedRun) async -> @Sendable () -> String? { { nil } }
    /// A process has come to its end.
    func end(_ process: Int) {}
    /// Switches off what goes wrong; what is only late is nothing that ends.
    func calm() {
        let isLate = service.weather.isLate
        service.weather = .calm
        service.weather.isLate = isLate
    }
    /// True if the last run has stopped and said why, and none will do anything until a person has mended it.
    var isLastWord: Bool { false }
    /// Looks whether what must hold in the end does.
    func check() async {}

    final func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
        if !holds { found.append(complaint()) }
    }

    private func judge(_ process: Int) async -> @Sendable () -> String? {
        // A machine is suspended whenever it likes.
        if scheduler.chance.happens(service.weather.pauses * 5) {
            suspend(process)
            try? await scheduler.sleep(for: .zero)
        }
        guard let run = runs.first(where: { $0.process == process }) else { return { "nobody sends it" } }
        return await objection(to: run)
    }
}

// MARK: - What happens

extension SimulatedWorld {
    final func live() async {
        await begin()
        service.weather = Weather(&scheduler.chance)
        for _ in 0..<scheduler.chance.number(in: 1...4) {
            if hasFences, scheduler.chance.happens(500) { putFence() }
            await act()
            if hasStops, scheduler.chance.happens(500) { orderOrDecide() }
            let pause = scheduler.chance.one(of: [Duration.seconds(2), .seconds(30), .seconds(300), .seconds(1000)])
            try? await scheduler.sleep(for: scheduler.chance.duration(below: pause))
        }
        await heal()
        await check()
    }

    /// Something that people or machines do.
    private func act() async {
        let alive = runs.filter { !$0.isOver && scheduler.isAlive($0.process) }
        switch scheduler.chance.number(below: 16 + ownActs) {
        case 0...4: if alive.count < 3 { _ = apply() }
        case 5...7, 16...: await act(beside: alive)
        case 8: if let run = alive.last { stop(run) }
        case 9: if let run = alive.first { kill(run.process) }
        case 10: desired.isHeld.toggle()
        case 11: resolve(asSent: scheduler.chance.happens(300))
        case 12: if let run = alive.last { suspend(run.process) }
        case 13...14: rename()
        default: service.weather = Weather(&scheduler.chance)
        }
    }

    /// Applies in calm weather until there is nothing left to do, which is so within ``bound``.
    final func heal() async {
        let (began, before) = (scheduler.elapsed, runs.count)
        calm()
        desired.isHeld = false
        // What began outside a fence waits for ever within it.
        desired.remotes = [:]
        await liftStops()
        for wait in [1, 3, 5, 16, 16, 16, 61, 61, 300, 300, 300] {
            try? await scheduler.sleep(for: .seconds(wait * 60))
            for run in runs where !run.isOver { stop(run) }
            await settle()
            guard await applied().isSettled else {
                if isLastWord { return }
                answer()
                continue
            }
            effort.take(applies: runs.count - before, time: scheduler.elapsed - began)
            expect(effort.isWithin(Self.bound), "it ended after \(effort), and not within \(Self.bound)")
            // In some worlds only: most of what it costs is planning.
            guard scheduler.chance.happens(200) else { return }
            // What was begun is settled as it was begun, and then as it was edited.
            // And an edit of what a late list does not show waits for one that does.
            let hidesPushes = service.hidesPushes
            service.weather.isLate = false
            let isUnsent = await entry?.state == .unsent
            if hidesPushes || isUnsent || runs.last?.result?.change.action == .resume { _ = await applied() }
            let requests = service.requests
            _ = await applied()
            // And whatever it is called from now on; what reached nobody is new under another name.
            let wasDelivered = await entry?.mayHaveBeenDelivered ?? false
            for _ in 0..<(wasDelivered ? 2 : 0) {
                rename()
                await checkNames(after: await applied())
                answer()
            }
            if service.requests > requests {
                found.append("an apply after the end sent \(service.requests - requests)")
            }
            return
        }
        found.append("it never ends: \(String(describing: runs.last?.outcome?.results))")
    }

    /// People put a fence around the remote, or another one, or take it away.
    private func putFence() {
        let fences = [
            nil, Audience(condition: ["tester": true]), Audience(channels: ["Scores"], condition: ["tester": true]),
        ]
        desired.remotes = SimulatedFiles.remotes(fence: scheduler.chance.one(of: fences))
        // Nobody could tell a campaign of another content under another name.
        sayNames()
        scheduler.tell("the fence is \(desired.remotes.values.first?.fence?.reason.text ?? "gone")")
    }

    final func applied() async -> SimulatedRun {
        let run = apply()
        await settle()
        return run
    }

    /// Waits until every run has ended, which is so within its own bound.
    final func settle() async {
        let began = scheduler.elapsed
        while runs.contains(where: { !$0.isOver }) {
            guard scheduler.elapsed - began < Self.bound.run else {
                return expect(false, "a run does not end within \(Self.bound.run)")
            }
            try? await scheduler.sleep(for: .seconds(5))
        }
        effort.take(run: scheduler.elapsed - began)
    }

    /// The campaign gets a new name, or one that it had, or `formerly` is tidied away.
    ///
    /// The files say all its names, the last one, or none. Nobody else could tell that an edited one is the same: then
    /// the last name alone is said, or none of a kept one, only once an apply has recorded it.
    private func rename() {
        guard desired.hasScore else { return }
        let last = desired.campaigns[0].name
        let isKept = scheduler.chance.happens(200)
        let isOld = scheduler.chance.happens(200)
        let name = isKept ? last : isOld ? scheduler.chance.one(of: names) : "score\(names.count)"
        if !names.contains(name) { names.append(name) }
        desired.campaigns[0].name = name
        let isRecorded =
            runs.last { $0.outcome != nil }.map { $0.isSettled && $0.desired.campaigns[0].name == last } ?? false
            && runs.allSatisfy {
                $0.isOver || !scheduler.isAlive($0.process) || $0.desired.campaigns[0].name == last
            }
        let says =
            !isEdited
            ? scheduler.chance.one(of: [names, names, [last], []])
            : !isRecorded ? names : name == last ? [] : [last]
        desired.campaigns[0].formerly = says.filter { $0 != name }
        scheduler.tell("\(last) is called \(name) now, formerly \(desired.campaigns[0].formerly)")
    }

    /// A person who was asked whether the campaign was renamed says all its names.
    private func answer() {
        let results = runs.last?.outcome?.results ?? []
        if results.contains(where: { $0.change.blocked.contains { $0.rule == .renamed } }) { sayNames() }
    }

    /// What an apply has settled bears its name in the ledger, so that `formerly` may go.
    private func checkNames(after run: SimulatedRun) async {
        let names = CampaignNames(desired)
        guard run.isSettled, let ledger = try? await reader(0).ledger() else { return }
        for entry in ledger where names.adopting(entry) != entry {
            found.append("the files call it \(desired.campaigns[0].name), the ledger still \(entry.campaign)")
        }
    }

    /// The files say every name that the campaign had.
    final func sayNames() {
        guard desired.hasScore else { return }
        desired.campaigns[0].formerly = names.filter { $0 != desired.campaigns[0].name }
    }

    /// The mishap of a process before a job of its own.
    final func strike(_ process: Int) {
        if scheduler.chance.happens(service.weather.deaths) { kill(process) }
        if scheduler.chance.happens(service.weather.pauses) { suspend(process) }
    }

    final func stop(_ run: SimulatedRun) {
        run.stop.raise()
        scheduler.wake(run.process)
    }

    func kill(_ process: Int) {
        guard scheduler.isAlive(process) else { return }
        deaths += 1
        scheduler.kill(process)
    }

    final func suspend(_ process: Int) {
        losses += 1
        scheduler.pause(process, for: .seconds(scheduler.chance.one(of: [2, 15, 70, 130, 400])))
    }
}
