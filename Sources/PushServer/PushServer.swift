internal import Base
package import DeviceRegistry
internal import HTTP
package import Logging
package import PushReport
internal import Synchronization

/// A server that could not be started.
package struct PushServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, with the address or file concerned.
    package let description: String

    package init(description: String) { self.description = description }
}

/// A server for LeanCloud's REST API, backed by a registry of devices.
///
/// Apple's devices get real pushes if ``PushServerConfiguration/apple`` is set; all others have simulated inboxes.
///
/// It runs in the process that starts it: the executable or a test. With the registry in a file, everything answered
/// with success is on disk.
package final class PushServer: Sendable {
    private struct RunningServer {
        let listener: HTTPListener
        let serving: Task<Void, any Error>
        let following: Task<Void, Never>
        let console: Console
        let leaving: StopSignal
    }

    private let configuration: PushServerConfiguration
    private let registry: Registry
    private let clock: ServerClock
    private let observer: RequestObserver?
    private let logger: Logger
    private let running = Mutex<RunningServer?>(nil)
    private let certificate: CurrentCertificate?

    /// A logger that reports only what needs attention.
    package static let quietLogger: Logger = {
        var logger = Logger(label: "bugle-server")
        logger.logLevel = .warning
        return logger
    }()

    /// Creates a server that is not yet listening.
    ///
    /// - Parameters:
    ///   - configuration: the keys, the address and the limits.
    ///   - registry: the registry it serves; the caller closes it.
    ///   - clock: the server's clock.
    ///   - observer: called for every authenticated request, for tests.
    ///   - logger: the log for requests and internal errors.
    package init(
        _ configuration: PushServerConfiguration, registry: Registry, clock: ServerClock = ServerClock(),
        observer: RequestObserver? = nil, logger: Logger = PushServer.quietLogger
    ) {
        self.configuration = configuration
        certificate = configuration.certificate.map(CurrentCertificate.init)
        self.registry = registry
        self.clock = clock
        self.observer = observer
        self.logger = logger
    }

    /// Starts to listen, and sends what an earlier run left behind.
    ///
    /// - Returns: the port.
    /// - Throws: ``PushServerError`` if the address, the certificate or the registry cannot be used.
    package func start() async throws(PushServerError) -> Int {
        let metrics = ServerMetrics()
        let news = try news()
        let apple = configuration.apple.map {
            ApplePusher(registry, $0, clock: clock, counters: metrics.notifications, news: news, logger: logger)
        }
        let pushes = PushDispatcher(registry, configuration, clock: clock, apple: apple, logger: logger)
        await pushes.followClock()
        let api = API(
            registry: registry, configuration: configuration, clock: clock, pushes: pushes,
            intake: EventIntake(registry), faults: FaultList(), logger: logger, upstream: try upstream())
        let console = Console(
            api, app: { apple?.service.app }, vendors: { apple?.service.vendorsByProfile ?? [:] })
        let (ports, announce) = AsyncStream<Result<Int, PushServerError>>.makeStream()
        let leaving = StopSignal()
        let frontend = HTTPFrontend(
            console: console, metrics: metrics, leaving: leaving, identity: try await identity(), observer: observer)
        let listener = try HTTPListener(configuration, frontend, certificate: certificate, logger: logger) {
            announce.yield(.success($0))
        }
        let address = "\(configuration.listen.host):\(configuration.listen.port)"
        let serving = Task {
            do {
                try await listener.run()
            } catch {
                announce.yield(.failure(PushServerError(cannotListenOn: address, error)))
                throw error
            }
        }
        var first: Result<Int, PushServerError>?
        for await result in ports {
            first = result
            break
        }
        let port = try (first ?? .failure(PushServerError(description: "cannot listen on \(address)"))).get()
        // Not before: a server that cannot listen ends at once, in the middle of what it had begun.
        await pushes.sendDue()
        let following = Task { await pushes.run() }
        running.withLock {
            $0 = RunningServer(
                listener: listener, serving: serving, following: following, console: console, leaving: leaving)
        }
        return port
    }

    /// Uses a renewed certificate from the next handshake on; does nothing for a server of plain HTTP.
    package func use(_ renewed: ServerCertificate) { certificate?.use(renewed) }

    /// Uses other profiles and credentials from the next push on; pushes that are being sent end with theirs. Does
    /// nothing for a server that simulates Apple's devices.
    package func use(_ apple: AppleService) {
        running.withLock { $0?.console.api.pushes.apple?.use(apple) }
    }

    /// The registry's id.
    private func identity() async throws(PushServerError) -> String {
        do throws(RegistryError) {
            return try await Journal(registry).identity()
        } catch {
            throw PushServerError(description: "the registry cannot be read: \(error.description)")
        }
    }

    /// What tells a team; nil when nobody is told.
    private func news() throws(PushServerError) -> ServerNews? {
        guard let room = configuration.notify else { return nil }
        do throws(TransportError) {
            return try ServerNews(room, configuration.applicationID, registry, clock, logger)
        } catch {
            throw PushServerError(description: "nobody can be told: \(error.description)")
        }
    }

    /// The backend for requests that are not push.
    private func upstream() throws(PushServerError) -> Upstream? {
        guard let url = configuration.upstream else { return nil }
        do throws(TransportError) {
            let client = try HTTPClient(HTTPClient.Configuration(maximumConnections: 64, userAgent: "bugle-server"))
            return Upstream(
                url, timeout: configuration.upstreamTimeout, strangerPatience: configuration.limits.strangerPatience,
                places: max(1, configuration.limits.maxConnections / 2), client,
                pseudonym: "bugle-" + ObjectID.push(), logger: logger)
        } catch {
            throw PushServerError(description: "the upstream cannot be used: \(error.description)")
        }
    }

    /// Says that it is not ready, takes requests for the drain delay, stops listening, lets requests and deliveries in
    /// flight end, and returns when they have, or when the grace period is over.
    ///
    /// - Returns: true if all of them ended in time.
    @discardableResult
    package func stop() async -> Bool {
        let running = running.withLock { state in
            defer { state = nil }
            return state
        }
        guard let running else { return true }
        running.leaving.raise()
        if let delay = configuration.limits.drainDelay { try? await Task.sleep(for: delay) }
        let api = running.console.api
        // The next start continues the deliveries to Apple that are in progress.
        api.pushes.apple?.stop()
        api.faults.stop()
        running.console.stop()
        running.following.cancel()
        let ending = Task {
            await running.listener.stop()
            _ = try? await running.serving.value
            await running.following.value
            await api.pushes.finish()
        }
        return await Self.wait(for: ending, at: configuration.limits.gracePeriod) {
            // Cancels connections still waiting for the rest of a request.
            running.serving.cancel()
        }
    }

    /// Returns true if a task ends in time; otherwise calls `giveUp` and leaves the task alone.
    private static func wait(
        for task: Task<Void, Never>, at patience: Duration, _ giveUp: @escaping @Sendable () -> Void
    ) async -> Bool {
        let (results, report) = AsyncStream<Bool>.makeStream()
        let timer = Task {
            try await Task.sleep(for: patience)
            giveUp()
            report.yield(false)
        }
        Task {
            await task.value
            timer.cancel()
            report.yield(true)
        }
        for await isOver in results { return isOver }
        return false
    }
}

