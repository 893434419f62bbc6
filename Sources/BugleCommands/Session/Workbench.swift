internal import APNs
internal import Basics
internal import CurlHTTP
internal import Diagnostics
internal import FoundationEssentials
internal import Logging
internal import PushConfig
internal import PushModel
internal import PushPlan
internal import PushReport

/// What a command works with: the environment, the console, and the workspace that was read.
struct Workbench: Sendable {
    let options: CommonOptions
    let environment: [String: String]
    let console: Console
    /// The workspace as its files say it.
    let loaded: LoadedWorkspace
    /// The workspace's folder as people wrote it.
    let displayName: String
    /// Everything to be said so far.
    var diagnostics: [Diagnostic]

    /// Reads the workspace.
    ///
    /// - Throws: ``Failure`` when there is none.
    init(_ options: CommonOptions) async throws {
        self.options = options
        environment = ProcessInfo.processInfo.environment
        console = Console(environment: environment, noColor: options.noColor)
        do throws(Diagnostic) {
            let place = try WorkspaceFinder.find(chosen: options.directory)
            displayName = place.displayName
            loaded = await WorkspaceLoader.load(directory: place.directory, displayedAs: place.displayName)
        } catch {
            throw Failure(.invalid, diagnostics: [error])
        }
        diagnostics = loaded.diagnostics
        // The program ends with the command: taking 10,000 documents apart again would be a twentieth of its time.
        _ = Unmanaged.passRetained(Kept(loaded))
    }

    /// Keeps the workspace until the program ends.
    private final class Kept: Sendable {
        private let loaded: LoadedWorkspace

        init(_ loaded: LoadedWorkspace) { self.loaded = loaded }
    }

    /// The desired state.
    ///
    /// - Throws: ``Failure`` with `invalid` when the files have errors.
    func desired() throws -> Workspace {
        guard let workspace = loaded.workspace else {
            throw Failure(.invalid, diagnostics: diagnostics, sources: loaded.sources)
        }
        return workspace
    }

    /// Prints reports on this workspace.
    var printing: ReportPrinting {
        ReportPrinting(
            console: console, sources: loaded.sources, folder: displayName == "." ? "" : displayName,
            language: options.language(in: loaded.readable?.language))
    }

    /// Reads secrets.
    var secrets: SecretReading { SecretReading(environment: environment, folder: loaded.folder) }

    /// The remote that is meant.
    ///
    /// - Throws: ``Failure`` with `usage` when there is no such remote, or several and none is the default.
    func remote(named name: String?, in desired: Workspace) throws -> RemoteDeclaration {
        let names = desired.remotes.keys.sorted().joined(separator: ", ")
        if let name = name ?? desired.defaultRemote ?? (desired.remotes.count == 1 ? desired.remotes.keys.first : nil) {
            guard let remote = desired.remotes[name] else {
                throw Failure(.usage, "there is no remote '\(name)'; the workspace has: \(names)")
            }
            return remote
        }
        throw Failure(
            .usage,
            desired.remotes.isEmpty
                ? "the workspace declares no remote; add one to 'remotes' in bugle.yaml"
                : "name a remote with --remote; the workspace has: \(names)")
    }

    /// Checks of a remote that need no network: trusted hosts first, before any secret is read.
    ///
    /// - Throws: ``Failure`` with `invalid` when the remote may not or cannot be used.
    mutating func check(_ remote: RemoteDeclaration, _ desired: Workspace) throws {
        if let trusted = TrustedHosts(environment: environment) {
            diagnostics += trusted.findings(remote, secrets: secrets)
        }
        switch remote.service {
        case .leancloud(let settings):
            diagnostics += LeanCloudAccess(bench: self, remote: remote, settings: settings).addressFindings()
        case .apns: break
        }
        diagnostics += AuthorityCheck(secrets: secrets).findings(remote, isNeeded: true)
        diagnostics += Checker.findings(desired, remote: remote.name, encoder: remote.type.encoder)
        if diagnostics.hasErrors { throw Failure(.invalid, diagnostics: diagnostics, sources: loaded.sources) }
    }

