internal import Apply
internal import Base
internal import Delivery
internal import DeliveryTesting
import DeviceRegistry
internal import Push

/// A registry and Apple, or Apple, FCM and a vendor that takes many devices in a call.
// Everything happens on the scheduler's thread.
final class AppleWorld: SimulatedWorld, @unchecked Sendable {
    private let apple: SimulatedApple
    private let registry: Registry
    /// The machine whose disk holds the registry; nil for one in memory, where nothing fails by itself.
    let machine: SimulatedMachine?
    private let batchSize: Int
    /// Who gets it, as the service knows them.
    private let tokens: [String]
    /// The registered devices; none where the campaign names tokens, or a channel.
    private let devices: [SimulatedDevice]
    /// The time by which the database's clock was advanced.
    private var offset = Duration.zero
    private let description = APNsRemote.description(name: "remote", registry: "r", label: "r", hosts: [:])
    private let channels = SimulatedChannels()
    /// What the registry's transactions did, when they are held against the model.
    var trace: JournalTrace?

    /// A world that begins with an empty registry, or with devices of several services.
    convenience init(seed: UInt64, registry: Registry, isMixed: Bool, hasFences: Bool = false, isTelling: Bool) {
        self.init(
            seed: seed, registry: registry, machine: nil, isMixed: isMixed, hasFences: hasFences, isTelling: isTelling)
    }

    /// The world of a seed whose registry is on a disk with faults.
    convenience init(seed: UInt64, on machine: SimulatedMachine, isTelling: Bool = false) {
        self.init(
            seed: seed, registry: Registry(MachineDatabase(machine: machine, process: 0)), machine: machine,
            isMixed: seed % 2 == 1, hasFences: seed / 2 % 5 == 0, isTelling: isTelling)
        hasStops = seed / 10 % 3 == 0
        scheduler.onDeath = { machine.kill($0) }
        machine.onDeath = { [unowned self] process in
            if let process { return kill(process) }
            endAll()
        }
    }

    private init(
        seed: UInt64, registry: Registry, machine: SimulatedMachine?, isMixed: Bool, hasFences: Bool, isTelling: Bool
    ) {
        let scheduler = Scheduler(seed: seed, isTelling: isTelling)
        apple = SimulatedApple(scheduler)
        (self.registry, self.machine) = (registry, machine)
        batchSize = scheduler.chance.number(in: 1...3)
        guard !isMixed else {
            let vendors = [PushVendor.apns, .fcm, scheduler.chance.one(of: [.hms, .mi, .oppo, .vivo])]
            devices = vendors.enumerated().flatMap { place, vendor in
                (0..<scheduler.chance.number(in: 1...4)).map {
                    SimulatedDevice(
                        vendor: vendor, address: String(0xa000 + place * 256 + $0, radix: 16), isTester: $0 % 2 == 0)
                }
            }
            tokens = devices.map(\.address)
            super.init(apple, SimulatedFiles.workspace(devices, &scheduler.chance), hasFences: hasFences)
            apple.testers = Set(devices.filter(\.isTester).map(\.address))
            return
        }
        let targets = scheduler.chance.happens(150) ? 1 : scheduler.chance.number(in: 2...6)
        (tokens, devices) = ((0..<targets).map { String(0xa000 + $0, radix: 16) }, [])
        super.init(apple, SimulatedFiles.workspace(tokens, &scheduler.chance), hasFences: hasFences)
    }

    /// A delivery that is stopped and held in its middle, and then released.
    func hold() async {
        await begin()
        (desired.policy.quietHours, desired.campaigns[0].window) = (nil, .seconds(86_400))
        desired.campaigns[0].inDoubt = .leave
        desired.campaigns[0].expiration = .after(.seconds(7 * 86_400))
        apple.weather.stalls = 500
        let run = apply()
        try? await scheduler.sleep(for: scheduler.chance.duration(below: .seconds(60)))
        desired.isHeld = true
        stop(run)
        await settle()
        for _ in 0..<2 { _ = await applied() }
        await heal()
        await check()
        expect(
            apple.acted.count == tokens.count && apple.acted.values.allSatisfy { $0 == 1 },
            "not everybody got it once: \(apple.acted)")
    }

    override var now: Instant { super.now + offset }

    override var arrivals: Int {
        let counts = Set(tokens.map { apple.acted[$0, default: 0] })
        return devices.isEmpty && desired.campaigns[0].audience.devices.isEmpty
            ? apple.acted.values.first ?? 0 : counts.count == 1 ? counts.first ?? -1 : -1
    }

