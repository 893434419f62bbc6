internal import Base
internal import Apply
internal import Push
internal import PushReport

/// One `bugle apply`: the confirmation, the session and the output.
struct ApplyRun {
    private let planning: PlanningSession
    private let flags: ApplyFlags
    private let formats: [OutputFormat]
    private let connected: Workbench.Connected
    private let provenance: ApplyProvenance
    private let stop: StopSignal
    private let lockTimeout: Duration

    private var console: Console { planning.bench.console }

    init(_ planning: PlanningSession, _ flags: ApplyFlags, _ formats: [OutputFormat]) async throws {
        self.planning = planning
        self.flags = flags
        self.formats = formats
        stop = StopSignal()
        let pausing = StoppablePause(stop)
        connected = try await planning.bench.connect(
            planning.remote, workspace: planning.desired.identityName, retries: flags.retries, pausing: pausing)
        provenance = await ApplyProvenance(
            environment: planning.bench.environment, folder: planning.bench.loaded.folder,
            revision: flags.sourceRevision)
        lockTimeout = flags.lockTimeout?.duration ?? .zero
        warnOfForgetting()
    }

    /// Warns about a runner with an ephemeral disk, which would forget deliveries and send them again;
    /// docs/background/ledger-objects.md#where-a-ledger-lasts.
    private func warnOfForgetting() {
        let file: String? =
            switch planning.remote.service {
            case .leancloud: nil
            case .apns(let settings): if case .sqlite(let path) = settings.registry { path } else { nil }
            }
        guard planning.bench.environment["CI"] == "true", let file else { return }
        console.say(
            "bugle: warning: CI is set, and the registry of \(planning.remote.name) is the file \(file): if this "
                + "machine's disk is discarded, what was delivered is forgotten and sent again; use PostgreSQL")
    }

    // MARK: The three ways to confirm

    /// Applies a reviewed plan, or fails with the differences since; `isSigned` is true if the plan has a valid
    /// signature.
    func carryOut(saved reviewed: Plan, isSigned: Bool) async throws -> ExitStatus {
        if reviewed.isSimulated {
            throw Failure(.stale, "the plan was made with --now or --against; such a plan is never applied")
        }
        let growth = planning.desired.policy.maxAudienceGrowth
        return conclude(
            try await session(reviewed: reviewed) {
                PlanDifference.between(reviewed: reviewed, now: $0, growth: growth, isTrusted: isSigned)
            })
    }

    /// Applies the plan that is made, and printed, under the lock.
    func carryOutWithoutAsking() async throws -> ExitStatus {
        var misspelt: Failure?
        let outcome = try await session { plan in
            misspelt = planning.misspeltTarget(plan)
            if let misspelt { return [misspelt.summary] }
            show(plan)
            return []
        }
        if let misspelt { throw misspelt }
        return conclude(outcome)
    }

    /// Shows a plan, asks, and applies exactly that plan; asks again when it has changed.
    func askAndCarryOut() async throws -> ExitStatus {
        var plan = try await freshPlan()
        if let misspelt = planning.misspeltTarget(plan) { throw misspelt }
        while true {
            show(plan)
            // Approvals are recorded for what waits, too.
            guard plan.hasChanges || plan.hasNewlyMissed || planning.approvals.file != nil else { return .of(plan) }
            guard console.canAsk else {
                console.say("bugle: nothing was changed: there is nobody to ask; use a saved plan or --auto-approve")
                return .confirmation
            }
            guard console.confirms("Apply these changes to \(planning.remote.name)?") else {
                console.say("Nothing was changed.")
                return .confirmation
            }
            let agreed = plan
            let growth = planning.desired.policy.maxAudienceGrowth
            let outcome = try await session(reviewed: agreed) {
                PlanDifference.between(reviewed: agreed, now: $0, growth: growth, isTrusted: true)
            }
            guard case .stale(let differences) = outcome.ending, let moved = outcome.plan else {
                return conclude(outcome)
            }
            console.say("The plan changed while you read it:")
            for difference in differences { console.say("  \(difference)") }
            plan = moved
        }
    }

