internal import CLibrary
internal import Foundation
internal import Subprocess
internal import SystemPackage

/// A built program that runs beside the tests: a server, say.
///
/// It ends when it is killed, and with the process of the tests at the latest: a watchman sees to it.
package struct BackgroundProgram: Sendable {
    /// The first lines that it printed.
    package let head: [String]
    /// The process's id.
    package let id: Int32
    private let running: Task<ProgramEnding, any Error>
    private let isGone: Flag

    /// The program ended instead of saying that it is ready.
    package struct Failure: Error, CustomStringConvertible {
        /// The output until then.
        package let description: String
    }

    /// Starts one and returns when it has printed the `lines` that it prints when it is ready; with 0, at once.
    ///
    /// Besides a PATH, `environment` is all that it has of an environment; `errors` is the file that its standard error
    /// is added to, none by default.
    package static func start(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], lines: Int = 1,
        errors: String? = nil
    ) async throws -> BackgroundProgram {
        let program = try BuiltProgram.path(name)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "there is no pipe for \(name)") }
        let reading = ends[0]
        defer { close(reading) }
        var writing = ends[1]
        if lines == 0 {
            // Nobody reads on: a program that prints must not find a broken pipe.
            close(writing)
            writing = open("/dev/null", O_WRONLY)
        }
        let output = FileDescriptor(rawValue: writing)
        let log = try FileDescriptor.open(
            FilePath(errors ?? "/dev/null"), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        let started = Promise<Int32>()
        let isGone = Flag()
        // The watchman is the program's child, and holds none of its files open.
        let script = """
            (trap '' HUP INT TERM
             while kill -0 $$; do kill -0 "$0" || kill -9 $$; sleep 1; done) </dev/null >/dev/null 2>&1 &
            exec "$@"
            """
        let variables = Dictionary(
            uniqueKeysWithValues: environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
                .map { (Environment.Key(stringLiteral: $0.key), $0.value) })
        let tests = "\(ProcessInfo.processInfo.processIdentifier)"
        let running = Task {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(["-c", script, tests, program.string] + arguments),
                environment: .custom(variables), input: .none,
                output: .fileDescriptor(output, closeAfterSpawningProcess: true),
                error: .fileDescriptor(log, closeAfterSpawningProcess: true)
            ) { execution in
                started.fulfil(execution.processIdentifier.value)
            }
            isGone.raise()
            return ProgramEnding(result.terminationStatus)
        }
        let head = await onThread { readLines(lines, of: reading) }
        guard head.count == lines else { throw Failure(description: "\(name): \(head)") }
        return BackgroundProgram(head: head, id: await started.value, running: running, isGone: isGone)
    }

    private static func readLines(_ count: Int, of descriptor: Int32) -> [String] {
        var (lines, bytes): ([String], [UInt8]) = ([], [])
        var byte: UInt8 = 0
        while lines.count < count, CLibrary.read(descriptor, &byte, 1) == 1 {
            if byte != UInt8(ascii: "\n") {
                bytes.append(byte)
            } else {
                lines.append(String(decoding: bytes, as: UTF8.self))
                bytes = []
            }
        }
        return lines
    }

    /// Sends a signal, unless the process is gone.
    package func send(_ signal: Int32) {
        if !isGone.isRaised { _ = CLibrary.kill(id, signal) }
    }

    /// Whether it has a socket that listens: the number of a port says nothing, as it may be another's by now.
    package var isListening: Bool {
        get throws {
            let folder = "/proc/\(id)"
            // Local address, remote address, state; the tenth is the number of the socket.
            var listening: Set<String> = []
            for table in ["tcp", "tcp6"] {
                let lines = (try? String(contentsOfFile: "\(folder)/net/\(table)", encoding: .utf8)) ?? ""
                for line in lines.split(separator: "\n") {
                    let fields = line.split(separator: " ")
                    if fields.count > 9, fields[3] == "0A" { listening.insert("socket:[\(fields[9])]") }
                }
            }
            let files = FileManager.default
            return try files.contentsOfDirectory(atPath: "\(folder)/fd").contains { descriptor in
                let file = try? files.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(descriptor)")
                return file.map { listening.contains($0) } ?? false
            }
        }
    }

    /// `kill -9`; returns when the process is gone.
    package func kill() async {
        send(SIGKILL)
        _ = await running.result
    }

    /// The end of the process, once it has ended.
    package var ending: ProgramEnding {
        get async throws { try await running.value }
    }
}
