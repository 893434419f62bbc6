internal import Delivery
internal import Base
internal import LeanCloud
internal import Push

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