/// The configuration of a push server: its settings, and what they name.
@dynamicMemberLookup
package struct PushServerConfiguration: Sendable {
    /// The settings; their members are this configuration's, too.
    package var settings = ServerSettings()
    /// The TLS certificate; without one the server speaks plain HTTP, for use behind a proxy.
    package var certificate: ServerCertificate?
    /// The app's id, which every request carries.
    package var applicationID: String
    /// The key with all rights.
    package var masterKey: ServerKey
    /// The key for clients; without one only the master key is accepted.
    package var applicationKey: ServerKey?
    /// The key with which people may look at the console, but neither send, cancel nor see whole tokens; none by
    /// default.
    package var viewerKey: ServerKey?
    /// The token for reading `/metrics` from anywhere; without one only this machine may read it.
    package var metricsToken: ServerKey?
    /// The service that sends to Apple's devices; without it, the default, they are simulated like all others.
    package var apple: AppleService?
    /// Who is told of failed pushes and expiring certificates; nobody by default.
    package var notify: NotifyRoom?
    /// The classes that may be written: all, unless a backend has the others.
    package var mode: ServerMode { settings.mode ?? (settings.upstream == nil ? .classes : .push) }

    /// Creates a configuration with default settings, but on a free port.
    package init(applicationID: String, masterKey: ServerKey, applicationKey: ServerKey? = nil) {
        self.applicationID = applicationID
        self.masterKey = masterKey
        self.applicationKey = applicationKey
        settings.listen = ListenAddress(host: settings.listen.host, port: 0)
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<ServerSettings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
    }
}

/// The purpose of a server.
package enum ServerMode: String, Hashable, Sendable, CaseIterable {
    /// Push only: classes that push does not need cannot be written, so that no app relies on this server to store
    /// them.
    case push
    /// All classes can be written, as in LeanCloud: for tests.
    case classes

    /// True if objects of a class may be written; in push mode, devices and bugle's own classes.
    func writes(_ className: ClassName) -> Bool {
        self == .classes || className.isInstallation || className.isBugles
    }
}

/// A key of the app, redacted whenever it is printed.
package struct ServerKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a key.
    package init(_ text: String) {
        self.text = text
    }

    /// The key itself, for comparison only, never for display.
    var revealed: String { text }

    /// True if the key is long enough not to be guessed.
    package var isLong: Bool { text.utf8.count >= Self.shortest }
    /// The shortest master or viewer key allowed, in characters.
    package static let shortest = 16

    /// True if two keys are equal; such a configuration is refused.
    package func isSame(as other: ServerKey) -> Bool { text == other.text }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A request as reported to an observer.
package struct ObservedRequest: Hashable, Sendable {
    /// The number of the request on this server, from 1.
    package let number: Int
    /// `GET`, `POST`, `PUT` or `DELETE`.
    package let method: String
    /// The path, without the query.
    package let path: String
}

/// The points of a request's handling at which the observer is called.
package enum RequestInstant: Hashable, Sendable {
    /// The request was read; nothing was done yet.
    case beforeHandling
    /// The request was carried out and its changes are on disk; the response was not sent.
    case beforeAnswering
}

/// A function called twice for every request, which waits until the call returns.
///
/// Tests kill the client's process at such a point.
package typealias RequestObserver = @Sendable (ObservedRequest, RequestInstant) async -> Void
