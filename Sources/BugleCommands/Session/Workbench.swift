internal import Apply
internal import Base
internal import Delivery
internal import FoundationEssentials
internal import HTTP
internal import Push
internal import PushReport

/// The context of a command: the environment, the console, and the workspace.
struct Workbench: Sendable {
    let options: CommonOptions
    let environment: [String: String]
    let console: Console
    let loaded: LoadedWorkspace
    /// The workspace's folder as given by the user.
    let displayName: String
    var diagnostics: [Diagnostic]
    /// True if no request may change anything.
    var isReadingOnly = false

    /// Reads the workspace with the values of a remote, nil for the default one; `isRepeated` is true for a program that
    /// does so again and again.
    ///
    /// - Throws: ``Failure`` when there is no workspace.
    init(_ options: CommonOptions, for remote: String? = nil, isRepeated: Bool = false) async throws {
        self.options = options
        environment = ProcessInfo.processInfo.environment
        console = Console(environment: environment, noColor: options.noColor)
        let place = try Failure.reporting { () throws(Diagnostic) in
            try WorkspaceFinder.find(chosen: options.directory)
        }
        displayName = place.displayName
        loaded = await WorkspaceLoader.load(
            directory: place.directory, displayedAs: place.displayName, remote: remote)
        diagnostics = loaded.diagnostics
        if isRepeated || console.section != nil { return }
        // The program ends with the command: freeing 10,000 documents would take a twentieth of its time.
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
        guard let workspace = loaded.workspace else { throw invalid }
        return workspace
    }

    /// The error for files, a remote or credentials that cannot be used, with every diagnostic so far.
    var invalid: Failure { Failure(.invalid, diagnostics: diagnostics, sources: loaded.sources) }

    var printing: ReportPrinter {
        ReportPrinter(
            console: console, sources: loaded.sources, folder: displayName == "." ? "" : displayName,
            language: options.language(in: loaded.readable?.language))
    }

    var secrets: SecretReader { SecretReader(environment: environment, folder: loaded.folder) }

    /// Returns the selected remote.
    ///
    /// - Throws: ``Failure`` with `usage` when the remote does not exist, or there are several and no default.
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

    /// Returns the selected remote, and binds the workspace to it: its fence and its policy hold from here on.
    ///
    /// - Throws: ``Failure`` as for the remote alone.
    func remote(named name: String?, in desired: inout Workspace) throws -> RemoteDeclaration {
        let remote = try remote(named: name, in: desired)
        desired = desired.bound(to: remote.name)
        return remote
    }

    /// Runs the offline checks of a remote: trusted hosts first, before any secret is read.
    ///
    /// - Throws: ``Failure`` with `invalid` when the remote may not or cannot be used.
    mutating func check(_ remote: RemoteDeclaration, _ desired: Workspace) throws {
        diagnostics += untrusted(remote, desired.deviceProfiles)
        switch remote.service {
        case .leancloud(let settings):
            diagnostics += LeanCloudAccess(bench: self, remote: remote, settings: settings).addressFindings()
        case .apns: break
        }
        diagnostics += AuthorityCheck(secrets: secrets).findings(remote, isNeeded: true)
        diagnostics += Checker.findings(desired, remote: remote.name, encoder: remote.type.encoder)
        if diagnostics.hasErrors { throw invalid }
    }

    /// Returns findings on the addresses of a remote, and of profiles that push there, that BUGLE_TRUSTED_HOSTS does not
    /// list, if that is set.
    func untrusted(_ remote: RemoteDeclaration, _ profiles: [DeviceProfile]) -> [Diagnostic] {
        TrustedHosts(environment: environment)?.findings(remote, profiles, secrets: secrets) ?? []
    }

    /// Returns the workspace with the facts in its certificates and keys, where they can be read.
    ///
    /// A remote straight to Apple needs them; a service has its own.
    ///
    /// - Throws: ``Failure`` with `invalid` when one of them is invalid.
    mutating func withCredentialFacts(
        _ desired: Workspace, for remote: RemoteDeclaration, isOffline: Bool = false
    ) throws -> Workspace {
        let isNeeded =
            switch remote.type {
            case .apns: !isOffline
            case .leancloud: false
            }
        let checks = CredentialChecks(CredentialReader(secrets), now: Self.localNow, isNeeded: isNeeded)
        let (profiles, found) = checks.check(desired.deviceProfiles)
        diagnostics += found
        if diagnostics.hasErrors { throw invalid }
        var desired = desired
        desired.deviceProfiles = profiles
        return desired
    }

    /// This machine's clock; used only where there is no server's clock.
    static var localNow: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    struct Connected: Sendable {
        let reader: any RemoteReading
        let makeWriter: @Sendable (any Pausing) async throws -> any RemoteWriting
        let timeout: Duration
        /// The service's address; nil without a service.
        var address: String?

        /// The page on which bugle-server's console shows a push; nil where there is none.
        func page(ofPush id: String?) -> String? {
            guard reader.isBugleServer, let address, let id else { return nil }
            return (address.hasSuffix("/") ? String(address.dropLast()) : address) + "/console/pushes/"
                + id.percentEncoded
        }
    }

