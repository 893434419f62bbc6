internal import Apply
internal import Base
internal import Delivery
internal import DeviceRegistry
internal import LeanCloud
internal import Push

/// A remote of a workspace, for commands that neither plan nor apply.
struct RemoteAccess: Sendable {
    var bench: Workbench
    let desired: Workspace
    let declaration: RemoteDeclaration
    let connected: Workbench.Connected

    /// Reads the workspace and connects.
    ///
    /// - Throws: ``Failure`` when the workspace, the remote or its credentials cannot be used.
    init(_ common: CommonOptions, _ remote: RemoteOptions) async throws {
        try await self.init(try await Workbench(common, for: remote.remote), named: remote.remote)
    }

    /// Connects to a remote of a workspace that has been read.
    ///
    /// - Throws: ``Failure`` when the remote or its credentials cannot be used.
    init(_ workbench: Workbench, named name: String?) async throws {
        bench = workbench
        var desired = try bench.desired()
        declaration = try bench.remote(named: name, in: &desired)
        self.desired = desired
        try bench.check(declaration, desired)
        connected = try await bench.connect(declaration, workspace: desired.identityName)
    }

    /// Reads the ledger, whose deliveries bear their campaigns' names in the files, and the orders to stop any of them.
    func ledger() async throws -> (entries: [LedgerEntry], stops: [StopOrder]) {
        let names = CampaignNames(desired)
        let (entries, stops) = try await connected.reader.stoppedLedger()
        return (entries.map(names.adopting), stops)
    }

    /// The reason to doubt that the remote's ledger has what this workspace delivered, which may have had another name.
    func doubt() async throws(RemoteError) -> Block? {
        let reader = connected.reader
        var state = RemoteState(
            now: try await reader.now(), ledger: try await reader.ledger(),
            ledgerStarted: try await reader.isLedgerStarted())
        state.neighbours = try await reader.neighbours()
        let input = PlanInput(
            desired: desired, remote: reader.description, capabilities: reader.capabilities, encoder: reader.encoder,
            state: state)
        return input.workspaceDoubt
    }

    /// Returns the deliveries of a campaign, named as it is now or as it was.
    ///
    /// - Throws: ``Failure`` with `usage` when neither the files nor the ledger have it.
    func deliveries(of campaign: String, in ledger: [LedgerEntry]) throws -> [LedgerEntry] {
        let isDeclared = desired.campaigns.contains { $0.name == campaign }
        let found = ledger.filter { $0.campaign == campaign || !isDeclared && $0.formerly.contains(campaign) }
        guard isDeclared || !found.isEmpty else {
            throw Failure(.usage, "neither the files nor the ledger know a campaign '\(campaign)'")
        }
        return found
    }

    /// Runs a closure while holding the lock.
    ///
    /// - Throws: ``Failure`` with `locked` when somebody else holds it; `RemoteError` when a request fails.
    func underLock<Result: Sendable>(
        _ body: (any RemoteWriting, LeaseKeeper, Provenance) async throws -> Result
    ) async throws -> Result {
        let provenance = await ApplyProvenance(bench)
        let writer = try await connected.makeWriter(TaskPause())
        let began = ContinuousClock.now
        let taking = try await LeaseKeeper.take(
            writer, pausing: TaskPause(),
            options: ApplyOptions(holder: provenance.holder, run: RandomName.make()),
            elapsed: { ContinuousClock.now - began }, report: { _ in })
        switch taking {
        case .stopped: throw Failure(.failed)
        case .held(let record, _):
            throw Failure(
                .locked,
                "\(declaration.name) is locked by \(record.holder) (run \(record.run)). If that apply is dead, free it: "
                    + "bugle unlock \(record.fence)")
        case .taken(let keeper):
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(writer, keeper, provenance.provenance))
            } catch {
                result = .failure(error)
            }
            do throws(RemoteError) {
                try await keeper.free()
            } catch {
                // What was done is done, or failed for its own reason.
                guard error.kind != .ledgerLost else {
                    _ = try result.get()
                    throw error
                }
                bench.console.say("bugle: warning: \(error.description)")
            }
            return try result.get()
        }
    }
}

