internal import Base
internal import Logging
internal import Push
internal import PushServer

/// Reads the certificate and the workspace again when SIGHUP says so, or when one of their files has changed.
///
/// What cannot be used is logged, and the server goes on with what it has.
struct Renewal: Sendable {
    let settings: LoadedSettings
    let environment: [String: String]
    let server: PushServer
    let logger: Logger
    /// SIGHUP, taken over before the server listens.
    let signals: SignalArrivals
    /// The stamps of the files before they were first read.
    let before: [String: FileStamp]

    /// The time between two looks at the files.
    private static let interval = Duration.seconds(5)

    /// Follows the signal and the files until the task is cancelled.
    ///
    /// - Parameter workspace: the workspace that is in use.
    /// - Returns: the one that is in use at the end.
    func run(_ workspace: AppleWorkspace?) async -> AppleWorkspace? {
        defer { signals.end() }
        var (workspace, seen) = (workspace, stamps(workspace).merging(before) { _, before in before })
        for await isAsked in Self.occasions(signals) {
            let now = stamps(workspace)
            guard isAsked || now != seen else { continue }
            // What changes while it is being read is read again at the next look.
            seen = now
            renewCertificate()
            if let renewed = await renewed(workspace) {
                workspace = renewed
                seen = stamps(workspace).merging(now) { _, before in before }
            }
        }
        return workspace
    }

    /// True for each signal, false for each interval.
    private static func occasions(_ signals: SignalArrivals) -> AsyncStream<Bool> {
        let (occasions, announce) = AsyncStream<Bool>.makeStream()
        let work = Task {
            await withTaskGroup { group in
                group.addTask { for await _ in signals.arrivals { announce.yield(true) } }
                group.addTask {
                    while (try? await Task.sleep(for: interval)) != nil { announce.yield(false) }
                }
            }
        }
        announce.onTermination = { _ in work.cancel() }
        return occasions
    }

    private func renewCertificate() {
        do {
            guard let certificate = try settings.certificate() else { return }
            server.use(certificate)
            logger.notice(
                "the certificate was read again; it is valid until \(Instant(seconds: Int64(certificate.notAfter)).text)"
            )
        } catch {
            logger.error("the certificate stays as it was: \(Output.reason(error))")
        }
    }

    private func renewed(_ old: AppleWorkspace?) async -> AppleWorkspace? {
        guard old != nil else { return nil }
        do {
            guard let workspace = try await settings.appleWorkspace(environment) else { return nil }
            for warning in workspace.warnings { logger.warning("\(warning)") }
            // A file that is gone for a moment must not end pushes.
            if let lost = old?.usable.subtracting(workspace.usable).intersection(workspace.profiles.map(\.name)),
                !lost.isEmpty
            {
                let names = lost.sorted().joined(separator: ", ")
                throw InvalidSettings([
                    Diagnostic(
                        .error, .unreadable, "the credential of \(names) is gone",
                        help: "remove the DeviceProfile if that is meant")
                ])
            }
            server.use(workspace.service)
            logger.notice("the workspace was read again. \(Output.ways(workspace))")
            return workspace
        } catch {
            logger.error("the workspace stays as it was: \(Output.reason(error))")
            return nil
        }
    }

    private func stamps(_ workspace: AppleWorkspace?) -> [String: FileStamp] {
        settings.stamps(and: workspace?.credentialFiles ?? [])
    }
}

extension LoadedSettings {
    /// Returns the stamps of the files of the certificate and the workspace, and of others.
    func stamps(and others: [String] = []) -> [String: FileStamp] {
        var paths = [settings.tlsCertificate, settings.tlsKey].compactMap(\.self) + others
        if let folder = settings.workspace {
            paths += WorkspaceLoader.files(directory: folder, displayedAs: folder).files.map(\.realPath)
        }
        return Dictionary(paths.map { ($0, FileStamp($0)) }) { first, _ in first }
    }
}