    /// Resolves the credentials and creates the remote's reader; no request is sent yet.
    ///
    /// - Throws: ``Failure`` with `credentials` when a secret is missing, `invalid` when a reference is, `failed` when
    ///   a registry cannot be opened.
    func connect(
        _ remote: RemoteDeclaration, workspace: String, retries: Int = 5, pausing: any Pausing = TaskPause()
    ) async throws -> Connected {
        try checkOpenFiles()
        switch remote.service {
        case .leancloud(let settings):
            return try LeanCloudAccess(bench: self, remote: remote, settings: settings)
                .connect(workspace: workspace, retries: retries, pausing: pausing)
        case .apns(let settings):
            return try await APNsAccess(bench: self, remote: remote, settings: settings)
                .connect(workspace: workspace, retries: retries)
        }
    }

    /// Checks that the system allows the files and connections of a remote: without them a delivery would wait for
    /// descriptors with the lock held, and git could not be begun.
    ///
    /// - Throws: ``Failure`` with `failed` when it does not.
    func checkOpenFiles() throws {
        // Registry, log and index for ten readers and a writer, two connections to Apple for each profile, and a reserve.
        let needed =
            (64 + 8 * UInt(loaded.readable?.deviceProfiles.count ?? 0)) * UInt(console.section == nil ? 1 : Fleet.width)
        let limit = OpenFileLimit.raise(to: needed)
        guard limit < needed else { return }
        throw Failure(
            .failed,
            "the system allows this process \(limit) open files, and \(needed) are needed: raise the limit (ulimit -n "
                + "\(needed))")
    }

    /// Describes a remote without connecting to it or reading a secret, from its recorded description if there is one.
    func description(_ remote: RemoteDeclaration, recorded: RemoteDescription? = nil) -> RemoteDescription {
        switch remote.service {
        case .leancloud(let settings): LeanCloudAccess(bench: self, remote: remote, settings: settings).description
        case .apns(let settings):
            APNsAccess(bench: self, remote: remote, settings: settings).description(fingerprint: recorded?.fingerprint)
        }
    }

    /// Creates a client for the service's API that logs requests if requested.
    ///
    /// - Throws: ``Failure`` when libcurl cannot be used.
    func client(_ remote: RemoteDeclaration) throws -> any HTTPExchanging {
        let configuration = HTTPClient.Configuration(caFile: caFile(of: remote), userAgent: BugleVersion.tool)
        let client: any HTTPExchanging
        do throws(TransportError) {
            let http = try HTTPClient(configuration)
            client = isReadingOnly ? ReadingOnly(inner: http) : http
        } catch {
            throw Failure(.failed, error.description)
        }
        guard options.verbose else { return client }
        return RequestLog(inner: client, format: options.logFormat, console: console)
    }

    /// Returns the error for a secret or reference that is not available, at its field.
    func failure(_ problem: SecretReader.Unavailable, _ remote: RemoteDeclaration, field: String) -> Failure {
        let found = Diagnostic(
            .error, problem.variable == nil ? .unreadable : .missingVariable, "\(remote.name): \(problem.reason)",
            at: remote.origin.range(of: ["remotes", .key(remote.name), .key(field)]),
            help: problem.variable.map { "set it before the command: export \($0)=…; in CI, from the job's secrets" })
        return Failure(.credentials, diagnostics: [found], sources: loaded.sources)
    }

    /// The CA bundle that a remote trusts in addition to the system's.
    func caFile(of remote: RemoteDeclaration) -> String? {
        remote.ca.map { $0.hasPrefix("/") ? $0 : loaded.folder + "/" + $0 }
    }
}

extension Workspace {
    /// Returns the campaign with this name.
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

/// Logs every request to standard error, without its headers, query or body.
struct RequestLog: HTTPExchanging {
    let inner: any HTTPExchanging
    let format: LogFormat
    let console: Console

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let line = "\(request.method.rawValue) \(request.url.prefix { $0 != "?" })"
        let began = ContinuousClock.now
        do throws(TransportError) {
            let response = try await inner.exchange(request)
            log("\(line) answered \(response.status) in \(ContinuousClock.now - began)")
            return response
        } catch {
            log("\(line) failed: \(error)")
            throw error
        }
    }

    private func log(_ message: String) {
        switch format {
        case .text: console.say("info: \(message) X-LC-Sign=<redacted>")
        case .json: console.log("info", message, ["X-LC-Sign": "<redacted>"])
        }
    }
}

/// Sends what reads, and refuses everything else before a byte of it is sent.
struct ReadingOnly: HTTPExchanging {
    let inner: any HTTPExchanging

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.method == .get else {
            throw TransportError(
                .refusedURL, sent: .nothing, request: request.method.rawValue,
                detail: "this command only reads, and \(request.method.rawValue) is a request that changes something")
        }
        return try await inner.exchange(request)
    }
}

enum RandomName {
    /// 16 lower-case hexadecimal digits.
    static func make() -> String { UInt64.random(in: .min ... .max).hexadecimal(digits: 16) }
}