// MARK: - Service

/// The types of remotes: their capabilities and encoders.
extension RemoteType {
    var capabilities: Capabilities {
        switch self {
        case .leancloud: LeanCloudRemote.capabilities
        case .apns: APNsRemote.capabilities
        }
    }

    var encoder: any RequestEncoding {
        switch self {
        case .leancloud: LeanCloudEncoder()
        case .apns: APNsEncoder()
        }
    }
}

/// Connects to a remote that has LeanCloud's API.
struct LeanCloudAccess: Sendable {
    let bench: Workbench
    let remote: RemoteDeclaration
    let settings: RemoteDeclaration.LeanCloud

    /// Resolves the credentials; no request is sent yet.
    ///
    /// - Throws: ``Failure`` with `credentials` when a secret is missing, `invalid` when a reference is.
    func connect(workspace: String, retries: Int, pausing: any Pausing) throws -> Workbench.Connected {
        let connection: LeanCloudConnection
        var field = "url"
        do throws(SecretReader.Unavailable) {
            let url = try bench.secrets.text(settings.url)
            field = "appId"
            let appId = try bench.secrets.text(settings.appId)
            field = "masterKey"
            connection = LeanCloudConnection(
                url: url, appId: appId, masterKey: try bench.secrets.secret(settings.masterKey),
                from: SecretReader.name(of: settings.masterKey), timeout: remote.timeout, retries: retries,
                onRetry: { [console = bench.console] error, wait in
                    ProgressLine(console: console, isVerbose: false).end()
                    console.say("bugle: \(error); trying again in \(wait.roundedSeconds) s")
                })
        } catch {
            throw bench.failure(error, remote, field: field)
        }
        let findings = addressFindings()
        // Checked before the URL is logged: it may contain a password.
        guard findings.isEmpty else { throw Failure(.invalid, findings[0].message) }
        let http = try bench.client(remote)
        return Workbench.Connected(
            reader: connection.reader(name: remote.name, workspace: workspace, http: http, pausing: pausing),
            makeWriter: { connection.writer(workspace: workspace, http: http, pausing: $0) },
            timeout: connection.timeout, address: connection.url)
    }

    /// Describes the remote without connecting to it.
    var description: RemoteDescription {
        guard let url = try? bench.secrets.text(settings.url), let app = try? bench.secrets.text(settings.appId) else {
            return RemoteDescription(
                name: remote.name, type: remote.type, title: remote.type.rawValue, fingerprint: Digest(of: []))
        }
        return LeanCloudRemote.description(
            name: remote.name, connection: LeanCloudConnection(url: url, appId: app, masterKey: Secret("")))
    }

    /// Checks a URL from an environment variable, whose value is only known now.
    func addressFindings() -> [Diagnostic] {
        guard case .environment(let name) = settings.url, let url = try? bench.secrets.text(settings.url) else {
            return []
        }
        return WebAddress.problem(with: url).map { problem in
            [
                Diagnostic(
                    .error, .invalidValue, "\(name) \(problem)",
                    at: remote.origin.range(of: ["remotes", .key(remote.name), "url"]))
            ]
        } ?? []
    }
}

/// The hosts that may get credentials, listed in `BUGLE_TRUSTED_HOSTS`, which a pull request cannot change.
struct TrustedHosts: Sendable {
    private let hosts: Set<String>

    /// Parses the variable; nil when it is not set, and every host is trusted.
    init?(environment: [String: String]) {
        guard let list = environment["BUGLE_TRUSTED_HOSTS"] else { return nil }
        hosts = Set(list.split(separator: ",").map { String($0).trimmingSpaces.lowercased() }.filter { !$0.isEmpty })
    }

    /// Returns findings on the remote's URLs outside the trusted hosts, and on those of the profiles that push there;
    /// references are resolved first, so that none is missed.
    func findings(
        _ remote: RemoteDeclaration, _ profiles: [DeviceProfile], secrets: SecretReader
    ) -> [Diagnostic] {
        switch remote.service {
        case .leancloud(let settings):
            guard let url = try? secrets.text(settings.url) else { return [] }
            return finding(url, remote, path: "url")
        case .apns(let settings):
            let own =
                settings.hosts.sorted { $0.key < $1.key }.flatMap { finding($0.value, remote, path: "hosts") }
                + registryFindings(settings.registry, remote, secrets)
            return own.isEmpty ? findings(profiles, hosts: settings.hosts, secrets: secrets) : own
        }
    }