    override func begin() async {
        defer {
            machine?.bringLogOver()
            machine?.change()
        }
        try? await registry.empty()
        guard !devices.isEmpty else { return }
        let objects = devices.compactMap { try? TransferredObject($0.fields(at: Self.start)) }
        let outcomes = try? await registry.transfer(objects, into: .installation)
        expect(outcomes?.count == devices.count && outcomes?.allSatisfy { $0 == .added } == true, "no devices")
    }

    override func reader(_ process: Int) -> any RemoteReading {
        APNsReader(store(process).reader, description: description, workspace: SimulatedFiles.workspace)
    }

    override func writer(_ process: Int, _ run: SimulatedRun) -> any RemoteWriting {
        APNsWriter(
            store(process), workspace: SimulatedFiles.workspace,
            senders: { [apple] _ in SimulatedSenders(apple: apple, process: process) },
            clients: channels.clients(run.desired.deviceProfiles), canBeJoined: true,
            pausing: SimulatedPause(scheduler, run.stop), heartbeat: SimulatedPause(scheduler),
            elapsed: { [scheduler] in scheduler.elapsed })
    }

    override func input(_ desired: Workspace, _ state: RemoteState) -> PlanInput {
        PlanInput(
            desired: desired, remote: description, capabilities: APNsRemote.capabilities, encoder: APNsEncoder(),
            state: state)
    }

    private var store: Journal {
        Journal(registry) { [unowned self] in now }
    }

    private func store(_ process: Int) -> Journal {
        let database: any RegistryDatabase =
            if let machine { MachineDatabase(machine: machine, process: process) } else { store.database }
        let life = Life(
            isOver: { [scheduler] in !scheduler.isAlive(process) },
            act: { [self] in if scheduler.chance.happens(apple.weather.deaths * 3) { kill(process) } })
        return Journal(database, clock: store.clock).mortal(
            life, batchSize: batchSize,
            fault: { [self] (_) throws(RegistryError) in
                guard scheduler.chance.happens(apple.weather.failures) else { return }
                failures += 1
                scheduler.tell("a write fails")
                throw RegistryError(internal: "the disk is busy")
            },
            watch: { [self] db in found += try trace?.take(db, at: now) ?? [] })
    }

    override func progress(of delivery: DeliveryID) async -> Int {
        guard let figures = try? await store.journal(of: delivery.text), figures.isFrozen else { return 0 }
        // Whom nobody will send to any more was not sent to.
        return figures.targets - figures.waiting - figures.missed
    }

    override var underWay: Int { 0 }

    override var ownActs: Int { machine == nil ? 0 : 4 }

    override func act(beside alive: [SimulatedRun]) async {
        if let machine, scheduler.chance.happens(600) {
            if scheduler.chance.happens(500) { return machine.change() }
            machine.cutPower()
            return endAll()
        }
        // Whose batches are in doubt when the holder of the lock ends before it, or loses it.
        losses += 1
        switch scheduler.chance.number(below: 4) {
        case 0: unlock()
        case 1:
            offset += .seconds(scheduler.chance.one(of: [-300, -40, -3, 3, 40, 300]))
            scheduler.tell("the database's clock is put to \(now.text)")
            disturb()
        default: join()
        }
    }

