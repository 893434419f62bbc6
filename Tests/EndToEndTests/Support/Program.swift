import Foundation
import ProgramTesting

/// What a run of the program left behind.
struct Run: Sendable {
    let status: Int32
    let output: String
    let errors: String
    /// Whether a signal ended it.
    let wasKilled: Bool

    /// Everything it printed.
    var everything: String { output + errors }
    /// What it printed, with the lines under a name on one line.
    var unfolded: String { output.replacingOccurrences(of: "\n      ", with: " ") }
}

/// Runs the built `bugle`.
enum Program {
    /// Runs it to its end; `started` is told the process's id as soon as it runs.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        let all = environment.merging(["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "tester"]) { own, _ in own }
        let run = try await FinishedProgram.run(
            "bugle", arguments, environment: all, folder: folder, started: started)
        switch run.ending {
        case .exited(let code): return Run(status: code, output: run.output, errors: run.errors, wasKilled: false)
        case .signaled(let signal): return Run(status: signal, output: run.output, errors: run.errors, wasKilled: true)
        }
    }
}
