internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// Shows the changes that an apply would make.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Shows what an apply would do at the remote; changes nothing.",
        discussion: """
            EXAMPLES
              bugle plan
              bugle plan --out plan.json --format text --format html=plan.html
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var targets: TargetOptions
    @OptionGroup var formats: FormatOptions<ReviewForms>

    @Option(help: ArgumentHelp("Save the plan to this file, for 'bugle apply FILE'.", valueName: "FILE"))
    var out: String?

    @Flag(name: .customLong("detailed-exitcode"), help: "Exit with 2 if there are changes.")
    var detailedExitCode = false

    @Option(help: ArgumentHelp("Plan against a recorded remote state: no network, no secret.", valueName: "SNAPSHOT"))
    var against: String?

    @Option(help: ArgumentHelp("Record the remote's state to this file.", valueName: "SNAPSHOT"))
    var record: String?

    @Option(help: ArgumentHelp("Plan as of another time; such a plan cannot be applied.", valueName: "INSTANT"))
    var now: InstantOption?

    @Flag(help: "Show the plan's page in a browser.")
    var open = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if against != nil, record != nil { throw ValidationError("--against and --record exclude each other") }
        try FormatOptions<ReviewForms>.checkDistinct(
            [out, record, against].compactMap { $0 } + formats.requested.compactMap(\.file))
    }

    func run() async throws {
        try await running(common, formats: formats.requested, files: [out, record]) {
            let planning = try await PlanningSession(
                common, remote, targets: targets.targets, isReview: true, isOffline: against != nil)
            let key = try PlanKey.find(in: planning.bench.environment)
            let made = try await plan(planning)
            if let misspelt = planning.misspeltTarget(made) { throw misspelt }
            let plan = planning.completed(made)
            if let out { OutputFile.put(plan.savedBytes(signedWith: key), to: out, planning.bench.console) }
            planning.bench.printing.write(.plan(plan), as: formats.requested)
            if open { await show(plan, planning.bench) }
            sayNext(plan, planning.bench)
            return .of(plan, detailed: detailedExitCode)
        }
    }

    /// Shows the page in a browser, or says where it is.
    private func show(_ plan: Plan, _ bench: Workbench) async {
        var page = formats.requested.first { $0.form == .html }?.file
        if page == nil {
            let path = FileManager.default.temporaryDirectory.appending(path: "bugle-plan-\(UUID().uuidString).html")
                .path
            bench.printing.write(.plan(plan), as: [OutputFormat(.html, file: path)])
            page = path
        }
        guard let page, !Console.hasFailed else { return }
        if !(await Browser.open(page)) { bench.console.say("bugle: no browser was found; the page is \(page)") }
    }

    /// Says to a person at a terminal which command carries out the plan.
    private func sayNext(_ plan: Plan, _ bench: Workbench) {
        guard bench.console.isErrorTerminal, plan.hasChanges, !plan.isSimulated, targets.targets.isEmpty,
            ExitStatus.of(plan) == .success
        else { return }
        var words = ["bugle", "apply"]
        if let directory = common.directory { words += ["-C", directory] }
        if let name = remote.remote { words += ["--remote", name] }
        if let out { words.append(out) }
        bench.console.say("Next: " + words.map(\.shellWord).joined(separator: " "))
    }

    private func plan(_ planning: PlanningSession) async throws -> Plan {
        if let against { return try planning.plan(recorded: against, now: now?.instant) }
        let connected = try await planning.bench.connect(planning.remote, workspace: planning.desired.identityName)
        let reader = connected.reader
        let description = reader.description
        let (now, isSimulated) = (now?.instant, now != nil)
        func input(_ state: RemoteState) -> PlanInput {
            // Requested for every format: warnings must not depend on the format.
            planning.input(
                state, description: description, now: now, isSimulated: isSimulated, explainsAudiences: true)
        }
        let state = try await reader.observe { Planner.questions(input($0)) }
        if let record {
            let snapshot = Snapshot(workspace: planning.desired.name, remote: description, state: state)
            OutputFile.put(snapshot.bytes, to: record, planning.bench.console)
        }
        return Planner.plan(input(state)).plan
    }
}
