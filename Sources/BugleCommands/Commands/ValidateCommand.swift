internal import ArgumentParser
internal import Base
internal import Delivery
internal import Push
internal import PushReport

/// Checks the workspace offline, without any secret.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Checks every file offline; needs no secrets.",
        discussion: """
            EXAMPLES
              bugle validate
              bugle validate --changed-since origin/main --format github
              bugle validate --fix
              bugle validate --all -C apps
            """)

    @OptionGroup var formats: FormatOptions<DiagnosticForms>

    @Flag(help: "Every workspace in the folder of -C and below it, side by side: a section each, one exit code.")
    var all = false

    @Option(
        name: .customLong("changed-since"),
        help: ArgumentHelp(
            "Report only what the branch has introduced since it left this commit or branch; of many workspaces only "
                + "those with a changed file.", valueName: "REV"))
    var changedSince: String?

    @Flag(help: "Mend what can only be meant in one way: show the difference, ask, and write.")
    var fix = false

    @Flag(name: .customLong("auto-approve"), help: "With --fix: do not ask.")
    var autoApprove = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if fix, changedSince != nil { throw ValidationError("--fix and --changed-since exclude each other") }
        if autoApprove, !fix { throw ValidationError("--auto-approve goes with --fix") }
        if fix, all { throw ValidationError("--fix with --all: mend one workspace at a time, with -C DIR") }
    }

    /// Which workspaces are meant; nil for the one at hand. Where there is none, the revision tells of those below.
    private var selection: FleetSelection? {
        let isOfOne = !all && (changedSince == nil || (try? WorkspaceFinder.find(chosen: common.directory)) != nil)
        return isOfOne ? nil : FleetSelection(changedSince: changedSince)
    }

    func run() async throws {
        try await running(common, over: selection, formats: formats.requested) { common in
            var bench = try await Workbench(common)
            if fix {
                let isText = formats.requested.standardOutput == .text
                switch try FileMender(bench: bench).mend(isApproved: autoApprove, showsOnOutput: isText) {
                case .mended: bench = try await Workbench(common)
                case .unconfirmed: return .confirmation
                case .nothing: bench.console.say("bugle: --fix: there is nothing that can be meant in one way only")
                }
            }
            let all = findings(in: bench.loaded, bench).sortedForPrinting()
            var found = all
            if let changedSince {
                let earlier = try await EarlierFiles(in: bench.loaded.folder, since: changedSince)
                found = try await earlier.introduced(all, bench) { [bench] in
                    findings(in: $0, bench).sortedForPrinting()
                }
            }
            bench.printing.write(.diagnostics(found), as: formats.requested)
            let errors = found.filter { $0.severity == .error }
            guard errors.isEmpty else { return errors.allSatisfy(\.code.isPolicy) ? .blocked : .invalid }
            if formats.requested.standardOutput == .text {
                let campaigns = bench.loaded.readable?.campaigns.count ?? 0
                let said =
                    all.hasErrors
                    ? Phrase.nothingIntroduced(since: changedSince ?? "", earlier: all.count - found.count)
                    : .valid(files: bench.loaded.files.count, campaigns: campaigns)
                bench.console.output(escaped(bench.printing.language.say(said)) + "\n")
            }
            return .success
        }
    }

    /// The findings of every check that needs no remote, in files that were read; secrets are those of here and now.
    private func findings(in loaded: LoadedWorkspace, _ bench: Workbench) -> [Diagnostic] {
        guard var workspace = loaded.readable else { return loaded.diagnostics }
        var found = loaded.diagnostics
        let checked = CredentialChecks(CredentialReader(bench.secrets), now: Workbench.localNow).check(
            workspace.deviceProfiles)
        found += checked.diagnostics
        workspace.deviceProfiles = checked.profiles
        for remote in workspace.remotes.values.sorted(by: { $0.name < $1.name }) {
            if let own = loaded.expanded(for: remote.name) {
                found += own.diagnostics
                workspace.campaigns = own.readable?.campaigns ?? []
                found += Checker.policyFindings(workspace)
            }
            found += Checker.findings(workspace, remote: remote.name, encoder: remote.type.encoder)
            found += AuthorityCheck(secrets: bench.secrets).findings(remote, isNeeded: false)
            found += bench.untrusted(remote, workspace.deviceProfiles)
        }
        found += Checker.policyFindings(workspace)
        return found + Checker.certificateFindings(workspace, now: Workbench.localNow)
    }
}

/// Makes the mends of a workspace's files: it shows them as a difference, asks, and writes.
struct FileMender {
    let bench: Workbench

    /// A file that is to be written.
    private struct Draft {
        let file: WorkspaceFile
        let before: [UInt8]
        let after: [UInt8]
    }

    /// What has become of the files.
    enum Ending {
        /// They were written.
        case mended
        case nothing
        /// Nobody agreed, or nobody could be asked.
        case unconfirmed
    }

    /// Shows, asks and writes; with `isApproved` nobody is asked. The difference goes to standard output, or to standard
    /// error when another format goes there.
    ///
    /// - Throws: ``Failure`` when a file cannot be read or written, or changed in the meantime.
    func mend(isApproved: Bool, showsOnOutput: Bool) throws -> Ending {
        let (console, folder) = (bench.console, bench.loaded.folder)
        let files = WorkspaceLoader.files(directory: folder, displayedAs: bench.displayName).files
        let drafts = try files.compactMap { file -> Draft? in
            let bytes = try InputFile.read(file.realPath)
            return WorkspaceLoader.mended(bytes, folder: folder).map { Draft(file: file, before: bytes, after: $0) }
        }
        guard !drafts.isEmpty else { return .nothing }
        let shown = drafts.map(Self.difference).joined()
        showsOnOutput ? console.output(shown) : console.error(shown)
        if !isApproved {
            guard console.canAsk else {
                console.say("bugle: nothing was changed: there is nobody to ask; use --auto-approve")
                return .unconfirmed
            }
            guard console.confirms("Write these changes?") else {
                console.say("Nothing was changed.")
                return .unconfirmed
            }
        }
        for draft in drafts {
            guard try InputFile.read(draft.file.realPath) == draft.before else {
                throw Failure(
                    .failed, "\(draft.file.name) was changed while it was mended; it is left as it is, run it again")
            }
            try OutputFile.replace(draft.file.realPath, with: draft.after)
        }
        return .mended
    }

    /// The lines that differ, as a unified difference; one that may hold a secret is not shown.
    private static func difference(_ draft: Draft) -> String {
        let name = draft.file.name
        let (before, after) = (SourceFiles([name: draft.before]), SourceFiles([name: draft.after]))
        var text = "--- \(escaped(name))\n+++ \(escaped(name))\n"
        var number = 1
        while let old = before.line(number, of: name), let new = after.line(number, of: name) {
            if old != new {
                let lines = [("-", before), ("+", after)].map { sign, source in
                    sign + escaped(source.shownLine(number, of: name) ?? "(a line that may hold a secret)") + "\n"
                }
                text += "@@ -\(number) +\(number) @@\n" + lines.joined()
            }
            number += 1
        }
        return text
    }
}
