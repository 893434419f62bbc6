internal import Base
internal import Apply
internal import Push

/// One `bugle apply --join`: helps the apply that holds the lock with its deliveries.
struct JoinRun: Sendable {
    let planning: PlanningSession
    let flags: ApplyFlags

    /// Helps until nothing is left to do, or a stop is requested.
    func run() async throws -> ExitStatus {
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
                run: RandomName.make(), quietHours: planning.desired.policy.quietHours, isStopped: { stop.isRaised },
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
