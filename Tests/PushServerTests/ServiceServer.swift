import Base
import DeviceRegistry
import Foundation
import Logging
import Push
import PushServer
import RegistryTesting
import Synchronization

/// A server in this process with settings of the test's own and a log that the test reads.
struct ServiceServer: Sendable {
    let server: PushServer
    let registry: Registry
    let clock: ServerClock
    let log: LogLines
    /// The port it listens on.
    let port: Int

    private init(_ configuration: PushServerConfiguration, _ format: LogFormat, at now: Instant) async throws {
        clock = ServerClock(standingAt: now, machineAt: now)
        let log = LogLines()
        self.log = log
        registry = try await Registry.test()
        let handler = ServerLogHandler(level: .info, format: format) { log.add($0) }
        server = PushServer(
            configuration, registry: registry, clock: clock, logger: Logger(label: "test") { _ in handler })
        port = try await server.start()
    }

    /// Runs a test with a server and stops it.
    static func run<Value>(
        _ configure: (inout PushServerConfiguration) -> Void = { _ in }, format: LogFormat = .text,
        at now: Instant = .noon, _ test: (ServiceServer) async throws -> Value
    ) async throws -> Value {
        var configuration = TestServer.configuration
        configure(&configuration)
        let server = try await ServiceServer(configuration, format, at: now)
        return try await running({ try await test(server) }, then: { await server.server.stop() })
    }

    /// A dialog over connections of the test's own, on a thread that may block.
    func dialog<Value: Sendable>(_ body: @escaping @Sendable (_ port: Int) throws -> Value) async throws -> Value {
        let port = port
        return try await onThread { try body(port) }
    }

    /// The first reply to what is sent on a connection of its own.
    func reply(to text: String) async throws -> RawConnection.Reply {
        try await dialog { port in
            let connection = try RawConnection(port)
            connection.send(text)
            return try connection.reply()
        }
    }

    /// A whole call.
    func call(
        _ method: String, _ path: String, _ headers: [(String, String)] = TestServer.headers(.app), body: [UInt8] = []
    ) async throws -> Answer {
        try await HTTPClient.send(method, path, port: port, headers: headers, body: body)
    }
}

/// The lines that a server logged.
final class LogLines: Sendable {
    private let state = Mutex(
        (lines: [String](), waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)]()))

    func add(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiting.filter { $0.count <= state.lines.count }
            state.waiting.removeAll { $0.count <= state.lines.count }
            return ready
        }
        for entry in ready { entry.continuation.resume() }
    }

    var all: [String] { state.withLock { $0.lines } }

    /// The line of that number, from 1, once it is written: a request's is, a moment after its answer.
    func line(_ number: Int) async -> String {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.count < number { state.waiting.append((number, continuation)) }
                return state.lines.count >= number
            }
            if isThere { continuation.resume() }
        }
        return all[number - 1]
    }
}

/// The head of a request of a client, ready to be sent.
func head(_ line: String, _ headers: [String] = [], key: TestServer.Key = .app) -> String {
    let all = ["Host: test"] + TestServer.headers(key).map { "\($0.0): \($0.1)" } + headers
    return "\(line) HTTP/1.1\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
}
