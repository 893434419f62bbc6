internal import ArgumentParser
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

            Without a terminal and without a saved plan or --auto-approve, nothing is changed. There is no --force: \
            a limit is raised in the files, where it is reviewed. SIGINT or SIGTERM ends it after the change in \
            flight; a second one ends it at once, and the next apply settles what is open.
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var targets: TargetOptions
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
        try FormatOptions<ReviewForms>.checkDistinct(
            [flags.jsonResult].compactMap { $0 } + formats.requested.compactMap(\.file))
    }

    func run() async throws {
        try await running(common, formats: formats.requested, files: [flags.jsonResult]) {
            let key = try PlanKey.find(in: ProcessInfo.processInfo.environment)
            let reviewed = try plan.map { try readReviewedPlan($0, key, Console.of(common)) }
            let targets = reviewed?.targets ?? targets.targets
            var planning = try await PlanningSession(common, remote, targets: targets, onlyDue: flags.due)
            planning.approvals.file = try flags.approvals.map(readApprovals)
            if flags.join { return try await JoinRun(planning: planning, flags: flags).run() }
            let run = try await ApplyRun(planning, flags, formats.requested)
            if let reviewed { return try await run.carryOut(saved: reviewed, isSigned: key != nil) }
            if flags.autoApprove { return try await run.carryOutWithoutAsking() }
            return try await run.askAndCarryOut()
        }
    }
}

/// The options of an apply.
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
    /// The duration.
    let duration: Duration

    init?(argument: String) {
        guard let duration = argument == "0" ? .zero : Duration(configurationText: argument) else { return nil }
        self.duration = duration
    }
}
