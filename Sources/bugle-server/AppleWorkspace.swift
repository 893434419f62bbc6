internal import APNs
internal import APNsDelivery
internal import DeviceRegistry
internal import Diagnostics
internal import FoundationEssentials
internal import Logging
internal import PushConfig
internal import PushModel
internal import PushServer

/// The workspace whose DeviceProfiles push to Apple.
struct AppleWorkspace {
    /// The profiles, with what was found in their credentials.
    let profiles: [DeviceProfile]
    /// Their senders, to be closed when the server has stopped.
    let pool: SenderPool
    /// What somebody should look at, one sentence each.
    let warnings: [String]

    /// Warns so long before a certificate expires.
    private static let notice = Duration.seconds(30 * 86_400)

    /// Reads a workspace and checks the credentials that are here.
    ///
    /// An expired certificate is no error: what else the server does must go on, and pushes by it are refused.
    ///
    /// - Throws: ``InvalidSettings`` with everything that is wrong.
    init(folder: String, settings: SenderPool.Settings, environment: [String: String]) async throws {
        let loaded = await WorkspaceLoader.load(directory: folder, displayedAs: folder)
        guard let workspace = loaded.workspace else { throw InvalidSettings(loaded.diagnostics) }
        let reading = CredentialReading(SecretReading(environment: environment, folder: loaded.folder))
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
        self.warnings = warnings
        pool = SenderPool(
            profiles: profiles, settings: settings, now: { Instant.system }
        ) { profile throws(SenderError) in
            do throws(CredentialReading.Failure) {
                return try reading.credential(of: profile)
            } catch {
                switch error {
                case .unavailable(let absence): throw SenderError(absence.reason)
                case .unusable(let problem): throw SenderError(problem.description)
                }
            }
        }
    }

    /// What pushes go to Apple with.
    var service: AppleService { AppleService(profiles: profiles, senders: pool.senders()) }

    private static func warning(of profile: DeviceProfile, until end: Instant, at now: Instant) -> String {
        end < now
            ? "the certificate of DeviceProfile \(profile.name) expired at \(end.text): pushes by it are refused"
            : "the certificate of DeviceProfile \(profile.name) expires at \(end.text)"
    }
}

extension LoadedSettings {
    /// The workspace that the settings name, read and checked; nil when they name none.
    ///
    /// - Throws: ``InvalidSettings`` when it or a credential cannot be used.
    func appleWorkspace(_ environment: [String: String]) async throws -> AppleWorkspace? {
        guard let folder = settings.workspace else { return nil }
        return try await AppleWorkspace(
            folder: folder,
            settings: SenderPool.Settings(
                endpoints: APNsEndpoints(hosts: settings.appleHosts), caFile: settings.appleCAFile),
            environment: environment)
    }
}
