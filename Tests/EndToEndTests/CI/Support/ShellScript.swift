import Foundation
import ProgramTesting
import Subprocess
import SystemPackage

/// Runs scripts with the shells that run them in CI.
enum ShellScript {
    /// What GitHub runs a `run:` with when `shell:` is `bash`, and what GitLab's runner runs a script with.
    static let bash = ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail"]
    /// The same where there is no bash.
    static let sh = ["/bin/sh", "-e"]

    /// Runs a script to its end; the built programs are on its PATH.
    ///
    /// `started` is told the process's id as soon as it runs.
    static func run(
        _ script: String, shell: [String], environment: [String: String], folder: URL,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID().uuidString).sh")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await run(shell + [file.path], environment: environment, folder: folder, started: started)
    }

    /// Runs a command to its end.
    static func run(
        _ command: [String], environment: [String: String], folder: URL,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        let programs = try BuiltProgram.path("bugle").removingLastComponent()
        let own = ["PATH": "\(programs):/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "runner", "HOME": folder.path]
        let variables = Dictionary(
            uniqueKeysWithValues: environment.merging(own) { given, _ in given }
                .map { (Environment.Key(stringLiteral: $0.key), $0.value) })
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
            environment: .custom(variables), workingDirectory: FilePath(folder.path), input: .none,
            output: .string(limit: 16 << 20), error: .string(limit: 16 << 20)
        ) { execution in
            started(execution.processIdentifier.value)
        }
        switch result.terminationStatus {
        case .exited(let code):
            return Run(status: code, output: result.standardOutput, errors: result.standardError, wasKilled: false)
        case .signaled(let signal):
            return Run(status: signal, output: result.standardOutput, errors: result.standardError, wasKilled: true)
        }
    }
}
