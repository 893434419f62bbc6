internal import ArgumentParser
internal import Base
internal import CLibrary
internal import Delivery
internal import DeviceRegistry
internal import FoundationEssentials
internal import Logging
internal import Push
internal import PushServer

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            EXAMPLE
              bugle-server serve --config server.yaml

            The keys come from the environment or from sources that the settings file names: BUGLE_SERVER_KEY is the \
            master key, BUGLE_SERVER_APP_KEY the key that clients have; without the second only the master key is \
            accepted. Every option can be set as a variable too, such as BUGLE_SERVER_LISTEN. The first line of output \
            says where it listens, the second how it reaches devices.
            """)

    @OptionGroup var options: SettingOptions

    func run() async throws {
        try await ServerRun(environment: ProcessInfo.processInfo.environment) {
            try options.settings($0)
        } announce: { address, workspace in
            Output.print("listening on \(address)")
            Output.print(Output.ways(workspace))
        }.run()
    }
}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the settings, keys, certificate and workspace without starting.",
        discussion: """
            EXAMPLE
              bugle-server check --config server.yaml

            Exits with 0 if the server would start, with 3 if the settings file is wrong.
            """)

    @OptionGroup var options: SettingOptions

    func run() async throws {
        let workspace = try await Output.reporting {
            let loaded = try options.settings()
            let environment = ProcessInfo.processInfo.environment
            _ = try loaded.data(environment)
            _ = try loaded.configuration(environment)
            let workspace = try await loaded.appleWorkspace(environment)
            for warning in workspace?.warnings ?? [] { Output.warn(warning) }
            return workspace
        }
        Output.print("the settings are valid")
        Output.print(Output.ways(workspace))
    }
}

/// One run of the server, from its settings until SIGTERM or SIGINT.
struct ServerRun {
    /// Where the keys are looked up.
    let environment: [String: String]
    let read: ([String: String]) throws -> LoadedSettings
    /// Says the address that it listens on, and how it reaches devices.
    let announce: (String, AppleWorkspace?) -> Void

    /// Runs it, and returns when everything has ended.
    func run() async throws {
        // A log reader that goes away must not end the server.
        signal(SIGPIPE, SIG_IGN)
        let (stopping, hangUps) = (StopSignals(), SignalArrivals([SIGHUP]))
        let (loaded, stamps, data, loadedConfiguration, workspace) = try await Output.reporting {
            let loaded = try read(environment)
            let stamps = loaded.stamps()
            let workspace = try await loaded.appleWorkspace(environment)
            var configuration = try loaded.configuration(environment)
            configuration.apple = workspace?.service
            return (loaded, stamps, try loaded.data(environment), configuration, workspace)
        }
        let settings = loaded.settings
        let log = LogOutput(format: settings.logFormat)
        defer { log.flush(seconds: 1) }
        let handler = ServerLogHandler(level: settings.logLevel, format: settings.logFormat) { log.add($0) }
        let logger = Logger(label: "bugle-server") { _ in handler }
        warn(loadedConfiguration, logger)
        for warning in workspace?.warnings ?? [] { logger.warning("\(warning)") }
        let registry = try await data.open(for: .serving)
        var configuration = loadedConfiguration
        if settings.mode == nil, settings.upstream == nil, try await registry.wasFilledFromElsewhere() {
            configuration.settings.mode = .push
        }
        if let upstream = configuration.upstream {
            logger.notice("requests other than push are passed on to \(upstream)")
        } else if configuration.mode == .push {
            logger.notice("mode push: devices are written, other classes are only read")
        }
        let clock = ServerClock()
        let added = try await registry.seed(devices: settings.seedDevices, at: clock.now)
        let server = PushServer(
            try OpenFiles.fitting(configuration, logger), registry: registry, clock: clock, logger: logger)
        let indexing = Task { await Self.index(settings.indexedFields, registry, logger) }
        let port = try await server.start()
        let scheme = configuration.certificate == nil ? "http" : "https"
        announce("\(scheme)://\(settings.listen.hostText):\(port)", workspace)
        if added > 0 { logger.notice("filled the registry with \(added) devices") }
        let renewal = Task { [environment] in
            await Renewal(
                settings: loaded, environment: environment, server: server, logger: logger, signals: hangUps,
                before: stamps
            ).run(workspace)
        }
        await stopping.wait()
        renewal.cancel()
        logger.notice("stopping: no new requests; those in flight have \(configuration.limits.gracePeriod) to end")
        let isComplete = await server.stop()
        if !isComplete { logger.warning("the grace period is over: requests or deliveries in flight were cut off") }
        await renewal.value?.pool.close()
        indexing.cancel()
        await indexing.value
        if let remains = await registry.remainsBesideFile() { logger.warning("\(remains)") }
        await registry.shutDown()
        logger.notice("stopped")
    }

    /// Creates the indexes named in the settings while requests are served: with many devices it takes a while.
    private static func index(_ fields: [String], _ registry: Registry, _ logger: Logger) async {
        // A database may hold an index that an earlier server began.
        guard !fields.isEmpty || registry.isShared else { return }
        do {
            try await registry.index(fields)
            guard !Task.isCancelled, !fields.isEmpty else { return }
            let indexed = try await registry.indexedFields()
            let missing = fields.filter { !indexed.contains($0) }
            guard missing.isEmpty else {
                return logger.warning(
                    "no index for \(missing.joined(separator: ", ")): \(indexed.count) fields, the maximum, have one")
            }
            logger.notice("indexed: \(fields.joined(separator: ", "))")
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("no index for \(fields.joined(separator: ", ")): \(error)")
        }
    }

    private func warn(_ configuration: PushServerConfiguration, _ logger: Logger) {
        if configuration.applicationKey == nil {
            logger.notice("BUGLE_SERVER_APP_KEY is not set: only the master key is accepted")
        }
        if let certificate = configuration.certificate, certificate.notAfter <= time(nil) {
            logger.warning("the certificate has expired: clients will refuse it")
        }
        if configuration.allowsFaults { logger.warning("faults are allowed: for tests only") }
    }
}

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

extension Registry {
    /// Moves everything into the registry's file, which can be copied by itself then; returns what to say when it cannot.
    func remainsBesideFile() async -> String? {
        do {
            try await checkpoint()
            return nil
        } catch {
            return "a part of the registry is still in the '-wal' beside it, which belongs to it: \(error.description)"
        }
    }
}

/// The process's limit of open files, and so of connections.
enum OpenFiles {
    /// Files kept for the database and the program itself.
    private static let reserve: UInt = 128

    /// Raises the limit to fit the configured connections, or lowers the number of connections where the system
    /// refuses.
    ///
    /// Without a file for a new connection the server could not even reject it.
    ///
    /// - Throws: ``PushServerError`` when the system leaves none for connections.
    static func fitting(
        _ configuration: PushServerConfiguration, _ logger: Logger
    ) throws(PushServerError) -> PushServerConfiguration {
        let wanted = UInt(configuration.limits.maxConnections) + reserve
        let limit = OpenFileLimit.raise(to: wanted)
        guard limit < wanted else { return configuration }
        guard limit > reserve else {
            throw PushServerError(
                description: """
                    the system allows this process \(limit) open files, and \(reserve) are needed besides connections: raise \
                    LimitNOFILE, or the limit of 'ulimit -n'
                    """)
        }
        var fitting = configuration
        fitting.limits.maxConnections = Int(limit - reserve)
        logger.warning(
            """
            the system allows \(limit) open files: at most \(fitting.limits.maxConnections) connections \
            are accepted; raise LimitNOFILE
            """)
        return fitting
    }
}
