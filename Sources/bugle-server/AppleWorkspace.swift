internal import Base
internal import Delivery
internal import DeviceRegistry
internal import FoundationEssentials
internal import Logging
internal import Push
internal import PushServer

/// The workspace whose DeviceProfiles push to Apple's devices.
struct AppleWorkspace {
    /// The profiles with the facts found in their credentials.
    let profiles: [DeviceProfile]
    /// The app on the console's phones.
    let app: ShownApp
    /// The senders of the profiles, to be closed after the server has stopped.
    let pool: SenderPool
    /// Problems that need attention, one sentence each.
    let warnings: [String]

    /// The time before a certificate's expiry at which warnings start.
    private static let notice = Duration.seconds(30 * 86_400)

    /// Loads a workspace and checks the credentials available here.
    ///
    /// An expired certificate is not an error: the server's other work must go on, and pushes that need it are refused.
    ///
    /// - Throws: ``InvalidSettings`` with all problems found.
    init(folder: String, settings: SenderPool.Settings, environment: [String: String]) async throws {
        let loaded = await WorkspaceLoader.load(directory: folder, displayedAs: folder)
        guard let workspace = loaded.workspace else { throw InvalidSettings(loaded.diagnostics) }
        let reading = CredentialReader(SecretReader(environment: environment, folder: loaded.folder))
        let now = Instant.system
        var (profiles, warnings, problems): ([DeviceProfile], [String], [Diagnostic]) = ([], [], [])
        for profile in workspace.deviceProfiles {
            var (checked, found) = CredentialChecks(reading, now: now).check([profile])
            if let end = checked.first?.facts?.expiresAt, end < now + Self.notice {
                warnings.append(Self.warning(of: profile, until: end, at: now))
                if end < now { (checked, found) = CredentialChecks(reading, now: end).check([profile]) }
            }
            problems += found.filter { $0.severity == .error }
            warnings += found.filter { $0.severity != .error }.map { "DeviceProfile \($0.message): it pushes nothing" }
            profiles += checked
        }
        guard problems.isEmpty else { throw InvalidSettings(problems) }
        if profiles.isEmpty { warnings.append("the workspace has no DeviceProfile: no push reaches Apple's devices") }
        self.profiles = profiles
        app = workspace.app
        self.warnings = warnings
        credentialFiles = workspace.deviceProfiles.flatMap(\.credential.files).compactMap { file in
            switch file {
            case .path(let path): loaded.folder + "/" + path
            case .environment(let name): environment[name]
            }
        }
        // What was checked is what pushes use, whatever becomes of the files.
        let credentials = Dictionary(profiles.map { ($0.name, Self.credential(of: $0, reading)) }) { first, _ in first }
        pool = SenderPool(
            profiles: profiles, settings: settings, now: { Instant.system }
        ) { profile throws(SenderError) in
            guard let credential = credentials[profile.name] else { throw SenderError("its profile is not declared") }
            return try credential.get()
        }
    }

    private static func credential(
        of profile: DeviceProfile, _ reading: CredentialReader
    ) -> Result<PushCredential, SenderError> {
        do throws(CredentialReader.Failure) {
            return .success(try reading.credential(of: profile))
        } catch {
            switch error {
            case .unavailable(let absence): return .failure(SenderError(absence.reason))
            case .unusable(let problem): return .failure(SenderError(problem.description))
            }
        }
    }

    /// The names of the profiles whose credentials are here.
    var usable: Set<String> { Set(profiles.filter { $0.facts != nil }.map(\.name)) }

    /// The paths of the files with certificates and keys.
    let credentialFiles: [String]

    var service: AppleService {
        AppleService(profiles: profiles, senders: pool.senders(), app: app, close: pool.close)
    }

    private static func warning(of profile: DeviceProfile, until end: Instant, at now: Instant) -> String {
        end < now
            ? "the certificate of DeviceProfile \(profile.name) expired at \(end.text): pushes by it are refused"
            : "the certificate of DeviceProfile \(profile.name) expires at \(end.text)"
    }
}

extension LoadedSettings {
    /// The workspace named in the settings, loaded and checked; nil when none is named.
    ///
    /// - Throws: ``InvalidSettings`` if the workspace or a credential cannot be used.
    func appleWorkspace(_ environment: [String: String]) async throws -> AppleWorkspace? {
        guard let folder = settings.workspace else { return nil }
        return try await AppleWorkspace(
            folder: folder,
            settings: SenderPool.Settings(
                endpoints: APNsEndpoints(hosts: settings.hosts), caFile: settings.appleCAFile,
                connectAttempts: AppleService.connectAttempts),
            environment: environment)
    }
}

extension DeviceProfile.Credential {
    fileprivate var files: [FileSource] {
        let sources: [Push.SecretSource?] =
            switch self {
            case .certificate(let source, let key, let passphrase): [source, key, passphrase]
            case .token(_, _, let key): [key]
            case .serviceAccount(let source): [source]
            case .vendor(_, _, let secrets): secrets.map(\.value)
            }
        return sources.compactMap { if case .file(let file)? = $0 { file } else { nil } }
    }
}
