import Foundation
import JSONValue
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// The built `bugle-server`, as a process of its own.
final class Program: Sendable {
    let port: Int
    /// The process's id.
    let id: Int32
    private let running: Task<TerminationStatus, any Error>
    private let isGone: Flag

    static let environment = ["BUGLE_SERVER_KEY": TestServer.masterKey, "BUGLE_SERVER_APP_KEY": TestServer.appKey]

    /// Starts the program and returns when it listens. Its log goes nowhere: a pipe that nobody reads would stop it
    /// after some hundred requests.
    static func start(data: URL, _ more: [String] = []) async throws -> Program {
        let executable = try executable()
        let arguments = ["--listen", "127.0.0.1:0", "--data", data.path, "--app-id", "giants"] + more
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let (ids, started) = AsyncStream<Int32>.makeStream()
        let isGone = Flag()
        let running = Task {
            defer { started.finish() }
            let result = try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: variables(environment), input: .none,
                output: .fileDescriptor(FileDescriptor(rawValue: writing), closeAfterSpawningProcess: true),
                error: .discarded
            ) { execution in
                _ = started.yield(execution.processIdentifier.value)
            }
            isGone.set()
            return result.terminationStatus
        }
        let line = try await onThread { readLine(of: reading) }
        let prefix = "listening on http://127.0.0.1:"
        try #require(line.hasPrefix(prefix), "the program ended before it listened: \(line)")
        var known = ids.makeAsyncIterator()
        return Program(
            port: try #require(Int(line.dropFirst(prefix.count))), id: try #require(await known.next()),
            running: running, isGone: isGone)
    }

    private init(port: Int, id: Int32, running: Task<TerminationStatus, any Error>, isGone: Flag) {
        self.port = port
        self.id = id
        self.running = running
        self.isGone = isGone
    }

    /// Runs the program until it ends by itself.
    static func run(
        _ arguments: [String], environment: [String: String] = environment
    ) async throws -> (status: Int32, output: String, errors: String) {
        let result = try await Subprocess.run(
            executable(), arguments: Arguments(arguments), environment: variables(environment), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        let status: Int32
        switch result.terminationStatus {
        case .exited(let code): status = code
        case .signaled(let signal): status = -signal
        }
        return (status, result.standardOutput, result.standardError)
    }

    private static func executable() throws -> Executable {
        let folders = [
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let candidates = folders.map { $0.appending(path: "bugle-server").path }
        let built = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        return .path(FilePath(try #require(built, "bugle-server is not built")))
    }

    private static func variables(_ environment: [String: String]) -> Environment {
        .custom(
            Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
    }

    private static func readLine(of descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        try await HTTPClient.send(
            method, "/1.1" + path, port: port, headers: TestServer.headers(.master), body: body?.canonicalBytes ?? [])
    }

    /// Sends a signal, unless the process is gone: `SIGKILL` is `kill -9`.
    func send(_ signal: Int32) {
        if !isGone.isSet { _ = Foundation.kill(id, signal) }
    }

    /// `kill -9`, at once; for a test's last line.
    func kill() { send(SIGKILL) }

    /// How the process ended, once it has.
    var ending: TerminationStatus {
        get async throws { try await running.value }
    }
}

/// Set once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    func set() { state.withLock { $0 = true } }

    var isSet: Bool { state.withLock { $0 } }
}
