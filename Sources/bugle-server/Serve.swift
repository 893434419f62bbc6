internal import ArgumentParser
internal import DeviceRegistry
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import PushServer

/// `bugle-server serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves until it gets SIGTERM or SIGINT.",
        discussion: """
            The keys come from the environment: BUGLE_SERVER_KEY is the master key, BUGLE_SERVER_APP_KEY the key that \
            clients have; without the second only the master key is accepted. The first line of output says where it \
            listens.
            """)

    @Option(help: "Where to listen, as HOST:PORT; port 0 takes a free one.")
    var listen = ListenAddress(host: "127.0.0.1", port: 8710)

    @Option(help: "The SQLite file; it is created when it is missing.")
    var data: String

    @Option(name: .customLong("app-id"), help: "The app's id, which every request names.")
    var applicationID: String

    @Option(help: "Fill an empty registry with this many plausible devices.")
    var seedDevices = 0

    @Flag(help: "Let clients ask for faults and put the clock forward.")
    var allowFaults = false

    @Option(help: "How many pushes a minute are taken.")
    var pushesPerMinute = 600

    func validate() throws {
        guard (0...10_000_000).contains(seedDevices) else {
            throw ValidationError("--seed-devices takes 0 to 10000000.")
        }
        guard pushesPerMinute > 0 else { throw ValidationError("--pushes-per-minute takes a number from 1.") }
        guard !applicationID.isEmpty else { throw ValidationError("--app-id is empty.") }
    }

    func run() async throws {
        let configuration = try serverConfiguration()
        let registry = try Registry.open(path: data)
        let clock = ServerClock()
        let added = try await registry.seed(devices: seedDevices, at: clock.now)
        let server = PushServer(configuration, registry: registry, clock: clock, logger: Self.logger)
        let stopping = StopSignals()
        let port = try await server.start()
        Self.print("listening on http://\(listen.hostText):\(port)")
        if added > 0 { Self.logger.notice("filled the registry with \(added) devices") }
        await stopping.wait()
        await server.stop()
        registry.close()
    }

    private func serverConfiguration() throws -> PushServerConfiguration {
        let environment = ProcessInfo.processInfo.environment
        guard let masterKey = environment["BUGLE_SERVER_KEY"], !masterKey.isEmpty else {
            throw ValidationError("The environment variable BUGLE_SERVER_KEY holds no master key.")
        }
        let applicationKey = environment["BUGLE_SERVER_APP_KEY"].flatMap { $0.isEmpty ? nil : ServerKey($0) }
        if applicationKey == nil {
            Self.logger.notice("BUGLE_SERVER_APP_KEY is not set: only the master key is accepted")
        }
        var configuration = PushServerConfiguration(
            applicationID: applicationID, masterKey: ServerKey(masterKey), applicationKey: applicationKey)
        configuration.host = listen.host
        configuration.port = listen.port
        configuration.allowsFaults = allowFaults
        configuration.pushesPerMinute = pushesPerMinute
        return configuration
    }

    private static let logger = Logger(label: "bugle-server") { StreamLogHandler.standardError(label: $0) }

    /// Writes one line at once, also into a pipe.
    private static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }
}
