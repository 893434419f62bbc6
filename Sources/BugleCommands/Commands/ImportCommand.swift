internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import Apply

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
