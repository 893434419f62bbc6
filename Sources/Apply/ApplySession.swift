package import Base
package import Push

/// One apply: takes the lock, observes and plans again under it, compares, carries out, and releases the lock.
///
/// A plan made before the lock was taken is never carried out.
package struct ApplySession: Sendable {
    private let reader: any RemoteReading
    private let writer: any RemoteWriting
    private let options: ApplyOptions
    private let stop: StopSignal
    private let pausing: any Pausing
    private let heartbeat: any Pausing
    private let elapsed: @Sendable () -> Duration
    private let report: @Sendable (ApplyEvent) -> Void

    /// Creates an apply. Its own waits, `pausing`, end early when `stop` is raised; those between renewals of the lock,
    /// `heartbeat`, must not. `elapsed` is the time since a fixed moment on a monotonic clock.
    package init(
        reader: any RemoteReading, writer: any RemoteWriting, options: ApplyOptions, stop: StopSignal,
        pausing: any Pausing, heartbeat: any Pausing = TaskPause(), elapsed: @escaping @Sendable () -> Duration,
        report: @escaping @Sendable (ApplyEvent) -> Void
    ) {
        self.reader = reader
        self.writer = writer
        self.options = options
        self.stop = stop
        self.pausing = pausing
        self.heartbeat = heartbeat
        self.elapsed = elapsed
        self.report = report
    }

    package struct Outcome: Sendable {
        /// The way it ended.
        package var ending: Ending
        /// The plan made under the lock; nil when the lock was not acquired.
        package var plan: Plan?
        /// The result of each change.
        package var results: [ChangeResult]
        /// What a team is to be told now: no later apply tells it.
        package var news: [NotifyEvent]

        package init(ending: Ending, plan: Plan?, results: [ChangeResult], news: [NotifyEvent] = []) {
            self.ending = ending
            self.plan = plan
            self.results = results
            self.news = news
        }
    }

    /// The ways an apply can end.
    package enum Ending: Sendable {
        /// Every change was attempted.
        case finished
        case stopped
        case lockLost
        /// What the apply recorded was taken away meanwhile, as described: the next one finds nothing of it.
        case ledgerLost(String)
        /// Another apply holds the lock; the second value is the server's time.
        case lockHeld(LockRecord, now: Instant)
        /// The plan made under the lock differs from the one that was approved.
        case stale([String])
        /// A newer commit was already applied.
        case olderCommit(LastApplied)
    }

    /// Runs the apply.
    ///
    /// - Parameters:
    ///   - input: creates the planner's input from a state.
    ///   - reviewed: the plan that was approved; nil when nobody has seen one.
    ///   - agree: returns the differences between the plan made under the lock and the approved one; empty to go on.
    /// - Returns: how the apply ended, with the plan made under the lock and the result of each change.
    /// - Throws: `RemoteError` when the remote cannot be queried before anything was carried out.
    package func run(
        input: @Sendable (RemoteState) -> PlanInput, reviewed: Plan? = nil,
        agree: (Plan) -> [String]
    ) async throws(RemoteError) -> Outcome {
        switch try await LeaseKeeper.take(
            writer, pausing: pausing, options: options, elapsed: elapsed, report: report)
        {
        case .stopped: return Outcome(ending: .stopped, plan: nil, results: [])
        case .held(let record, let now): return Outcome(ending: .lockHeld(record, now: now), plan: nil, results: [])
        case .taken(let keeper):
            let renewals = Task { [heartbeat] in
                while (try? await heartbeat.pause(for: .seconds(5))) != nil { await keeper.renewIfDue() }
            }
            defer { renewals.cancel() }
            return try await underLock(keeper, input: input, reviewed: reviewed, agree: agree)
        }
    }

    private func underLock(
        _ keeper: LeaseKeeper, input: @Sendable (RemoteState) -> PlanInput, reviewed: Plan?,
        agree: (Plan) -> [String]
    ) async throws(RemoteError) -> Outcome {
        let state: RemoteState
        let time: ServerTime
        do throws(RemoteError) {
            state = try await reader.observe { Planner.questions(input($0)) }
            // Observing may have taken minutes: ages count from a newer reading of the clock.
            time = try await ServerTime(elapsed: elapsed) { () throws(RemoteError) in try await reader.now() }
        } catch {
            await free(keeper)
            throw error
        }
        let input = input(state)
        let planned = Planner.plan(input)
        if let last = state.lock?.lastApplied, isOlder(than: last) {
            await free(keeper)
            return Outcome(ending: .olderCommit(last), plan: planned.plan, results: [])
        }
        let differences = agree(planned.plan)
        guard differences.isEmpty else {
            await free(keeper)
            return Outcome(ending: .stale(differences), plan: planned.plan, results: [])
        }
        let context = ApplyContext(
            reader: reader, writer: writer, keeper: keeper,
            gatherer: EvidenceGatherer(reader, ledger: state.ledger, now: state.now), pausing: pausing, stop: stop,
            options: options, time: time, quietHours: input.desired.policy.quietHours,
            limits: AudienceLimits(input.desired, on: input.remote.name, reviewed: reviewed),
            listed: state.scheduled, report: report)
        let results = await carryOut(planned.steps, context)
        // What is kept too long does no harm: the next apply tries again.
        try? await writer.journaling?.forgetReached(
            before: time.now - input.desired.policy.reachedKept, under: await keeper.lease)
        let isLost = await keeper.isLost
        var loss = await keeper.loss
        var news: [NotifyEvent] = []
        if !isLost {
            var waiting: [NotifyEvent] = []
            if options.notifies {
                news = await NewsRecorder(context: context).record(results.isEmpty ? state.ledger : nil)
                waiting = NewsRecorder.waiting(planned.plan, input.desired.policy, state)
            }
            let former = state.lock?.lastApplied
            var last = LastApplied(
                commit: options.provenance.commit ?? former?.commit,
                committedAt: options.provenance.commit == nil ? former?.committedAt : options.committedAt,
                // What came due since was in no plan: the next one tells what was missed of it.
                at: planned.plan.createdAt, run: options.provenance.run, approvals: planned.approvals,
                told: NewsRecorder.remembered(waiting, state))
            // The days that others missed meanwhile are still to be told.
            if !input.selection.targets.isEmpty { last.wholeAt = former?.wholeAt ?? former?.at }
            let failure = await free(keeper, last)
            if failure == nil { news += waiting }
            if failure?.kind == .ledgerLost { loss = failure }
        }
        if let loss {
            return Outcome(
                ending: .ledgerLost(loss.description), plan: planned.plan, results: results.map(\.withoutLedger))
        }
        let ending: Ending = isLost ? .lockLost : stop.isRaised ? .stopped : .finished
        return Outcome(ending: ending, plan: planned.plan, results: results, news: news)
    }

    /// Frees the lock, or says why it cannot and returns the reason; that it is gone with the ledger is left to the caller.
    @discardableResult
    private func free(_ keeper: LeaseKeeper, _ last: LastApplied? = nil) async -> RemoteError? {
        do throws(RemoteError) {
            try await keeper.free(last)
        } catch {
            if error.kind != .ledgerLost { report(.warning(error.description)) }
            return error
        }
        return nil
    }

    private func carryOut(_ steps: [Step], _ context: ApplyContext) async -> [ChangeResult] {
        let results = await StepRunner(context: context).run(steps)
        guard results.contains(where: { $0.outcome == .done && $0.change.kind == .campaign }),
            let ledger = try? await reader.ledger()
        else { return results }
        let entries = ledger.strongest
        if !stop.isRaised { await context.watchSchedule(of: results, entries) }
        return await context.watchRecords(of: results, entries)
    }

    private func isOlder(than last: LastApplied) -> Bool {
        guard let ours = options.committedAt, let theirs = last.committedAt, options.provenance.commit != last.commit
        else { return false }
        return ours < theirs
    }
}

