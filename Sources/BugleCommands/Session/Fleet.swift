internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import Synchronization

/// The options with which a command works on many workspaces at once.
struct FleetOptions: ParsableArguments {
    @Flag(help: "Every workspace in the folder of -C and below it, side by side: a section each, one exit code.")
    var all = false

    @Option(
        name: .customLong("changed-since"),
        help: ArgumentHelp(
            "As --all, but only workspaces with a file changed since the branch left this commit or branch.",
            valueName: "REV"))
    var changedSince: String?

    /// Which workspaces are meant; nil for the one at hand.
    var selection: FleetSelection? { all || changedSince != nil ? FleetSelection(changedSince: changedSince) : nil }

    /// Rejects targets, which are names of one workspace.
    ///
    /// - Throws: `ValidationError`.
    func checkTargets(_ targets: TargetOptions) throws {
        if selection != nil, !targets.targets.isEmpty {
            throw ValidationError("--target with --all: name the workspace with -C DIR")
        }
    }
}

/// Which workspaces a command works on.
struct FleetSelection: Sendable {
    /// The revision since which a file of them has changed; nil for all of them.
    var changedSince: String?
}

/// Runs a command's work on the workspace at hand, or on each of a selection as if it were that.
///
/// The work is given the options with the workspace's folder. Of many workspaces the output files hold lists, and so do
/// the input files in `reading`.
func running(
    _ options: CommonOptions, over selection: FleetSelection?, formats: [OutputFormat], files: [String?] = [],
    reading: [String?] = [], _ body: @escaping @Sendable (CommonOptions) async throws -> ExitStatus
) async throws {
    try await running(options, formats: formats, files: files) {
        guard let selection else { return try await body(options) }
        let fleet = try await Fleet(options, selection, formats: formats, reading: reading.compactMap(\.self))
        let sections = await fleet.run(body)
        return fleet.conclude(sections, files: files.compactMap(\.self))
    }
}

/// Many workspaces, and what a command works on them with.
struct Fleet: Sendable {
    /// The number of workspaces that are worked on at once: each waits for its remote most of the time, and holds its
    /// files in memory.
    static let width = 8

    struct Member: Sendable {
        /// The folder, relative to the one that was searched; `.` for that itself.
        let folder: String
        /// The folder relative to the current one; nil for a workspace that is no longer there.
        let directory: String?
        /// What is to be said of a workspace that is rightly gone.
        var note: String?
    }

    private let options: CommonOptions
    private let formats: [OutputFormat]
    /// The entries of input files, by path and folder.
    private let inputs: [String: [String: FleetFile.Entry]]
    private let since: String?
    /// The workspaces, in path order.
    private var members: [Member]

    /// Finds the workspaces, and reads the files about them.
    ///
    /// - Throws: ``Failure`` with `invalid` when there is none, `usage` when git does not know the revision or a file is
    ///   about one workspace only.
    init(
        _ options: CommonOptions, _ selection: FleetSelection, formats: [OutputFormat], reading: [String] = []
    ) async throws {
        self.options = options
        self.formats = formats
        since = selection.changedSince
        inputs = try Dictionary(uniqueKeysWithValues: Set(reading).map { ($0, try Self.parts(of: $0)) })
        let found = try Failure.reporting { () throws(Diagnostic) in
            try WorkspaceFinder.all(below: options.directory)
        }
        members = found.map { folder, location in Member(folder: folder, directory: location.displayName) }
        let root = options.directory ?? "."
        if let since {
            let changes = try await ChangedFiles(in: root, since: since)
            let note = "removed since \(since); what waits at a service for its time is still sent"
            members = changes.changed(members) + changes.removed.map { Member(folder: $0, directory: nil, note: note) }
            members.sort { $0.folder < $1.folder }
        } else if members.isEmpty {
            throw Failure(
                .invalid,
                diagnostics: [
                    Diagnostic(
                        .error, .workspaceDocument, "there is no bugle.yaml in \(quoted(root)), and none below it",
                        help: "name the folder that holds the workspaces with -C DIR")
                ])
        }
    }

    /// The entries of a file about many workspaces, by folder.
    private static func parts(of path: String) throws -> [String: FleetFile.Entry] {
        let bytes = try InputFile.read(path)
        let file: FleetFile?
        do throws(SavedFileError) {
            file = try FleetFile.read(bytes)
        } catch {
            throw Failure(.stale, "\(path): \(error.description)")
        }
        guard let file else {
            throw Failure(.usage, "\(path) is about one workspace; leave out --all, or make it again with --all")
        }
        return Dictionary(uniqueKeysWithValues: file.entries.map { ($0.folder, $0) })
    }

