internal import CLibrary
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A local simulator of Apple's push service, as docs/background/apple/service.md and its sibling pages describe it.
///
/// One port serves device pushes, broadcasts and channel management. Behaviour that Apple does not document is guessed;
/// a comment marks each guess.
package final class APNsSimulator: Sendable {
    /// The simulator's certificates; a client trusts `identity.authorityPEM`.
    package let identity: SimulatorIdentity
    /// The base URL of the simulator.
    package var url: String { "https://\(service.configuration.host):\(port)" }
    /// The port the simulator listens on.
    package var port: Int { listener.port }
    package var clock: SimulatorClock { service.clock }
    /// Counts of what has happened so far.
    package var statistics: SimulatorStatistics { service.statistics.value }
    /// The environment the simulator stands for.
    package var environment: SimulatedEnvironment { service.configuration.environment }

    let service: Service
    let connections: ConnectionList
    private let listener: SimulatorListener
    private let group: MultiThreadedEventLoopGroup?

    /// Starts a simulator.
    ///
    /// - Throws: the system's error when the address cannot be bound.
    package init(_ configuration: SimulatorConfiguration = .init()) async throws {
        identity = try configuration.identity ?? SimulatorIdentity()
        service = Service(configuration)
        connections = ConnectionList()
        group = configuration.threads.map { MultiThreadedEventLoopGroup(numberOfThreads: max(1, $0)) }
        do {
            listener = try await SimulatorListener(
                service, identity, connections, on: group ?? MultiThreadedEventLoopGroup.singleton)
        } catch {
            try? await group?.shutdownGracefully()
            throw error
        }
    }

    /// Starts a simulator, runs `body` with it and stops it.
    package static func with<Value>(
        _ configuration: SimulatorConfiguration = .init(), _ body: (APNsSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = try await APNsSimulator(configuration)
        do {
            let value = try await body(simulator)
            await simulator.stop()
            return value
        } catch {
            await simulator.stop()
            throw error
        }
    }

    /// Stops listening and closes every connection, even with requests unanswered.
    package func stop() async {
        await listener.close()
        try? await group?.shutdownGracefully()
    }
}

// MARK: - Devices

extension APNsSimulator {
    /// A token that is not an even number of hexadecimal digits.
    package struct MalformedToken: Error {}

    /// Registers a device; its token is valid only for `topic`, which includes the suffix.
    ///
    /// `environment` is the environment of the token; nil for the simulator's.
    package func register(
        token: String, topic: String, environment: SimulatedEnvironment? = nil
    ) throws(MalformedToken) {
        service.devices.register(try Self.read(token), topic: topic, environment: environment)
    }

    /// Marks a token unregistered: pushes to it are answered with 410 `Unregistered`.
    ///
    /// It became invalid at `time`, in milliseconds of UNIX time; nil for now.
    package func unregister(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .unregistered, at: time ?? clock.now)
    }

    /// Marks a token expired: pushes to it are answered with 410 `ExpiredToken`.
    ///
    /// It expired at `time`, in milliseconds of UNIX time; nil for now.
    package func expire(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .expiredToken, at: time ?? clock.now)
    }

    package func forget(token: String) throws(MalformedToken) {
        service.devices.forget(try Self.read(token))
    }

    /// Sets whether every well-formed token is accepted as a device's, unless it is registered otherwise or marked
    /// dead.
    package func acceptEveryToken(_ isOn: Bool = true) { service.devices.acceptEveryToken(isOn) }

    /// The notifications a device received, oldest first; empty when only counts are recorded.
    package func inbox(of token: String) -> [ReceivedPush] {
        DeviceToken(token).map(service.devices.inbox) ?? []
    }

    /// The number of notifications a device received.
    package func deliveries(to token: String) -> Int {
        DeviceToken(token).map(service.devices.count) ?? 0
    }

    /// The number of devices that received one, two, three notifications and so on.
    package func deliveryHistogram() -> [Int: Int] { service.devices.histogram() }

    /// The tokens among these that received no notification.
    package func missed(among tokens: some Sequence<String>) -> [String] {
        tokens.filter { deliveries(to: $0) == 0 }
    }

    /// Totals of reached devices, notifications and duplicates.
    ///
    /// Only notifications of `topic` with the `apns-collapse-id` `collapseID` count; nil for all. When only counts are
    /// recorded, the collapse id makes no difference.
    package func inboxSummary(topic: String? = nil, collapseID: String? = nil) -> InboxSummary {
        service.devices.summary(topic: topic, collapseID: collapseID)
    }

    /// Empties every inbox and resets the counts; the devices stay registered.
    package func emptyInboxes() { service.devices.empty() }

    private static func read(_ token: String) throws(MalformedToken) -> DeviceToken {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        return token
    }
}

