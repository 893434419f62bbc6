internal import Apply
internal import ArgumentParser
internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Push

/// Writes files for remote objects that no file declares.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Writes files for what the remote holds but no file declares.",
        discussion: """
            EXAMPLE
              bugle import --dry-run

            Channels come from what installations subscribe to and from what was deployed, device profiles from what \
            Apple's devices have, campaigns from scheduled pushes that bugle did not make. The files go into the folder \
            'imported' of the workspace; a file that exists is never touched, and nothing that is declared is written \
            again, so it can be run again at any time. Nothing is changed on the remote.

            Device profiles are unfinished: no service reveals its credentials. Comments say what is missing, and \
            'bugle validate' names it until it is filled in.

            Imported campaigns are held ('hold: true'), because the remote still has their pushes and will send them: \
            cancel such a push there first, then remove 'hold'. A push that a campaign cannot express exactly is \
            skipped with the reason; then the exit code is 8.
            """)

    @OptionGroup var remote: RemoteOptions

    @Flag(name: .customLong("dry-run"), help: "Print what would be written.")
    var dryRun = false

    @Option(
        name: .customLong("min-subscribers"),
        help: ArgumentHelp("Leave out channels with fewer subscribers.", valueName: "N"))
    var leastSubscribers = 1

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if leastSubscribers < 0 { throw ValidationError("--min-subscribers takes a number from 0") }
    }

    func run() async throws {
        try await running(common) {
            let source = try await ImportSource(common, remote)
            try source.checkFolder()
            let console = source.bench.console
            let contents = try await ImportContents(source.reader) { count in
                if console.isErrorTerminal { console.error("\r\u{1B}[K\(grouped(count)) installations read") }
            }
            if console.isErrorTerminal { console.error("\r\u{1B}[K") }
            let draft = await draft(source, contents)
            for file in draft.files { try write(file, source) }
            conclude(draft, source)
            return draft.skipped.contains(where: \.isLoss) ? .partial : .success
        }
    }

    private func draft(_ source: ImportSource, _ contents: ImportContents) async -> ImportDraft {
        var draft = ImportDraft()
        let place = NewFile(folder: source.bench.loaded.folder)
        let resources = ImportedResources(source: source, contents: contents, leastSubscribers: leastSubscribers)
        let campaigns = ImportedCampaigns(source: source, contents: contents)
        let candidates = campaigns.candidates(&draft, exists: place.exists)
        // Which channels there will be depends on the pushes that stay, and these on which channels there may be.
        let possible = resources.channels(named: Self.channels(of: candidates))
        let settled = await campaigns.settled(candidates, channels: possible.documents, &draft)
        let channels = resources.channels(named: Self.channels(of: settled))
        resources.report(channels, to: &draft)
        let exists = place.exists
        draft.add(
            channels.documents, to: "channels", summary: { Self.count($0, "channel") },
            exists: exists)
        draft.add(resources.segments(), to: "segments", summary: { Self.count($0, "segment") }, exists: exists)
        draft.add(
            resources.profiles(&draft), to: "device-profiles",
            summary: { Self.count($0, "unfinished device profile") }, exists: exists)
        for candidate in settled {
            draft.files.append(
                ImportDraft.File(path: candidate.path, text: campaigns.text(of: candidate), summary: candidate.title))
        }
        if contents.managedCount > 0 {
            draft.skip("\(grouped(contents.managedCount)) scheduled pushes", "bugle made them", isLoss: false)
        }
        return draft
    }

    private static func channels(of candidates: [ImportedCampaigns.Candidate]) -> [String: Int64] {
        var names: [String: Int64] = [:]
        for candidate in candidates {
            for name in candidate.options.first?.audience.channels ?? [] { names[name] = candidate.push.push.id }
        }
        return names
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(grouped(number)) \(word)\(number == 1 ? "" : "s")"
    }

    // MARK: Result

    private func write(_ file: ImportDraft.File, _ source: ImportSource) throws {
        let console = source.bench.console
        let name = source.bench.displayName == "." ? file.path : source.bench.displayName + "/" + file.path
        if dryRun {
            console.output("\(escaped("would write \(name) (\(file.summary)):"))\n\(file.text)\n")
        } else {
            try NewFile(folder: source.bench.loaded.folder).write(file.text, to: file.path)
            console.output(escaped("wrote \(name) (\(file.summary))") + "\n")
        }
    }

    private func conclude(_ draft: ImportDraft, _ source: ImportSource) {
        let console = source.bench.console
        func tell(_ line: String) { console.output(escaped(line) + "\n") }
        for skipped in draft.skipped { tell("skipped \(skipped.what): \(skipped.reason)") }
        for remark in draft.remarks { tell("note: \(remark)") }
        if draft.files.isEmpty { tell("There is nothing to write.") }
        tell("Nothing was changed on \(source.remote.name). Next: bugle validate")
    }
}

/// The input of `bugle import`: a workspace that may be unfinished, and a remote that is only read.
struct ImportSource: Sendable {
    let bench: Workbench
    /// The readable part of the workspace.
    let workspace: Workspace
    let remote: RemoteDeclaration
    let reader: any RemoteImporting

    /// Errors that an import tolerates, and may fix: its own unfinished profiles, and names that it is about to
    /// declare.
    private static let tolerated: Set<DiagnosticCode> = [.missingKey, .unknownReference]