    /// The workspaces that a file is about: those that are there, and those that are gone.
    func only(in path: String) -> Fleet {
        let entries = inputs[path] ?? [:]
        var fleet = self
        let gone = Set(entries.keys).subtracting(members.map(\.folder)).map { folder in
            Member(
                folder: folder, directory: nil, note: entries[folder].flatMap { $0.exitCode == 0 ? $0.message : nil })
        }
        fleet.members = (members.filter { entries[$0.folder] != nil } + gone).sorted { $0.folder < $1.folder }
        return fleet
    }

    /// Some of the workspaces.
    func only(_ folders: Set<String>) -> Fleet {
        var fleet = self
        fleet.members.removeAll { !folders.contains($0.folder) }
        return fleet
    }

    // MARK: Side by side

    /// Works on every workspace, and prints the section of each in path order as soon as those before it are printed.
    ///
    /// A person may have agreed to plans, by folder; with `isAsked` somebody will be asked about what the sections propose.
    /// `stop` ends what is under way and keeps other workspaces from being begun.
    func run(
        agreed: [String: Plan] = [:], isAsked: Bool = false, stop: StopSignal? = nil,
        _ body: @escaping @Sendable (CommonOptions) async throws -> ExitStatus
    ) async -> [WorkspaceSection] {
        let sections = members.map { member in
            WorkspaceSection(
                member, root: options.directory ?? ".", parts: inputs.mapValues { $0[member.folder]?.written },
                agreed: agreed[member.folder], isAsked: isAsked, stop: stop)
        }
        await withTaskGroup(of: Int.self) { group in
            var waiting = sections.indices[...]
            func begin() {
                guard let index = waiting.popFirst() else { return }
                group.addTask {
                    await WorkspaceSection.$current.withValue(sections[index]) { await work(on: sections[index], body) }
                    return index
                }
            }
            for _ in 0..<Self.width { begin() }
            var (ended, printed) = (Set<Int>(), 0)
            for await index in group {
                ended.insert(index)
                while ended.contains(printed) {
                    print(sections[printed])
                    printed += 1
                }
                begin()
            }
        }
        return sections
    }

    private func work(
        on section: WorkspaceSection, _ body: @Sendable (CommonOptions) async throws -> ExitStatus
    ) async {
        let console = Console.of(options)
        guard let directory = section.member.directory else {
            if let note = section.member.note {
                section.fail(note)
                return console.say("bugle: \(note)")
            }
            console.sayError("there is no workspace any more; plan again")
            return section.end(.stale)
        }
        if section.stop?.isRaised == true {
            console.sayError("not begun: the apply was stopped; the next one continues")
            return section.end(.partial)
        }
        var options = options
        options.directory = directory
        do {
            section.end(try await settled(options, formats) { try await body(options) })
        } catch {
            console.sayError("\(error)")
            section.end(.failed)
        }
    }

    // MARK: Output

    private var isText: Bool { formats.standardOutput == .text }
    private var style: ReportOptions { printer([]).options(isForConsole: true) }

    private func printer(_ sections: [WorkspaceSection]) -> ReportPrinter {
        ReportPrinter(
            console: .of(options), sources: SourceFiles(of: sections.compactMap { $0.result.sources }),
            language: options.language(in: sections.lazy.compactMap { $0.result.report?.language }.first))
    }

    private func print(_ section: WorkspaceSection) {
        let console = Console.of(options)
        let printed = section.takePrinted()
        let heading = FleetReport.heading(section.folder, options: style)
        if isText { console.output(heading) } else if printed.contains(where: \.isError) { console.error(heading) }
        for part in printed { part.isError ? console.error(part.bytes) : console.output(part.bytes) }
        if isText { console.output("\n") }
    }