    private func freshPlan() async throws -> Plan {
        let description = connected.reader.description
        let state = try await connected.reader.observe {
            Planner.questions(planning.input($0, description: description))
        }
        return Planner.plan(planning.input(state, description: description)).plan
    }

    private func show(_ plan: Plan) {
        guard formats.standardOutput == .text else { return }
        planning.bench.printing.write(.plan(planning.completed(plan)), as: [OutputFormat(.text)])
    }

    // MARK: The session

    private func session(
        reviewed: Plan? = nil, agree: (Plan) -> [String]
    ) async throws -> ApplySession.Outcome {
        let watch = StopWatch(stop, file: flags.stopFile)
        defer { watch.end() }
        let progress = ProgressLine(console: console, isVerbose: planning.bench.options.verbose)
        let session = try await ApplySession(
            connected, provenance, retries: flags.retries, keepGoing: flags.keepGoing, lockTimeout: lockTimeout,
            stop: stop, report: progress.report)
        let description = connected.reader.description
        let planning = planning
        let outcome: ApplySession.Outcome
        do throws(RemoteError) {
            outcome = try await session.run(
                desired: planning.desired, input: { planning.input($0, description: description) },
                reviewed: reviewed, agree: agree)
        } catch {
            progress.end()
            guard stop.isRaised else { throw error }
            return ApplySession.Outcome(ending: .stopped, plan: nil, results: [])
        }
        progress.end()
        return outcome
    }

    // MARK: Result

    /// Prints and writes an outcome: the files first, so that what is printed tells whether they could be written.
    private func conclude(_ outcome: ApplySession.Outcome) -> ExitStatus {
        let status = ExitStatus.of(outcome)
        var report = ApplyReport(
            workspace: planning.desired.name, remote: connected.reader.description, results: outcome.results.map(row),
            waiting: outcome.plan?.changes.count(where: \.isHeldUp) ?? 0, exitCode: Int(status.rawValue))
        report.language = planning.desired.language
        report.next = outcome.next
        // Without a single result there is nothing to report: the reason for not starting is printed.
        var printed = formats
        switch outcome.ending {
        case .finished: break
        case .stopped, .lockLost, .ledgerLost, .lockHeld, .stale, .olderCommit:
            if outcome.results.isEmpty, formats.standardOutput == .text { printed = [] }
        }
        let file = flags.jsonResult.map { OutputFormat(.json, file: $0) }
        planning.bench.printing.write(
            .apply(report), as: [file].compactMap(\.self) + printed.filter { $0.file != nil })
        if Console.hasFailed { report.exitCode = Int(ExitStatus.combined([status, .failed]).rawValue) }
        switch outcome.ending {
        case .lockHeld(let record, let now): sayLocked(record, now)
        case .stale(let differences):
            console.say("bugle: error: the plan is stale; nothing was changed:")
            for difference in differences { console.say("  \(difference)") }
            console.say("Plan again, review it, and apply that.")
        case .olderCommit(let last):
            console.say(
                "bugle: error: commit \(last.commit?.prefix(7) ?? "unknown") was already applied and is "
                    + "newer than this one; nothing was changed")
        case .lockLost: console.say("bugle: error: the lock was lost; the next apply continues")
        case .ledgerLost(let what): console.say("bugle: error: \(what)")
        case .stopped: console.say("bugle: stopped; the next apply continues")
        case .finished: break
        }
        planning.bench.printing.write(.apply(report), as: printed.filter { $0.file == nil })
        return status
    }

    private func row(_ result: ChangeResult) -> ApplyReport.Row {
        var row = ApplyReport.Row(
            of: result.change, result.outcome, detail: result.detail,
            objectID: result.objectID, figures: result.figures)
        row.page = connected.page(ofPush: result.objectID)
        return row
    }

    private func sayLocked(_ record: LockRecord, _ now: Instant) {
        let age = record.acquiredAt.map { (now - $0).roundedText } ?? "an unknown time"
        console.say(
            "bugle: error: \(planning.remote.name) is locked by \(record.holder) (run \(record.run)) for \(age); "
                + "the lock expires at \(record.expiresAt.text). If that apply is dead, free it: "
                + "bugle unlock \(record.fence)")
    }
}