// MARK: - Control

extension APNsSimulator {
    /// Registers a key that may sign provider tokens.
    package func register(_ key: ProviderKey) { service.credentials.register(key) }

    /// Stands for a Firebase project as well.
    package func register(_ project: FirebaseProject) { service.firebase.register(project) }

    /// Stands for a project of Huawei's with HarmonyOS NEXT as well.
    package func register(_ project: HarmonyProject) { service.vendors.register(project) }

    /// Revokes a key: its tokens are answered with `InvalidProviderToken`.
    package func revoke(keyID: String) { service.credentials.revokeKey(keyID) }

    /// Revokes a client certificate: handshakes with it fail, and requests on open connections get `BadCertificate`.
    package func revoke(_ certificate: PushCertificate) { service.credentials.revoke(serial: certificate.serial) }

    /// Adds a fault after the existing ones; the first fault that hits a push wins.
    ///
    /// - Returns: the fault's number.
    @discardableResult
    package func add(_ fault: Fault) -> Int { service.faults.add(fault) }

    package func removeFault(_ id: Int) { service.faults.remove(id) }

    /// Removes all faults.
    package func removeFaults() { service.faults.removeAll() }

    /// The number of pushes a fault has hit.
    package func hits(ofFault id: Int) -> Int { service.faults.all.first { $0.id == id }?.hits ?? 0 }

    /// Sets the number of concurrent streams allowed on authenticated connections, open and future.
    ///
    /// When the limit drops, requests beyond it that have not been processed are refused with REFUSED_STREAM.
    package func limitStreams(to limit: Int) async {
        service.streamLimit.change { $0 = limit }
        await connections.each { $0.limitStreams(to: limit) }
    }

    /// Sends GOAWAY on every connection; each closes once the requests it still accepts are answered.
    ///
    /// - Parameters:
    ///   - reason: the reason in the JSON of the debug data; nil for no data.
    ///   - newest: the number of newest unprocessed requests left above the last stream id.
    package func goAway(reason: String? = nil, refusingNewest newest: Int = 0) async {
        await connections.each { $0.goAway(reason, refusingNewest: newest) }
    }

    /// Sends GOAWAY with `Shutdown`, as Apple does before a server is taken down.
    package func shutDown() async { await goAway(reason: APNsReason.shutdown.name) }

    /// Resets every TCP connection.
    package func disconnectAll() async { await connections.each { $0.cut() } }

    /// Advances the clock and closes the connections that are idle for too long as a result.
    package func advance(bySeconds seconds: Int64) async {
        clock.advance(bySeconds: seconds)
        await connections.each { $0.sweep() }
    }

    /// Holds requests before they are processed, until ``release()``.
    package func holdRequests() { service.gate.change { $0 = .beforeProcessing } }

    /// Processes requests but holds the responses, until ``release()``.
    package func holdAnswers() { service.gate.change { $0 = .afterProcessing } }

    /// Releases everything held and stops holding.
    package func release() async {
        service.gate.change { $0 = .open }
        await connections.each { $0.release() }
    }

    /// Waits until this many complete requests have arrived since the start.
    package func requests(_ count: Int) async { await wait { $0.requests >= count } }

    /// Waits until the statistics satisfy a condition.
    package func wait(until isMet: @escaping @Sendable (SimulatorStatistics) -> Bool) async {
        await service.statistics.wait(until: isMet)
    }

    /// The broadcast channels of an app.
    package func channels(of bundle: String) -> [BroadcastChannel] { service.channels.channels(of: bundle) }

    /// Subscribes a device to a channel: it gets the stored broadcast first, if there is one, and all later ones.
    ///
    /// - Returns: false when the channel does not exist.
    package func subscribe(token: String, to channelID: String, of bundle: String) throws(MalformedToken) -> Bool {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        guard service.channels.subscribe(token, to: channelID, of: bundle) else { return false }
        if let stored = service.channels.channel(channelID, of: bundle)?.stored {
            service.devices.deliver(token, topic: stored.topic, stored)
        }
        return true
    }
}

/// One of Apple's two push environments.
package enum SimulatedEnvironment: String, Sendable, CaseIterable {
    /// `api.sandbox.push.apple.com`.
    case development
    /// `api.push.apple.com`.
    case production
}