    /// The workspace with what its certificates and keys say of themselves, where they can be read.
    ///
    /// - Throws: ``Failure`` with `invalid` when one of them is wrong.
    mutating func withCredentialFacts(_ desired: Workspace) throws -> Workspace {
        let checks = CredentialChecks(CredentialReading(secrets), now: Self.localNow, needsFiles: true)
        let (profiles, found) = checks.check(desired.deviceProfiles)
        diagnostics += found
        if diagnostics.hasErrors { throw Failure(.invalid, diagnostics: diagnostics, sources: loaded.sources) }
        var desired = desired
        desired.deviceProfiles = profiles
        return desired
    }

    /// This machine's clock; only what no server's clock can tell is measured by it.
    static var localNow: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// Everything about one remote.
    struct Connected: Sendable {
        let reader: any RemoteReading
        let makeWriter: @Sendable (any Pausing) async throws -> any RemoteWriting
        let timeout: Duration
    }

    /// Resolves the credentials and makes the remote's reader; nothing is asked of it yet.
    ///
    /// - Throws: ``Failure`` with `credentials` when a secret is missing, `invalid` when a reference is, `failed` when
    ///   a registry cannot be opened.
    func connect(
        _ remote: RemoteDeclaration, workspace: String, retries: Int = 5, pausing: any Pausing = TaskPause()
    ) async throws -> Connected {
        switch remote.service {
        case .leancloud(let settings):
            try LeanCloudAccess(bench: self, remote: remote, settings: settings)
                .connect(workspace: workspace, retries: retries, pausing: pausing)
        case .apns(let settings):
            try await APNsAccess(bench: self, remote: remote, settings: settings)
                .connect(workspace: workspace, retries: retries)
        }
    }

    /// How a remote is called when nothing is asked of it but what was recorded, if anything: no secret is needed.
    func description(_ remote: RemoteDeclaration, recorded: RemoteDescription? = nil) -> RemoteDescription {
        switch remote.service {
        case .leancloud(let settings): LeanCloudAccess(bench: self, remote: remote, settings: settings).description
        case .apns(let settings):
            APNsAccess(bench: self, remote: remote, settings: settings).description(fingerprint: recorded?.fingerprint)
        }
    }

    /// A client for the service's API, which tells of every request when asked to.
    ///
    /// - Throws: ``Failure`` when libcurl cannot be used.
    func client(_ remote: RemoteDeclaration) throws -> any HTTPExchanging {
        let configuration = HTTPClient.Configuration(caFile: caFile(of: remote), userAgent: BugleVersion.tool)
        let client: HTTPClient
        do throws(TransportError) {
            client = try HTTPClient(configuration)
        } catch {
            throw Failure(.failed, error.description)
        }
        guard options.verbose else { return client }
        let (format, console) = (options.logFormat, console)
        let logger = Logger(label: "bugle") { _ in StandardErrorLog(format: format, console: console) }
        return RequestLog(inner: client, logger: logger)
    }

    /// Why a remote's secret or reference cannot be had, at its field.
    func failure(_ problem: SecretReading.Unavailable, _ remote: RemoteDeclaration, field: String) -> Failure {
        let found = Diagnostic(
            .error, problem.variable == nil ? .unreadable : .missingVariable, "\(remote.name): \(problem.reason)",
            at: remote.origin.range(of: ["remotes", .key(remote.name), .key(field)]),
            help: problem.variable.map { "set it before the command: export \($0)=…; in CI, from the job's secrets" })
        return Failure(.credentials, diagnostics: [found], sources: loaded.sources)
    }

    /// The bundle of authorities that a remote trusts beside the system's.
    func caFile(of remote: RemoteDeclaration) -> String? {
        remote.ca.map { $0.hasPrefix("/") ? $0 : loaded.folder + "/" + $0 }
    }
}

extension Workspace {
    /// A campaign that an argument names.
    ///
    /// - Throws: ``Failure`` with `usage` when no file declares it.
    func campaign(named name: String) throws -> Campaign {
        guard let campaign = campaigns.first(where: { $0.name == name }) else {
            let ending = Suggestion.ending(for: name, among: campaigns.map(\.name))
            throw Failure(.usage, "the workspace has no campaign \(quoted(name))\(ending)")
        }
        return campaign
    }
}
