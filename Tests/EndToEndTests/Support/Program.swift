import Foundation
import Testing

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
    /// The built program beside the test bundle.
    static func executable(_ name: String) throws -> URL {
        let folders = [
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let candidates = folders.map { $0.appending(path: name) }
        let built = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        return try #require(built, "\(name) is not built")
    }

    /// Runs it to its end.
    ///
    /// - Parameter started: told the process's id as soon as it runs.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Run {
        let process = Process()
        process.executableURL = try executable("bugle")
        process.arguments = arguments
        process.environment = environment.merging(["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "tester"]) { first, _ in first }
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let ended = AsyncStream<Void> { continuation in
            process.terminationHandler = { _ in
                continuation.yield()
                continuation.finish()
            }
        }
        try process.run()
        started(process.processIdentifier)
        async let out = text(of: output)
        async let err = text(of: errors)
        for await _ in ended {}
        return Run(
            status: process.terminationStatus, output: try await out, errors: try await err,
            wasKilled: process.terminationReason == .uncaughtSignal)
    }

    /// Reads a pipe to its end on a thread of its own, so that no task waits in a system call.
    private static func text(of pipe: Pipe) async throws -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