/// The level of detail kept about received notifications.
package enum Recording: String, Sendable, CaseIterable {
    /// Every notification with its payload and headers.
    case everything
    /// Only the number of notifications per token, for runs with a million devices and more.
    case counts
}

/// The configuration of a simulator.
///
/// The defaults match what was observed of Apple's servers (docs/background/apple/service.md#observed-settings).
package struct SimulatorConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free one.
    package var port = 0
    /// The environment the simulator stands for.
    package var environment = SimulatedEnvironment.production
    /// The certificates; nil creates new ones.
    package var identity: SimulatorIdentity?
    package var clock = SimulatorClock()
    /// The level of detail kept about deliveries.
    package var recording = Recording.everything
    /// True to accept every well-formed token as a device's, for any topic, unless it is registered otherwise.
    package var acceptsEveryToken = false
    /// The number of streams allowed on a connection before a valid provider token was used on it.
    package var firstStreams = 1
    /// The number of streams allowed afterwards, and with a client certificate from the start.
    package var maxConcurrentStreams = 1000
    /// The seconds without a frame after which a connection is closed with `IdleTimeout`.
    package var idleTimeout: Int64 = 7200
    /// The number of `BadDeviceToken` refusals that closes a connection; nil for no limit.
    ///
    /// Apple documents the limit but not the number (docs/background/apple/service.md#connections).
    package var badDeviceTokenLimit: Int? = 300
    /// The number of refusals, not counting 410, that closes a connection; nil for no limit.
    package var refusalLimit: Int? = 3000
    /// The number of channels an app may have.
    package var channelLimit = 10_000
    /// The apps for which broadcasts are enabled; nil for all.
    package var broadcastApps: Set<String>?
    /// The number of threads that serve connections; nil shares those of the process.
    package var threads: Int?
}

/// The simulator's clock, in milliseconds of UNIX time.
///
/// It drives token ages, idle timeouts and the times of dead tokens, but not latency.
package final class SimulatorClock: Sendable {
    private let start: Int64?
    private let offset = Mutex<Int64>(0)

    /// Creates a clock that follows the machine's.
    package init() { start = nil }

    /// Creates a stopped clock that only moves when advanced.
    ///
    /// - Parameter start: the initial time, in milliseconds of UNIX time.
    package init(standingAt start: Int64) { self.start = start }

    /// The current time, in milliseconds of UNIX time.
    package var now: Int64 { (start ?? Self.machine) + offset.withLock { $0 } }

    /// The current time, in whole seconds of UNIX time.
    package var seconds: Int64 { now / 1000 }

    /// Advances the clock and closes the connections that are idle for too long as a result.
    package func advance(bySeconds seconds: Int64) {
        offset.withLock { $0 += seconds * 1000 }
    }

    private static var machine: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Counts of a simulator's activity.
package struct SimulatorStatistics: Sendable, Hashable {
    /// Connections accepted, with TLS established.
    package var connections = 0
    /// Connections open now.
    package var openConnections = 0
    /// TLS handshakes that failed.
    package var failedHandshakes = 0
    /// Complete requests that arrived.
    package var requests = 0
    /// Notifications that reached an inbox or a channel.
    package var processed = 0
    /// Messages that were only to be checked (`validate_only`).
    package var dryRuns = 0
    /// Responses written with status 200, 201 or 204.
    package var accepted = 0
    /// Other responses written, by reason.
    package var refused: [String: Int] = [:]
    /// Streams refused with RST_STREAM(REFUSED_STREAM).
    package var refusedStreams = 0
    /// Requests that a fault left unanswered.
    package var unanswered = 0
    /// The most streams open at a time on one connection.
    package var mostStreams = 0
    /// The number of different provider tokens accepted.
    package var providerTokens = 0
    /// PING frames received.
    package var pings = 0

    /// The total of refused requests.
    package var refusals: Int { refused.values.reduce(0, +) }
}

/// A value that can change while connections are open, and that tasks wait for.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [(isMet: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes the tasks whose condition it then meets.
    func change(_ body: (inout Value) -> Void) {
        let met: [CheckedContinuation<Void, Never>] = state.withLock { state in
            body(&state.value)
            guard !state.waiters.isEmpty else { return [] }
            let value = state.value
            let ready = state.waiters.filter { $0.isMet(value) }
            if !ready.isEmpty { state.waiters.removeAll { $0.isMet(value) } }
            return ready.map(\.continuation)
        }
        for continuation in met { continuation.resume() }
    }

    /// Waits until the value meets a condition.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(state.value) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }
}
