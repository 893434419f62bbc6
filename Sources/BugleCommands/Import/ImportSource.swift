internal import Base
internal import Push

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
            throw Failure(
                .invalid, "\(path) exists, but the workspace does not read it: check 'exclude' in bugle.yaml")
        }
    }

    /// True if a document of the workspace declares the name, valid or not.
    func declares(_ kind: DocumentKind, _ name: String) -> Bool {
        bench.loaded.declares(kind, name)
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
        let ours = Set(try await reader.ledger().map(\.notificationID.text))
        resources = try await reader.resources()
        let kept = try await reader.keptPushes()
        unmanaged = kept.filter { !($0.push.notificationID.map(ours.contains) ?? false) }
            .sorted { ($0.push.at, $0.push.id) < ($1.push.at, $1.push.id) }
        managedCount = kept.count - unmanaged.count
        survey = try await reader.surveyInstallations(progress: progress)
    }
}
