internal import Delivery
internal import Base
internal import CLibrary
internal import DeviceRegistry
internal import Logging
internal import PushServer

/// One run of the server, from its settings until SIGTERM or SIGINT.
struct ServerRun {
    /// Where the keys are looked up.
    let environment: [String: String]
    /// Reads the settings.
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
            OpenFiles.fitting(configuration, logger), registry: registry, clock: clock, logger: logger)
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
        do {
            try await registry.checkpoint()
        } catch {
            logger.warning(
                "a part of the registry is still in the '-wal' beside it, which belongs to it: \(error.description)")
        }
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