    /// Returns findings on the addresses that Google's accounts name themselves, unless `hosts` has another; an account
    /// that cannot be read is not checked.
    func findings(_ profiles: [DeviceProfile], hosts: [String: String], secrets: SecretReader) -> [Diagnostic] {
        guard hosts[ServiceHost.fcmToken.rawValue] == nil else { return [] }
        return profiles.compactMap { profile -> Diagnostic? in
            guard profile.vendor == .fcm,
                case .serviceAccount(let account)? = try? CredentialReader(secrets).credential(of: profile)
            else { return nil }
            let address = account.tokenAddress
            let isGoogles = WebOrigin(address).map { ServiceAccount.tokenHosts.contains($0.authority) } ?? false
            if isGoogles || contain(address) { return nil }
            return untrusted(
                profile.name, Self.place(address), at: profile.origin.range(of: ["fcm", "serviceAccount"]))
        }
    }

    /// Checks the servers of a PostgreSQL registry, which are only known from its secret URL; an unreadable one is not
    /// checked.
    private func registryFindings(
        _ registry: RemoteDeclaration.APNs.Registry, _ remote: RemoteDeclaration, _ secrets: SecretReader
    ) -> [Diagnostic] {
        guard case .postgres(let source) = registry, let secret = try? secrets.secret(source),
            let address = try? PostgresAddress(secret.revealedText)
        else { return [] }
        let strangers = address.servers.filter { server in
            let host = server.prefix { $0 != ":" }
            return !hosts.contains(server) && !hosts.contains(String(host))
        }
        return strangers.map { untrusted(remote.name, "'\($0)'", at: Self.range(remote, "registry")) }
    }

    /// True if the host of a URL is one of them.
    func contain(_ url: String) -> Bool {
        WebOrigin(url).map { !hosts.isDisjoint(with: [$0.authority, $0.host, $0.hostAndPort]) } ?? false
    }

    private func finding(_ url: String, _ remote: RemoteDeclaration, path: FieldPathElement) -> [Diagnostic] {
        contain(url) ? [] : [untrusted(remote.name, Self.place(url), at: Self.range(remote, path))]
    }

    private static func place(_ url: String) -> String {
        WebOrigin(url).map { "'\($0.authority)'" } ?? "an address that cannot be trusted"
    }

    private static func range(_ remote: RemoteDeclaration, _ path: FieldPathElement) -> SourceRange {
        remote.origin.range(of: ["remotes", .key(remote.name), path])
    }

    private func untrusted(_ name: String, _ place: String, at range: SourceRange) -> Diagnostic {
        Diagnostic(
            .error, .untrustedHost, "\(name) leads to \(place), which BUGLE_TRUSTED_HOSTS does not list", at: range,
            help: "credentials are not sent there; whoever owns them must extend BUGLE_TRUSTED_HOSTS")
    }
}

/// The origin of a URL that is simple enough for every program to read it alike.
struct WebOrigin: Hashable, Sendable {
    /// The host and port as written, in lower case.
    let authority: String
    let host: String
    /// The host and port, with the scheme's default port if none is written.
    let hostAndPort: String

    /// Parses a URL; nil for anything but `http://` or `https://`, a name or IP address, and an optional port: no user,
    /// no escapes.
    init?(_ url: String) {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        let rest = lower.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, authority.utf8.allSatisfy(Self.isPlain) else { return nil }
        self.authority = String(authority)
        let hasPort = authority.hasPrefix("[") ? authority.contains("]:") : authority.contains(":")
        let end = hasPort ? authority.lastIndex(of: ":") ?? authority.endIndex : authority.endIndex
        host = String(authority[..<end])
        hostAndPort = hasPort ? self.authority : host + (scheme == "https://" ? ":443" : ":80")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"): true
        case UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }
}
