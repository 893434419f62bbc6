internal import Apply
internal import ArgumentParser
internal import Base
internal import Push
internal import Synchronization

/// Carries out what is due, again and again, until it is told to stop.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Carries out what is due, again and again, until it is told to stop.",
        discussion: """
            EXAMPLE
              bugle run --every 1m --listen 127.0.0.1:9090

            The same as 'bugle apply --due' at every interval: it sends scheduled campaigns and occurrences whose time \
            has come, whether an apply has seen them or not, and goes on with what was interrupted. Everything else \
            in the files is applied by 'bugle apply'. The files are read before each round, and the lock is held only \
            while something is carried out. It logs JSON to standard error. SIGINT or SIGTERM ends it after the change \
            in flight; a second one ends it at once, and the next round, wherever it runs, settles what is open.
            """)

    @OptionGroup var remote: RemoteOptions

    @Option(help: ArgumentHelp("The time between the beginnings of two rounds. Default: 1m.", valueName: "DURATION"))
    var every: DurationOption?

    @Option(
        help: ArgumentHelp(
            "Answer GET /health and /metrics (Prometheus) here; port 0 takes a free one.", valueName: "HOST:PORT"))
    var listen: String?

    @Option(help: ArgumentHelp("The number of retries of a deferred send. Default: 5.", valueName: "N"))
    var retries = 5

    @Option(
        name: .customLong("stop-file"),
        help: ArgumentHelp("Stop as on SIGTERM when this file appears.", valueName: "PATH"))
    var stopFile: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if retries < 0 || retries > 100 { throw ValidationError("--retries takes 0 to 100") }
        if let every, every.duration < .seconds(1) { throw ValidationError("--every takes a second or more") }
    }

    func run() async throws {
        try await running(common) { try await carryOutRounds() }
    }
}

extension RunCommand {
    /// Runs until a stop is requested; a workspace that cannot be used ends it only before the first round.
    ///
    /// - Throws: ``Failure`` when the workspace, the remote or its credentials cannot be used at the start, or the
    ///   address cannot be listened on.
    private func carryOutRounds() async throws -> ExitStatus {
        let interval = every?.duration ?? .seconds(60)
        let log = RunnerLog(console: Console.of(common))
        let stop = StopSignal()
        let figures = RunnerFigures(start: Workbench.localNow, every: interval)
        // What keeps every round from beginning is said at once, with its exit code.
        let first = try await PlanningSession(common, remote, targets: [], onlyDue: true, isRepeated: true)
        let listener = try listen.map { address in
            try StatusListener(address) { request in
                switch request.path {
                case "/health": figures.health(at: Workbench.localNow)
                case "/metrics": figures.metrics
                default: StatusAnswer(status: 404, type: "text/plain", body: "there are /health and /metrics\n")
                }
            }
        }
        let watch = StopWatch(stop, file: stopFile)
        defer {
            watch.end()
            listener?.end()
        }
        log.began(first, every: interval, port: listener?.port)
        let began = ContinuousClock.now
        var status = ExitStatus.success
        var telling: Task<Void, Never>?
        try await runRounds(
            every: interval, stop: stop, pausing: StoppablePause(stop), elapsed: { ContinuousClock.now - began }
        ) {
            figures.begin(at: Workbench.localNow)
            status = await round(stop, log, figures, &telling)
        }
        await telling?.value
        log.ended()
        return status
    }

    /// One round; the status that the runner ends with when it was cut short by a stop, else success. The team is told
    /// by a task of its own, one round after the other: no round waits for it.
    private func round(
        _ stop: StopSignal, _ log: RunnerLog, _ figures: RunnerFigures, _ telling: inout Task<Void, Never>?
    ) async -> ExitStatus {
        var ending = RunnerFigures.Ending.failed
        var results: [ChangeResult] = []
        var missed = 0
        var status = ExitStatus.success
        do {
            let planning = try await PlanningSession(common, remote, targets: [], onlyDue: true, isRepeated: true)
            switch try await carryOut(planning, stop, log) {
            case .idle(let plan):
                ending = .idle
                log.plan(plan)
            case .applied(let outcome):
                results = outcome.results
                missed = outcome.missedDays.count
                ending = Self.ending(outcome)
                if case .stopped = outcome.ending { status = .of(outcome) }
                log.outcome(outcome)
                if !outcome.news.isEmpty { telling = tell(outcome.news, planning, log, after: telling) }
            }
        } catch let failure as Failure {
            ending = .invalid
            log.failure(failure)
        } catch {
            log.problem("the round failed: \(error)")
        }
        figures.end(ending, results: results, missed: missed, at: Workbench.localNow)
        return status
    }

    private func tell(
        _ events: [NotifyEvent], _ planning: PlanningSession, _ log: RunnerLog, after before: Task<Void, Never>?
    ) -> Task<Void, Never> {
        Task {
            await before?.value
            let news = TeamNews(bench: planning.bench, desired: planning.desired)
            let provenance = await ApplyProvenance(planning.bench)
            for warning in await news.tell(events, on: planning.remote.name, by: provenance.provenance) {
                log.event(.warning(warning))
            }
        }
    }

