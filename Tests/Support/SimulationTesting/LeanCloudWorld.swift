internal import Apply
internal import Base
internal import LeanCloud
internal import Push
internal import RemoteTesting

/// LeanCloud, which keeps ledger and lock beside its pushes.
// Everything happens on the scheduler's thread.
final class LeanCloudWorld: SimulatedWorld, @unchecked Sendable {
    private let leanCloud: SimulatedLeanCloud
    private let connection = LeanCloudConnection(
        url: "https://push.example.com", appId: "giants-demo", masterKey: Secret("DyJegPlemooo4X1tg94gQkw1"))
    /// The campaign as the files said it when it was removed.
    private var removed: Campaign?
    /// True once its time was changed.
    private var isChanged = false

    /// A world that begins with an empty app.
    init(seed: UInt64, hasFences: Bool, isTelling: Bool) {
        let scheduler = Scheduler(seed: seed, isTelling: isTelling)
        leanCloud = SimulatedLeanCloud(scheduler) { Self.start + scheduler.elapsed }
        super.init(leanCloud, SimulatedFiles.workspace(&scheduler.chance), hasFences: hasFences)
    }

    override func reader(_ process: Int) -> any RemoteReading {
        connection.reader(
            name: "remote", workspace: SimulatedFiles.workspace, http: http(process),
            pausing: SimulatedPause(scheduler), clock: clock)
    }

    override func writer(_ process: Int, _ run: SimulatedRun) -> any RemoteWriting {
        connection.writer(
            workspace: SimulatedFiles.workspace, http: http(process), pausing: SimulatedPause(scheduler), clock: clock)
    }

    private func http(_ process: Int) -> SimulatedConnection {
        SimulatedConnection(service: leanCloud, process: process)
    }

    private var clock: LocalClock {
        LocalClock { [scheduler] in
            Self.start + scheduler.elapsed
        } steady: { [scheduler] in
            SimulatedClock.steady(scheduler)
        }
    }

    override func input(_ desired: Workspace, _ state: RemoteState) -> PlanInput {
        PlanInput(
            desired: desired, remote: LeanCloudRemote.description(name: "remote", connection: connection),
            capabilities: LeanCloudRemote.capabilities, encoder: LeanCloudEncoder(), state: state)
    }

    override var arrivals: Int { leanCloud.sent }

    override var ownActs: Int { 6 }
    override var isEdited: Bool { isChanged || super.isEdited }

    /// The files change: the campaign goes, comes back, or has another time.
    override func act(beside alive: [SimulatedRun]) async {
        if let campaign = removed {
            desired.campaigns.insert(campaign, at: 0)
            removed = nil
        } else if scheduler.chance.happens(500) {
            removed = desired.campaigns.removeFirst()
        } else if desired.campaigns[0].scheduledAt != nil {
            let at = now + .seconds(60 * scheduler.chance.number(in: -5...60))
            desired.campaigns[0].scheduledAt = OffsetInstant(Instant(seconds: at.seconds))
            isChanged = true
            sayNames()
        }
        scheduler.tell("the files say: \(wish)")
    }

    private var wish: String {
        if removed != nil { return "nothing" }
        return desired.campaigns[0].scheduledAt.map { "at \($0.text)" } ?? "at once"
    }

    override func objection(to run: SimulatedRun) async -> @Sendable () -> String? {
        { [self] in
            let campaign = run.desired.campaigns[0]
            if !run.desired.hasScore || campaign.hold { return "the campaign is not wanted" }
            if campaign.scheduledAt == nil, run.desired.policy.quietHours?.contain(now) ?? false {
                return "the hours are quiet"
            }
            guard let lock = leanCloud.store.classes["BugleLock"]?.first?.json, lock["run"]?.string == run.name else {
                return "\(run.name) does not hold the lock"
            }
            return lock["expiresAt"]?.instant.map { $0 > now } ?? false ? nil : "the lock has expired"
        }
    }

    // MARK: What must hold

    /// When something may still happen by itself; nil: nothing will.
    private var end: Instant? {
        get async {
            if let at = leanCloud.waiting.compactMap(\.at).max() { return at }
            guard let entry = await entry, entry.state == .cancelling else { return nil }
            return entry.scheduledAt.flatMap { $0 > now ? $0 : nil }
        }
    }

    override func check() async {
        if removed != nil {
            expect(leanCloud.waiting.isEmpty, "it is no longer wanted, and \(leanCloud.waiting) are alive")
        }
        // Whatever waits is sent; of a cancelled push that no list showed, its time tells.
        var rounds = 0
        while let at = await end {
            guard rounds < 3 else { return expect(false, "something waits for \(at.text) after \(rounds) applies") }
            rounds += 1
            try? await scheduler.sleep(for: at - now + .seconds(60))
            _ = await applied()
        }
        let sent = leanCloud.sent
        expect(sent <= 1 + reopened, "it was sent \(sent) times, and a person reopened it \(reopened) times")
        guard let entry = await entry else {
            return expect(leanCloud.pushes.isEmpty, "it was sent, and the ledger knows nothing of it")
        }
        checkPerson(of: entry)
        let says = "it ended \(entry.state) (\(entry.reason?.text ?? "-"))"
        switch entry.state {
        case .sent: expect(leanCloud.taken > 0 || said > 0, "\(says), and LeanCloud never took it")
        case .scheduled:
            // Its time is at most a minute ahead: then it was sent at once.
            expect(leanCloud.taken > 0, "\(says), and nothing was sent")
            expect(entry.scheduledAt.map { $0 <= now + .seconds(60) } ?? false, "\(says), and nothing is waiting")
        case .refused, .unsent, .cancelled: expect(sent <= reopened, "\(says), and LeanCloud sent it")
        case .unknown: break
        case .sending, .cancelling, .halted, .holding: expect(false, says)
        }
    }
}
