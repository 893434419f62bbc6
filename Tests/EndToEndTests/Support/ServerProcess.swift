import Base
import Foundation
import ProgramTesting
import RegistryTesting
import Testing

/// The built `bugle-server`, as a process of its own that can be killed.
struct ServerProcess: Sendable {
    let port: Int
    /// What it says that it reaches devices by.
    let ways: String
    private let program: BackgroundProgram

    /// Starts it over the registry at a path, on a free port, and returns when it listens.
    static func start(data: String, _ more: [String] = []) async throws -> ServerProcess {
        let place = try await RegistryPlace.at(data)
        let program = try await BackgroundProgram.start(
            "bugle-server",
            [
                "--listen", "127.0.0.1:0", "--data", place, "--app-id", "giants-demo", "--allow-faults",
                "--opening-timeout", "10m", "--request-timeout", "10m", "--idle-timeout", "10m",
                "--grace-period", "10m",
            ]
                + more,
            environment: ["BUGLE_SERVER_KEY": World.masterKey], lines: 2)
        let port = program.head[0].split(separator: ":").last.flatMap { Int($0) }
        return ServerProcess(port: try #require(port, "\(program.head)"), ways: program.head[1], program: program)
    }

    /// `kill -9`; returns when the process is gone.
    func kill() async { await program.kill() }

    /// Calls the server's API with the master key.
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await LoopbackHTTP.send(
            try #require(URL(string: "http://127.0.0.1:\(port)/1.1\(path)")), method: method, body: body,
            key: World.masterKey)
    }
}
