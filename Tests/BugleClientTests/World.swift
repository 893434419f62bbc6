import Base
import BugleClient
import DeviceRegistry
import Foundation
import Push
import PushServer
import RegistryTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server in this process, and an app's folder, network and clock.
struct World {
    let registry: Registry
    let server: PushServer
    let url: URL
    let folder: URL
    let transport = FaultyTransport()
    let time = TestTime()

    static let delivery = "abcdefghijklmnop"

    static func run(_ test: (World) async throws -> Void) async throws {
        let registry = try Registry.testInMemory()
        var configuration = PushServerConfiguration(
            applicationID: "giants", masterKey: ServerKey("master"), applicationKey: ServerKey("app"))
        // A machine that is busy with other tests may stand still at any step.
        configuration.limits.openingTimeout = .seconds(600)
        configuration.limits.requestTimeout = .seconds(600)
        configuration.limits.idleTimeout = .seconds(600)
        configuration.limits.bodySpeedInterval = .seconds(600)
        let server = PushServer(
            configuration, registry: registry,
            clock: ServerClock(standingAt: Instant(milliseconds: 1_795_262_400_000)))
        let port = try await server.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let world = World(
            registry: registry, server: server, url: try #require(URL(string: "http://127.0.0.1:\(port)")),
            folder: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try await test(world)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// The app, as it is when it was started.
    func client(key: String = "app") throws -> BugleClient {
        var settings = ClientSettings(server: url, appID: "giants", appKey: key)
        settings.topic = "com.example.app"
        settings.languageField = "language"
        return try BugleClient(settings, folder: folder, transport: transport, now: { [time] in time.now })
    }

    /// The device that the server has under an id.
    func device(_ id: String) async throws -> JSONValue {
        var query = ObjectQuery()
        query.condition = ["objectId": .string(id)]
        let objects = try await registry.find(query, in: .installation, as: .master)
        return objects.results.first ?? nil
    }

    private var store: Journal { Journal(registry) { Instant(milliseconds: 1_795_262_400_000) } }

    /// Begins to send a delivery; what it returns records the answers.
    func begin(to tokens: [String]) async throws -> () async throws -> Void {
        let store = store
        _ = try await store.freeze(
            DeliveryFreeze(
                delivery: Self.delivery, workspace: "",
                audience: DeliveryAudience(
                    selection: .tokens(tokens),
                    routes: [DeliveryRoute(profile: "main", topic: "com.example.app", isDefault: true)]),
                environment: "production", events: EventRetention(keep: .seconds(60))), under: nil)
        guard case .batch(let batch) = try await store.claim(from: Self.delivery, by: "c", under: nil) else {
            throw Unexpected()
        }
        return {
            _ = try await store.settle(batch, [], under: nil)
            _ = try await store.close(Self.delivery, under: nil)
        }
    }

    /// Sends a delivery.
    func deliver(to tokens: [String]) async throws { try await begin(to: tokens)() }

    /// The devices that received, opened and removed it.
    func counts() async throws -> [Int] {
        try await store.events(of: Self.delivery).map { [$0.received, $0.opened, $0.dismissed] } ?? []
    }
}

/// A clock that stands still.
final class TestTime: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_795_262_400))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// The network of a phone.
final class FaultyTransport: ClientTransport {
    private struct State {
        var requests = 0
        var isDown = false
        var losesAnswers = false
        var refusal: (status: Int, retryAfter: TimeInterval)?
    }

    private let state = Mutex(State())
    private let real = URLSessionTransport(timeout: 600)

    /// The requests so far.
    var requests: Int { state.withLock { $0.requests } }
    /// True when nothing gets through.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }
    /// True when requests arrive, and answers do not.
    var losesAnswers: Bool {
        get { state.withLock { $0.losesAnswers } }
        set { state.withLock { $0.losesAnswers = newValue } }
    }
    /// What is answered instead of the server's own.
    var refusal: (status: Int, retryAfter: TimeInterval)? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    func send(_ request: URLRequest) async throws -> (body: Data, status: Int, retryAfter: TimeInterval?) {
        state.withLock { $0.requests += 1 }
        if isDown { throw URLError(.notConnectedToInternet) }
        if let refusal { return (Data("{}".utf8), refusal.status, refusal.retryAfter) }
        let answer = try await real.send(request)
        if losesAnswers { throw URLError(.networkConnectionLost) }
        return answer
    }
}