    /// Writes the files and the forms of all workspaces; returns the exit code of all.
    func conclude(_ sections: [WorkspaceSection], files: [String] = []) -> ExitStatus {
        let report = FleetReport(sections.map(\.report))
        let printer = printer(sections)
        if sections.isEmpty, let since {
            printer.console.say("bugle: no workspace has a file changed since \(since)")
        }
        for path in files {
            var file = report.file
            // A workspace without such a file has its reason there.
            for (index, section) in sections.enumerated() {
                if let written = section.result.files[path] { file.entries[index].written = written }
            }
            OutputFile.put(file.bytes, to: path, printer.console)
        }
        printer.write(.fleet(report), as: formats.filter { $0.file != nil || $0.form != .text })
        if isText { printer.console.output(report.summary(options: style)) }
        return .combined(sections.map { $0.result.status })
    }
}

/// What a command has to say of one workspace of many, kept until those before it have been printed.
final class WorkspaceSection: Sendable {
    /// The section of the workspace that this task works on; nil where there is only one.
    @TaskLocal static var current: WorkspaceSection?

    let member: Fleet.Member
    let root: String
    /// The plan that a person agreed to.
    let agreed: Plan?
    /// Ends what is under way; nil for a command that needs no such thing.
    let stop: StopSignal?
    private let parts: [String: [UInt8]?]
    private let isAsked: Bool
    private let state = Mutex(Result())

    struct Result {
        var status = ExitStatus.success
        var report: Report?
        var sources: SourceFiles?
        var message: String?
        /// The contents of output files, by path.
        var files: [String: [UInt8]] = [:]
        /// The plan to ask about.
        var proposal: Plan?
        fileprivate var printed: [Printed] = []
    }

    struct Printed {
        let bytes: [UInt8]
        let isError: Bool
    }

    init(
        _ member: Fleet.Member, root: String, parts: [String: [UInt8]?], agreed: Plan?, isAsked: Bool,
        stop: StopSignal?
    ) {
        self.member = member
        self.root = root
        self.parts = parts
        self.agreed = agreed
        self.isAsked = isAsked
        self.stop = stop
    }

    var folder: String { member.folder }

    var result: Result { state.withLock { $0 } }

    fileprivate var report: FleetReport.Section {
        let result = result
        return FleetReport.Section(
            folder: folder, result.report ?? .diagnostics([]), message: result.message,
            exitCode: Int(result.status.rawValue), path: member.directory == "." ? "" : member.directory ?? "")
    }

    /// What a file about many workspaces holds of this one; nil for any other file.
    ///
    /// - Throws: ``Failure`` with `stale` when it holds nothing of it.
    func part(of path: String) throws -> [UInt8]? {
        guard let part = parts[path] else { return nil }
        guard let part else {
            throw Failure(.stale, "\(path) holds nothing of this workspace; make it again with --all")
        }
        return part
    }

    func keep(_ bytes: [UInt8], isError: Bool) {
        state.withLock { $0.printed.append(Printed(bytes: bytes, isError: isError)) }
    }

    func keep(_ bytes: [UInt8], asFile path: String) { state.withLock { $0.files[path] = bytes } }

    /// Keeps a report in the place of the one before, with the sources of what it says of files.
    func keep(_ report: Report, sources: SourceFiles) {
        state.withLock { ($0.report, $0.sources) = (report, report.citesFiles ? sources : nil) }
    }

    func dropReport() { state.withLock { ($0.report, $0.sources) = (nil, nil) } }

    /// Keeps what the workspace's command could not do.
    func fail(_ message: String) { state.withLock { $0.message = $0.message ?? message } }

    /// Keeps a plan to ask about when every workspace has one; false when nobody can be asked.
    func propose(_ plan: Plan) -> Bool {
        state.withLock { if isAsked { $0.proposal = plan } }
        return isAsked
    }

    func end(_ status: ExitStatus) { state.withLock { $0.status = status } }

    fileprivate func takePrinted() -> [Printed] {
        state.withLock { result in
            defer { result.printed = [] }
            return result.printed
        }
    }
}

extension Report {
    /// True if a page shows lines of files with it.
    fileprivate var citesFiles: Bool {
        switch self {
        case .diagnostics(let diagnostics): !diagnostics.isEmpty
        case .plan(let plan): !plan.diagnostics.isEmpty
        case .apply, .status, .history, .preview, .fleet: false
        }
    }

    /// The workspace's language; nil when it has none.
    var language: Language? {
        switch self {
        case .plan(let plan): plan.language
        case .apply(let report): report.language
        case .fleet(let report): report.sections.lazy.compactMap(\.report.language).first
        case .diagnostics, .status, .history, .preview: nil
        }
    }
}
