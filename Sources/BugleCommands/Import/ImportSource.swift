internal import Diagnostics
internal import PushConfig
internal import PushModel

/// What `bugle import` starts from: a workspace that may be unfinished, and a remote that is only read.
struct ImportSource: Sendable {
    let bench: Workbench
    /// What could be read of the workspace.
    let workspace: Workspace
    let remote: RemoteDeclaration
    let reader: any RemoteImporting

    /// Errors that an import may meet, and mend: its own unfinished profiles, and names that it is about to declare.
    private static let tolerated: Set<DiagnosticCode> = [.missingKey, .unknownReference]

    /// Reads the workspace and connects; nothing is asked of the remote yet.
    ///
    /// - Throws: ``Failure`` when a file has an error beyond what is unfinished, or the remote cannot be used.
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
        // Campaigns are no concern of an import: what is wrong with them says 'bugle validate'.
        var bare = workspace
        bare.campaigns = []
        try bench.check(remote, bare)
        guard let reader = try await bench.connect(remote, workspace: workspace.name).reader as? any RemoteImporting
        else {
            throw Failure(.invalid, "\(remote.name) is of a type that cannot be imported from")
        }
        self.bench = bench
        self.workspace = workspace
        self.remote = remote
        self.reader = reader
    }

    /// Refuses to write where the workspace does not read: each run would write the same once more.
    ///
    /// - Throws: ``Failure`` with `invalid` when a file of an earlier import is there and was not read.
    func checkFolder() throws {
        let place = NewFile(folder: bench.loaded.folder)
        for name in ["channels", "segments", "device-profiles"] {
            let path = "\(ImportDraft.folder)/\(name).yaml"
            guard place.exists(path), !bench.loaded.files.contains(where: { $0.hasSuffix(path) }) else { continue }
            throw Failure(
                .invalid, "\(path) is there, but the workspace does not read it: look at 'exclude' in bugle.yaml")
        }
    }

    /// Whether a document of the workspace declares a name, readable or not.
    func declares(_ kind: DocumentKind, _ name: String) -> Bool {
        bench.loaded.names[kind]?.contains(name) ?? false
    }
}

/// What a remote holds that files could say.
struct ImportContents: Sendable {
    let survey: InstallationSurvey
    let resources: [ResourceRecord]
    /// Pushes that no ledger entry of the workspace has made.
    let unmanaged: [KeptPush]
    /// Pushes that are the workspace's own already.
    let managedCount: Int
    let now: Instant

    /// Asks the remote; every request is a GET.
    ///
    /// - Throws: `RemoteError` when the remote cannot be asked.
    init(_ reader: any RemoteImporting, progress: @Sendable (Int) -> Void) async throws(RemoteError) {
        now = try await reader.now()
        let ours = Set(try await reader.ledger().map(\.notificationID.text))
        resources = try await reader.resources()
        let kept = try await reader.keptPushes()
        unmanaged = kept.filter { !($0.push.notificationID.map(ours.contains) ?? false) }
            .sorted { ($0.push.at, $0.push.id) < ($1.push.at, $1.push.id) }
        managedCount = kept.count - unmanaged.count
        survey = try await reader.surveyInstallations(progress: progress)
    }
}
