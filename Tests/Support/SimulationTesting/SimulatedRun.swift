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
    /// Why it has none, if it could not even observe.
    var failure: String?
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

    /// The words in which it says what went wrong.
    var said: [String] {
        [failure].compactMap(\.self) + (outcome?.results.compactMap { $0.detail?.text } ?? [])
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
            var outcome: ApplySession.Outcome?
            do throws(RemoteError) {
                outcome = try await session.run(
                    input: { state in self.input(run.desired, state) }, agree: { _ in [] })
            } catch {
                run.failure = error.description
            }
            if scheduler.isAlive(process) {
                run.outcome = outcome
                for result in outcome?.results ?? [] { checkWord(of: result, run) }
            }
            scheduler.tell(
                "\(run.name) ends: \(outcome.map { "\($0.ending)" } ?? run.failure ?? "-") "
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

    /// A person stops the delivery or everything, or decides about what was stopped.
    func orderOrDecide(proceeds: Bool? = nil) {
        let run = SimulatedRun("person\(runs.count)", desired)
        begin(run) { [self] process in
            let (reader, writer) = (reader(process), writer(process, run))
            guard let (entries, stops) = try? await reader.stoppedLedger() else { return }
            if let order = stops.first {
                await checkStop()
                if order.isForAll {
                    try? await writer.lift(order)
                } else {
                    await decide(entries, order, proceeds ?? scheduler.chance.happens(700), run, writer)
                }
                scheduler.tell("\(order.key) is lifted")
                return
            }
            guard proceeds == nil, let entry = entries.max(by: { $1.outranks($0) }),
                entry.isStoppable(isNamed: false, at: now)
            else { return }
            let order = StopOrder(
                scheduler.chance.happens(300) ? nil : entry, by: run.name, at: now, why: "the link is wrong")
            // One whose answer was lost may be given all the same.
            guard (try? await writer.stop(order)) != nil else { return }
            scheduler.tell("\(run.name) stops \(order.key)")
            stopped = (order, await progress(of: entry.notificationID) + underWay)
        }
    }

    private func decide(
        _ entries: [LedgerEntry], _ order: StopOrder, _ proceeds: Bool, _ run: SimulatedRun,
        _ writer: any RemoteWriting
    ) async {
        guard case .acquired(let lease)? = try? await writer.acquireLock(holder: "a person", run: run.name) else {
            return
        }
        for entry in entries where entry.stopped?.order == order {
            // Whoever dies of it may have closed the journal.
            if !proceeds { abandoned += 1 }
            guard
                var decided = try? await writer.decided(
                    entry, proceeds: proceeds, reason: "it is right now", under: lease)
            else { continue }
            decided.fence = lease.fence
            guard (try? await writer.update(decided, under: lease)) != nil else { continue }
            try? await writer.lift(order)
        }
        try? await writer.release(lease, lastApplied: nil)
    }

    /// Nothing more was sent since a person stopped it.
    private func checkStop() async {
        guard let (order, before) = stopped, !order.isForAll else { return stopped = nil }
        stopped = nil
        guard let id = DeliveryID(order.key) else { return expect(false, "\(order.key) is no delivery") }
        let after = await progress(of: id)
        expect(after <= before, "\(order.key) was stopped at \(before), and went on to \(after)")
    }

    /// People go on with everything that was stopped.
    func liftStops() async {
        guard hasStops else { return }
        for _ in 0..<20 {
            // Whoever is about to stop something does so first.
            for run in runs where !run.isOver { stop(run) }
            await settle()
            guard let (_, stops) = try? await reader(0).stoppedLedger(), !stops.isEmpty else { return }
            orderOrDecide(proceeds: true)
            await settle()
            // What a service may still have is settled before a person decides.
            _ = await applied()
        }
        expect(false, "what was stopped can never be decided")
    }

    func begin(_ run: SimulatedRun, _ body: @escaping @Sendable (Int) async -> Void) {
        runs.append(run)
        scheduler.tell("\(run.name) begins\(run.desired.isHeld ? ", held" : "")")
        run.process = scheduler.spawn { [self] process in
            await body(process)
            end(process)
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
