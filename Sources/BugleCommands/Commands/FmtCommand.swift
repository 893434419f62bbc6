internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import YAML

/// Formats the layout of YAML files.
struct FmtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fmt", abstract: "Formats YAML files; comments and values stay as they are.",
        discussion: """
            EXAMPLES
              bugle fmt
              bugle fmt --check
              bugle fmt --check --all

            Only white space between values changes: two spaces a level, lists inside mappings indented too, one space \
            after ':' and '-', none inside brackets and at the end of lines, at most one blank line, LF, a final newline. \
            Nothing is reordered, requoted or wrapped, and a file is written only after it was read again and says the \
            same. The workspace need not be valid; a file that is not YAML is reported and left as it is.

            Exit codes: 0 done, or with --check nothing to do; 1 with --check: some file would change; 3 some file cannot \
            be read as YAML.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var formats: FormatOptions<DiagnosticForms>

    @Flag(help: "List the files that would change, without changing them; exit with 1 if there are any.")
    var check = false

    @Argument(help: ArgumentHelp("Files and folders; default: every file of the workspace.", valueName: "PATH"))
    var paths: [String] = []

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if fleet.selection != nil, !paths.isEmpty {
            throw ValidationError("--all with PATH: it takes the files of every workspace")
        }
    }

    func run() async throws {
        try await running(common, over: fleet.selection, formats: formats.requested) { common in
            let console = Console.of(common)
            var formatting = FileFormatter(isCheck: check)
            for file in try SourceSelection.files(paths, workspace: common.directory, &formatting.diagnostics) {
                try formatting.format(file)
            }
            ReportPrinter(
                console: console, sources: SourceFiles(formatting.sources), language: common.language(in: nil)
            )
            .write(.diagnostics(formatting.diagnostics.sortedForPrinting()), as: formats.requested)
            if formats.requested.standardOutput == .text {
                for name in formatting.changed { console.output(escaped(name) + "\n") }
            }
            var statuses: [ExitStatus] = [.success]
            if formatting.diagnostics.contains(where: { $0.severity == .error }) { statuses.append(.invalid) }
            if check, !formatting.changed.isEmpty { statuses.append(.failed) }
            return .combined(statuses)
        }
    }
}

/// Formats files one by one and collects diagnostics.
struct FileFormatter {
    /// True if files are only checked, not written.
    let isCheck: Bool
    var diagnostics: [Diagnostic] = []
    /// The files that were or would be changed.
    private(set) var changed: [String] = []
    private(set) var sources: [String: [UInt8]] = [:]

    init(isCheck: Bool) { self.isCheck = isCheck }

    /// Formats one file.
    ///
    /// - Throws: ``Failure`` when the file cannot be read or written.
    mutating func format(_ file: WorkspaceFile) throws {
        let bytes = try InputFile.read(file.realPath)
        switch YAMLLayout(file: file.name).lay(out: bytes) {
        case .refused(let found):
            diagnostics += found
            sources[file.name] = bytes
        case .laidOut(bytes): break
        case .laidOut(let result):
            changed.append(file.name)
            if isCheck {
                diagnostics.append(Self.difference(file.name, bytes, result))
            } else {
                try OutputFile.replace(file.realPath, with: result)
            }
        }
    }

    /// A diagnostic at the first line that would change; without its text, which may hold a secret that was not checked
    /// for here.
    private static func difference(_ name: String, _ before: [UInt8], _ after: [UInt8]) -> Diagnostic {
        let (old, new) = (lines(before), lines(after))
        let line = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
        return Diagnostic(
            .warning, .layout, "the layout is not canonical; 'bugle fmt' would change the file from here on",
            at: SourceRange(file: name, start: SourcePosition(line: line + 1, column: 1)),
            help: "run 'bugle fmt'")
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}

/// Finds the files given on the command line.
enum SourceSelection {
    /// Finds the files at the given paths.
    ///
    /// - Parameters:
    ///   - paths: Files and folders. A link is rejected: its target may be anywhere.
    ///   - workspace: The folder given with `-C`.
    ///   - diagnostics: Collects unreadable entries of folders.
    /// - Returns: The files, each once; without paths those of the workspace.
    /// - Throws: ``Failure`` for a path that is neither a YAML file nor a folder, and when there is no workspace.
    static func files(
        _ paths: [String], workspace: String?, _ diagnostics: inout [Diagnostic]
    ) throws -> [WorkspaceFile] {
        guard !paths.isEmpty else {
            let place = try Failure.reporting { () throws(Diagnostic) in try WorkspaceFinder.find(chosen: workspace) }
            return list(place.directory, place.displayName, &diagnostics)
        }
        var files: [WorkspaceFile] = []
        for path in paths {
            switch (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType {
            case .typeRegular? where !path.hasSuffix(".yaml") && !path.hasSuffix(".yml"):
                throw Failure(.usage, "\(path) is not a YAML file: its name ends neither in .yaml nor in .yml")
            case .typeRegular?: files.append(WorkspaceFile(name: path, realPath: path))
            case .typeDirectory?: files += list(path, path, &diagnostics)
            case .typeSymbolicLink?: throw Failure(.failed, "\(path) is a link; name the file that it leads to")
            case nil: throw Failure(.failed, "\(path) cannot be read")
            default: throw Failure(.failed, "\(path) is neither a file nor a folder")
            }
        }
        var seen: Set<String> = []
        return files.filter { seen.insert($0.name).inserted }
    }

    private static func list(
        _ directory: String, _ name: String, _ diagnostics: inout [Diagnostic]
    ) -> [WorkspaceFile] {
        let found = WorkspaceLoader.files(directory: directory, displayedAs: name)
        diagnostics += found.diagnostics
        return found.files
    }
}
