package import Foundation
internal import Subprocess
internal import SystemPackage

/// The end of a process.
package enum ProgramEnding: Hashable, Sendable {
    /// By itself, with this code.
    case exited(Int32)
    /// By a signal.
    case signaled(Int32)

    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let signal): self = .signaled(signal)
        }
    }
}

/// The results of a built program that ran to its end.
package struct FinishedProgram: Sendable {
    /// The end of the process.
    package let ending: ProgramEnding
    /// Its standard output.
    package let output: String
    /// Its standard error.
    package let errors: String

    /// Runs one to its end.
    ///
    /// `environment` is all that it has of an environment. It runs in `folder`, or where the tests do, and `started` is
    /// told its process id as soon as it runs.
    package static func run(
        _ name: String, _ arguments: [String], environment: [String: String], folder: URL? = nil,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> FinishedProgram {
        let variables = Dictionary(
            uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) })
        let result = try await Subprocess.run(
            .path(try BuiltProgram.path(name)), arguments: Arguments(arguments), environment: .custom(variables),
            workingDirectory: folder.map { FilePath($0.path) }, input: .none, output: .string(limit: 64 << 20),
            error: .string(limit: 64 << 20)
        ) { execution in
            started(execution.processIdentifier.value)
        }
        return FinishedProgram(
            ending: ProgramEnding(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }
}