    /// Reads the workspace and connects; no request is sent yet.
    ///
    /// - Throws: ``Failure`` when a file has an error that is not tolerated, or the remote cannot be used.
    init(_ common: CommonOptions, _ options: RemoteOptions) async throws {
        var bench = try await Workbench(common)
        let found = bench.diagnostics
        guard let workspace = bench.loaded.readable,
            !found.contains(where: { $0.severity == .error && !Self.tolerated.contains($0.code) })
        else {
            throw Failure(.invalid, diagnostics: found, sources: bench.loaded.sources)
        }
        bench.diagnostics = []
        let remote = try bench.remote(named: options.remote, in: workspace)
        // Campaigns do not matter to an import; `bugle validate` reports their errors.
        var bare = workspace
        bare.campaigns = []
        try bench.check(remote, bare)
        guard
            let reader = try await bench.connect(remote, workspace: workspace.identityName).reader
                as? any RemoteImporting
        else {
            throw Failure(.invalid, "\(remote.name) is of a type that cannot be imported from")
        }
        self.bench = bench
        self.workspace = workspace
        self.remote = remote
        self.reader = reader
    }

    /// Refuses to write into a folder that the workspace excludes: each run would write the same files again.
    ///
    /// - Throws: ``Failure`` with `invalid` when a file of an earlier import exists but was not read.
    func checkFolder() throws {
        let place = NewFile(folder: bench.loaded.folder)
        for name in ["channels", "segments", "device-profiles"] {
            let path = "\(ImportDraft.folder)/\(name).yaml"
            guard place.exists(path), !bench.loaded.files.contains(where: { $0.hasSuffix(path) }) else { continue }
            throw Failure(.invalid, "\(path) exists, but the workspace does not read it: check 'exclude' in bugle.yaml")
        }
    }
}

/// The contents of a remote that files could declare.
struct ImportContents: Sendable {
    let survey: InstallationSurvey
    let resources: [ResourceRecord]
    /// Pushes without a ledger entry of the workspace.
    let unmanaged: [KeptPush]
    /// The number of pushes that the workspace made itself.
    let managedCount: Int
    let now: Instant

    /// Reads the remote; every request is a GET.
    ///
    /// - Throws: `RemoteError` when a request fails.
    init(_ reader: any RemoteImporting, progress: @Sendable (Int) -> Void) async throws(RemoteError) {
        now = try await reader.now()
        let ours = Set(try await reader.ledger().flatMap { $0.notificationIDs() })
        resources = try await reader.resources()
        let kept = try await reader.keptPushes()
        unmanaged = kept.filter { !($0.push.notification.map(ours.contains) ?? false) }
            .sorted { ($0.push.at, $0.push.id) < ($1.push.at, $1.push.id) }
        managedCount = kept.count - unmanaged.count
        survey = try await reader.surveyInstallations(progress: progress)
    }
}

/// The files that an import is about to write, and the objects it skips.
struct ImportDraft: Sendable {
    /// A file that does not exist yet.
    struct File: Sendable {
        let path: String
        let text: String
        /// A summary of the content: `12 channels`.
        let summary: String
    }

    struct Skipped: Sendable {
        let what: String
        let reason: String
        /// True if the remote holds something that no file declares now.
        let isLoss: Bool
    }

    /// The folder for imported files, relative to the workspace.
    static let folder = "imported"
    /// The maximum number of documents per file: far below the limit on one file.
    static let documentsPerFile = 2000

    var files: [File] = []
    var skipped: [Skipped] = []
    /// Remarks for the user about the written files.
    var remarks: [String] = []

    /// Adds documents of one kind, in files that do not exist yet; `exists` returns true if a path of the workspace is
    /// taken.
    mutating func add(_ documents: [String], to name: String, summary: (Int) -> String, exists: (String) -> Bool) {
        var rest = documents[...]
        var number = 1
        while !rest.isEmpty {
            let path = "\(Self.folder)/\(name)\(number == 1 ? "" : "-\(number)").yaml"
            number += 1
            guard !exists(path) else { continue }
            let part = rest.prefix(Self.documentsPerFile)
            files.append(File(path: path, text: part.joined(separator: "---\n"), summary: summary(part.count)))
            rest = rest.dropFirst(part.count)
        }
    }

    mutating func skip(_ what: String, _ reason: String, isLoss: Bool = true) {
        skipped.append(Skipped(what: what, reason: reason, isLoss: isLoss))
    }
}

/// Creates files without overwriting any.
struct NewFile {
    /// The workspace's folder, with links resolved.
    let folder: String

    /// Returns true if a path of the workspace exists, even as a dangling link.
    func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)) != nil
    }

    /// Writes a file and creates its folders.
    ///
    /// - Throws: ``Failure`` when the path exists already, a folder is a link, or writing fails; a partially written
    ///   file is removed.
    func write(_ text: String, to path: String) throws {
        try makeFolders(above: path)
        do throws(SystemError) {
            try FileDraft.create(Array(text.utf8), at: folder + "/" + path)
        } catch {
            throw Failure(.failed, error.code == EEXIST ? "\(path) already exists" : "\(path) cannot be written")
        }
    }

    /// Creates the folders; a link is rejected, since it could lead out of the workspace.
    private func makeFolders(above path: String) throws {
        var place = folder
        for part in path.split(separator: "/").dropLast() {
            place += "/" + part
            let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            guard type == nil else { throw Failure(.failed, "\(place) is in the way: it is not a folder") }
            guard mkdir(place, 0o755) == 0 else { throw Failure(.failed, "the folder \(place) cannot be created") }
        }
    }
}
