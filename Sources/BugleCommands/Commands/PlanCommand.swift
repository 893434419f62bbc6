internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import Subprocess

/// Shows the changes that an apply would make.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Shows what an apply would do at the remote; changes nothing.",
        discussion: """
            EXAMPLES
              bugle plan
              bugle plan --out plan.json --format text --format html=plan.html
              bugle plan --changed-since origin/main -C apps --out plans.json
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var targets: TargetOptions
    @OptionGroup var fleet: FleetOptions
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
    var now: Instant?

    @Flag(help: "Show the plan's page in a browser.")
    var open = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if against != nil, record != nil { throw ValidationError("--against and --record exclude each other") }
        try fleet.checkTargets(targets)
        if fleet.selection != nil, open {
            throw ValidationError("--open with --all: the page of many workspaces is --format html=FILE")
        }
        try FormatOptions<ReviewForms>.checkDistinct(
            [out, record, against].compactMap { $0 } + formats.requested.compactMap(\.file))
    }

    func run() async throws {
        try await running(
            common, over: fleet.selection, formats: formats.requested, files: [out, record], reading: [against]
        ) { common in
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
        if let against { return try planning.plan(recorded: against, now: now) }
        let connected = try await planning.bench.connect(planning.remote, workspace: planning.desired.identityName)
        let reader = connected.reader
        let description = reader.description
        func input(_ state: RemoteState) -> PlanInput {
            // Requested for every format: warnings must not depend on the format.
            planning.input(
                state, description: description, now: now, isSimulated: now != nil, explainsAudiences: true)
        }
        let state = try await reader.observe { Planner.questions(input($0)) }
        if let record {
            let snapshot = Snapshot(workspace: planning.desired.name, remote: description, state: state)
            OutputFile.put(snapshot.bytes, to: record, planning.bench.console)
        }
        return Planner.plan(input(state)).plan
    }
}

/// Renders a saved plan in any format.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Renders a saved plan in any format.",
        discussion: """
            EXAMPLE
              bugle show plan.json --format markdown
            """)

    @OptionGroup var formats: FormatOptions<ReviewForms>

    @Argument(help: ArgumentHelp("A plan that 'bugle plan --out FILE' saved.", valueName: "PLAN"))
    var plan: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let report = try report()
            ReportPrinter(console: .of(common), sources: SourceFiles(), language: common.language(in: report.language))
                .write(report, as: formats.requested)
            return .success
        }
    }

    private func report() throws -> Report {
        let review = try readReview(plan)
        guard case .diagnostics = review else { return review.report }
        return .plan(try readSavedPlan(plan))
    }
}

/// A remote with a checked workspace: the starting point of planning and applying.
struct PlanningSession: Sendable {
    var bench: Workbench
    let desired: Workspace
    let remote: RemoteDeclaration
    let selection: Selection
    var approvals: ApprovalInput

    /// Reads, checks and selects; no request is sent yet. `isRepeated` is true for a program that does so again and
    /// again, `isReview` for a plan that is only shown, `isOffline` for one against a recorded
    /// state.
    ///
    /// - Throws: ``Failure`` when the workspace or the remote cannot be used.
    init(
        _ common: CommonOptions, _ remote: RemoteOptions, targets: [String], onlyDue: Bool = false,
        isRepeated: Bool = false, isReview: Bool = false, isOffline: Bool = false
    ) async throws {
        bench = try await Workbench(common, for: remote.remote, isRepeated: isRepeated)
        try bench.checkOpenFiles()
        var desired = try bench.desired()
        self.remote = try bench.remote(named: remote.remote, in: &desired)
        try bench.check(self.remote, desired)
        desired = try bench.withCredentialFacts(desired, for: self.remote, isOffline: isOffline)
        self.desired = desired
        selection = Selection(targets: try Self.targets(targets, in: desired), onlyDue: onlyDue)
        // A merge request's pipeline on GitLab has the branch checked out, not a merge.
        let base = isReview ? bench.environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] : nil
        let git = GitCheckout(folder: bench.loaded.folder)
        approvals = await ApprovalFacts(git: git, remote: self.remote.name).input(base: base)
    }

    /// The warnings of targets that only the remote may have.
    private var targetNotes: [PlanDiagnostic] {
        selection.targets.filter { !desired.declares($0) }.map { target in
            PlanDiagnostic(
                .warning, .unknownReference, Reason(.unknownTarget, .text(target.text)), help: Reason(.checkTarget))
        }
    }

    /// Returns the planner's input for a state of the remote. With `explainsAudiences`, the details for reviewers are
    /// queried; an apply sends no more requests than it needs.
    func input(
        _ state: RemoteState, description: RemoteDescription, now: Instant? = nil, isSimulated: Bool = false,
        explainsAudiences: Bool = false
    ) -> PlanInput {
        var input = PlanInput(
            desired: desired, remote: description, capabilities: remote.type.capabilities,
            encoder: remote.type.encoder, state: state, now: now, selection: selection, isSimulated: isSimulated)
        input.explainsAudiences = explainsAudiences
        input.approvals = approvals
        return input
    }

    /// Returns the error for a target that matches nothing in the files and nothing in the plan.
    func misspeltTarget(_ plan: Plan) -> Failure? {
        let target = selection.targets.first { !desired.declares($0) && !plan.changes(anythingOf: $0) }
        return target.map { target in
            let ending = Suggestion.ending(for: target.text, among: desired.targetTexts)
            return Failure(.usage, "--target \(target.text) matches nothing in the files or on \(remote.name)\(ending)")
        }
    }

    /// Returns the plan with the earlier diagnostics added.
    func completed(_ plan: Plan) -> Plan {
        var plan = plan
        plan.diagnostics = (bench.diagnostics.map(\.planned) + targetNotes + plan.diagnostics).sortedForPrinting()
        return plan
    }

    private static func targets(_ texts: [String], in desired: Workspace) throws -> [Selection.Target] {
        try texts.map { text in
            guard let target = Selection.Target(text) else {
                let known = desired.targetTexts
                let named = known.first { $0.hasSuffix("/" + text) }.map { "; did you mean '\($0)'?" }
                throw Failure(
                    .usage,
                    "'\(text)' is not a target"
                        + (named ?? Suggestion.ending(for: text, among: known) + "; write KIND/NAME or label=VALUE"))
            }
            return target
        }
    }
}

extension Workspace {
    /// All valid values of `--target KIND/NAME` and `--target label=VALUE`.
    var targetTexts: [String] {
        campaigns.map { "Campaign/\($0.name)" } + channels.map { "Channel/\($0.name)" }
            + segments.map { "Segment/\($0.name)" } + deviceProfiles.map { "DeviceProfile/\($0.name)" }
            + Set(campaigns.flatMap(\.labels.values)).sorted().map { "label=\($0)" }
    }
}

extension Plan {
    fileprivate func changes(anythingOf target: Selection.Target) -> Bool {
        guard case .resource(let kind, let name) = target else { return false }
        return changes.contains { $0.kind == kind && $0.name == name }
    }
}

// MARK: - Recorded

extension PlanningSession {
    /// Plans against a recorded state of the remote, at its time unless another is given.
    ///
    /// - Throws: ``Failure`` with `failed` when the file cannot be read, `stale` when it is another workspace's.
    func plan(recorded path: String, now: Instant? = nil) throws -> Plan {
        let snapshot: Snapshot
        do {
            snapshot = try Snapshot.read(try InputFile.read(path))
        } catch let error as SavedFileError {
            throw Failure(.failed, "\(path): \(error.description)")
        }
        guard snapshot.workspace == desired.name else {
            throw Failure(.stale, "\(path) was recorded for workspace \(snapshot.workspace), not \(desired.name)")
        }
        return Planner.plan(
            input(
                snapshot.state, description: bench.description(remote, recorded: snapshot.remote), now: now,
                isSimulated: true, explainsAudiences: true)
        ).plan
    }
}

/// The browser of whoever runs the program.
enum Browser {
    #if os(macOS)
        private static let opener = "open"
    #else
        private static let opener = "xdg-open"
    #endif

    /// Opens a page; returns false when there is no browser.
    static func open(_ page: String) async -> Bool {
        let result = try? await Subprocess.run(.name(opener), arguments: [page], output: .discarded, error: .discarded)
        return result?.terminationStatus.isSuccess ?? false
    }
}