extension ChangeResult {
    /// The result once the ledger is lost: that its push was sent, to all or to some, is known here only, and no other
    /// apply goes on with it.
    fileprivate var withoutLedger: ChangeResult {
        var result = self
        switch outcome {
        case .done where figures != nil: result.detail = detail?.also(Reason(.ledgerIsLost)) ?? Reason(.ledgerIsLost)
        case .ongoing where figures?.hasSent == true, .partly where figures?.hasSent == true:
            result.detail = Reason(.ledgerIsLost)
        case .failed where detail?.has(Reason.Result.continuesThere) == true: result.detail = Reason(.outcomeOpen)
        case .done, .ongoing, .partly, .refused, .failed, .unknown, .skipped: return self
        }
        (result.outcome, result.next) = (.unknown, nil)
        return result
    }
}

/// The options of an apply, besides the plan.
package struct ApplyOptions: Sendable {
    /// True to continue with further sends after one failed.
    package var keepGoing: Bool
    /// The most retries of a deferred send.
    package var retries: Int
    /// The longest wait for the lock.
    package var lockTimeout: Duration
    /// The timeout of a request; at most 60 s.
    package var requestTimeout: Duration
    /// The longest wait for the records of pushes.
    package var recordTimeout = Duration.seconds(60)
    /// The user, host and process that apply.
    package var holder: String
    /// The random name of this run.
    package var run: String
    /// The commit, actor and run, for the ledger.
    package var provenance: Provenance
    /// The commit's own time.
    package var committedAt: Instant?
    /// True if a team is told what became of deliveries.
    package var notifies: Bool

    package init(
        keepGoing: Bool = false, retries: Int = 5, lockTimeout: Duration = .zero,
        requestTimeout: Duration = .seconds(30), holder: String, run: String, provenance: Provenance = Provenance(),
        committedAt: Instant? = nil, notifies: Bool = false
    ) {
        self.keepGoing = keepGoing
        self.retries = retries
        self.lockTimeout = lockTimeout
        self.requestTimeout = requestTimeout
        self.holder = holder
        self.run = run
        self.provenance = provenance
        self.committedAt = committedAt
        self.notifies = notifies
    }
}