    /// The machine has lost its power.
    private func endAll() {
        scheduler.tell("the power fails\(machine?.isRuined == true ? ", and the registry's file is cut off" : "")")
        for run in runs { kill(run.process) }
    }

    override func end(_ process: Int) {
        if scheduler.isAlive(process) { machine?.close(process) }
    }

    override func calm() {
        super.calm()
        machine?.calm()
    }

    override var isLastWord: Bool {
        guard machine?.isRuined == true, let run = runs.last else { return false }
        return run.said.contains { word in Self.ruins.contains { word.contains($0) } }
    }

    /// What is said of a registry's file that has lost a part.
    private static let ruins = ["malformed", "is not a bugle registry", "not a database", "is damaged"]

    /// Begins to help whoever holds the lock.
    private func join() {
        let run = SimulatedRun("helper\(runs.count)", desired)
        begin(run) { [self] process in
            _ = try? await writer(process, run).journaling?.join(
                DeliveryHelper(
                    run: run.name, quietHours: run.desired.policy.quietHours,
                    fence: run.desired.fenceCondition(of: "remote"), isStopped: { run.stop.isRaised },
                    progress: { _ in }))
        }
    }

    /// A person frees the lock, whose holder may still live.
    private func unlock() {
        let run = SimulatedRun("person\(runs.count)", desired)
        begin(run) { [self] process in
            guard let fence = try? await store.lock(of: SimulatedFiles.workspace)?.fence else { return }
            disturb()
            _ = try? await writer(process, run).unlock(fence: fence)
        }
    }

    /// Whoever holds the lock may lose it before its time.
    private func disturb() {
        for run in runs { run.mayLoseLock = true }
    }

    override func objection(to run: SimulatedRun) async -> @Sendable () -> String? {
        let lock = try? await store.lock(of: SimulatedFiles.workspace)
        guard let lock else { return { "nobody sends it" } }
        return { [self] in
            let isHelper = run.name.hasPrefix("helper")
            // A helper does what the holder of the lock has found that it may.
            if !isHelper, run.desired.isHeld { return "the campaign is held" }
            if run.mayLoseLock { return nil }
            if desired.policy.quietHours?.contain(now) ?? false { return "the hours are quiet" }
            // One that asked just before its holder let the lock go may go on so long, and counts as in doubt.
            let grace = isHelper ? DeliveryPermit.grace : .zero
            if lock.expiresAt.milliseconds + grace.milliseconds <= now.milliseconds { return "the lock has expired" }
            return isHelper || lock.run == run.name ? nil : "\(run.name) does not hold the lock"
        }
    }

    // MARK: What must hold

    override func check() async {
        for (token, count) in apple.acted {
            // What is in doubt is sent again when the campaign says so.
            let again = resends ? apple.doubts[token, default: 0] + troubles : 0
            expect(
                count <= 1 + reopened + again,
                "a device got it \(count) times, and a person reopened it \(reopened) times, doubts \(again)")
        }
        if isLastWord { return }
        guard let entry = await entry else {
            return expect(apple.requests == 0, "it was sent, and the ledger knows nothing of it")
        }
        checkPerson(of: entry)
        guard entry.state == .sent, let figures = try? await store.journal(of: entry.notificationID.text) else {
            return expect(apple.requests == 0 || entry.isMissed || entry.state == .refused, "it ended \(entry.state)")
        }
        let refused = figures.refused.values.reduce(0, +)
        // A batch that nobody is left to settle is in doubt.
        let inDoubt = figures.inDoubt + figures.underWay
        // A device that was called dead before anybody got it is left out of the next attempt.
        let leftOut = devices.isEmpty ? 0 : figures.leftOut.values.reduce(0, +)
        expect(
            figures.leftOut.keys.allSatisfy { $0 == .invalid } && leftOut <= Set(apple.refused.values.joined()).count,
            "\(figures.leftOut) are left out, and no service called so many dead")
        // A delivery that began within a fence ends so.
        let chosen = figures.targets + leftOut
        expect(
            (chosen == tokens.count || hasFences && chosen < tokens.count) && figures.isClosed
                && figures.targets == figures.accepted + refused + inDoubt + figures.missed,
            "the figures do not add up: \(figures)")
        for (word, devices) in figures.refused {
            let most = apple.refused[word]?.count ?? 0
            expect(devices <= most, "\(devices) devices count as refused, '\(word)' was said of \(most)")
        }
        expect(figures.accepted <= apple.acted.count, "\(apple.acted.count) devices got it: \(figures)")
        let accepted = (try? await store.accepted(of: entry.notificationID.text)) ?? [:]
        for (profile, count) in accepted where !devices.isEmpty {
            let got = devices.count { $0.vendor.rawValue == profile && apple.acted[$0.address] != nil }
            expect(count <= got, "\(count) devices of \(profile) count as accepted, \(got) got it")
        }
        guard reopened == 0 else { return }
        if resends {
            // What a device is answered that is sent to again says nothing of the first time.
            let most = figures.accepted + refused + inDoubt
            return expect(apple.acted.count <= most, "\(apple.acted.count) devices got it: \(figures)")
        }
        expect(
            (figures.accepted...figures.accepted + inDoubt).contains(apple.acted.count),
            "\(apple.acted.count) devices got it: \(figures)")
        expect(
            !desired.hasTime || abandoned > 0 || figures.missed == 0, "\(figures.missed) devices were left in its time")
        expect(inDoubt >= apple.doubts.count, "\(apple.doubts.count) answers were lost: \(figures)")
        if troubles == 0 {
            expect(
                inDoubt <= apple.doubts.count, "\(apple.doubts.count) answers were lost only: \(figures)")
        }
    }

    /// What may have left a device in doubt whose answer was not lost.
    private var troubles: Int { failures + deaths + losses + (machine?.failures ?? 0) + (machine?.cuts ?? 0) }

    private var resends: Bool { desired.campaigns[0].inDoubt == .resend }
}
