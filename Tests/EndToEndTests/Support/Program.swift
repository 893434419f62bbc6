import Foundation
import ProgramTesting
import Subprocess
import SystemPackage

/// What a run of the program left behind.
struct Run: Sendable {
    let status: Int32
    let output: String
    let errors: String
    /// Whether a signal ended it.
    let wasKilled: Bool

    /// Everything it printed.
    var everything: String { output + errors }
}

/// Runs the built `bugle`.
enum Program {
    /// Runs it to its end.
    ///
    /// - Parameter started: told the process's id as soon as it runs.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        let all = environment.merging(["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "tester"]) { own, _ in own }
        let variables = Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) })
        let result = try await Subprocess.run(
            .path(try BuiltProgram.path("bugle")), arguments: Arguments(arguments), environment: .custom(variables),
            workingDirectory: folder.map { FilePath($0.path) }, input: .none, output: .string(limit: 64 << 20),
            error: .string(limit: 64 << 20)
        ) { execution in
            started(execution.processIdentifier.value)
        }
        let status: (Int32, Bool)
        switch result.terminationStatus {
        case .exited(let code): status = (code, false)
        case .signaled(let signal): status = (signal, true)
        }
        return Run(
            status: status.0, output: result.standardOutput, errors: result.standardError, wasKilled: status.1)
    }
}