    private func carryOut(
        _ planning: PlanningSession, _ stop: StopSignal, _ log: RunnerLog
    ) async throws -> DueRound {
        let pausing = StoppablePause(stop)
        let connected = try await planning.bench.connect(
            planning.remote, workspace: planning.desired.identityName, retries: retries, pausing: pausing)
        let description = connected.reader.description
        let notifies = TeamNews(bench: planning.bench, desired: planning.desired).isWanted
        return try await connected.reader.dueRound(
            notifies: notifies, input: { planning.input($0, description: description) },
            session: {
                return try await ApplySession(
                    connected, await ApplyProvenance(planning.bench), retries: retries, notifies: notifies, stop: stop,
                    report: { log.event($0) })
            })
    }

    private static func ending(_ outcome: ApplySession.Outcome) -> RunnerFigures.Ending {
        switch outcome.ending {
        case .lockHeld: .locked
        case .lockLost, .ledgerLost, .stale, .olderCommit: .failed
        case .finished, .stopped:
            outcome.results.contains { $0.outcome == .failed || $0.outcome == .refused || $0.outcome == .unknown }
                ? .failed : .applied
        }
    }
}

/// The log of a runner: one JSON object a line, on standard error. What stays as it was is said once.
final class RunnerLog: Sendable {
    private let console: Console
    private let last = Mutex<String?>(nil)

    init(console: Console) { self.console = console }

    func began(_ planning: PlanningSession, every interval: Duration, port: Int?) {
        var fields: JSONObject = [
            "workspace": .string(planning.desired.name), "remote": .string(planning.remote.name),
            "every": .string(interval.configurationText),
        ]
        if let port { fields["port"] = .integer(Int64(port)) }
        write("info", "running", fields)
    }

    func ended() { write("info", "stopped", [:]) }

    /// Nothing was due; what a person must look at is said.
    func plan(_ plan: Plan) {
        let open = plan.changes.filter {
            $0.isBlocked || $0.action == .none || $0.reason.has(Reason.Result.otherNotCancelled)
        }
        guard !open.isEmpty else { return once(nil, {}) }
        let text = open.map { "\($0.name): \(($0.blocked.first?.message ?? $0.reason).text)" }.joined(separator: "; ")
        once(text) { write("warning", "something waits for a person", ["what": .string(text)]) }
    }

    func outcome(_ outcome: ApplySession.Outcome) {
        switch outcome.ending {
        case .lockHeld(let record, _):
            once("held by \(record.run)") {
                write("info", "another apply has the lock", ["holder": .string(record.holder)])
            }
        case .olderCommit(let last):
            let commit = last.commit ?? "unknown"
            once("older than \(commit)") {
                write(
                    "warning", "a newer commit was applied than that of these files: nothing is started",
                    ["applied": .string(commit)])
            }
        case .stale: write("warning", "the plan changed; the next round makes another", [:])
        case .lockLost: carriedOut(outcome, "the lock was lost; the next round goes on")
        case .ledgerLost(let what): carriedOut(outcome, what)
        case .stopped: carriedOut(outcome, "the apply was stopped; the next round goes on")
        case .finished: carriedOut(outcome, nil)
        }
    }

    private func carriedOut(_ outcome: ApplySession.Outcome, _ remark: String?) {
        last.withLock { $0 = nil }
        for result in outcome.results { self.result(result) }
        for change in outcome.missedDays {
            var fields = fields(change)
            fields["reason"] = .string(change.reason.text)
            write("warning", "missed \(change.name)", fields)
        }
        if let remark { write("warning", remark, [:]) }
    }

    private func result(_ result: ChangeResult) {
        var fields = fields(result.change)
        fields["outcome"] = .string(result.outcome.rawValue)
        if let detail = result.detail { fields["detail"] = .string(detail.text) }
        if let devices = result.figures?.devices { fields["devices"] = .integer(Int64(devices)) }
        let level =
            switch result.outcome {
            case .done, .ongoing, .skipped: "info"
            case .partly: "warning"
            case .refused, .failed, .unknown: "error"
            }
        write(level, "\(result.change.action.rawValue) \(result.change.name)", fields)
    }

    private func fields(_ change: Change) -> JSONObject {
        var fields: JSONObject = ["campaign": .string(change.name), "action": .string(change.action.rawValue)]
        if let delivery = change.delivery {
            fields["delivery"] = .string(delivery.id.text)
            if let day = delivery.occurrence.date { fields["occurrence"] = .string(day.text) }
        }
        return fields
    }

    /// Something happens in an apply.
    func event(_ event: ApplyEvent) {
        switch event {
        case .warning(let text): write("warning", text, [:])
        case .waitingForLock, .began, .progress, .ended, .waiting: break
        }
    }

