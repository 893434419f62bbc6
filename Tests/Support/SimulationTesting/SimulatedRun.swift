internal import Apply
internal import Base
internal import Push

/// One process that applies the workspace, or helps one that does.
// Everything happens on the scheduler's thread.
final class SimulatedRun: @unchecked Sendable {
    /// Its random name.
    let name: String
    /// The files' contents when it began.
    let desired: Workspace
    /// Asks it to end.
    let stop = StopSignal()
    /// Its process.
    var process = 0
    /// The result, if it lived to tell.
    var outcome: ApplySession.Outcome?
    /// True once it has ended.
    var isOver = false
    /// True if the lock may be taken from it before its time.
    var mayLoseLock = false

    init(_ name: String, _ desired: Workspace) {
        self.name = name
        self.desired = desired
    }

    /// True if it says that nothing is left to do but by a person.
    var isSettled: Bool {
        guard let outcome, case .finished = outcome.ending else { return false }
        return outcome.results.allSatisfy { [.done, .unknown].contains($0.outcome) }
    }

    /// The outcome of the campaign, if this run says.
    var result: ChangeResult? { outcome?.results.last { $0.change.kind == .campaign } }
}

extension SimulatedWorld {
    /// Begins an apply of what the files say now.
    func apply() -> SimulatedRun {
        let run = SimulatedRun("run\(runs.count)", desired)
        let lockTimeout = scheduler.chance.one(of: [Duration.zero, .seconds(20), .seconds(200)])
        begin(run) { [self] process in
            let session = ApplySession(
                reader: reader(process), writer: writer(process, run),
                options: ApplyOptions(lockTimeout: lockTimeout, holder: run.name, run: run.name), stop: run.stop,
                pausing: SimulatedPause(scheduler, run.stop), heartbeat: SimulatedPause(scheduler),
                elapsed: { [scheduler] in scheduler.elapsed }, report: { _ in })
            let outcome = try? await session.run(
                input: { state in self.input(run.desired, state) }, agree: { _ in [] })
            if scheduler.isAlive(process) {
                run.outcome = outcome
                for result in outcome?.results ?? [] { checkWord(of: result, run) }
            }
            scheduler.tell(
                "\(run.name) ends: \(outcome.map { "\($0.ending)" } ?? "-") "
                    + (outcome?.results.map { "\($0.outcome) \($0.detail?.text ?? "")" }.joined(separator: ", ") ?? ""))
        }
        return run
    }

    /// What a result says is true: nothing in doubt is done, and what goes on waits for time or for the files.
    private func checkWord(of result: ChangeResult, _ run: SimulatedRun) {
        let doubtful = result.figures?.inDoubt ?? 0
        switch result.outcome {
        case .done: expect(doubtful == 0, "\(run.name) calls it done with \(doubtful) devices in doubt")
        case .ongoing:
            expect(
                run.desired.isHeld || run.desired.policy.quietHours != nil,
                "\(run.name) says that it goes on, and no time does the rest: \(result.detail?.text ?? "")")
        case .partly, .refused, .failed, .unknown, .skipped: break
        }
    }

    /// While anything waits for a person, the last apply says so.
    func checkPerson(of entry: LedgerEntry) {
        guard let outcome = runs.last(where: { $0.outcome != nil })?.outcome, case .finished = outcome.ending,
            let now = outcome.plan?.createdAt
        else { return }
        let isInDoubt = entry.state == .sent && entry.figures?.inDoubt ?? 0 > 0
        let hasTime = entry.expiresAt.map { $0 > now } ?? true
        if entry.state == .unknown || entry.state.isStopped || isInDoubt && hasTime {
            expect(
                outcome.results.contains(where: \.needsPerson),
                "it is \(entry.state), and the last apply asks nobody: \(outcome.results)")
        }
    }

    /// Records what a person found of a delivery that left devices in doubt.
    func resolve(asSent: Bool) {
        let run = SimulatedRun("person\(runs.count)", desired)
        begin(run) { [self] process in
            let (reader, writer) = (reader(process), writer(process, run))
            guard case .acquired(let lease)? = try? await writer.acquireLock(holder: "a person", run: run.name) else {
                return
            }
            let ledger = (try? await reader.ledger()) ?? []
            guard var entry = ledger.max(by: { $1.outranks($0) }),
                entry.state == .unknown || entry.state == .sent && entry.figures?.inDoubt ?? 0 > 0
            else { return }
            entry.figures?.inDoubt = 0
            entry.fence = lease.fence
            entry.state = asSent ? .sent : entry.state == .unknown ? .unsent : .sending
            if asSent { said += 1 } else { reopened += 1 }
            guard (try? await writer.update(entry, under: lease)) != nil else { return }
            if entry.state == .sending { try? await writer.journaling?.reopenDoubtful(entry, under: lease) }
            try? await writer.release(lease, lastApplied: nil)
        }
    }

    func begin(_ run: SimulatedRun, _ body: @escaping @Sendable (Int) async -> Void) {
        runs.append(run)
        scheduler.tell("\(run.name) begins\(run.desired.isHeld ? ", held" : "")")
        run.process = scheduler.spawn { process in
            await body(process)
            run.isOver = true
        }
    }
}

/// Waits on the scheduler's clock, and not any longer once the signal is raised.
struct SimulatedPause: Pausing {
    private let scheduler: Scheduler
    private let stop: StopSignal?

    init(_ scheduler: Scheduler, _ stop: StopSignal? = nil) {
        self.scheduler = scheduler
        self.stop = stop
    }

    func pause(for duration: Duration) async throws(CancellationError) {
        guard let stop else { return try await scheduler.sleep(for: duration) }
        if stop.isRaised { throw CancellationError() }
        // Whoever looks again and again may look less often: nothing depends on it.
        try await scheduler.sleep(for: duration * scheduler.chance.number(in: 1...12), isStoppable: true)
        if stop.isRaised { throw CancellationError() }
    }

    func backoff(_ tries: Int) -> Duration { .milliseconds(scheduler.chance.number(in: 500...30_000)) }
}
