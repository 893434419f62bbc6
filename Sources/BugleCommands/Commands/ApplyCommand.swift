internal import Apply
internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// Applies a saved plan; without one, plans, shows the plan, asks and applies it.
struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Applies a saved plan; without one, plans, shows, asks and applies.",
        discussion: """
            EXAMPLES
              bugle apply
              bugle apply plan.json
              bugle apply --all -C apps plans.json

            Without a terminal and without a saved plan or --auto-approve, nothing is changed. There is no --force: \
            a limit is raised in the files, where it is reviewed. SIGINT or SIGTERM ends it after the change in \
            flight; a second one ends it at once, and the next apply settles what is open. At the end the rooms under \
            'notify' are told, within 5 s; a failure of that is a warning.
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var targets: TargetOptions
    @OptionGroup var fleet: FleetOptions
    @OptionGroup var formats: FormatOptions<ReviewForms>
    @OptionGroup var flags: ApplyFlags

    @Argument(help: ArgumentHelp("A plan that 'bugle plan --out FILE' saved.", valueName: "PLAN"))
    var plan: String?

    @Option(help: .hidden)
    var now: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if now != nil { throw ValidationError("apply works on the remote's clock only; --now is for plan") }
        if plan != nil, !targets.targets.isEmpty {
            throw ValidationError("--target with a saved plan: the plan already says what is applied")
        }
        if plan != nil, flags.due {
            throw ValidationError("--due with a saved plan: the plan already says what is applied")
        }
        if plan != nil, flags.join {
            throw ValidationError("--join with a saved plan: it starts nothing itself")
        }
        try fleet.checkTargets(targets)
        if fleet.selection != nil, flags.join {
            throw ValidationError("--join with --all: name the workspace with -C DIR")
        }
        if plan != nil, fleet.changedSince != nil {
            throw ValidationError("--changed-since with saved plans: they say which workspaces are applied; use --all")
        }
        try FormatOptions<ReviewForms>.checkDistinct(
            [flags.jsonResult].compactMap { $0 } + formats.requested.compactMap(\.file))
    }

    func run() async throws {
        try await running(common, formats: formats.requested, files: [flags.jsonResult]) {
            guard let selection = fleet.selection else { return try await apply(common) }
            return try await applyAll(selection)
        }
    }

    private func apply(_ common: CommonOptions) async throws -> ExitStatus {
        let key = try PlanKey.find(in: ProcessInfo.processInfo.environment)
        let agreed = WorkspaceSection.current?.agreed
        let reviewed = try agreed ?? plan.map { try readReviewedPlan($0, key, Console.of(common)) }
        let targets = reviewed?.targets ?? targets.targets
        var planning = try await PlanningSession(common, remote, targets: targets, onlyDue: flags.due)
        planning.approvals.file = try await approvals(of: planning.approvals.state)
        if flags.join { return try await join(planning) }
        let run = try await ApplyRun(planning, flags, formats.requested)
        if let reviewed { return try await run.carryOut(saved: reviewed, isSigned: key != nil || agreed != nil) }
        if flags.autoApprove { return try await run.carryOutWithoutAsking() }
        return try await run.askAndCarryOut()
    }

    /// The approvals; one of the folder that holds many workspaces is one of each workspace in it.
    private func approvals(of state: ApprovalInput.State) async throws -> ApprovalFile? {
        guard var file = try flags.approvals.map(readApprovals) else { return nil }
        guard let section = WorkspaceSection.current, case .tree(let tree) = state else { return file }
        let whole = await GitCheckout(folder: section.root).output("rev-parse", "--verify", "HEAD:./")?.trimmingSpaces
        for index in file.approvals.indices where whole != nil && file.approvals[index].tree == whole {
            file.approvals[index].tree = tree
        }
        return file
    }

    /// Applies many workspaces side by side. Where a person must agree, the plans of all are shown first, and then
    /// exactly those are applied.
    private func applyAll(_ selection: FleetSelection) async throws -> ExitStatus {
        let console = Console.of(common)
        let result = flags.jsonResult.map { OutputFormat(.json, file: $0) }
        var fleet = try await Fleet(
            common, selection, formats: formats.requested + [result].compactMap(\.self),
            reading: [plan].compactMap(\.self))
        if let plan { fleet = fleet.only(in: plan) }
        let stop = StopSignal()
        func run(_ fleet: Fleet, agreed: [String: Plan] = [:]) async -> [WorkspaceSection] {
            let watch = StopWatch(stop, file: flags.stopFile)
            defer { watch.end() }
            return await fleet.run(agreed: agreed, isAsked: console.canAsk, stop: stop) { try await apply($0) }
        }
        var sections = await run(fleet)
        let pairs = sections.compactMap { section in section.result.proposal.map { (section.folder, $0) } }
        let proposals = Dictionary(uniqueKeysWithValues: pairs)
        if !proposals.isEmpty, !stop.isRaised {
            if console.confirms("Apply these changes of \(pairs.count) workspaces?") {
                let applied = await run(fleet.only(Set(proposals.keys)), agreed: proposals)
                sections = sections.map { section in applied.first { $0.folder == section.folder } ?? section }
            } else {
                console.say("Nothing was changed.")
            }
        }
        return fleet.conclude(sections)
    }
}

struct ApplyFlags: ParsableArguments {
    @Flag(name: .customLong("auto-approve"), help: "Do not ask.")
    var autoApprove = false

    @Flag(name: .customLong("keep-going"), help: "Continue with the next send after one fails.")
    var keepGoing = false

    @Option(
        name: .customLong("lock-timeout"),
        help: ArgumentHelp("How long to wait for another apply, such as 90s or 5m. Default: 0s.", valueName: "DURATION")
    )
    var lockTimeout: DurationOption?

    @Option(help: ArgumentHelp("The number of retries of a deferred send. Default: 5.", valueName: "N"))
    var retries = 5

    @Flag(help: "Only scheduled deliveries that are due and interrupted ones; for a timer.")
    var due = false

    @Flag(help: "Help with a delivery in progress on an apns remote.")
    var join = false

    @Option(
        name: .customLong("source-revision"), help: ArgumentHelp("The commit that is applied.", valueName: "COMMIT"))
    var sourceRevision: String?

    @Option(name: .customLong("json-result"), help: ArgumentHelp("Write the results to this file.", valueName: "FILE"))
    var jsonResult: String?

    @Option(
        help: ArgumentHelp(
            "The approvals of the change, as the forge's reviews tell them; 'bugle schema --of approvals' describes it.",
            valueName: "FILE"))
    var approvals: String?

    @Option(
        name: .customLong("stop-file"),
        help: ArgumentHelp("Stop as on SIGTERM when this file appears.", valueName: "PATH"))
    var stopFile: String?

    func validate() throws {
        if retries < 0 || retries > 100 { throw ValidationError("--retries takes 0 to 100") }
        if join, autoApprove || due || approvals != nil {
            throw ValidationError("--join helps what another apply has begun; it starts nothing itself")
        }
    }
}

/// A duration on the command line, such as `90s`.
struct DurationOption: ExpressibleByArgument, Sendable {
    let duration: Duration

    init?(argument: String) {
        guard let duration = argument == "0" ? .zero : Duration(configurationText: argument) else { return nil }
        self.duration = duration
    }
}

/// One `bugle apply`: the confirmation, the session and the output.
struct ApplyRun {
    private let planning: PlanningSession
    private let flags: ApplyFlags
    private let formats: [OutputFormat]
    private let connected: Workbench.Connected
    private let provenance: ApplyProvenance
    private let stop: StopSignal
    /// True if whoever runs many workspaces watches for the signals that stop them.
    private let isWatched: Bool
    private let lockTimeout: Duration

    private var console: Console { planning.bench.console }
    private var news: TeamNews { TeamNews(bench: planning.bench, desired: planning.desired) }

    init(_ planning: PlanningSession, _ flags: ApplyFlags, _ formats: [OutputFormat]) async throws {
        self.planning = planning
        self.flags = flags
        self.formats = formats
        let shared = planning.bench.console.section?.stop
        stop = shared ?? StopSignal()
        isWatched = shared != nil
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
                + "machine's disk is discarded, what was delivered is forgotten and sent again; use PostgreSQL "
                + "[\(DiagnosticCode.registryOnRunner.rawValue)]")
    }

    // MARK: The three ways to confirm

    /// Applies a reviewed plan, or fails with the differences since; `isSigned` is true if the plan has a valid
    /// signature.
    func carryOut(saved reviewed: Plan, isSigned: Bool) async throws -> ExitStatus {
        if reviewed.isSimulated {
            throw Failure(.stale, "the plan was made with --now or --against; such a plan is never applied")
        }
        let growth = planning.desired.policy.maxAudienceGrowth
        return await conclude(
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
        return await conclude(outcome)
    }

    /// Shows a plan, asks, and applies exactly that plan; asks again when it has changed.
    func askAndCarryOut() async throws -> ExitStatus {
        var plan = try await freshPlan()
        if let misspelt = planning.misspeltTarget(plan) { throw misspelt }
        while true {
            show(plan)
            // Approvals are recorded for what waits, too.
            guard plan.hasChanges || plan.hasNewlyMissed || planning.approvals.file != nil else {
                return leave(plan, .of(plan))
            }
            guard console.canAsk else {
                if console.section?.propose(plan) == true { return .confirmation }
                console.say("bugle: nothing was changed: there is nobody to ask; use a saved plan or --auto-approve")
                return leave(plan, .confirmation)
            }
            guard console.confirms("Apply these changes to \(planning.remote.name)?") else {
                console.say("Nothing was changed.")
                return leave(plan, .confirmation)
            }
            let agreed = plan
            let growth = planning.desired.policy.maxAudienceGrowth
            let outcome = try await session(reviewed: agreed) {
                PlanDifference.between(reviewed: agreed, now: $0, growth: growth, isTrusted: true)
            }
            guard case .stale(let differences) = outcome.ending, let moved = outcome.plan else {
                return await conclude(outcome)
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

    private func session(reviewed: Plan? = nil, agree: (Plan) -> [String]) async throws -> ApplySession.Outcome {
        let watch = isWatched ? nil : StopWatch(stop, file: flags.stopFile)
        defer { watch?.end() }
        let progress = ProgressLine(console: console, isVerbose: planning.bench.options.verbose)
        let session = try await ApplySession(
            connected, provenance, retries: flags.retries, keepGoing: flags.keepGoing, lockTimeout: lockTimeout,
            notifies: news.isWanted, stop: stop, report: progress.report)
        let description = connected.reader.description
        let planning = planning
        let outcome: ApplySession.Outcome
        do throws(RemoteError) {
            outcome = try await session.run(
                input: { planning.input($0, description: description) },
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

    /// Prints and writes an outcome, and then tells the team.
    private func conclude(_ outcome: ApplySession.Outcome) async -> ExitStatus {
        let status = report(outcome)
        for warning in await news.tell(outcome.news, on: planning.remote.name, by: provenance.provenance) {
            console.say("bugle: warning: \(warning)")
        }
        return status
    }

    /// Prints and writes an outcome.
    private func report(_ outcome: ApplySession.Outcome) -> ExitStatus {
        let status = ExitStatus.of(outcome)
        // Without a single result there is nothing to report: the reason for not starting is printed.
        var printed = formats
        switch outcome.ending {
        case .finished: break
        case .stopped, .lockLost, .ledgerLost, .lockHeld, .stale, .olderCommit:
            if outcome.results.isEmpty, formats.standardOutput == .text { printed = [] }
        }
        let report = written(outcome, status, as: printed)
        switch outcome.ending {
        case .lockHeld(let record, let now): sayLocked(record, now)
        case .stale(let differences):
            console.sayError("the plan is stale; nothing was changed:")
            for difference in differences { console.say("  \(difference)") }
            console.say("Plan again, review it, and apply that.")
        case .olderCommit(let last):
            console.sayError(
                "commit \(last.commit?.prefix(7) ?? "unknown") was already applied and is "
                    + "newer than this one; nothing was changed")
        case .lockLost: console.sayError("the lock was lost; the next apply continues")
        case .ledgerLost(let what): console.sayError(what)
        case .stopped: console.say("bugle: stopped; the next apply continues")
        case .finished: break
        }
        planning.bench.printing.write(report, as: printed.filter { $0.file == nil })
        return status
    }

    /// Writes that nothing was done, so that no file tells of an earlier apply; as text the plan has said so.
    private func leave(_ plan: Plan, _ status: ExitStatus) -> ExitStatus {
        let forms = formats.filter { $0.file != nil || $0.form != .text }
        let report = written(ApplySession.Outcome(ending: .finished, plan: plan, results: []), status, as: forms)
        planning.bench.printing.write(report, as: forms.filter { $0.file == nil })
        return status
    }

    /// Writes an outcome to the files: before anything is printed, which then tells whether they could be written.
    private func written(_ outcome: ApplySession.Outcome, _ status: ExitStatus, as formats: [OutputFormat]) -> Report {
        var report = ApplyReport(
            workspace: planning.desired.name, remote: connected.reader.description, results: outcome.results.map(row),
            waiting: outcome.plan?.changes.count(where: \.isHeldUp) ?? 0, exitCode: Int(status.rawValue))
        report.language = planning.desired.language
        report.next = outcome.next
        let file = flags.jsonResult.map { OutputFormat(.json, file: $0) }
        planning.bench.printing.write(.apply(report), as: [file].compactMap(\.self) + formats.filter { $0.file != nil })
        if Console.hasFailed { report.exitCode = Int(ExitStatus.combined([status, .failed]).rawValue) }
        return .apply(report)
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
        console.sayError(
            "\(planning.remote.name) is locked by \(record.holder) (run \(record.run)) for \(age); "
                + "the lock expires at \(record.expiresAt.text). If that apply is dead, free it: "
                + "bugle unlock \(record.fence)")
    }
}

// MARK: - Connected

extension ApplySession {
    /// Creates an apply on a connected remote; `stop` ends its waits.
    ///
    /// - Throws: ``Failure`` when the remote cannot be written to.
    init(
        _ connected: Workbench.Connected, _ provenance: ApplyProvenance, retries: Int, keepGoing: Bool = false,
        lockTimeout: Duration = .zero, notifies: Bool, stop: StopSignal,
        report: @escaping @Sendable (ApplyEvent) -> Void
    ) async throws {
        let began = ContinuousClock.now
        let pausing = StoppablePause(stop)
        self.init(
            reader: connected.reader, writer: try await connected.makeWriter(pausing),
            options: ApplyOptions(
                keepGoing: keepGoing, retries: retries, lockTimeout: lockTimeout, requestTimeout: connected.timeout,
                holder: provenance.holder, run: RandomName.make(), provenance: provenance.provenance,
                committedAt: provenance.committedAt, notifies: notifies),
            stop: stop, pausing: pausing, elapsed: { ContinuousClock.now - began }, report: report)
    }
}

// MARK: - Next

extension ApplySession.Outcome {
    /// The delivery that is due next: what waits or was scheduled and is not on hold, a recurring campaign's next day, a
    /// delivery's next part.
    var next: ApplyReport.Next? {
        guard let plan else { return nil }
        let done = Set(results.filter { $0.outcome == .done }.compactMap(\.change.delivery?.id))
        var times = results.compactMap { result in
            result.next.map { ApplyReport.Next(campaign: result.change.name, at: OffsetInstant($0)) }
        }
        for change in plan.changes where change.kind == .campaign && !change.isBlocked && !change.reason.isOnHold {
            let isPending =
                switch change.action {
                case .wait: true
                case .schedule, .reschedule: change.delivery.map { done.contains($0.id) } ?? false
                case .create, .update, .delete, .send, .cancel, .resume, .missed, .none: false
                }
            let at = isPending ? change.delivery?.at : nil
            times += [at, change.occurrences?.next.first?.at].compactMap(\.self)
                .map { ApplyReport.Next(campaign: change.name, at: $0) }
        }
        return times.filter { $0.at.instant > plan.createdAt }
            .min { ($0.at.instant, $0.campaign) < ($1.at.instant, $1.campaign) }
    }
}

// MARK: - Join

extension ApplyCommand {
    /// Helps the apply that holds the lock with its deliveries, until nothing is left to do or a stop is requested.
    private func join(_ planning: PlanningSession) async throws -> ExitStatus {
        let console = planning.bench.console
        let stop = StopSignal()
        let watch = StopWatch(stop, file: flags.stopFile)
        defer { watch.end() }
        let connected = try await planning.bench.connect(planning.remote, workspace: planning.desired.identityName)
        guard let journaling = try await connected.makeWriter(StoppablePause(stop)).journaling else {
            throw Failure(
                .usage,
                "\(planning.remote.name) is of type \(planning.remote.type.rawValue): only a delivery of an apns "
                    + "remote can be joined")
        }
        let line = ProgressLine(console: console, isVerbose: planning.bench.options.verbose)
        let progress = try await journaling.join(
            DeliveryHelper(
                run: RandomName.make(), quietHours: planning.desired.policy.quietHours,
                fence: planning.desired.fenceCondition(of: planning.remote.name), isStopped: { stop.isRaised },
                progress: { line.draw($0) }))
        line.end()
        guard let progress else {
            console.output("No delivery is in progress on \(planning.remote.name).\n")
            return .success
        }
        console.output("Helped on \(planning.remote.name); the deliveries stand at: \(progress.text).\n")
        return stop.isRaised ? .partial : .success
    }
}
