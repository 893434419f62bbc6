import Base
import DeviceRegistry
import Foundation
import Push
import PushServer
import RegistryTesting

extension Instant {
    /// Noon of a day that tests begin at: Saturday, 2026-11-21.
    static let noon = Instant(milliseconds: 1_795_262_400_000)
}

/// Runs a test, and then what ends it, however it went.
func running<Value>(_ test: () async throws -> Value, then end: () async -> Void) async throws -> Value {
    do {
        let value = try await test()
        await end()
        return value
    } catch {
        await end()
        throw error
    }
}

/// A server in this process on a free port, with a database in memory and a clock that stands still.
struct TestServer {
    let server: PushServer
    let registry: Registry
    let clock: ServerClock
    let port: Int

    /// The keys that a call can show.
    enum Key {
        case master
        case app
        case none
    }

    static let masterKey = "DyJegPlemooo4X1tg94gQkw1"
    static let appKey = "UtOCzqb67d3sN12Kts4URwy8"

    static var configuration: PushServerConfiguration {
        var configuration = PushServerConfiguration(
            applicationID: "giants", masterKey: ServerKey(masterKey), applicationKey: ServerKey(appKey))
        // A machine that is busy with other tests may stand still at any step: only what a test sets itself strikes.
        configuration.limits.openingTimeout = .seconds(600)
        configuration.limits.requestTimeout = .seconds(600)
        configuration.limits.idleTimeout = .seconds(600)
        configuration.limits.bodySpeedInterval = .seconds(600)
        configuration.limits.largeBodyPatience = .seconds(600)
        configuration.limits.gracePeriod = .seconds(600)
        configuration.limits.pushPatience = .seconds(600)
        configuration.upstreamTimeout = .seconds(600)
        return configuration
    }

    init(
        _ registry: Registry? = nil, clock: ServerClock = ServerClock(standingAt: .noon), pushesPerMinute: Int = 600,
        allowsFaults: Bool = true, observer: RequestObserver? = nil,
        configure: (inout PushServerConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = Self.configuration
        configuration.pushesPerMinute = pushesPerMinute
        configuration.allowsFaults = allowsFaults
        configure(&configuration)
        // A push to Apple may wait for Apple: its answer does not.
        if configuration.apple != nil { configuration.limits.pushPatience = ServerSettings().limits.pushPatience }
        if let registry { self.registry = registry } else { self.registry = try await Registry.test() }
        self.clock = clock
        server = PushServer(configuration, registry: self.registry, clock: clock, observer: observer)
        port = try await server.start()
    }

    /// Runs a test with a server and stops it.
    static func run(
        pushesPerMinute: Int = 600, allowsFaults: Bool = true, observer: RequestObserver? = nil,
        clock: ServerClock = ServerClock(standingAt: .noon),
        configure: (inout PushServerConfiguration) -> Void = { _ in }, _ test: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(
            clock: clock, pushesPerMinute: pushesPerMinute, allowsFaults: allowsFaults, observer: observer,
            configure: configure)
        try await running({ try await test(server) }, then: { await server.server.stop() })
    }

    /// One call; `target` stands after `/1.1` unless it begins with `//`.
    func call(
        _ method: String, _ target: String, _ body: JSONValue? = nil, key: Key = .master,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(method, target, bytes: body?.canonicalBytes ?? [], key: key, headers: headers)
    }

    /// One call with any bytes as its body.
    func send(
        _ method: String, _ target: String, bytes: [UInt8], key: Key = .master, headers: [(String, String)] = []
    ) async throws -> Answer {
        let path = target.hasPrefix("//") ? String(target.dropFirst()) : "/1.1" + target
        return try await HTTPClient.send(method, path, port: port, headers: Self.headers(key) + headers, body: bytes)
    }

    /// A call with a condition or other parameters.
    func get(_ path: String, _ query: [String: String], key: Key = .master) async throws -> Answer {
        try await call("GET", path + "?" + Self.encoded(query), key: key)
    }

    static func encoded(_ query: [String: String]) -> String {
        query.sorted { $0.key < $1.key }.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }.joined(separator: "&")
    }

    static func headers(_ key: Key) -> [(String, String)] {
        switch key {
        case .master: [("X-LC-Id", "giants"), ("X-LC-Key", masterKey + ",master")]
        case .app: [("X-LC-Id", "giants"), ("X-LC-Key", appKey)]
        case .none: []
        }
    }

    /// Registers an Apple device and gives its objectId.
    @discardableResult
    func device(_ token: String, _ fields: JSONValue = [:]) async throws -> String {
        var members = fields
        members["deviceType"] = "ios"
        members["deviceToken"] = .string(token)
        return try await call("POST", "/installations", members).body["objectId"]?.string ?? ""
    }

    /// The content of the messages that a device received.
    func inbox(_ token: String) async throws -> [JSONValue] {
        let answer = try await call("GET", "/bugle/devices/\(token)/inbox")
        return (answer.body["results"]?.array ?? []).compactMap { $0["data"] }
    }

    /// Puts the clock forward over HTTP.
    func advance(_ seconds: Int64) async throws {
        _ = try await call("POST", "/bugle/clock", ["advance": .integer(seconds)])
    }
}