/// The result of one change of a plan.
package struct ChangeResult: Hashable, Sendable {
    package var change: Change
    package var outcome: ChangeOutcome
    /// The reason, or other remarks; nil when there are none.
    package var detail: Reason?
    /// The service's id of the push.
    package var objectID: String?
    /// The service's figures.
    package var figures: DeliveryFigures?
    /// The time at which a delivery that goes on by design does the next thing; nil when it is not known.
    package var next: Instant?

    /// The cause of a failure, if it decides the exit code.
    package var cause: Cause?

    /// The causes with an exit code of their own.
    package enum Cause: Hashable, Sendable {
        case credentials
        /// The service asked to slow down for longer than the retries last.
        case rateLimit
        /// The service took the push, and could not hand it on for as long as its record was waited for.
        case notHandedOn
        /// The outcome is open, and the next apply settles it: no person is needed.
        case unsettled
    }

    package init(
        _ change: Change, _ outcome: ChangeOutcome, _ detail: Reason? = nil, objectID: String? = nil,
        figures: DeliveryFigures? = nil, cause: Cause? = nil
    ) {
        self.change = change
        self.outcome = outcome
        self.detail = detail
        self.objectID = objectID
        self.figures = figures
        self.cause = cause
    }
}

extension ChangeResult {
    /// True when a person must look at it, or decide about the rest.
    package var needsPerson: Bool { outcome == .unknown && cause != .unsettled }

    /// The result of a delivery that goes on by design, with what was sent of it so far, and whom its audience lacks.
    init(
        _ change: Change, goesOn why: Reason, _ state: JournalState?, at now: Instant, leftOut: [LeftOut: Int] = [:]
    ) {
        let part = state?.part.flatMap { $0.next > now ? $0 : nil }
        let figures = state.map { state in
            DeliveryFigures(
                devices: state.answered + state.inDoubt, successes: state.answered - state.refused, invalidTokens: 0,
                inDoubt: state.inDoubt, leftOut: leftOut)
        }
        self.init(change, .ongoing, part?.outcome ?? why, figures: figures)
        next = part?.next
    }

    /// True when its push was made, even if some devices are in doubt or waiting: later changes need not wait for a
    /// person.
    var isDelivered: Bool { outcome == .done || outcome == .ongoing || outcome == .partly || figures != nil }
}

/// An event reported while an apply works.
package enum ApplyEvent: Sendable {
    /// Another apply holds the lock; the apply tries again.
    case waitingForLock(LockRecord)
    /// A change was started; its index and the number of changes.
    case began(Change, index: Int, count: Int)
    case progress(Change, DeliveryProgress)
    case ended(ChangeResult)
    /// A wait, with its reason.
    case waiting(String, Duration)
    case warning(String)
}
