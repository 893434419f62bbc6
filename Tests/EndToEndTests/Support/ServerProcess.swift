import Foundation
import Glibc
import JSONValue
import Subprocess
import SystemPackage
import Testing

/// The built `bugle-server`, as a process of its own that can be killed.
struct ServerProcess: Sendable {
    let port: Int
    private let id: Int32
    private let running: Task<Void, any Error>

    /// Starts it over a database file, on a free port, and returns when it listens.
    static func start(data: String) async throws -> ServerProcess {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let started = Promise<Int32>()
        let running = Task {
            _ = try await Subprocess.run(
                .path(try Program.executable("bugle-server")),
                arguments: ["--listen", "127.0.0.1:0", "--data", data, "--app-id", "giants-demo", "--allow-faults"],
                environment: .custom(["BUGLE_SERVER_KEY": World.masterKey]), input: .none,
                output: .fileDescriptor(FileDescriptor(rawValue: writing), closeAfterSpawningProcess: true),
                error: .discarded
            ) { execution in
                started.fulfil(execution.processIdentifier.value)
            }
        }
        let line = await onThread { readLine(of: reading) }
        let port = line.split(separator: ":").last.flatMap { Int($0) }
        return ServerProcess(port: try #require(port, "\(line)"), id: await started.value, running: running)
    }

    private static func readLine(of descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `kill -9`; returns when the process is gone.
    func kill() async {
        _ = Glibc.kill(id, SIGKILL)
        _ = await running.result
    }

    /// Calls the server's API with the master key.
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await LoopbackHTTP.send(
            try #require(URL(string: "http://127.0.0.1:\(port)/1.1\(path)")), method: method, body: body,
            key: World.masterKey)
    }
}