    /// The workspace or the credentials cannot be used.
    func failure(_ failure: Failure) {
        let errors = failure.diagnostics.filter { $0.severity == .error }.map { found in
            found.range.map { "\($0.file):\($0.start.line): \(found.message)" } ?? found.message
        }
        problem((errors + [failure.message].compactMap { $0 }).joined(separator: "; "))
    }

    /// A round failed; the same again is not said again.
    func problem(_ text: String) { once(text) { write("error", text, [:]) } }

    private func once(_ text: String?, _ body: () -> Void) {
        let isNew = last.withLock { last in
            defer { last = text }
            return last != text
        }
        if isNew { body() }
    }

    private func write(_ level: String, _ message: String, _ fields: JSONObject) {
        var fields = fields
        fields["time"] = .string(Workbench.localNow.isoText)
        console.log(level, message, fields)
    }
}

extension ApplySession.Outcome {
    /// The lines about days of recurring campaigns that were missed since the apply before this one.
    var missedDays: [Change] {
        switch ending {
        case .finished, .stopped, .lockLost, .ledgerLost:
            plan?.changes.filter(\.isMissedDay) ?? []
        case .lockHeld, .stale, .olderCommit: []
        }
    }
}

/// The figures of a runner, for `/health` and `/metrics`.
final class RunnerFigures: Sendable {
    private let state: Mutex<State>
    private let interval: Duration

    enum Ending: String, CaseIterable {
        /// Nothing was due.
        case idle
        /// Something was due and was carried out.
        case applied
        /// Another apply had the lock.
        case locked
        /// The workspace or the credentials could not be used.
        case invalid
        /// The remote could not be queried, or something of the apply failed.
        case failed
    }

    private struct State {
        var start: Instant
        var rounds: [Ending: Int] = [:]
        var changes: [ChangeOutcome: Int] = [:]
        var missed = 0
        var began: Instant?
        var ended: Instant?
        var lastGood: Instant?
        var last: Ending?
    }

    /// Creates figures of rounds that begin at this interval.
    init(start: Instant, every interval: Duration) {
        state = Mutex(State(start: start))
        self.interval = interval
    }

    func begin(at now: Instant) { state.withLock { $0.began = now } }

    func end(_ ending: Ending, results: [ChangeResult] = [], missed: Int = 0, at now: Instant) {
        state.withLock { state in
            state.rounds[ending, default: 0] += 1
            for result in results where !result.change.isBlocked { state.changes[result.outcome, default: 0] += 1 }
            state.missed += missed
            (state.began, state.ended, state.last) = (nil, now, ending)
            if ending == .idle || ending == .applied { state.lastGood = now }
        }
    }

    /// True while rounds go on: one is under way, or the last ended not long ago.
    func isAlive(at now: Instant) -> Bool {
        state.withLock { state in
            state.began != nil || now - (state.ended ?? state.start) < interval + interval + .seconds(120)
        }
    }

    /// The answer to `/health`: 200 while rounds go on, whatever they come to.
    func health(at now: Instant) -> StatusAnswer {
        let isAlive = isAlive(at: now)
        let last = state.withLock { ($0.last?.rawValue ?? "none", $0.lastGood?.text) }
        let good = last.1.map { "\"\($0)\"" } ?? "null"
        return StatusAnswer(
            status: isAlive ? 200 : 503, type: "application/json",
            body: "{\"status\":\"\(isAlive ? "ok" : "stuck")\",\"lastRound\":\"\(last.0)\",\"lastGood\":\(good)}\n")
    }

    /// The answer to `/metrics`, in Prometheus' text format 0.0.4.
    var metrics: StatusAnswer {
        let state = state.withLock { $0 }
        var page = ""
        func add(_ name: String, _ type: String, _ help: String, _ lines: [(labels: String, value: Int64)]) {
            page += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for line in lines { page += "\(name)\(line.labels) \(line.value)\n" }
        }
        add(
            "bugle_run_rounds_total", "counter", "Rounds by their ending.",
            Ending.allCases.map { ("{ending=\"\($0.rawValue)\"}", Int64(state.rounds[$0] ?? 0)) })
        add(
            "bugle_run_changes_total", "counter", "Changes carried out, by their outcome.",
            ChangeOutcome.allCases.map { ("{outcome=\"\($0.rawValue)\"}", Int64(state.changes[$0] ?? 0)) })
        add(
            "bugle_run_missed_total", "counter", "Campaigns with days that were missed and are not caught up.",
            [("", Int64(state.missed))])
        add(
            "bugle_run_last_round_timestamp_seconds", "gauge", "End of the last round, in seconds since 1970.",
            [("", state.ended?.seconds ?? 0)])
        add(
            "bugle_run_last_good_round_timestamp_seconds", "gauge",
            "End of the last round without a failure, in seconds since 1970.", [("", state.lastGood?.seconds ?? 0)])
        add(
            "process_start_time_seconds", "gauge", "Start of the runner, in seconds since 1970.",
            [("", state.start.seconds)])
        return StatusAnswer(status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: page)
    }
}
