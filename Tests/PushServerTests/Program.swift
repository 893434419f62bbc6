import Base
import Foundation
import ProgramTesting
import Testing

/// The built `bugle-server`, as a process of its own.
struct Program: Sendable {
    let port: Int
    private let program: BackgroundProgram

    /// However slow the machine is, only what a test's own options say strikes: of an option given twice the last counts.
    static let patient = [
        "--opening-timeout", "10m", "--request-timeout", "10m", "--idle-timeout", "10m", "--grace-period", "10m",
    ]

    static let environment = ["BUGLE_SERVER_KEY": TestServer.masterKey, "BUGLE_SERVER_APP_KEY": TestServer.appKey]

    /// Starts the program and returns when it listens. Its log goes nowhere: a pipe that nobody reads would stop it
    /// after some hundred requests.
    static func start(data: URL, _ more: [String] = [], log: String? = nil) async throws -> Program {
        try await start(registry: data.path, more, log: log)
    }

    /// Starts the program with its registry in a file or a database.
    ///
    /// The program is the one that was built, or that at `path`.
    static func start(
        _ path: String? = nil, registry: String, _ more: [String] = [], log: String? = nil
    ) async throws -> Program {
        let program = try await BackgroundProgram.start(
            path ?? "bugle-server",
            ["--listen", "127.0.0.1:0", "--data", registry, "--app-id", "giants"] + patient + more,
            environment: environment, errors: log)
        let line = program.head[0]
        let prefix = "listening on http://127.0.0.1:"
        try #require(line.hasPrefix(prefix), "the program said something else before it listened: \(line)")
        return Program(port: try #require(Int(line.dropFirst(prefix.count))), program: program)
    }

    /// Runs the program until it ends; the status is its exit code, or of a signal the number, negative.
    ///
    /// `started` is told its process id as soon as it runs.
    static func run(
        _ arguments: [String], environment: [String: String] = environment,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> (status: Int32, output: String, errors: String) {
        let run = try await FinishedProgram.run(
            "bugle-server", arguments, environment: environment, started: started)
        switch run.ending {
        case .exited(let code): return (code, run.output, run.errors)
        case .signaled(let signal): return (-signal, run.output, run.errors)
        }
    }

    /// The process's id.
    var id: Int32 { program.id }

    /// A call. One that a busy machine takes longer for than the ten seconds of a query is made again: nothing of it
    /// was done, and no option raises that limit.
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        while true {
            let answer = try await HTTPClient.send(
                method, "/1.1" + path, port: port, headers: TestServer.headers(.master),
                body: body?.canonicalBytes ?? [])
            guard answer.body["code"] == 124 else { return answer }
        }
    }

    /// Sends a signal, unless the process is gone: `SIGKILL` is `kill -9`.
    func send(_ signal: Int32) { program.send(signal) }

    /// `kill -9`, at once; for a test's last line.
    func kill() { send(SIGKILL) }

    /// Whether it takes connections: its port may be another's as soon as it does not.
    var isListening: Bool { get throws { try program.isListening } }

    /// How the process ended, once it has.
    var ending: ProgramEnding {
        get async throws { try await program.ending }
    }
}
