internal import Base
internal import Apply
internal import Push

/// The rounds of `bugle run`.
struct Runner: Sendable {
    let common: CommonOptions
    let remote: RemoteOptions
    let interval: Duration
    let retries: Int
    let listen: String?
    let stopFile: String?

    /// Runs until a stop is requested; a workspace that cannot be used ends it only before the first round.
    ///
    /// - Throws: ``Failure`` when the workspace, the remote or its credentials cannot be used at the start, or the
    ///   address cannot be listened on.
    func run() async throws -> ExitStatus {
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
        try await Rounds(
            every: interval, stop: stop, pausing: StoppablePause(stop), elapsed: { ContinuousClock.now - began }
        ).run {
            figures.begin(at: Workbench.localNow)
            status = await round(stop, log, figures)
        }
        log.ended()
        return status
    }

    /// One round; the status that the runner ends with when it was cut short by a stop, else success.
    private func round(_ stop: StopSignal, _ log: RunnerLog, _ figures: RunnerFigures) async -> ExitStatus {
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

    private func carryOut(
        _ planning: PlanningSession, _ stop: StopSignal, _ log: RunnerLog
    ) async throws -> DueRound.Ending {
        let pausing = StoppablePause(stop)
        let connected = try await planning.bench.connect(
            planning.remote, workspace: planning.desired.identityName, retries: retries, pausing: pausing)
        let description = connected.reader.description
        return try await DueRound(reader: connected.reader).run(
            desired: planning.desired, input: { planning.input($0, description: description) },
            session: {
                let provenance = await ApplyProvenance(
                    environment: planning.bench.environment, folder: planning.bench.loaded.folder, revision: nil)
                return try await ApplySession(
                    connected, provenance, retries: retries, stop: stop, report: { log.event($0) })
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
